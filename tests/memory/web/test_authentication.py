"""Who may call: keys, scopes, the keyless local mode, the switch."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from config.settings import FLAGS
from memory.access.keys import SCOPES, generate_key, issue_key
from memory.models import ApiKey, EndUser
from tests.api_client import ISSUED, ApiClient, client_for

CALLS = {
    "GET memories": "read",
    "GET stats": "read",
    "GET index-status": "read",
    "POST search": "read",
    "POST context": "read",
    "POST memories": "write",
    "POST memories/batch": "write",
    "POST outcomes": "write",
    "POST threads/t/exchanges": "write",
    "DELETE /api/v1/users/ann": "write",
    "POST promote": "admin",
}


def is_unauthorised(response: Any) -> bool:
    problem = response.json()
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["WWW-Authenticate"].startswith("Bearer")
    return bool(response.status_code == 401 and problem["code"] == "unauthorised")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        "Basic YW5uOnBhc3M=",
        "Token {key}",
        "Bearer  {key}",
        "Bearer {key} ",
        "Bearer {key},{key}",
        "Bearer {key}x",
        "{key}",
    ],
)
def test_only_a_whole_key_in_its_header_is_a_key(api: ApiClient, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header.format(key=api.key)}
    assert is_unauthorised(api.http.get(api.url("memories"), headers=headers))


def test_a_key_of_another_scheme_is_not_called_unknown(api: ApiClient) -> None:
    refused = api.http.get(api.url("memories"), headers={"Authorization": f"Token {api.key}"})
    assert (refused.status_code, "Authorization: Bearer" in refused.json()["detail"]) == (401, True)


def test_the_scheme_may_be_written_in_any_case(api: ApiClient) -> None:
    headers = {"Authorization": f"bearer {api.key}"}
    assert api.http.get(api.url("memories"), headers=headers).status_code == 200


def test_a_key_in_the_query_is_no_key(api: ApiClient) -> None:
    assert is_unauthorised(api.http.get(api.url("memories"), {"key": str(api.key)}))


def test_an_unknown_an_expired_and_a_revoked_key_are_refused_alike(user: EndUser) -> None:
    organization = user.organization
    _, expired = issue_key(organization, "old", SCOPES, now=ISSUED, lifetime=timedelta(days=1))
    row, revoked = issue_key(organization, "lost", SCOPES, now=ISSUED)
    ApiKey.objects.filter(pk=row.pk).update(revoked_at=timezone.now())
    answers = [ApiClient("ann", key).get("memories") for key in (generate_key(), expired, revoked)]
    assert all(is_unauthorised(answer) for answer in answers)
    assert len({answer.content for answer in answers}) == 1


def test_a_session_is_no_identity(api: ApiClient, django_user_model: Any) -> None:
    api.http.force_login(django_user_model.objects.create_superuser("root", password="x"))
    assert is_unauthorised(api.http.get(api.url("memories")))


@pytest.mark.parametrize("call", CALLS)
def test_each_call_needs_its_scope_and_no_other(user: EndUser, call: str) -> None:
    method, path = call.split(" ", 1)
    needed = CALLS[call]
    for scope in SCOPES:
        response = client_for(user, (scope,)).send(method, path, {} if method == "POST" else None)
        if scope == needed:
            assert response.status_code not in {401, 403}, scope
        else:
            assert (response.status_code, response.json()["code"]) == (403, "forbidden"), scope


def test_identity_comes_before_validity(api: ApiClient) -> None:
    api.key = None
    assert is_unauthorised(api.post("memories", {"nonsense": True}))


def test_using_a_key_is_noted_once_a_minute(api: ApiClient) -> None:
    api.get("memories")
    noted = ApiKey.objects.get().last_used_at
    assert noted is not None
    api.get("memories")
    assert ApiKey.objects.get().last_used_at == noted


@pytest.fixture
def keyless(api: ApiClient, settings: LazySettings) -> ApiClient:
    """The local mode: no key needed from this machine."""
    settings.MEMORY = {**settings.MEMORY, "REQUIRE_AUTH": False}
    api.key = None
    return api


def test_without_required_keys_this_machine_acts_for_the_local_organisation(keyless: ApiClient) -> None:
    assert keyless.post("memories", {"text": "a local memory"}).status_code == 201
    assert EndUser.objects.get(organization__slug="local").external_id == "ann"
    assert keyless.post("promote").status_code == 200


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_ORIGIN": "https://evil.example"},
        {"HTTP_ORIGIN": "null"},
        {"HTTP_SEC_FETCH_SITE": "cross-site"},
    ],
)
def test_without_required_keys_nobody_else_is_let_in(keyless: ApiClient, elsewhere: dict[str, Any]) -> None:
    assert is_unauthorised(keyless.http.get(keyless.url("memories"), **elsewhere))


def test_a_wrong_key_is_wrong_even_where_none_is_needed(keyless: ApiClient) -> None:
    keyless.key = generate_key()
    assert is_unauthorised(keyless.get("memories"))


def test_a_switched_off_system_answers_nothing_but_its_health(api: ApiClient, settings: LazySettings) -> None:
    flags: dict[str, Any] = {**FLAGS, "system": False}
    settings.MEMORY = {**settings.MEMORY, "FLAGS": flags}
    for response in (api.get("memories"), api.post("search", {"query": "a"}), api.http.get(api.url("stats"))):
        assert (response.status_code, response.json()["code"]) == (503, "unavailable")
        assert response.headers["Retry-After"]
    assert api.http.get("/api/health").status_code == 200


def test_answers_are_not_kept_by_caches_on_the_way(api: ApiClient) -> None:
    assert api.get("memories").headers["Cache-Control"] == "no-store"
