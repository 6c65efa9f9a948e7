"""The memory bank: one item for one statement, whoever says it how often and at once, and never more than fit."""

import uuid
from collections.abc import Callable
from threading import Event, Timer
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval.matching import BankMatch
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.store.writing import StoreResult
from memory.tiers import Tier
from tests.api_client import ApiClient
from tests.at_once import run_at_once
from tests.conftest import Clock
from tests.patience import PATIENCE_S

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]


def make_statement(text: str, **fields: Any) -> NewMemory:
    return NewMemory(text, tier=Tier.MEMORY_BANK, tags=fields.pop("tags", ["preference"]), **fields)


def store_statement(user: EndUser, clock: Clock, text: str, **fields: Any) -> StoreResult:
    """As the doors store: the nearest item is asked for first, outside any transaction."""
    new = make_statement(text, **fields)
    return memory.store(user, new, now=clock(), similar_to=memory.find_duplicate(user, new, Deadline(5)))


def list_bank(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
        return list(rows.order_by("arrival"))


def record_statements(user: EndUser) -> list[str]:
    return [item.text for item in list_bank(user)]


# --- one statement, one item -------------------------------------------------------------------------------------
def test_the_same_words_again_are_the_same_item(user: EndUser, clock: Clock) -> None:
    first = store_statement(user, clock, "Prefers tea to coffee")
    again = store_statement(user, clock, "prefers  TEA to coffee", tags=["identity"])
    assert first.duplicate_of is None
    assert again.duplicate_of == first.item.pk == again.item.pk
    [item] = list_bank(user)
    assert item.mentions == 2
    assert item.tags == ["preference", "identity"]
    assert [version.text for version in memory.list_versions(user, item.pk)] == ["prefers  TEA to coffee"]
    event = memory.list_events(user, item.pk)[0]
    assert (event.kind, event.before["mentions"]) == ("merged", 1)


def test_the_same_words_in_two_tiers_or_of_two_users_stay_apart(
    user: EndUser, other_user: EndUser, clock: Clock
) -> None:
    store_statement(user, clock, "Prefers tea to coffee")
    store_statement(other_user, clock, "Prefers tea to coffee")
    memory.store(user, NewMemory("Prefers tea to coffee"), now=clock())
    memory.store(user, NewMemory("Prefers tea to coffee"), now=clock())
    assert len(list_bank(user)) == len(list_bank(other_user)) == 1
    assert memory.get_stats(user).tiers["working"] == {"active": 2}


def test_nearly_the_same_words_fall_on_each_other_by_meaning(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow
) -> None:
    first = store_statement(user, clock, "Maya works at the city library in Porto as an archivist")
    index_now(user)
    again = store_statement(user, clock, "Maya works as an archivist at the city library in Porto")
    assert again.duplicate_of == first.item.pk
    assert store_statement(user, clock, "Maya plays the cello on Sundays").duplicate_of is None
    assert len(list_bank(user)) == 2


def test_a_different_number_is_a_different_fact(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow
) -> None:
    first = store_statement(user, clock, "The train to the office leaves from gate 12")
    index_now(user)
    new = make_statement("The train to the office leaves from gate 14")
    # Even when the vectors say that they are the same.
    other = memory.store(user, new, now=clock(), similar_to=first.item.pk)
    assert other.duplicate_of is None
    assert len(list_bank(user)) == 2


def test_the_better_wording_stays_and_the_other_becomes_a_version(user: EndUser, clock: Clock) -> None:
    first = store_statement(user, clock, "likes tea", importance=0.5, confidence=0.5).item
    better = make_statement(
        "The user likes green tea in the morning", importance=0.9, confidence=0.9, tags=["identity"]
    )
    merged = memory.store(user, better, now=clock.advance(days=1), similar_to=first.pk)
    assert merged.duplicate_of == first.pk
    [item] = list_bank(user)
    assert (item.pk, item.text, item.version) == (first.pk, better.text, 2)
    assert (item.importance, item.confidence, item.indexing) == (0.9, 0.9, "pending")
    [version] = memory.list_versions(user, item.pk)
    assert (version.text, version.importance, version.tags) == ("likes tea", 0.5, ["preference"])


def test_the_worse_wording_becomes_a_version_with_its_own_values(user: EndUser, clock: Clock) -> None:
    first = store_statement(user, clock, "The user likes green tea", importance=0.9, confidence=0.9).item
    worse = make_statement("tea is liked", importance=0.3, confidence=0.2, tags=["context"])
    memory.store(user, worse, now=clock(), similar_to=first.pk)
    [item] = list_bank(user)
    assert (item.text, item.importance, item.tags) == ("The user likes green tea", 0.9, ["preference", "context"])
    [version] = memory.list_versions(user, item.pk)
    assert (version.text, version.importance, version.confidence) == ("tea is liked", 0.3, 0.2)


def test_a_tag_that_came_with_a_repetition_is_a_word_to_find_it_by(user: EndUser, clock: Clock, services: None) -> None:
    store_statement(user, clock, "Prefers tea to coffee")
    store_statement(user, clock, "Prefers tea to coffee", tags=["breakfast"])
    request = SearchRequest("breakfast", stages=frozenset({"lexical"}))
    assert len(memory.search(user, request, now=clock()).hits) == 1


def test_always_inject_is_not_lost_when_a_statement_is_repeated(user: EndUser, clock: Clock) -> None:
    store_statement(user, clock, "Is allergic to nuts", always_inject=True)
    store_statement(user, clock, "Is allergic to nuts")
    assert list_bank(user)[0].always_inject is True


@pytest.mark.parametrize("gone", ["archive", "remove"])
def test_a_statement_that_left_the_bank_is_no_duplicate(user: EndUser, clock: Clock, gone: str) -> None:
    first = store_statement(user, clock, "Prefers tea to coffee").item
    getattr(memory, gone)(user, first.pk, now=clock())
    again = memory.store(user, make_statement("Prefers tea to coffee"), now=clock(), similar_to=first.pk)
    assert again.duplicate_of is None
    assert again.item.pk != first.pk


def test_nobody_elses_item_can_be_merged_into(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    theirs = store_statement(other_user, clock, "Prefers tea to coffee").item
    mine = memory.store(user, make_statement("Tea is preferred to coffee"), now=clock(), similar_to=theirs.pk)
    assert mine.duplicate_of is None
    assert list_bank(other_user)[0].mentions == 1


def test_a_batch_says_a_thing_twice_and_it_is_kept_once(user: EndUser, clock: Clock) -> None:
    first, second, third = memory.store_many(
        user,
        [make_statement("Plays the cello"), make_statement("Rows"), make_statement("plays the cello")],
        now=clock(),
    )
    assert first == third != second
    assert sorted(record_statements(user)) == ["Plays the cello", "Rows"]


# --- capacity ----------------------------------------------------------------------------------------------------
@pytest.fixture
def small_bank(settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "LIMITS": {**settings.MEMORY["LIMITS"], "bank_capacity": 3}}


def test_the_weakest_item_makes_room_and_the_newest_stays(user: EndUser, clock: Clock, small_bank: None) -> None:
    for text, importance in (("Rows", 0.4), ("Sings", 0.8), ("Climbs", 0.6)):
        store_statement(user, clock, text, importance=importance)
        clock.advance(minutes=1)
    store_statement(user, clock, "Whittles", importance=0.1)
    assert record_statements(user) == ["Sings", "Climbs", "Whittles"]
    [gone] = [item for item in all_items(user) if item.status == "archived"]
    assert gone.text == "Rows"
    event = memory.list_events(user, gone.pk)[0]
    assert (event.kind, event.actor) == ("archived", "promotion")
    assert "more than 3" in event.reason


def test_what_is_always_injected_stays_however_weak(user: EndUser, clock: Clock, small_bank: None) -> None:
    for number in range(3):
        store_statement(user, clock, f"Rule of the house, letter {'abc'[number]}", importance=0.0, always_inject=True)
    store_statement(user, clock, "Sings", importance=0.9)
    store_statement(user, clock, "Rows", importance=0.8)
    assert [item.always_inject for item in list_bank(user)] == [True, True, True, False]
    assert record_statements(user)[-1] == "Rows", "nothing else could go but the one that is not the newest"


def test_a_batch_and_a_restored_item_respect_the_capacity(user: EndUser, clock: Clock, small_bank: None) -> None:
    memory.store_many(user, [make_statement(f"Fact {letter}") for letter in "abcdef"], now=clock())
    assert len(list_bank(user)) == 3
    [gone, *_] = [item for item in all_items(user) if item.status == "archived"]
    memory.restore(user, gone.pk, now=clock())
    assert len(list_bank(user)) == 3
    assert gone.pk in {item.pk for item in list_bank(user)}


def all_items(user: EndUser) -> list[MemoryItem]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user))


# --- at once -----------------------------------------------------------------------------------------------------
@pytest.fixture
def words_loaded(other_user: EndUser, clock: Clock) -> None:
    """What a process loads at its first write is loaded: six threads would do so at once, each in a transaction."""
    memory.store(other_user, make_statement("Keeps bees"), now=clock())


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("words_loaded")
def test_writers_of_the_same_statement_at_once_make_one_item(user: EndUser, clock: Clock) -> None:
    def write() -> uuid.UUID:
        return memory.store(user, make_statement("Prefers tea to coffee"), now=clock()).item.pk

    assert len(set(run_at_once(*[write] * 6))) == 1
    [item] = list_bank(user)
    assert item.mentions == 6
    assert len(memory.list_versions(user, item.pk)) == 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("words_loaded")
def test_writers_at_once_do_not_overfill_or_overempty_the_bank(user: EndUser, clock: Clock, small_bank: None) -> None:
    writes = [
        lambda letter=letter: memory.store(user, make_statement(f"Fact {letter}"), now=clock()) for letter in "abcdef"
    ]
    run_at_once(*writes)
    assert len(list_bank(user)) == 3


@pytest.mark.django_db(transaction=True)
def test_the_same_import_at_once_adds_each_row_once(user: EndUser, clock: Clock) -> None:
    batch = [NewMemory(f"Line {n}", origin=f"o{n}") for n in range(30)]
    both = run_at_once(*[lambda: memory.store_many(user, batch, now=clock())] * 3)
    assert sorted(sum(item_id is not None for item_id in ids) for ids in both) == [0, 0, 30]
    assert len(all_items(user)) == 30


@pytest.mark.django_db(transaction=True)
def test_a_repetition_does_not_undo_what_was_changed_meanwhile(user: EndUser, clock: Clock) -> None:
    item = store_statement(user, clock, "Prefers tea to coffee").item
    is_changed, may_commit = Event(), Event()

    def archive_slowly() -> None:
        with user_scope(user):
            memory.archive(user, item.pk, now=clock())
            is_changed.set()
            may_commit.wait(PATIENCE_S)

    def repeat() -> StoreResult:
        is_changed.wait(PATIENCE_S)
        with user_scope(user):
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '120s'")
            # By then the repetition waits for the row.
            Timer(0.3, may_commit.set).start()
            return memory.store(user, make_statement("Prefers tea to coffee"), now=clock())

    _, again = run_at_once(archive_slowly, repeat)
    assert again.duplicate_of is None
    assert [row.status for row in all_items(user) if row.pk == item.pk] == ["archived"]


# --- one statement, also after an edit and out of the archive ----------------------------------------------------
ARCHIVIST = "Maya works at the city library in Porto as an archivist"
REWORDED = "Maya works as an archivist at the city library in Porto"


def twin(user: EndUser, item: MemoryItem, text: str | None = None) -> uuid.UUID | None:
    return memory.find_duplicate_of(user, item.pk, Deadline(5), text=text)


def test_an_edit_that_says_what_another_item_says_makes_the_two_one(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow
) -> None:
    kept = store_statement(user, clock, ARCHIVIST, importance=0.9).item
    other = store_statement(user, clock, "Maya plays the cello on Sundays", tags=["hobby"]).item
    index_now(user)
    near = twin(user, other, REWORDED)
    assert near == kept.pk
    left = memory.revise(user, other.pk, {"text": REWORDED}, now=clock.advance(hours=1), similar_to=near)
    assert left is not None
    [item] = list_bank(user)
    assert (item.pk, left.pk, item.text, item.mentions) == (kept.pk, kept.pk, ARCHIVIST, 2)
    assert item.tags == ["preference", "hobby"]
    assert [version.text for version in memory.list_versions(user, kept.pk)] == [REWORDED]
    gone = memory.list_events(user, other.pk)[0]
    assert (gone.kind, gone.after["merged_into"]) == ("archived", str(kept.pk))


@pytest.mark.parametrize(("importance", "stays"), [(0.9, "edited"), (0.5, "other"), (0.7, "edited")])
def test_the_better_of_two_that_came_to_say_the_same_stays_and_the_newer_of_equals(
    user: EndUser, clock: Clock, importance: float, stays: str
) -> None:
    other = store_statement(user, clock, "Drinks tea").item
    edited = memory.store(user, make_statement("Drinks coffee", importance=importance), now=clock.advance(hours=1)).item
    memory.revise(user, edited.pk, {"text": "drinks  TEA"}, now=clock.advance(hours=1))
    [item] = list_bank(user)
    assert item.pk == {"edited": edited, "other": other}[stays].pk


def test_an_edit_to_other_numbers_or_its_own_words_merges_nothing(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow
) -> None:
    store_statement(user, clock, "The train to the office leaves from gate 12")
    other = store_statement(user, clock, "The bus is slow").item
    index_now(user)
    text = "The train to the office leaves from gate 14"
    memory.revise(user, other.pk, {"text": text}, now=clock(), similar_to=twin(user, other, text))
    memory.revise(user, other.pk, {"text": f"{text}."}, now=clock(), similar_to=twin(user, other, f"{text}."))
    assert len(list_bank(user)) == 2


def test_what_comes_back_from_the_archive_becomes_one_with_what_says_the_same_now(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow
) -> None:
    gone = store_statement(user, clock, ARCHIVIST).item
    memory.archive(user, gone.pk, now=clock())
    index_now(user)
    newer = store_statement(user, clock, REWORDED, importance=0.9).item
    index_now(user)
    left = memory.restore(user, gone.pk, now=clock(), similar_to=twin(user, gone))
    assert left is not None
    [item] = list_bank(user)
    assert (item.pk, left.pk, item.mentions) == (newer.pk, newer.pk, 2)


def test_equal_wordings_leave_the_newer_one_and_the_same_words_leave_the_first(user: EndUser, clock: Clock) -> None:
    first = store_statement(user, clock, "likes tea").item
    memory.store(user, make_statement("enjoys tea"), now=clock.advance(days=1), similar_to=first.pk)
    assert record_statements(user) == ["enjoys tea"]
    memory.store(user, make_statement("Enjoys  TEA"), now=clock.advance(days=1))
    assert record_statements(user) == ["enjoys tea"]


def test_free_tags_and_metadata_of_a_record_are_kept_and_found_by(user: EndUser, clock: Clock, api: ApiClient) -> None:
    record = {
        "text": "Passport office appointment habits: mornings, never on Fridays",
        "tier": "memory_bank",
        "tags": ["Paperwork", "goal"],
        "metadata": {"kind": "habit", "since": 2024, "places": ["Haifa"]},
    }
    item = api.post("memories", record).json()
    assert (item["tags"], item["metadata"]) == (["paperwork", "goal"], record["metadata"])
    assert [one["id"] for one in api.get("memories", {"tag": "paperwork"}).json()["items"]] == [item["id"]]
    found = api.post("search", {"query": "appointment mornings", "metadata": {"kind": "habit"}}).json()
    assert [hit["memory_id"] for hit in found["results"]] == [item["id"]]
    assert api.post("search", {"query": "appointment mornings", "metadata": {"kind": "rule"}}).json()["results"] == []


# --- which one is meant ------------------------------------------------------------------------------------------
def match_statement(user: EndUser, clock: Clock, words: str) -> BankMatch:
    return memory.match_bank_item(user, words, now=clock(), deadline=Deadline(5))


def test_words_find_the_one_item_that_holds_or_means_them(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow
) -> None:
    archivist, cello = (
        store_statement(user, clock, ARCHIVIST).item,
        store_statement(user, clock, "Maya plays the cello on Sundays").item,
    )
    index_now(user)
    assert match_statement(user, clock, "the CELLO").item == cello
    found = match_statement(user, clock, "where does Maya work, which library?")
    assert (found.item, found.candidates[0].item, found.why) == (archivist, archivist, "")
    assert (found.candidates[0].similarity or 0) > 0.5


@pytest.mark.parametrize(
    ("words", "why"), [("Maya", "stand in several memories"), ("quantum chromodynamics lattice", "near enough")]
)
def test_doubt_is_no_match_and_names_the_candidates(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow, words: str, why: str
) -> None:
    both = {store_statement(user, clock, text).item.pk for text in (ARCHIVIST, "Maya plays the cello on Sundays")}
    index_now(user)
    found = match_statement(user, clock, words)
    assert found.item is None
    assert why in found.why
    assert {candidate.item.pk for candidate in found.candidates} == both


@pytest.mark.parametrize("words", ["my", "is", "My", "my is", "a"])
def test_words_that_say_nothing_mean_no_statement(
    user: EndUser, clock: Clock, services: None, index_now: IndexNow, words: str
) -> None:
    kept = store_statement(user, clock, "My cat is called Tiger").item
    store_statement(user, clock, "Maya plays the cello on Sundays")
    index_now(user)
    assert match_statement(user, clock, words).item is None
    assert match_statement(user, clock, "my cat").item == match_statement(user, clock, "tiger").item == kept


def test_an_empty_or_archived_bank_matches_nothing(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    store_statement(other_user, clock, ARCHIVIST)
    memory.archive(user, store_statement(user, clock, ARCHIVIST).item.pk, now=clock())
    memory.store(user, NewMemory(ARCHIVIST), now=clock())
    found = match_statement(user, clock, "archivist")
    assert (found.item, found.candidates, found.why) == (None, [], "nothing in the memory bank matches these words")
