"""Somebody fills the memory bank with items of the highest quality: what a person put there stays."""

import random
from collections.abc import Iterator

import pytest
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.benchmarks.synthetic import NoteWriter
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import SourceType, Status, Tier, Trust
from tests.conftest import Clock

person, flood, other_flood = MemoryFacade("key:app"), MemoryFacade("key:agent"), MemoryFacade("key:plugin")


def make_statement(text: str, **fields: object) -> NewMemory:
    return NewMemory(text, **{"tier": Tier.MEMORY_BANK, "tags": ["preference"], **fields})  # type: ignore[arg-type]


def make_planted(text: str, **fields: object) -> NewMemory:
    return make_statement(text, source_type=SourceType.ASSISTANT, importance=1.0, confidence=1.0, **fields)


def list_bank(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK))


def texts() -> Iterator[str]:
    for number, note in enumerate(NoteWriter(7).notes(5000)):
        yield f"Item {number}: {note.topic}"


def pour_into_bank(
    facade: MemoryFacade, user: EndUser, clock: Clock, count: int, source: Iterator[str], **fields: object
) -> None:
    for _ in range(0, count, 50):
        batch = [make_planted(next(source), **fields) for _ in range(min(50, count))]
        facade.store_many(user, batch, now=clock.advance(seconds=1))


@pytest.fixture
def hundred(settings: Settings) -> None:
    """A tenth of what a bank usually holds."""
    limits = {**settings.MEMORY["LIMITS"], "bank_capacity": 100}
    settings.MEMORY = {**settings.MEMORY, "LIMITS": limits}


@pytest.mark.usefixtures("hundred")
def test_more_perfect_items_than_a_bank_holds_evict_nothing_of_a_person(user: EndUser, clock: Clock) -> None:
    pinned = person.store(
        user, make_statement("Is allergic to nuts", importance=0.0, always_inject=True), now=clock()
    ).item
    plain = [
        person.store(user, make_statement(f"Plain fact {letter}", importance=0.1, confidence=0.1), now=clock()).item
        for letter in "abcdefghij"
    ]
    source = texts()
    pour_into_bank(flood, user, clock, 100, source, always_inject=True)
    flood.store(user, make_planted(next(source), always_inject=True), now=clock())
    left = list_bank(user)
    assert {pinned.pk, *(item.pk for item in plain)} <= {item.pk for item in left}
    assert sum(item.principal == "key:agent" for item in left) == 50, "half of the bank at most is one source's"
    pour_into_bank(other_flood, user, clock, 50, source)
    left = list_bank(user)
    assert len(left) == 100
    assert {pinned.pk, *(item.pk for item in plain)} <= {item.pk for item in left}
    assert all(item.trust < Trust.USER for item in left if item.pk not in {pinned.pk, *(one.pk for one in plain)})


@pytest.fixture
def three(settings: Settings) -> None:
    limits = {**settings.MEMORY["LIMITS"], "bank_capacity": 4}
    settings.MEMORY = {**settings.MEMORY, "LIMITS": limits}


@pytest.mark.usefixtures("three")
def test_a_bank_full_of_what_people_said_takes_no_more_of_others(user: EndUser, clock: Clock) -> None:
    for letter in "abcd":
        person.store(user, make_statement(f"Fact {letter}", importance=0.1), now=clock())
    with pytest.raises(WriteRefused) as refused:
        flood.store(user, make_planted("A perfect item"), now=clock())
    assert refused.value.field == "tier"
    assert sorted(item.text for item in list_bank(user)) == ["Fact a", "Fact b", "Fact c", "Fact d"]
    person.store(user, make_statement("Fact e", importance=0.1), now=clock.advance(minutes=1))
    assert "Fact e" in {item.text for item in list_bank(user)}


@pytest.mark.usefixtures("three")
def test_the_newest_of_a_flood_displaces_the_flood(user: EndUser, clock: Clock) -> None:
    mine = person.store(user, make_statement("Fact", importance=0.0), now=clock()).item
    for letter in "abcde":
        flood.store(user, make_planted(f"Perfect item {letter}"), now=clock.advance(minutes=1))
    assert {item.text for item in list_bank(user)} == {"Fact", "Perfect item d", "Perfect item e"}
    archived = flood.list_events(user, next(item.pk for item in all_of(user) if item.text == "Perfect item a"))[0]
    assert "key:agent holds more than 2 of the bank's 4 places" in archived.reason
    assert mine.pk in {item.pk for item in list_bank(user)}


def all_of(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK))


@pytest.mark.usefixtures("three")
def test_a_pass_mends_a_bank_that_was_filled_some_other_way(user: EndUser, clock: Clock) -> None:
    flood.store_many(user, [make_planted(f"Perfect item {letter}") for letter in "ab"], now=clock())
    with user_scope(user):
        MemoryItem.objects.for_user(user).update(principal="key:plugin")
    flood.store_many(user, [make_planted(f"Perfect thing {letter}") for letter in "cd"], now=clock())
    with user_scope(user):
        MemoryItem.objects.for_user(user).update(principal="key:agent")
    foretold = person.promote(user, now=clock(), dry_run=True)
    done = person.promote(user, now=clock())
    assert [gone.memory_id for gone in foretold.archived] == [gone.memory_id for gone in done.archived]
    assert len(list_bank(user)) == 2


@pytest.mark.usefixtures("services")
def test_hundreds_of_grafts_near_one_topic_do_not_drown_it(user: EndUser, clock: Clock, index_now: object) -> None:
    """Each a little different, so that they do not fall on each other; none of a person's items goes or is hidden."""
    mine = person.store(user, make_statement("Dana approves invoices above 500 euros"), now=clock()).item
    rng = random.Random(5)
    words = ["quick", "late", "foreign", "small", "large", "old", "open", "paid", "split", "draft"]
    for _ in range(2):
        batch = [
            make_planted(f"Invoices above {rng.randrange(10_000)} euros, {' and '.join(rng.sample(words, 3))}, pass")
            for _ in range(300)
        ]
        flood.store_many(user, batch, now=clock.advance(minutes=1))
    assert callable(index_now)
    index_now(user)
    left = list_bank(user)
    assert sum(item.principal == "key:agent" for item in left) <= 500
    assert mine.pk in {item.pk for item in left}
    found = person.search(user, SearchRequest("who approves invoices?", limit=10), now=clock())
    assert mine.pk in {hit.item.pk for hit in found.hits}


@pytest.mark.usefixtures("services")
def test_the_same_graft_in_other_words_is_one_item(user: EndUser, clock: Clock, index_now: object) -> None:
    assert callable(index_now)
    mine = person.store(
        user, make_statement("Maya works at the city library in Porto as an archivist"), now=clock()
    ).item
    index_now(user)
    for wording in (
        "Maya works as an archivist at the city library in Porto",
        "maya works at the city library in Porto as an archivist.",
        "As an archivist, Maya works at the city library in Porto",
    ):
        new = make_planted(wording)
        twin = flood.find_duplicate(user, new, Deadline(5))
        assert flood.store(user, new, now=clock(), similar_to=twin).duplicate_of == mine.pk
    [item] = list_bank(user)
    assert (item.text, item.mentions, item.trust) == (mine.text, 4, Trust.USER)
    assert item.status == Status.ACTIVE
