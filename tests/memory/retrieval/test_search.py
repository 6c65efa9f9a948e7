"""Finding through the facade: by meaning and by words, in a total order, explained, and never what must stay unseen."""

import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.indexes.base import VectorPoint
from memory.inference import embedder
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval.ranking import squash_score
from memory.retrieval.results import SearchHit, SearchRequest, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.rows import find_turn

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]

NOTES = (
    "The boat is moored at the north pier until spring",
    "Nadia repairs old violins in her workshop",
    "The deployment failed with ERR_4521 after the certificate expired",
    "Grandmother's soup needs celery root, leeks and a bay leaf",
    "The quarterly report is due on the second Friday",
    "Our dog is afraid of thunderstorms and hides under the bed",
    "המפגש עם הרופא נקבע ליום שלישי בבוקר",
    "El grifo de la cocina gotea desde el domingo",
)


def put_memory(user: EndUser, clock: Clock, text: str, **fields: Any) -> MemoryItem:
    return memory.store(user, NewMemory(text, **fields), now=clock()).item


def find_memories(user: EndUser, clock: Clock, query: str, **fields: Any) -> SearchResult:
    return memory.search(user, SearchRequest(query, **fields), now=clock())


def texts(result: SearchResult) -> list[str]:
    return [hit.item.text for hit in result.hits]


def ids(hits: Iterable[SearchHit]) -> list[uuid.UUID]:
    return [hit.item.pk for hit in hits]


@pytest.fixture
def notes(user: EndUser, clock: Clock, index_now: IndexNow) -> list[MemoryItem]:
    stored = []
    for text in NOTES:
        stored.append(put_memory(user, clock, text, tier=Tier.HISTORY))
        clock.advance(minutes=5)
    index_now(user)
    return stored


# --- what is found -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Who restores musical instruments?", NOTES[1]),
        ("pet frightened by bad weather", NOTES[5]),
        ("recipe with vegetables", NOTES[3]),
        ("ERR_4521", NOTES[2]),
        ("מתי הפגישה עם הרופא", NOTES[6]),
        ("grifo cocina", NOTES[7]),
    ],
)
def test_a_memory_is_found_by_its_meaning_or_its_words(
    user: EndUser, clock: Clock, notes: list[MemoryItem], query: str, text: str
) -> None:
    result = find_memories(user, clock, query)
    assert texts(result)[0] == text
    assert result.debug.fallbacks_used == []
    assert result.debug.vector_stage_status == "enabled"


def test_meaning_alone_finds_what_shares_no_word(user: EndUser, clock: Clock, notes: list[MemoryItem]) -> None:
    query = "Who restores musical instruments?"
    assert texts(find_memories(user, clock, query, stages=frozenset({"vector"})))[0] == NOTES[1]
    assert find_memories(user, clock, query, stages=frozenset({"lexical"})).hits == []


def test_a_pending_memory_is_found_by_its_words_at_once(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock, "The spare key hangs behind the boiler")
    result = find_memories(user, clock, "spare key")
    assert texts(result) == ["The spare key hangs behind the boiler"]
    assert result.hits[0].explain["vector_rank"] is None
    assert result.hits[0].explain["text_rank"] == 1


@pytest.mark.parametrize("indexed", [False, True], ids=["in an empty store", "among others"])
def test_a_pending_memory_is_found_without_a_common_word(
    user: EndUser, clock: Clock, index_now: IndexNow, *, indexed: bool
) -> None:
    if indexed:
        for text in NOTES:
            put_memory(user, clock, text)
        index_now(user)
    put_memory(user, clock, "I have been a vegetarian for years", tier=Tier.MEMORY_BANK, tags=["identity"])
    assert texts(find_memories(user, clock, "What can we cook?"))[0] == "I have been a vegetarian for years"


def test_a_pending_memory_is_compared_by_its_meaning_too(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    for text in ("I live in Zurich.", "I'm allergic to nuts."):
        put_memory(user, clock, text, tier=Tier.MEMORY_BANK, tags=["identity"])
    index_now(user)
    put_memory(user, clock, "The ladder is in the shed")
    before = find_memories(user, clock, "Where is the ladder?").hits[0]
    index_now(user)
    after = find_memories(user, clock, "Where is the ladder?").hits[0]
    assert {before.item.text, after.item.text} == {"The ladder is in the shed"}
    assert (before.explain["vector_rank"], after.explain["vector_rank"]) == (None, 1)
    assert before.explain["distance"] == pytest.approx(after.explain["distance"], abs=0.005)


def test_a_new_text_is_found_and_the_old_one_is_not(user: EndUser, clock: Clock, notes: list[MemoryItem]) -> None:
    memory.revise(user, notes[1].pk, {"text": "Nadia repairs bicycles"}, now=clock())
    assert texts(find_memories(user, clock, "bicycles", stages=frozenset({"lexical"}))) == ["Nadia repairs bicycles"]
    assert find_memories(user, clock, "violins", stages=frozenset({"lexical"})).hits == []
    # Its old vector still points at the item, which is shown with the text it has now.
    assert "Nadia repairs bicycles" in texts(find_memories(user, clock, "violin repair"))


def test_only_the_wanted_tiers_are_searched(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    for tier in (Tier.WORKING, Tier.HISTORY, Tier.BOOKS):
        put_memory(user, clock, f"The lighthouse story as told in {tier}", tier=tier)
    index_now(user)
    result = find_memories(user, clock, "lighthouse", tiers=frozenset({Tier.BOOKS, Tier.HISTORY}))
    assert {hit.item.tier for hit in result.hits} == {Tier.BOOKS, Tier.HISTORY}
    assert result.debug.tiers_considered == ["history", "books"]
    assert result.debug.tiers_used == ["history", "books"]
    assert find_memories(user, clock, "lighthouse").debug.tiers_considered == [tier.value for tier in Tier]


def test_metadata_keeps_only_what_contains_it(user: EndUser, clock: Clock) -> None:
    wanted = put_memory(user, clock, "The lighthouse was painted", metadata={"place": "coast", "year": 2020})
    put_memory(user, clock, "The lighthouse was sold", metadata={"place": "coast", "year": 2021})
    put_memory(user, clock, "The lighthouse was lit")
    assert ids(find_memories(user, clock, "lighthouse", metadata={"place": "coast", "year": 2020}).hits) == [wanted.pk]
    assert len(find_memories(user, clock, "lighthouse", metadata={"place": "coast"}).hits) == 2
    assert find_memories(user, clock, "lighthouse", metadata={"place": "inland"}).hits == []


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_no_more_than_the_limit_is_given(user: EndUser, clock: Clock, notes: list[MemoryItem], limit: int) -> None:
    result = find_memories(user, clock, "the", limit=limit)
    assert len(result.hits) == min(limit, len(NOTES))
    assert [hit.position for hit in result.hits] == list(range(1, len(result.hits) + 1))


@pytest.mark.parametrize("query", ["?!", "   ", "😀", "the of and", "a" * 4000, "' OR 1=1; --", "\\ & | ! :* <->"])
def test_an_odd_query_is_answered(user: EndUser, clock: Clock, notes: list[MemoryItem], query: str) -> None:
    result = find_memories(user, clock, query)
    assert result.debug.fallbacks_used == []
    assert len(result.hits) <= 5


def test_a_user_without_memories_gets_an_empty_answer(user: EndUser, clock: Clock) -> None:
    result = find_memories(user, clock, "anything")
    assert (result.hits, result.debug.retrieval_confidence, result.debug.tiers_used) == ([], "low", [])


def test_confidence_tells_a_sure_answer_from_a_guess(user: EndUser, clock: Clock, notes: list[MemoryItem]) -> None:
    assert find_memories(user, clock, "Nadia repairs violins in a workshop").debug.retrieval_confidence == "high"
    assert find_memories(user, clock, "tax rules for offshore wind farms").debug.retrieval_confidence == "low"


# --- what is never shown -----------------------------------------------------------------------------------------
def believe(user: EndUser, item_id: uuid.UUID, text: str, *, tier: str = Tier.WORKING, owner: int = 0) -> None:
    """Write into the vector index what the rows no longer say, as a crash or a late worker would."""
    [vector] = embedder().embed_passages([text], Deadline(5))
    point = VectorPoint(item_id, owner or user.pk, tier, "active", vector, "stale")
    vector_index().upsert([point], Deadline(5))


@pytest.mark.parametrize("state", ["archived", "expired", "wrong tier"])
def test_what_the_index_still_believes_is_not_shown(user: EndUser, clock: Clock, state: str) -> None:
    text = "The combination lock was set on Monday"
    states: dict[str, dict[str, Any]] = {
        "archived": {"archived": True},
        "expired": {"expires_at": clock() - timedelta(seconds=1)},
        "wrong tier": {"tier": Tier.BOOKS},
    }
    item = MemoryItemFactory.create(user=user, text=text, **states[state])
    believe(user, item.pk, text)
    result = find_memories(user, clock, text, tiers=frozenset({Tier.WORKING}))
    assert result.hits == []
    assert result.debug.errors == []


def test_a_deleted_memory_is_gone_from_the_next_answer(user: EndUser, clock: Clock, notes: list[MemoryItem]) -> None:
    assert texts(find_memories(user, clock, "violins"))[0] == NOTES[1]
    memory.remove(user, notes[1].pk, now=clock())
    with user_scope(user):
        assert set(dict(vector_index().scroll(user.pk))) >= {notes[0].pk}
    assert NOTES[1] not in texts(find_memories(user, clock, "violins"))


def test_the_time_of_a_memory_in_its_tier_ends_at_its_moment(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock, "The meeting room is taken")
    in_tier: dict[str, Any] = {"tiers": frozenset({Tier.WORKING})}
    clock.advance(hours=23, minutes=59, seconds=59)
    assert find_memories(user, clock, "meeting room", **in_tier).hits
    clock.advance(seconds=1)
    assert find_memories(user, clock, "meeting room", **in_tier).hits == []
    assert [hit.is_dormant for hit in find_memories(user, clock, "meeting room").hits] == [True]


def test_a_proven_memory_of_history_outlives_its_time(user: EndUser, clock: Clock) -> None:
    past = clock() - timedelta(days=1)
    proven = {"tier": Tier.HISTORY, "expires_at": past, "score": 0.7, "uses": 2}
    MemoryItemFactory.create(user=user, text="Restarting the router helps", **proven)
    MemoryItemFactory.create(user=user, text="Restarting the modem helps", **{**proven, "uses": 1})
    MemoryItemFactory.create(user=user, text="Restarting the phone helps", **{**proven, "tier": Tier.WORKING})
    hits = find_memories(user, clock, "restarting").hits
    assert [hit.item.text for hit in hits if not hit.is_dormant] == ["Restarting the router helps"]


def test_nobodys_memories_but_ones_own_are_found(
    user: EndUser, other_user: EndUser, foreign_user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    for owner, place in ((user, "harbour"), (other_user, "castle"), (foreign_user, "forest")):
        put_memory(owner, clock, f"The secret meeting is at the {place}")
        index_now(owner)
    for owner, place in ((user, "harbour"), (other_user, "castle"), (foreign_user, "forest")):
        for stages in ({"vector"}, {"lexical"}, {"vector", "lexical"}):
            result = find_memories(
                owner, clock, "secret meeting castle harbour forest", stages=frozenset(stages), limit=50
            )
            assert texts(result) == [f"The secret meeting is at the {place}"]


def test_a_foreign_id_in_the_own_index_is_not_shown(
    user: EndUser, other_user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory.indexes.base import VectorMatch

    theirs = put_memory(other_user, clock, "A diary entry")
    index = vector_index()
    monkeypatch.setattr(index, "search", lambda *asked, **how: [VectorMatch(theirs.pk, 0.0)])
    assert find_memories(user, clock, "diary").hits == []
    assert texts(find_memories(other_user, clock, "diary")) == ["A diary entry"]


# --- order and reasons -------------------------------------------------------------------------------------------
def test_sort_orders_are_taken_among_the_relevant(user: EndUser, clock: Clock) -> None:
    scores = (0.9, 0.2, 0.5)
    for days, score in enumerate(scores):
        MemoryItemFactory.create(
            user=user,
            text=f"The lighthouse log, page {'abc'[days]}",
            score=score,
            occurred_at=clock() - timedelta(days=10 - days),
        )
    MemoryItemFactory.create(user=user, text="Something else", score=1.0, occurred_at=clock())
    recent = find_memories(user, clock, "lighthouse", sort_by="recency", stages=frozenset({"lexical"}))
    assert [hit.item.text[-1] for hit in recent.hits] == ["c", "b", "a"]
    proven = find_memories(user, clock, "lighthouse", sort_by="score", stages=frozenset({"lexical"}))
    assert [hit.item.score for hit in proven.hits] == [0.9, 0.5, 0.2]
    assert [hit.position for hit in proven.hits] == [1, 2, 3]


def test_equals_are_ordered_by_time_and_then_by_id(user: EndUser, clock: Clock) -> None:
    said = clock() - timedelta(days=3)
    for number in range(6):
        # By six people: of one person only one of these is shown.
        fields = {"speaker": f"Speaker {number}", "occurred_at": said - timedelta(days=number % 2)}
        MemoryItemFactory.create(user=user, text="Equal words", **fields)
    first = find_memories(user, clock, "equal words", limit=10)
    assert ids(first.hits) == ids(find_memories(user, clock, "equal words", limit=10).hits)
    keys = [(-hit.final_score, -hit.item.occurred_at.timestamp(), hit.item.pk) for hit in first.hits]
    assert keys == sorted(keys)
    assert len(set(keys)) == 6


@pytest.mark.parametrize("fusion", ["rrf", "zscore", "blend"])
def test_the_reasons_of_a_hit_add_up(
    user: EndUser, clock: Clock, notes: list[MemoryItem], settings: Settings, fusion: str
) -> None:
    settings.MEMORY = {**settings.MEMORY, "RANKING": {**settings.MEMORY["RANKING"], "fusion": fusion}}
    result = find_memories(user, clock, "Nadia violins workshop report soup", limit=8)
    assert len(result.hits) == 8
    for hit in result.hits:
        why = hit.explain
        ranks = [rank for rank in (why["vector_rank"], why["text_rank"]) if rank]
        assert why["rrf"] == pytest.approx(sum(1 / (60 + rank) for rank in ranks), abs=1e-6)
        assert why["similarity"] == pytest.approx(1 / (1 + why["distance"]), abs=1e-5)
        assert (why["text_rank"] is None) == (why["text_score"] is None)
        assert why["fusion"] == fusion
        assert why["total"] == pytest.approx(why["relevance"] + sum(why["boosts"].values()), abs=1e-6)
        assert squash_score(why["total"]) == hit.final_score
        assert 0 < hit.final_score <= 1
    finals = [hit.final_score for hit in result.hits]
    assert finals == sorted(finals, reverse=True)
    distances = sorted(result.hits, key=lambda hit: hit.explain["vector_rank"])
    assert [hit.explain["vector_rank"] for hit in distances] == list(range(1, 9))
    assert [hit.explain["distance"] for hit in distances] == sorted(hit.explain["distance"] for hit in distances)


def test_the_distance_of_a_hit_is_the_distance_of_the_vectors(
    user: EndUser, clock: Clock, notes: list[MemoryItem]
) -> None:
    from memory.indexing.passages import build_passage

    hit = find_memories(user, clock, "violin maker").hits[0]
    query = embedder().embed_query("violin maker", Deadline(5))
    [vector] = embedder().embed_passages(["".join(build_passage(hit.item))], Deadline(5))
    # The index keeps half precision.
    assert hit.explain["distance"] == pytest.approx(float(np.linalg.norm(query - vector)), abs=5e-3)


def test_a_summary_tells_experience_and_age(user: EndUser, clock: Clock) -> None:
    said = clock() - timedelta(hours=2)
    MemoryItemFactory.create(user=user, text="Turning it off and on", proven=True, occurred_at=said)
    summary = find_memories(user, clock, "turning").hits[0].summary(clock())
    assert summary["uses"] == 3
    assert summary["last_outcome"] == "worked"
    assert summary["wilson_score"] == pytest.approx(0.4385, abs=1e-4)
    assert summary["age_s"] == 7200


def test_hits_below_the_least_score_are_left_out(
    user: EndUser, clock: Clock, notes: list[MemoryItem], settings: Settings
) -> None:
    before = find_memories(user, clock, "violins", limit=8)
    least = before.hits[2].final_score
    settings.MEMORY = {**settings.MEMORY, "RANKING": {**settings.MEMORY["RANKING"], "min_score": least}}
    after = find_memories(user, clock, "violins", limit=8)
    assert ids(after.hits) == [hit.item.pk for hit in before.hits if hit.final_score >= least]
    assert 3 <= len(after.hits) < len(before.hits)


# --- what a search leaves ----------------------------------------------------------------------------------------
def test_a_search_remembers_its_positions_and_counts_the_showing(
    user: EndUser, other_user: EndUser, clock: Clock, notes: list[MemoryItem]
) -> None:
    result = find_memories(user, clock, "violins", limit=2, thread_id="t-1")
    turn = find_turn(user, result.turn_id)
    assert turn is not None
    assert turn.positions == [[str(hit.item.pk), "history"] for hit in result.hits]
    assert (turn.thread_id, turn.query, turn.created_at) == ("t-1", "violins", clock())
    assert find_turn(other_user, result.turn_id) is None
    shown = memory.get(user, result.hits[0].item.pk)
    assert shown is not None
    assert (shown.retrieved, shown.uses, shown.score) == (1, 0, 0.5), "being shown promotes nothing"


def test_a_second_search_of_a_turn_replaces_its_positions(
    user: EndUser, other_user: EndUser, clock: Clock, notes: list[MemoryItem]
) -> None:
    turn_id = uuid.uuid4()
    find_memories(user, clock, "violins", turn_id=turn_id)
    find_memories(other_user, clock, "violins", turn_id=turn_id)
    second = find_memories(user, clock, "soup", turn_id=turn_id, limit=1)
    assert second.turn_id == turn_id
    turn = find_turn(user, turn_id)
    assert turn is not None
    assert turn.positions == [[str(second.hits[0].item.pk), "history"]]
    theirs = find_turn(other_user, turn_id)
    assert theirs is not None
    assert theirs.positions == []


def test_each_stage_is_timed(user: EndUser, clock: Clock, notes: list[MemoryItem]) -> None:
    timings = find_memories(user, clock, "violins").debug.stage_timings_ms
    assert {"embed", "vector", "lexical", "rank", "remember", "total"} <= set(timings)
    assert timings["total"] >= max(value for stage, value in timings.items() if stage != "total")
