"""Measuring on a person's own questions: what is asked, what may not be found, and what came of it."""

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from memory.access.scope import user_scope
from memory.evaluation.datasets import read_dataset
from memory.facade import MemoryFacade
from memory.measuring.cases import NewCase
from memory.measuring.labels import ChosenQuestions
from memory.measuring.runs import NewRun
from memory.models import EndUser, Turn
from memory.models.evaluation import MeasuringState
from memory.retrieval.results import SearchRequest
from memory.retrieval.variants import SearchSettings, parse_assignments
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import Outcome, Tier
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TOLD = ("The key of the shed hangs behind the clock", "The boat is painted green", "Dana grows tomatoes")
QUESTION = "Where is the key of the shed?"
facade = MemoryFacade("key:test")


@pytest.fixture
def told(user: EndUser, index_now: Callable[[EndUser], None]) -> list[uuid.UUID]:
    ids = [facade.store(user, NewMemory(text, tier=Tier.HISTORY), now=NOW).item.pk for text in TOLD]
    index_now(user)
    return ids


def ask_and_praise(user: EndUser, told: list[uuid.UUID], related: list[int | str] | None) -> uuid.UUID:
    """A turn that worked, stored as an exchange that holds its own question. Returns the memory of the exchange."""
    asked_at = NOW + timedelta(hours=1)
    turn = facade.search(user, SearchRequest(QUESTION), now=asked_at).turn_id
    new = NewExchange("t", QUESTION, "It hangs behind the clock.", turn_id=turn)
    exchange = facade.store_exchange(user, new, now=asked_at + timedelta(minutes=1))
    facade.record_outcome(user, Outcome.WORKED, now=asked_at + timedelta(minutes=2), turn_id=turn, related=related)
    assert exchange.memory_id is not None
    return exchange.memory_id


def test_a_turn_that_worked_is_asked_again_without_what_came_of_it(
    user: EndUser, told: list[uuid.UUID], index_now: Callable[[EndUser], None]
) -> None:
    later = ask_and_praise(user, told, [str(told[0])])
    index_now(user)
    [question] = facade.read_questions(user).questions
    assert (question.question, question.expected, question.is_named) == (QUESTION, (told[0],), True)
    run = facade.measure(user, NewRun(SearchSettings(without=("date",))), clock=lambda: NOW + timedelta(days=2))
    [result] = run.results
    assert run.state == MeasuringState.COMPLETED
    assert result["a"]["place"] == 1
    # The exchange repeats the question word for word, and is nearer to it than any answer.
    assert str(later) not in result["a"]["found"]
    now_found = facade.search(user, SearchRequest(QUESTION), now=NOW + timedelta(days=2), remember=False).hits
    assert later in {hit.item.pk for hit in now_found}


def test_what_an_outcome_without_names_showed_counts_and_can_be_left_out(user: EndUser, told: list[uuid.UUID]) -> None:
    memory_id = ask_and_praise(user, told, None)
    [question] = facade.read_questions(user).questions
    assert not question.is_named
    assert memory_id not in question.expected
    assert facade.read_questions(user, ChosenQuestions.NAMED).questions == []


def test_a_turn_that_was_purged_is_asked_as_of_its_exchange(user: EndUser, told: list[uuid.UUID]) -> None:
    memory_id = ask_and_praise(user, told, None)
    with user_scope(user):
        Turn.objects.filter(user=user).delete()
    [question] = facade.read_questions(user).questions
    assert question.asked_at == NOW + timedelta(hours=1, minutes=1)
    assert memory_id not in question.expected


def test_a_withdrawn_outcome_is_no_question(user: EndUser, told: list[uuid.UUID]) -> None:
    ask_and_praise(user, told, [1])
    turn = facade.read_questions(user).questions[0].turn_id
    facade.record_outcome(user, Outcome.FAILED, now=NOW + timedelta(days=1), turn_id=turn)
    assert facade.read_questions(user).questions == []


def test_a_change_that_hides_the_answers_is_worse_and_not_noise(user: EndUser, told: list[uuid.UUID]) -> None:
    for number, (text, item_id) in enumerate(zip(TOLD, told, strict=True)):
        for asked in range(3):
            facade.save_case(user, NewCase(f"{text}? {number}{asked}", [item_id]), now=NOW)
    run = facade.measure(user, NewRun(parse_assignments(["tiers=books"])), clock=lambda: NOW)
    found = run.figures["measures"]["MRR"]
    assert (found["b"][0], found["verdict"], found["worse"]) == (0, "worse", 9)
    assert found["difference"][2] < 0
    same = facade.measure(user, NewRun(SearchSettings()), clock=lambda: NOW + timedelta(hours=1))
    assert {one["verdict"] for one in same.figures["measures"].values()} == {"same"}
    assert [one.pk for one in facade.list_measurings(user)] == [same.pk, run.pk]


def test_a_run_without_a_change_tells_what_became_of_the_questions_since_the_last(
    user: EndUser, told: list[uuid.UUID], index_now: Callable[[EndUser], None]
) -> None:
    wrong = NewMemory("The key of the shed: where it is? Under the mat.", tier=Tier.HISTORY)
    trap = facade.store(user, wrong, now=NOW).item.pk
    index_now(user)
    facade.save_case(user, NewCase(QUESTION, [told[0]]), now=NOW)
    first, corrected, undone = (NOW + timedelta(hours=hour) for hour in (1, 3, 5))
    run = facade.measure(user, NewRun(), clock=lambda: first)
    [result] = run.results
    assert (result["a"], result["a"]["place"]) == (result["b"], 2)
    assert "since" not in run.figures
    facade.archive(user, trap, reason="it is wrong", now=NOW + timedelta(hours=2))
    better = facade.measure(user, NewRun(), clock=lambda: corrected)
    assert [(one["a"]["place"], one["b"]["place"]) for one in better.results] == [(2, 1)]
    assert better.figures["since"] == first.isoformat()
    assert better.figures["measures"]["hit@1"]["better"] == 1
    facade.restore(user, trap, now=NOW + timedelta(hours=4))
    worse = facade.measure(user, NewRun(), clock=lambda: undone)
    assert [(one["a"]["place"], one["b"]["place"]) for one in worse.results] == [(1, 2)]


def test_one_run_at_a_time_and_none_without_a_question(user: EndUser, told: list[uuid.UUID]) -> None:
    with pytest.raises(WriteRefused, match="none yet"):
        facade.start_measuring(user, NewRun(SearchSettings()), now=NOW)
    facade.save_case(user, NewCase(QUESTION, [told[0]]), now=NOW)
    first = facade.start_measuring(user, NewRun(SearchSettings()), now=NOW)
    with pytest.raises(WriteRefused, match="goes on"):
        facade.start_measuring(user, NewRun(SearchSettings()), now=NOW)
    # A worker that is not heard of for minutes is dead.
    facade.start_measuring(user, NewRun(SearchSettings()), now=NOW + timedelta(minutes=5))
    lost = facade.find_measuring(user, first.pk)
    assert lost is not None
    assert (lost.state, lost.error) == (MeasuringState.FAILED, "the worker was lost")


def test_the_command_measures_and_writes_a_set_that_the_bench_reads(
    user: EndUser, told: list[uuid.UUID], tmp_path: Path
) -> None:
    facade.save_case(user, NewCase(QUESTION, [told[0]]), now=NOW)
    named = {"user": user.external_id, "org": user.organization.slug}
    out, path = StringIO(), tmp_path / "own.jsonl"
    call_command("measure", **named, set=["limit=1"], json=True, stdout=out)
    figures = json.loads(out.getvalue())
    assert (figures["questions"], figures["measures"]["hit@1"]["a"][0]) == (1, 1)
    assert figures["measures"]["tokens"]["verdict"] == "better"
    call_command("measure", **named, export=path, stderr=StringIO())
    [store] = read_dataset(path).stores
    assert {memory.text for memory in store.memories} == set(TOLD)
    assert store.questions[0].grades == {str(told[0]): 1}


def test_questions_and_runs_over_the_api(user: EndUser, told: list[uuid.UUID], api: ApiClient) -> None:
    body = {"question": QUESTION, "expected_ids": [str(told[0])]}
    saved = api.post("evaluation/cases", body)
    assert saved.status_code == 201, saved.content
    assert [one["id"] for one in api.get("evaluation/cases").json()["items"]] == [saved.json()["id"]]
    refused = api.post("evaluation/runs", {"b": {"without": ["colour"]}})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "b.without")
    started = api.post("evaluation/runs", {"b": {"limit": 3}})
    assert (started.status_code, started.json()["total"]) == (202, 1)
    run_id = started.json()["id"]
    assert api.get(f"evaluation/runs/{run_id}").json()["settings_b"] == {"limit": 3}
    assert [one["id"] for one in api.get("evaluation/runs").json()["items"]] == [run_id]
    assert api.delete(f"evaluation/cases/{saved.json()['id']}").status_code == 204
    assert api.get("evaluation/cases").json()["items"] == []
