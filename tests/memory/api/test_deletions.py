"""Deleting several memories in one call: each as if alone, all or none, and never more than was said."""

import uuid
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade, removal
from memory.models import AuditEvent, EndUser, Fact, FactEvidence, MemoryItem, Tombstone
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.factories import LONG_AGO, MemoryItemFactory

pytestmark = pytest.mark.django_db


def read_texts(user: EndUser) -> set[str]:
    with user_scope(user):
        return set(MemoryItem.objects.for_user(user).values_list("text", flat=True))


def delete(api: ApiClient, **body: Any) -> dict[str, Any]:
    answer = api.post("memories/delete", body)
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def keep(user: EndUser, text: str, **fields: Any) -> str:
    return str(MemoryItemFactory.create(user=user, text=text, **fields).pk)


# --- by id -------------------------------------------------------------------------------------------------------
def test_named_memories_go_and_ids_of_none_are_told(api: ApiClient, user: EndUser) -> None:
    first, second, _ = (keep(user, text) for text in ("one", "two", "three"))
    unknown = str(uuid.uuid4())
    told = delete(api, ids=[second, unknown, first, second.upper()])
    assert told == {
        "dry_run": False,
        "matched": 2,
        "deleted": 2,
        "remaining": 0,
        "passages": 0,
        "memory_ids": sorted([first, second]),
        "unknown_ids": [unknown],
    }
    assert read_texts(user) == {"three"}
    assert api.get(f"memories/{first}").status_code == 404
    assert delete(api, ids=[first])["unknown_ids"] == [first]
    with user_scope(user):
        assert Tombstone.objects.filter(user=user).count() == 2


def test_a_dry_run_tells_the_same_and_deletes_nothing(api: ApiClient, user: EndUser) -> None:
    named = [keep(user, "one"), keep(user, "two", status="archived")]
    told = delete(api, ids=named, dry_run=True)
    assert (told["matched"], told["deleted"], told["remaining"]) == (2, 0, 2)
    assert (told["dry_run"], told["memory_ids"]) == (True, named)
    assert delete(api, all=True, dry_run=True)["matched"] == 2
    assert read_texts(user) == {"one", "two"}
    assert not AuditEvent.objects.filter(action="memories.deleted").exists()


def test_evidence_facts_and_exchanges_go_as_they_do_with_a_single_deletion(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    said = [
        MemoryFacade().store_exchange(user, NewExchange("t", message, "I see."), now=clock()).memory_id
        for message in ("I live in Leeds.", "I am allergic to peanuts.", "I have a dog called Bruno.")
    ]
    profiling.profile_due_exchanges(user, now=clock())
    with user_scope(user):
        banked = MemoryItem.objects.for_user(user).get(text="I live in Leeds.", tier="memory_bank").pk
        assert Fact.objects.for_user(user).count() == 3
    # One that its message would have taken along is named beside it.
    told = delete(api, ids=[str(said[0]), str(said[1]), str(banked)])
    assert told["deleted"] == 3
    with user_scope(user):
        assert [fact.object_key for fact in Fact.objects.for_user(user)] == ["bruno"]
        assert FactEvidence.objects.filter(user=user).count() == 1
        assert [exchange.memory_id for exchange in Exchange.objects.filter(user=user)] == [said[2]]
    assert not [text for text in read_texts(user) if "Leeds" in text or "peanuts" in text]


def test_all_go_or_none(api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    named = [keep(user, "one"), keep(user, "two")]

    def fail(*_: object) -> None:
        raise RuntimeError("cut off")

    monkeypatch.setattr("memory.lifecycle.erasure.redact_stored_answers", fail)
    assert api.post("memories/delete", {"ids": named}).status_code == 500
    assert read_texts(user) == {"one", "two"}
    monkeypatch.undo()
    assert delete(api, ids=named)["deleted"] == 2


def test_what_is_sent_again_is_answered_again(api: ApiClient, user: EndUser) -> None:
    first = keep(user, "one", thread_id="t")
    body = {"filters": {"thread_id": "t"}}
    answers = [api.post("memories/delete", body, Idempotency_Key="once").json()]
    keep(user, "two", thread_id="t")
    answers.append(api.post("memories/delete", body, Idempotency_Key="once").json())
    assert [told["memory_ids"] for told in answers] == [[first]] * 2
    assert read_texts(user) == {"two"}


def test_the_organisation_is_told_how_many_and_no_word_of_them(api: ApiClient, user: EndUser) -> None:
    delete(api, ids=[keep(user, "one"), keep(user, "two"), str(uuid.uuid4())])
    delete(api, ids=[str(uuid.uuid4())])
    [event] = AuditEvent.objects.filter(action="memories.deleted")
    assert (event.organization_id, event.subject, event.details) == (user.organization_id, "2", {})
    assert event.actor == "key"


# --- by filter ---------------------------------------------------------------------------------------------------
@pytest.fixture
def several(user: EndUser) -> None:
    keep(user, "plain")
    keep(user, "tagged", tags=["boats", "harbour"], occurred_at=LONG_AGO)
    keep(user, "imported", source={"type": "import", "format": "claude"}, metadata={"project": {"name": "atlas"}})
    keep(user, "of a tool", source_type="tool", thread_id="t-1")
    keep(user, "archived", status="archived", tags=["boats"])
    keep(user, "suspected", tier="memory_bank", tags=["context"], review=True, warnings=["order"])
    keep(user, "passage", tier="books", source_type="document")


MATCHING: list[tuple[dict[str, Any], set[str]]] = [
    ({"tags": ["Boats "]}, {"tagged"}),
    ({"tags_any": ["harbour", "context"]}, {"tagged", "suspected"}),
    ({"tags": ["boats"], "status": "archived"}, {"archived"}),
    ({"status": "archived"}, {"archived"}),
    ({"metadata": {"project": {"name": "atlas"}}}, {"imported"}),
    ({"source": "import"}, {"imported"}),
    ({"source": {"type": "import", "format": "chatgpt"}}, set()),
    ({"source": "tool"}, {"of a tool"}),
    ({"thread_id": "t-1"}, {"of a tool"}),
    ({"in_thread": "t-1"}, {"of a tool"}),
    ({"occurred_before": "2026-03-02T00:00:00Z", "tier": "working", "tags": ["boats"]}, {"tagged"}),
    ({"review": True}, {"suspected"}),
    ({"q": "tool"}, {"of a tool"}),
    ({"tier": "memory_bank"}, {"suspected"}),
    ({"source": "document"}, set()),
    ({"source": "document", "tier": "books"}, {"passage"}),
]


@pytest.mark.parametrize(("filters", "matching"), MATCHING)
def test_what_matches_goes_and_nothing_else(
    api: ApiClient, user: EndUser, several: None, filters: dict[str, Any], matching: set[str]
) -> None:
    before = read_texts(user)
    foreseen = delete(api, filters=filters, dry_run=True)
    assert read_texts(user) == before
    told = delete(api, filters=filters)
    assert before - read_texts(user) == matching
    assert told["deleted"] == told["matched"] == foreseen["matched"] == len(matching)
    assert told["memory_ids"] == foreseen["memory_ids"]


def test_everything_goes_where_that_is_said(api: ApiClient, user: EndUser, several: None) -> None:
    told = delete(api, all=True)
    assert (told["deleted"], told["remaining"], told["passages"]) == (7, 0, 0)
    assert read_texts(user) == set()


def test_more_than_a_call_deletes_is_told_and_goes_with_the_next(
    api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "MOST_AT_ONCE", 2)
    for number in range(5):
        keep(user, f"number {number}", tags=["old"])
    seen = [delete(api, filters={"tags": ["old"]}) for _ in range(3)]
    assert [(told["matched"], told["deleted"], told["remaining"]) for told in seen] == [(5, 2, 3), (3, 2, 1), (1, 1, 0)]
    assert read_texts(user) == set()


ANY_ID = str(uuid.UUID(int=1))
ONE_OF_THREE = 'give one of "ids", "filters" and "all": true, and no other'
EVERYTHING = "would match every memory"
REFUSED: list[tuple[Any, str, str]] = [
    ({}, "", ONE_OF_THREE),
    ({"dry_run": True}, "", ONE_OF_THREE),
    ({"all": False}, "", ONE_OF_THREE),
    ({"ids": [ANY_ID], "all": True}, "all", ONE_OF_THREE),
    ({"ids": [ANY_ID], "filters": {"tags": ["a"]}}, "filters", ONE_OF_THREE),
    ({"ids": []}, "ids", "at least 1"),
    ({"ids": [ANY_ID] * 501}, "ids", "at most 500"),
    ({"ids": ["one"]}, "ids[0]", ""),
    ({"filters": {}}, "filters", EVERYTHING),
    ({"filters": {"status": "active"}}, "filters", EVERYTHING),
    ({"filters": {"metadata": {}}}, "filters", EVERYTHING),
    ({"filters": {"review": False}}, "filters", EVERYTHING),
    ({"filters": {"tags": []}}, "filters.tags", "at least one"),
    ({"filters": {"source": ""}}, "filters.source", "must name a source"),
    ({"filters": {"thread_id": " "}}, "filters.thread_id", "empty"),
    ({"filters": {"tags": ["a"], "owner": "me"}}, "filters.owner", ""),
    ({"filters": {"occurred_before": "soon"}}, "filters.occurred_before", "ISO 8601"),
    ({"filters": {"q": "x" * 1001}}, "filters.q", "at most 1000"),
    ({"all": "yes"}, "all", ""),
]


@pytest.mark.parametrize(("body", "field", "rule"), REFUSED)
def test_what_does_not_say_what_is_meant_is_refused_by_field_and_rule(
    api: ApiClient, user: EndUser, body: Any, field: str, rule: str
) -> None:
    keep(user, "one", tags=["a"])
    answer = api.post("memories/delete", body)
    assert answer.status_code == 422, answer.content
    [error] = answer.json()["errors"]
    assert error["field"] == field
    assert rule in error["message"]
    assert read_texts(user) == {"one"}


def test_a_key_that_may_not_write_and_a_person_nobody_knows(user: EndUser) -> None:
    item = keep(user, "one")
    assert client_for(user, ("read",)).post("memories/delete", {"ids": [item]}).status_code == 403
    nobody = ApiClient("nobody", client_for(user).key)
    assert nobody.post("memories/delete", {"ids": [item]}).status_code == 404
    assert not EndUser.objects.filter(external_id="nobody").exists()
    assert read_texts(user) == {"one"}
