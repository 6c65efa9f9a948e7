"""Search and the three calls of a turn, as the contract has them."""

import re
import uuid
from collections.abc import Callable
from typing import Any, get_args

import pytest

from memory.api.context import ALWAYS_ANSWERED, ContextOut, ContextPart
from memory.models import EndUser, MemoryItem
from tests.api_client import ApiClient, client_for
from tests.factories import MemoryItemFactory


@pytest.fixture
def train(user: EndUser, index_now: Callable[[EndUser], None]) -> MemoryItem:
    item = MemoryItemFactory.create(user=user, text="The train to Haifa leaves at 07:40", tags=["context"])
    MemoryItemFactory.create(user=user, text="Ann prefers green tea", banked=True)
    MemoryItemFactory.create(user=user, text="A chapter about trains and rails", tier="books")
    index_now(user)
    return item


def test_a_search_answers_in_the_promised_shape(api: ApiClient, train: MemoryItem) -> None:
    answer = api.post("search", {"query": "When does the train to Haifa leave?", "limit": 2})
    assert answer.status_code == 200
    found = answer.json()
    assert set(found) == {"turn_id", "results", "debug"}
    first = found["results"][0]
    assert set(first) == {
        "position", "memory_id", "tier", "status", "content", "preview", "occurred_at", "tags", "score_summary",
        "citations", "review", "agent_id", "project_id",
    }  # fmt: skip
    assert (first["position"], first["memory_id"], first["tier"]) == (1, str(train.pk), "working")
    assert first["content"] == train.text
    assert set(first["score_summary"]) == {"final_score", "wilson_score", "uses", "last_outcome", "age_s"}
    assert first["citations"] == [{"tier": "working", "memory_id": str(train.pk), "doc_id": None, "chunk_id": None}]
    assert set(found["debug"]) == {
        "retrieval_confidence", "normalized_query", "tiers_considered", "tiers_used", "fallbacks_used",
        "stage_timings_ms", "errors", "vector_stage_status",
    }  # fmt: skip
    assert found["debug"]["retrieval_confidence"] in {"high", "medium", "low"}
    assert found["debug"]["fallbacks_used"] == []
    assert {"embed", "vector", "lexical", "rank", "total"} <= set(found["debug"]["stage_timings_ms"])


def test_explain_shows_the_numbers_of_each_hit(api: ApiClient, train: MemoryItem) -> None:
    answer = api.post("search", {"query": "train to Haifa", "explain": True}).json()
    explain = answer["results"][0]["explain"]
    assert (explain["vector_rank"], explain["text_rank"]) == (1, 1)
    assert {"rrf", "distance", "weights", "boosts", "ce"} <= set(explain)


@pytest.mark.parametrize(
    ("collections", "tiers"),
    [
        ("all", {"working", "memory_bank", "books"}),
        (["books"], {"books"}),
        (["books", "working"], {"books", "working"}),
    ],
)
def test_collections_choose_the_tiers(api: ApiClient, train: MemoryItem, collections: Any, tiers: set[str]) -> None:
    found = api.post("search", {"query": "train tea", "collections": collections, "limit": 50}).json()
    assert {hit["tier"] for hit in found["results"]} == tiers
    assert set(found["debug"]["tiers_used"]) == tiers


def test_a_search_of_an_unknown_user_finds_nothing(api: ApiClient) -> None:
    found = api.post("/api/v1/users/newcomer/search", {"query": "anything"}).json()
    assert found["results"] == []
    assert uuid.UUID(found["turn_id"])


ALWAYS = {"turn_id", "required_scoring", "blocking"}


@pytest.mark.parametrize(
    "include", [["injection"], ["stable", "turn"], ["sections", "meta"], ["history", "budget"], ["turn_id"], []]
)
def test_a_context_answers_the_parts_that_are_asked_for(api: ApiClient, train: MemoryItem, include: list[str]) -> None:
    asked = {"query": "When does the train to Haifa leave?", "max_tokens": 4_000}
    asked["recent_messages"] = [{"role": "user", "content": "Hello"}]
    whole = api.post("context", asked).json()
    context = api.post("context", {**asked, "include": include}).json()
    assert set(context) == {*ALWAYS, *include}
    if "injection" in include:
        assert context["injection"] == whole["injection"]
        assert train.text in context["injection"]


def test_all_parts_are_answered_where_none_are_named(api: ApiClient, train: MemoryItem) -> None:
    plain, null = (api.post("context", {"query": "trains", **given}).json() for given in ({}, {"include": None}))
    assert set(plain) == set(null) > {"injection", "stable", "turn", "sections", "meta", "budget"}


@pytest.mark.parametrize("scored", [False, True])
def test_whether_an_outcome_is_asked_for_comes_whatever_is_included(
    api: ApiClient, train: MemoryItem, scored: bool
) -> None:
    shown = {"query": "When does the train to Haifa leave?", "thread_id": "t", "include": []}
    said = {"user_message": "When does it leave?", "assistant_message": "At 07:40, from platform 3."}
    said["turn_id"] = api.post("context", shown).json()["turn_id"]
    exchange = api.post("threads/t/exchanges", said).json()["exchange_id"]
    if scored:
        assert api.post("outcomes", {"exchange_id": exchange, "outcome": "worked"}).status_code == 201
    context = api.post("context", {"query": "and back?", "thread_id": "t", "include": ["injection"]}).json()
    assert (context["required_scoring"], context.get("unscored_exchange_id")) == (
        (False, None) if scored else (True, exchange)
    )


def test_a_part_that_no_context_has_is_refused_with_those_it_has(api: ApiClient) -> None:
    refused = api.post("context", {"query": "trains", "include": ["injection", "memories"]})
    [error] = refused.json()["errors"]
    assert (refused.status_code, error["field"]) == (422, "include[1]")
    assert [part for part in ContextOut.model_fields if f"'{part}'" not in error["message"]] == []


def test_each_part_of_a_context_can_be_asked_for() -> None:
    assert set(get_args(ContextPart)) == set(ContextOut.model_fields) > ALWAYS_ANSWERED


def test_a_context_that_is_asked_for_twice_is_answered_in_the_same_parts(api: ApiClient, train: MemoryItem) -> None:
    body = {"query": "trains", "include": ["injection"]}
    first, second = (api.post("context", body, Idempotency_Key="k") for _ in range(2))
    assert first.content == second.content
    assert second["Idempotency-Replayed"] == "true"
    assert api.post("context", {"query": "trains"}, Idempotency_Key="k").status_code == 409


def test_a_turn_from_context_to_outcome(api: ApiClient, train: MemoryItem) -> None:
    context = api.post("context", {"query": "When does the train to Haifa leave?", "thread_id": "t"}).json()
    assert set(context) == {
        "turn_id", "injection", "stable", "turn", "sections", "meta", "required_scoring", "blocking", "budget",
    }  # fmt: skip
    assert context["required_scoring"] is False
    assert context["injection"] == "\n\n".join(section["text"] for section in context["sections"])
    assert train.text in context["injection"]
    kept = api.post(
        "threads/t/exchanges",
        {
            "turn_id": context["turn_id"],
            "user_message": "When does the train leave?",
            "assistant_message": "At 07:40.",
            "tools": [{"name": "timetable", "ok": False, "ms": 12.5, "error": "timeout"}],
        },
    )
    assert kept.status_code == 201
    assert set(kept.json()) == {"exchange_id", "memory_id", "required_scoring", "state", "blocking"}
    assert (kept.json()["required_scoring"], kept.json()["state"]) == (True, "unscored")
    assert api.post("context", {"query": "and back?", "thread_id": "t"}).json()["required_scoring"] is True
    outcome = api.post(
        "outcomes", {"exchange_id": kept.json()["exchange_id"], "outcome": "worked", "key_takeaway": "Trains run early"}
    )
    assert outcome.status_code == 201
    assert outcome.json()["takeaway_id"]
    scored = {one["memory_id"]: one for one in outcome.json()["scored"]}
    assert scored[str(train.pk)] == {"memory_id": str(train.pk), "score": 0.7, "uses": 1}
    assert api.post("context", {"query": "and back?", "thread_id": "t"}).json()["required_scoring"] is False


SAID = {"user_message": "When does it leave?", "assistant_message": "At 07:40."}


def name_fields(refused: Any) -> list[str]:
    assert refused.status_code == 422, refused.content
    return [error["field"] for error in refused.json()["errors"]]


def test_an_exchange_names_a_turn_of_its_person_and_its_thread(
    api: ApiClient, train: MemoryItem, other_user: EndUser
) -> None:
    turns = {thread: api.post("context", {"query": "trains", "thread_id": thread}).json() for thread in ("t", "u")}
    theirs = client_for(other_user).post("context", {"query": "trains", "thread_id": "t"}).json()
    for turn_id in (str(uuid.uuid4()), theirs["turn_id"], turns["u"]["turn_id"]):
        assert name_fields(api.post("threads/t/exchanges", {**SAID, "turn_id": turn_id})) == ["turn_id"]
    assert api.get("exchanges").json()["items"] == []
    anywhere = api.post("search", {"query": "trains"}).json()
    for turn_id in (turns["t"]["turn_id"], anywhere["turn_id"]):
        assert api.post("threads/t/exchanges", {**SAID, "turn_id": turn_id}).status_code == 201


def test_the_first_turn_of_somebody_nobody_knows_is_theirs(user: EndUser) -> None:
    anyone = client_for(user)
    turn_id = anyone.post("/api/v1/users/new/context", {"query": "trains"}).json()["turn_id"]
    path, said = "/api/v1/users/{}/threads/t/exchanges", {**SAID, "turn_id": turn_id}
    assert name_fields(anyone.post(path.format("newer"), said)) == ["turn_id"]
    assert anyone.post(path.format("new"), said).status_code == 201
    assert not EndUser.objects.filter(external_id="newer").exists()


def test_an_outcome_is_of_one_turn(api: ApiClient, train: MemoryItem) -> None:
    asked = [api.post("context", {"query": "train to Haifa", "thread_id": thread}).json() for thread in ("t", "u")]
    first, other = (one["turn_id"] for one in asked)
    api.post("threads/u/exchanges", {**SAID, "turn_id": other})
    without = api.post("threads/t/exchanges", SAID).json()["exchange_id"]
    assert api.post("outcomes", {"turn_id": other, "outcome": "worked"}).status_code == 201
    wrong = {"turn_id": other, "exchange_id": without, "outcome": "failed"}
    assert name_fields(api.post("outcomes", wrong)) == ["turn_id"]
    last = api.post("context", {"query": "train to Haifa", "thread_id": "u"}).json()["turn_id"]
    assert name_fields(api.post("outcomes", {**wrong, "turn_id": last})) == ["turn_id"]
    kept = {one["thread_id"]: one["outcome"] for one in api.get("exchanges").json()["items"]}
    assert (kept["u"]["outcome"], kept["t"]) == ("worked", None)
    # Stored without its turn, which the outcome now names.
    assert api.post("outcomes", {**wrong, "turn_id": first}).status_code == 201


def test_an_outcome_of_an_unknown_memory_says_so(api: ApiClient, train: MemoryItem) -> None:
    refused = api.post("outcomes", {"outcome": "worked", "related": [str(uuid.uuid4())]})
    assert refused.json()["detail"] == "related: names no memory of this person"
    for related in ([1], [1, str(uuid.uuid4())], []):
        refused = api.post("outcomes", {"outcome": "worked", "related": related})
        assert refused.json()["detail"].startswith("related: name a turn_id, an exchange_id or memory ids")


def test_a_context_numbers_what_it_tells_and_an_outcome_names_it_by_that(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    # Told among what is always said, so that it takes no number though the search places it first.
    always = {"tier": "memory_bank", "tags": ["preference"], "always_inject": True}
    known = api.post("memories", {"text": "The train to Haifa leaves at 07:40", **always}).json()["id"]
    told = [
        api.post("memories", {"text": text, "tier": "history"}).json()["id"]
        for text in ("The train to Haifa was full on Monday", "A train to Haifa has a quiet carriage")
    ]
    index_now(user)
    context = api.post("context", {"query": "The train to Haifa leaves at 07:40"}).json()
    mapped = context["meta"]["retrieval"]["search_position_map"]["by_position"]
    assert [one["position"] for one in mapped] == [1, 2]
    assert {one["memory_id"] for one in mapped} == set(told)
    assert [int(number) for number in re.findall(r"^.?\[(\d+)\] \(history", context["injection"], re.MULTILINE)] == [
        1,
        2,
    ]
    said = {"turn_id": context["turn_id"], "outcome": "worked"}
    for one in mapped:
        answer = api.post("outcomes", {**said, "related": [one["position"]]}).json()
        assert [scored["memory_id"] for scored in answer["scored"]] == [one["memory_id"]]
    assert api.post("outcomes", said).json()["learned"] == [known]


def test_related_takes_positions_and_ids(api: ApiClient, train: MemoryItem) -> None:
    turn = api.post("search", {"query": "train to Haifa", "collections": ["working", "books"]}).json()
    for related in ([1], ["1"], [str(train.pk)], [str(train.pk).upper()]):
        answer = api.post("outcomes", {"turn_id": turn["turn_id"], "outcome": "worked", "related": related}).json()
        assert [one["memory_id"] for one in answer["scored"]] == [str(train.pk)]
        assert "takeaway_id" not in answer


def test_what_related_names_wrongly_is_ignored_beside_what_it_names_rightly_and_refused_alone(
    api: ApiClient, train: MemoryItem
) -> None:
    turn = api.post("search", {"query": "train to Haifa", "collections": ["working", "books"]}).json()
    wrong = [0, -1, 51, 2**31 - 1, "nowhere", "", str(uuid.uuid4())]
    outcome = {"turn_id": turn["turn_id"], "outcome": "failed", "key_takeaway": "No train on Saturdays"}

    refused = api.post("outcomes", {**outcome, "related": wrong})
    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert [error["field"] for error in refused.json()["errors"]] == ["related"]
    assert f"a position from 1 to {len(turn['results'])}" in refused.json()["detail"]
    assert api.get(f"memories/{train.pk}").json()["score"] == 0.5
    assert api.get("memories", {"q": "Saturdays"}).json()["items"] == []

    answer = api.post("outcomes", {**outcome, "related": [*wrong, 1]}).json()
    assert [one["memory_id"] for one in answer["scored"]] == [str(train.pk)]
    assert answer["ignored"] == wrong


def test_an_outcome_of_an_unknown_turn_says_which_field_names_nothing(api: ApiClient, train: MemoryItem) -> None:
    for field in ("turn_id", "exchange_id"):
        answer = api.post("outcomes", {field: str(uuid.uuid4()), "outcome": "worked"})
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        assert [error["field"] for error in answer.json()["errors"]] == [field]
        assert answer.json()["detail"].startswith(f"{field}: ")


def test_books_and_bank_are_noted_and_not_scored(api: ApiClient, train: MemoryItem) -> None:
    turn = api.post("search", {"query": "tea train", "collections": ["books", "memory_bank"]}).json()
    answer = api.post("outcomes", {"turn_id": turn["turn_id"], "outcome": "failed"}).json()
    assert answer["scored"] == []
    assert set(answer["learned"]) == {hit["memory_id"] for hit in turn["results"]}


def test_promotion_says_what_it_moved_and_why(api: ApiClient, user: EndUser) -> None:
    proven = MemoryItemFactory.create(user=user, score=0.8, uses=2)
    failing = MemoryItemFactory.create(user=user, failing=True)
    rehearsed = api.post("promote", {"dry_run": True}).json()
    done = api.post("promote").json()
    assert rehearsed == done
    [move] = done["promoted"]
    assert (move["memory_id"], move["from"], move["to"]) == (str(proven.pk), "working", "history")
    assert move["reason"]
    assert [one["memory_id"] for one in done["archived"]] == [str(failing.pk)]
    assert api.post("promote").json() == {
        "promoted": [], "dormant": [], "archived": [], "deleted": 0, "unchanged": 1,
    }  # fmt: skip


def test_statistics_count_by_tier_and_status(api: ApiClient, train: MemoryItem, user: EndUser) -> None:
    MemoryItemFactory.create(user=user, archived=True)
    stats = api.get("stats").json()
    assert set(stats["tiers"]) == {"working", "history", "patterns", "memory_bank", "books"}
    assert stats["tiers"]["working"] == {"active": 1, "dormant": 0, "archived": 1}
    assert stats["outcomes"] == {"worked": 0, "failed": 0, "partial": 0, "unknown": 0}
    assert stats["indexing"]["ready"] == 3
    assert api.get("index-status").json() == stats["indexing"]


def test_a_place_in_another_memory_does_not_answer_where_something_is(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    """In a store of a few, nearness is shrunk and the cues of a question are not."""
    MemoryItemFactory.create(user=user, text="I live in Zurich.", banked=True)
    MemoryItemFactory.create(user=user, text="I'm allergic to nuts.", banked=True)
    MemoryItemFactory.create(user=user, text="The ladder is in the shed", tier="history")
    exchange = "User: I live in Zurich and I'm allergic to nuts.\nAssistant: I will keep that in mind."
    MemoryItemFactory.create(user=user, text=exchange, thread_id="first-day")
    index_now(user)
    found = api.post("search", {"query": "Where is the ladder?"}).json()["results"]
    assert found[0]["content"] == "The ladder is in the shed"


def test_a_statement_about_the_user_does_not_come_before_a_note_that_answers(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    MemoryItemFactory.create(user=user, text="I'm allergic to wasp stings.", banked=True)
    MemoryItemFactory.create(user=user, text="I live in Bristol.", banked=True)
    for text in ("Copper tape works against slugs", "Sowed the broad beans along the wall"):
        MemoryItemFactory.create(user=user, text=text, tier="history")
    index_now(user)
    for question, answer in (("What can I do against slugs?", "tape"), ("What am I allergic to?", "wasp")):
        assert answer in api.post("search", {"query": question}).json()["results"][0]["content"]
