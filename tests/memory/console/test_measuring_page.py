"""Measuring in the console: saving a question, naming a change, reading what came of it; without JavaScript."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.measuring.cases import NewCase
from memory.measuring.runs import perform_run
from memory.models import EndUser
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.web.labels import draw_arrow
from tests.memory.console.conftest import Console

facade = MemoryFacade("key:test")
QUESTION = "Where is the key of the shed?"


@pytest.fixture
def key(user: EndUser, index_now: Callable[[EndUser], None]) -> uuid.UUID:
    now = timezone.now() - timedelta(days=1)
    stored = facade.store(user, NewMemory("The key of the shed hangs behind the clock", tier=Tier.HISTORY), now=now)
    index_now(user)
    return stored.item.pk


def test_a_question_is_saved_by_choosing_among_what_is_found(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    assert "No question yet" in console.get(f"{place}/measure").content.decode()
    assert str(key) in console.get(f"{place}/measure?{urlencode({'ask': QUESTION})}").content.decode()
    nothing = console.post(f"{place}/measure/questions", {"question": QUESTION})
    assert nothing.status_code == 422
    assert "should be found" in nothing.content.decode()
    saved = console.post(f"{place}/measure/questions", {"question": QUESTION, "expected": [str(key)]}, follow=True)
    assert "1 question" in saved.content.decode()
    [case] = facade.read_questions(user).questions
    assert (case.question, case.expected) == (QUESTION, (key,))
    console.post(f"{place}/measure/questions/{case.case_id}/delete")
    assert facade.read_questions(user).questions == []


def test_a_change_is_measured_and_told_question_by_question(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    wrong = console.post(f"{place}/measure/start", {"limit": "4"})
    assert wrong.status_code == 422
    started = console.post(f"{place}/measure/start", {"tiers": ["books"], "limit": "5"})
    assert started.status_code == 302
    [run] = facade.list_measurings(user)
    waiting = console.part(started.headers["Location"]).content.decode()
    assert "Waits for a worker" in waiting
    assert 'hx-trigger="every 2s"' in waiting
    perform_run(user, run.pk, clock=timezone.now)
    told = console.get(started.headers["Location"]).content.decode()
    assert "Only Books; 5 found" in told
    assert f"place 1 {draw_arrow()} not found" in told
    assert QUESTION in told
    assert "every 2s" not in told
    assert "0.000 to 0.000" in told
    console.cookies["commonplace_language"] = "he"
    hebrew = console.get(started.headers["Location"]).content.decode()
    assert "0.000 עד 0.000" in hebrew
    assert "\N{LEFT-TO-RIGHT MARK}-1.000" in hebrew
    del console.cookies["commonplace_language"]
    both = console.get(f"{place}/measure/{run.pk}/0").content.decode()
    assert "expected" in both
    assert "Nothing is found" in both
    assert console.get(f"{place}/measure/{run.pk}/1").status_code == 404
    listed = console.get(f"{place}/measure").content.decode()
    assert f"measure/{run.pk}" in listed
    assert QUESTION in console.get(f"{place}/measure/questions.jsonl").content.decode()


def test_two_settings_of_which_neither_is_in_force_are_compared(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    page = console.get(f"{place}/measure").content.decode()
    assert 'name="base-tiers"' in page
    assert page.count('id="id_limit"') == page.count('id="id_base-limit"') == 1
    same = console.post(f"{place}/measure/start", {"limit": "5", "base-limit": "5"})
    assert (same.status_code, "Both settings are the same" in same.content.decode()) == (422, True)
    wrong = console.post(f"{place}/measure/start", {"limit": "5", "base-skip": ["vector", "lexical"]})
    assert wrong.status_code == 422
    assert facade.list_measurings(user) == []
    for given, change, base, told in (
        ({"limit": "5", "base-tiers": ["books"]}, "5 found", "Only Books", f"not found {draw_arrow()} 1"),
        ({"base-tiers": ["books"]}, "As configured", "Only Books", f"not found {draw_arrow()} 1"),
    ):
        started = console.post(f"{place}/measure/start", given)
        perform_run(user, facade.list_measurings(user)[0].pk, clock=timezone.now)
        page = console.get(started.headers["Location"]).content.decode()
        assert f"<h1>{change}</h1>" in page
        assert f"Compared with: {base}." in page
        assert told in page


def test_what_a_run_is_compared_with_is_told_when_it_is_known(
    console: Console, user: EndUser, place: str, key: uuid.UUID
) -> None:
    """A page that was opened while the run went on told of the second, too, that it was the first."""
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    for told in ("itself, as it is the first run", "the run of "):
        address = console.post(f"{place}/measure/start", {}).headers["Location"]
        assert "Compared with" not in console.get(address).content.decode()
        perform_run(user, facade.list_measurings(user)[0].pk, clock=timezone.now)
        part = console.part(address).content.decode()
        assert f'<p id="compared" hx-swap-oob="true">Compared with: {told}' in part
        assert f'<p id="compared">Compared with: {told}' in console.get(address).content.decode()


def test_nobody_else_measures_or_reads_a_run(
    console: Console, outsider: Console, user: EndUser, other_user: EndUser, place: str, key: uuid.UUID
) -> None:
    facade.save_case(user, NewCase(QUESTION, [key]), now=timezone.now())
    console.post(f"{place}/measure/start", {"tiers": ["books"]})
    [run] = facade.list_measurings(user)
    assert outsider.get(f"{place}/measure/{run.pk}").status_code == 404
    assert outsider.post(f"{place}/measure/start", {"tiers": ["books"]}).status_code == 404
    theirs = f"/console/{other_user.organization.slug}/{other_user.external_id}"
    assert console.get(f"{theirs}/measure/{run.pk}").status_code == 404
