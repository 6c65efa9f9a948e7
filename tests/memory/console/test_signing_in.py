"""Signing in and out, what slows guessing down, and the theme."""

import pytest
from django.test import Client

from memory.console import throttle
from memory.models import EndUser, Operator
from memory.platform import redis
from memory.platform.faults import Unavailable
from tests.memory.console.conftest import PASSWORD, Console

LOGIN = "/console/login"


def sign_in(console: Client, password: str = PASSWORD, **more: str) -> int:
    return console.post(LOGIN, {"username": "olga", "password": password, **more}).status_code


def test_an_operator_signs_in_and_out(nobody: Console, operator: Operator, user: EndUser) -> None:
    assert nobody.get("/console/people").headers["Location"] == "/console/login?next=/console/people"
    answer = nobody.post(LOGIN, {"username": "olga", "password": PASSWORD, "next": "/console/people"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/console/people")
    assert nobody.get("/console/people").status_code == 200

    assert nobody.get("/console/logout").status_code == 405
    assert nobody.post("/console/logout").status_code == 302
    assert nobody.get("/console/people").status_code == 302


@pytest.mark.parametrize(
    "target", ["//evil.example", "\\\\evil.example", "https://evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_a_foreign_address_is_not_returned_to(nobody: Console, operator: Operator, target: str) -> None:
    answer = nobody.post(LOGIN, {"username": "olga", "password": PASSWORD, "next": target})
    assert answer.headers["Location"] == "/console/"
    answer = nobody.post("/console/theme", {"theme": "dark", "next": target})
    assert answer.headers["Location"] == "/console/"


def test_guessing_is_slowed_down_even_with_the_right_password(nobody: Console, operator: Operator) -> None:
    for _ in range(throttle.ATTEMPTS):
        assert sign_in(nobody, "wrong") == 422
    answer = nobody.post(LOGIN, {"username": "Olga ", "password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert b"Too many attempts" in answer.content


def test_a_right_password_forgives_earlier_mistakes(nobody: Console, operator: Operator) -> None:
    for _ in range(throttle.ATTEMPTS - 1):
        assert sign_in(nobody, "wrong") == 422
    assert sign_in(nobody) == 302
    nobody.logout()
    assert sign_in(nobody, "wrong") == 422
    assert sign_in(nobody) == 302


def test_another_address_is_not_held_up(nobody: Console, operator: Operator) -> None:
    for _ in range(throttle.ATTEMPTS + 1):
        sign_in(nobody, "wrong")
    assert sign_in(nobody) == 429
    assert Client(REMOTE_ADDR="192.0.2.7").post(LOGIN, {"username": "olga", "password": PASSWORD}).status_code == 302


def test_guessing_is_slowed_down_without_redis(
    nobody: Console, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(call: object, timeout_s: float = 0.0) -> None:
        raise Unavailable("redis", "down")

    monkeypatch.setattr(redis, "call_or_raise", down)
    monkeypatch.setattr(throttle, "_alone", {})
    assert [sign_in(nobody, "wrong") for _ in range(throttle.ATTEMPTS + 1)] == [422] * throttle.ATTEMPTS + [429]


def test_a_changed_password_ends_other_sessions(console: Console, operator: Operator) -> None:
    assert console.get("/console/people").status_code == 200
    operator.set_password("another horse battery")
    operator.save()
    assert console.get("/console/people").status_code == 302


def test_a_deleted_or_disabled_operator_is_signed_out(console: Console, operator: Operator) -> None:
    operator.is_active = False
    operator.save()
    assert console.get("/console/people").status_code == 302


def test_forms_need_the_token_of_this_session(operator: Operator, user: EndUser) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(LOGIN, {"username": "olga", "password": PASSWORD}).status_code == 403
    assert (
        strict.post(LOGIN, {"username": "olga", "password": PASSWORD}, headers={"HX-Request": "true"}).status_code
        == 403
    )
    strict.force_login(operator)
    answer = strict.post("/console/logout")
    assert answer.status_code == 403
    assert b"This form could not be verified" in answer.content


def test_the_theme_is_chosen_without_javascript(nobody: Console) -> None:
    assert b"data-theme" not in nobody.get(LOGIN).content
    answer = nobody.post("/console/theme", {"theme": "dark", "next": LOGIN})
    assert answer.headers["Location"] == LOGIN
    assert b'<html lang="en" data-theme="dark">' in nobody.get(LOGIN).content
    nobody.post("/console/theme", {"theme": '"><script>', "next": LOGIN})
    assert b'data-theme="dark"' in nobody.get(LOGIN).content


def test_a_part_asked_for_after_the_session_ended_leads_the_whole_page_to_sign_in(nobody: Console, place: str) -> None:
    answer = nobody.part(f"{place}/memories", **{"HX-Current-URL": f"http://testserver{place}/memories"})
    assert answer.status_code == 200
    assert answer.headers["HX-Redirect"] == f"/console/login?next={place}/memories"
    assert answer.content == b""


def test_what_is_sent_after_the_session_ended_leaves_the_page_as_it_is(nobody: Console, place: str) -> None:
    answer = nobody.post_part(f"{place}/bank/judge", {"text": "Ann grows plums."})
    assert (answer.status_code, answer.content) == (401, b"")
    assert "HX-Redirect" not in answer.headers
