"""A client's own data of a person: any JSON under a key, read back as it was, and gone with the person."""

import json
from typing import TYPE_CHECKING, Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory.lifecycle import erasure
from memory.models import EndUser, UserData
from tests.api_client import ApiClient, client_for

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response


def put_data(api: ApiClient, key: str, body: dict[str, Any]) -> "Response":
    return api.send("PUT", f"data/{key}", body)


@pytest.mark.parametrize("value", [{"theme": "dark", "sizes": [1, 2.5]}, [], "עברית 🦉", 0, False, None, ""])
def test_any_json_comes_back_as_it_was_put(api: ApiClient, value: Any) -> None:
    kept = put_data(api, "ui.theme", {"value": value})
    assert kept.status_code == 200, kept.content
    read = api.get("data/ui.theme").json()
    assert (read["key"], read["value"]) == ("ui.theme", value)
    assert read == kept.json()


def test_a_value_is_replaced_listed_by_prefix_and_deleted(api: ApiClient) -> None:
    for key in ("ui.theme", "ui.font", "app:seen", "UI.upper"):
        put_data(api, key, {"value": 1})
    before = api.get("data/ui.theme").json()
    after = put_data(api, "ui.theme", {"value": 2}).json()
    assert (after["value"], after["created_at"]) == (2, before["created_at"])
    assert after["updated_at"] > before["updated_at"]
    assert [one["key"] for one in api.get("data").json()["items"]] == ["UI.upper", "app:seen", "ui.font", "ui.theme"]
    page = api.get("data", {"prefix": "ui.", "limit": "1"}).json()
    rest = api.get("data", {"prefix": "ui.", "limit": "1", "cursor": page["next_cursor"]}).json()
    assert [one["key"] for one in (*page["items"], *rest["items"])] == ["ui.font", "ui.theme"]
    assert rest["next_cursor"] is None
    assert api.delete("data/ui.theme").status_code == 204
    assert api.get("data/ui.theme").status_code == 404
    assert api.delete("data/ui.theme").status_code == 404


def test_a_value_replaces_only_the_one_it_names(api: ApiClient) -> None:
    first = put_data(api, "k", {"value": 1, "replaces": None}).json()
    assert put_data(api, "k", {"value": 2, "replaces": None}).status_code == 409
    second = put_data(api, "k", {"value": 2, "replaces": first["updated_at"]}).json()
    assert second["updated_at"] > first["updated_at"]
    refused = put_data(api, "k", {"value": 3, "replaces": first["updated_at"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert api.get("data/k").json() == second
    api.delete("data/k")
    assert put_data(api, "k", {"value": 4, "replaces": second["updated_at"]}).status_code == 409
    assert api.get("data/k").status_code == 404


@pytest.mark.parametrize(
    ("key", "body", "field"),
    [
        ("a b", {"value": 1}, "key"),
        ("a" * 129, {"value": 1}, "key"),
        ("k", {}, "value"),
        ("k", {"value": "x" * 20_000}, "value"),
        ("k", {"value": 1, "more": 2}, "more"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_name(api: ApiClient, key: str, body: dict[str, Any], field: str) -> None:
    refused = put_data(api, key, body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, field)
    assert api.get("data").json()["items"] == []


def test_there_is_an_end_to_the_keys_and_not_to_changes(api: ApiClient, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "LIMITS": {**settings.MEMORY["LIMITS"], "data_keys": 2}}
    for key in ("a", "b"):
        assert put_data(api, key, {"value": 1}).status_code == 200
    refused = put_data(api, "c", {"value": 1})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "key")
    assert put_data(api, "b", {"value": 2}).status_code == 200


def test_it_is_the_persons_alone_in_no_answer_and_erased_with_them(
    api: ApiClient, user: EndUser, other_user: EndUser
) -> None:
    put_data(api, "lighthouse", {"value": "the lighthouse keeper is Ines"})
    theirs = client_for(other_user)
    assert theirs.get("data/lighthouse").status_code == 404
    assert theirs.get("data").json()["items"] == []
    for call, body in (("search", {"query": "lighthouse keeper"}), ("context", {"query": "lighthouse keeper"})):
        assert "Ines" not in json.dumps(api.post(call, body).json())
    assert erasure.erase_rows(user)["user_data"] == 1
    assert UserData.objects.count() == 0
    requested = erasure.request_erasure(user, now=timezone.now())
    erasure.finish_erasure(requested.pk, now=timezone.now())


def test_a_key_that_only_reads_changes_nothing(user: EndUser) -> None:
    reader = client_for(user, scopes=("read",))
    assert put_data(reader, "a", {"value": 1}).status_code == 403
    assert reader.delete("data/a").status_code == 403
