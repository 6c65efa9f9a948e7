import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.evaluation.datasets import (
    DatasetError,
    DatasetForm,
    limit_questions,
    parse_evidence,
    parse_when,
    read_dataset,
)

SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        (["D8:6"], ["D8:6"]),
        (["D8:6; D9:17"], ["D8:6", "D9:17"]),
        (["D9:1 D4:4 D4:6"], ["D9:1", "D4:4", "D4:6"]),
        (["D:11:26"], ["D11:26"]),
        (["D30:05"], ["D30:5"]),
        (["D1:1", "D1:1", "D01:1"], ["D1:1"]),
        (["D"], []),
        ([""], []),
        ([], []),
    ],
)
def test_evidence_ids_are_read_as_people_wrote_them(written: list[str], keys: list[str]) -> None:
    assert parse_evidence(written) == keys


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:05 am on 21 June, 2024", datetime(2024, 6, 21, 0, 5, tzinfo=UTC)),
    ],
)
def test_session_dates(text: str, when: datetime) -> None:
    assert parse_when(text) == when


def test_a_conversation_becomes_one_store_with_a_memory_for_each_turn() -> None:
    dataset = read_dataset(SAMPLES / "conversation.json")
    assert (dataset.form, dataset.memory_count, dataset.question_count) == (DatasetForm.CONVERSATIONS, 14, 4)
    (store,) = dataset.stores
    shed = next(memory for memory in store.memories if memory.key == "D1:5")
    assert shed.text.endswith("the state of the shed. [shares a wooden shed with a broken window]")
    assert (shed.speaker, shed.thread_id, shed.tier) == ("Petra", "session-1", "history")
    assert shed.occurred_at == datetime(2024, 3, 3, 9, 15, tzinfo=UTC)
    # Sessions come in the order of their numbers, the tenth after the second.
    assert [memory.thread_id for memory in store.memories][-3:] == ["session-10"] * 3


def test_questions_about_nothing_and_without_evidence_are_left_out() -> None:
    (store,) = read_dataset(SAMPLES / "conversation.json").stores
    assert [(question.labels["category"], sorted(question.grades)) for question in store.questions] == [
        ("single-hop", ["D1:1"]),
        ("temporal", ["D10:1"]),
        ("multi-hop", ["D10:3", "D1:4", "D2:4"]),
        ("open-domain", ["D2:5"]),
    ]


def test_a_scenario_keeps_its_metadata_grades_and_traps() -> None:
    dataset = read_dataset(SAMPLES / "scenarios.jsonl")
    assert (dataset.form, len(dataset.stores), dataset.question_count) == (DatasetForm.SCENARIOS, 6, 6)
    store = dataset.stores[1]
    failed = store.memories[0]
    assert (failed.tier, failed.tags, failed.days_ago, failed.outcomes) == (
        "history",
        ("kitchen",),
        9,
        ("failed", "failed"),
    )
    bank = store.memories[4]
    assert (bank.importance, bank.confidence) == (0.7, 0.9)
    (question,) = store.questions
    assert (question.grades, question.traps) == ({"m2": 2, "m5": 1}, frozenset({"m1"}))
    assert question.labels == {"family": "outcome", "language": "en", "kind": "adversarial"}
    assert dataset.stores[5].questions[0].labels["kind"] == "control"


def test_a_limit_keeps_the_first_questions_and_their_stores_only() -> None:
    conversation = limit_questions(read_dataset(SAMPLES / "conversation.json"), 2)
    assert (conversation.question_count, conversation.memory_count) == (2, 14)
    scenarios = limit_questions(read_dataset(SAMPLES / "scenarios.jsonl"), 3)
    assert [store.key for store in scenarios.stores] == ["exact-1", "outcome-1", "stale-1"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no store in it"),
        ("[]", "no store in it"),
        ("not json\n", "line 1: not a scenario"),
        ('{"id": "x"}', "line 1: not a scenario: 'memories' is missing"),
        ("[1]", "conversation 1"),
        ("[{", "not JSON"),
        ('[{"conversation": {"session_1": []}, "qa": []}]', "'session_1_date_time' is missing"),
    ],
)
def test_a_file_in_neither_form_is_refused_with_the_place(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "set.json"
    path.write_text(content)
    with pytest.raises(DatasetError, match=reason):
        read_dataset(path)


def test_a_scenario_that_judges_a_memory_it_does_not_have_is_refused(tmp_path: Path) -> None:
    row = json.loads((SAMPLES / "scenarios.jsonl").read_text().splitlines()[0])
    row["relevant"] = {"m77": 2}
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(DatasetError, match="without a memory: m77"):
        read_dataset(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="nowhere"):
        read_dataset(tmp_path / "nowhere.json")
