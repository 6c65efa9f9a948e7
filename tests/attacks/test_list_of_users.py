"""Who is told of whom: the list of users is of the key's organisation, and of the people the key acts for."""

from typing import Any

import pytest

from memory.access.confinement import RowScope
from memory.models import EndUser
from tests.api_client import ApiClient, client_for
from tests.factories import EndUserFactory

USERS = "/api/v1/users"


def names_of(api: ApiClient, **query: Any) -> list[str]:
    answer = api.get(USERS, query)
    assert answer.status_code == 200, answer.content
    return [item["user_id"] for item in answer.json()["items"]]


def test_a_key_is_told_of_its_own_organisation_alone(
    api: ApiClient, user: EndUser, other_user: EndUser, foreign_user: EndUser
) -> None:
    EndUserFactory.create(organization=foreign_user.organization, external_id="heliotrope")
    assert names_of(api) == ["ann", "ben"]
    assert names_of(client_for(foreign_user)) == ["ann", "heliotrope"]


@pytest.mark.parametrize("listed", [["ann"], ["ben"], ["ann", "nobody-yet"], ["nobody-yet"], []])
def test_a_key_for_some_people_is_told_of_these_alone(user: EndUser, other_user: EndUser, listed: list[str]) -> None:
    assert names_of(client_for(user, user_ids=listed)) == [name for name in ("ann", "ben") if name in listed]


@pytest.mark.parametrize("bound", [RowScope(project_id="acme/atlas"), RowScope(agent_id="planner")])
def test_a_key_that_is_bound_to_a_part_of_people_is_told_of_nobody(user: EndUser, bound: RowScope) -> None:
    refused = client_for(user, scope=bound).get(USERS)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert "ann" not in refused.content.decode()


@pytest.mark.parametrize("scope", ["write", "admin"])
def test_reading_the_list_needs_the_scope_to_read(user: EndUser, scope: str) -> None:
    assert client_for(user, (scope,)).get(USERS).status_code == 403
    assert names_of(client_for(user, ("read",))) == ["ann"]


def test_nobody_without_a_key_is_told_of_anybody(api: ApiClient) -> None:
    api.key = None
    assert api.get(USERS).status_code == 401


def test_spaces_and_people_who_are_being_erased_are_not_told_of(api: ApiClient, other_user: EndUser) -> None:
    assert api.post("spaces", {"name": "Household"}).status_code == 201
    assert api.delete(f"{USERS}/ben").status_code == 202
    assert EndUser.objects.filter(organization=other_user.organization).count() == 3
    assert names_of(api) == ["ann"]


def test_reading_of_somebody_unknown_puts_nobody_on_the_list_and_writing_does(api: ApiClient) -> None:
    assert api.post(f"{USERS}/carol/search", {"query": "tea"}).status_code == 200
    assert names_of(api) == ["ann"]
    assert api.post(f"{USERS}/carol/memories", {"text": "Carol prefers tea"}).status_code == 201
    assert names_of(api) == ["ann", "carol"]


def test_pages_tell_of_everybody_once(api: ApiClient, user: EndUser) -> None:
    for number in range(6):
        EndUserFactory.create(organization=user.organization, external_id=f"u{number}")
    found, cursor = [], None
    while True:
        page = api.get(USERS, {"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
        assert set(page["items"][0]) == {"user_id", "created_at", "last_active_at"}
        found.append([item["user_id"] for item in page["items"]])
        if (cursor := page["next_cursor"]) is None:
            break
    assert found == [["ann", "u0", "u1"], ["u2", "u3", "u4"], ["u5"]]


def test_a_cursor_of_another_organisation_or_list_is_refused(
    api: ApiClient, other_user: EndUser, foreign_user: EndUser
) -> None:
    for text in ("one", "two"):
        assert api.post("memories", {"text": text}).status_code == 201
    cursors = [api.get(path, {"limit": 1}).json()["next_cursor"] for path in (USERS, "memories")]
    assert api.get(USERS, {"cursor": cursors[0]}).status_code == 200
    assert client_for(foreign_user).get(USERS, {"cursor": cursors[0]}).status_code == 422
    assert api.get(USERS, {"cursor": cursors[1]}).status_code == 422
    assert api.get(USERS, {"organization": "umbra"}).status_code == 422
