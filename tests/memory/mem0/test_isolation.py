"""Whoever holds a key for one person, or for another organisation, gets at nobody else's memories by these paths."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from django.db import DatabaseError, connection

from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryAddress, MemoryItem
from outcomes.exchanges.profiling import profile_due_exchanges
from tests.factories import MemoryItemFactory
from tests.memory.mem0.conftest import HOST, DjangoTransport, NewClient

if TYPE_CHECKING:
    from mem0 import MemoryClient

pytestmark = pytest.mark.usefixtures("services")
SECRET = "The spare key is under the third pot"


def list_attacks(client: "MemoryClient", victim: EndUser, item: MemoryItem) -> dict[str, Callable[[], Any]]:
    """Every call that names a memory of the victim or the victim."""
    memory_id, person = str(item.pk), victim.external_id
    http = client.client
    return {
        "get": lambda: client.get(memory_id),
        "history": lambda: client.history(memory_id),
        "update": lambda: client.update(memory_id, text="changed"),
        "delete": lambda: client.delete(memory_id),
        "delete_linked": lambda: client.delete(memory_id, delete_linked=True),
        "feedback": lambda: client.feedback(memory_id, "VERY_NEGATIVE"),
        "batch_update": lambda: client.batch_update([{"memory_id": memory_id, "text": "changed"}]),
        "batch_delete": lambda: client.batch_delete([{"memory_id": memory_id}]),
        "event": lambda: http.get(f"/v1/event/{memory_id}/").raise_for_status(),
        "open get": lambda: http.get(f"/memories/{memory_id}").raise_for_status(),
        "open history": lambda: http.get(f"/memories/{memory_id}/history").raise_for_status(),
        "open update": lambda: http.put(f"/memories/{memory_id}", json={"text": "changed"}).raise_for_status(),
        "open delete": lambda: http.delete(f"/memories/{memory_id}").raise_for_status(),
        "add": lambda: client.add("planted words", user_id=person, infer=False),
        "search": lambda: client.search("spare key", filters={"user_id": person}),
        "search nested": lambda: client.search("spare key", filters={"OR": [{"AND": [{"user_id": person}]}]}),
        "list": lambda: client.get_all(filters={"user_id": {"in": [person]}}),
        "list with own": lambda: client.get_all(filters={"OR": [{"user_id": "eve"}, {"user_id": person}]}),
        "delete_all": lambda: client.delete_all(user_id=person),
        "delete_users": lambda: client.delete_users(user_id=person),
        "summary": lambda: client.get_summary({"user_id": person}),
        "profile": lambda: client.get_profile(person),
        "open list": lambda: http.get("/memories", params={"user_id": person}).raise_for_status(),
        "open search": lambda: http.post("/search", json={"query": "key", "user_id": person}).raise_for_status(),
    }


def outcome_of(attack: Callable[[], Any]) -> Any:
    try:
        return attack()
    except Exception as refused:  # noqa: BLE001 -- the classes of the client, known once it is imported
        return refused


def fingerprint(user: EndUser) -> list[tuple[Any, ...]]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).order_by("pk").values_list("pk", "text", "status", "score"))


def test_a_key_of_one_person_reaches_nobody_else(new_client: NewClient, user: EndUser, other_user: EndUser) -> None:
    item = MemoryItemFactory.create(user=user, tier="history", text=SECRET)
    before = fingerprint(user)
    thief = new_client(user, user_ids=[other_user.external_id, "eve"])
    for name, attack in list_attacks(thief, user, item).items():
        with pytest.raises(Exception) as refused:
            attack()
        assert SECRET not in str(refused.value), name
    # What names nobody is about those the key may act for.
    assert {one["name"] for one in thief.users()["results"]} == {other_user.external_id}
    thief.delete_users(run_id=item.thread_id or "mem0-2026-03-01")
    with pytest.raises(Exception, match="name one of the people"):
        thief.get_all(filters={"user_id": "*"})
    assert fingerprint(user) == before
    # And its owner does all of it.
    owner = new_client(user, user_ids=[user.external_id])
    assert owner.get(str(item.pk))["memory"] == SECRET
    assert owner.get_all()["count"] == 1


def test_another_organisation_is_answered_as_if_there_was_nothing(
    new_client: NewClient, user: EndUser, foreign_user: EndUser
) -> None:
    item = MemoryItemFactory.create(user=user, tier="history", text=SECRET)
    before = fingerprint(user)
    stranger = new_client(foreign_user)
    for name, attack in list_attacks(stranger, user, item).items():
        # Both organisations have an Ann: what names her is about their own.
        assert SECRET not in str(outcome_of(attack)), name
    assert fingerprint(user) == before


def test_what_an_agent_adds_is_learned_for_the_agent(new_client: NewClient, user: EndUser) -> None:
    spoken, person = "I want short answers. My desk is in room four.", {"user_id": user.external_id}
    new_client(user).add(spoken, agent_id="cook", app_id="kitchen", async_mode=True, **person)
    profile_due_exchanges(user)
    everything = new_client(user).get_all(filters=person)["results"]
    assert everything
    assert {(one["agent_id"], one["app_id"]) for one in everything} == {("cook", "kitchen")}
    # A key of another project neither sees it nor deletes it, and is asked for no whole person.
    bound = new_client(user, scope=RowScope(project_id="garage"))
    assert bound.get_all(filters=person)["results"] == []
    for call in (lambda: bound.get(everything[0]["id"]), lambda: bound.delete_all(**person)):
        with pytest.raises(Exception, match=r"no such thing|whole person"):
            call()
    with pytest.raises(Exception, match="confined"):
        bound.add(spoken, app_id="kitchen", **person)
    assert new_client(user).get_all(filters=person)["results"] == everything


def test_scopes_of_keys_hold(new_client: NewClient, user: EndUser) -> None:
    item = MemoryItemFactory.create(user=user, tier="history", text=SECRET)
    reader = new_client(user, ("read",))
    assert reader.get(str(item.pk))["memory"] == SECRET
    for write in (
        lambda: reader.add("more", user_id=user.external_id),
        lambda: reader.update(str(item.pk), text="other"),
        lambda: reader.delete(str(item.pk)),
        lambda: reader.feedback(str(item.pk), "POSITIVE"),
        lambda: reader.delete_all(user_id=user.external_id),
        lambda: reader.client.post("/reset").raise_for_status(),
    ):
        with pytest.raises(Exception, match=r"lacks the scope|403"):
            write()


def test_a_key_is_taken_from_any_of_the_three_headers(new_client: NewClient, user: EndUser) -> None:
    key = new_client(user).api_key
    http = httpx.Client(transport=DjangoTransport(), base_url=HOST)
    for headers in ({"Authorization": f"Token {key}"}, {"Authorization": f"Bearer {key}"}, {"X-API-Key": key}):
        answer = http.get("/v1/ping/", headers=headers)
        assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    for headers in ({}, {"Authorization": "Token nonsense"}, {"Authorization": f"Basic {key}"}, {"X-API-Key": "x"}):
        answer = http.get("/v1/ping/", headers={"Host": "example.org", "X-Forwarded-For": "192.0.2.1", **headers})
        assert (answer.status_code, answer.headers["content-type"]) == (401, "application/json")
        assert answer.json()["detail"]


def test_an_address_holds_two_ids_and_goes_with_its_memory(user: EndUser, foreign_user: EndUser) -> None:
    item = MemoryItemFactory.create(user=user, tier="history", text=SECRET)
    address = MemoryAddress.objects.get(pk=item.pk)
    assert (address.owner_id, len(MemoryAddress._meta.fields)) == (user.pk, 2)
    # Nobody can claim another's memory: the key has the owner in it.
    with pytest.raises(DatabaseError, match="foreign key"), connection.cursor() as cursor:
        cursor.execute(f"UPDATE memory_address SET owner_id = {foreign_user.pk}; SET CONSTRAINTS ALL IMMEDIATE")
