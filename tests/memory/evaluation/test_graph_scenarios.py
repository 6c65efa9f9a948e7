"""The product's own scenarios of the graphs: what was told of turns is told as a turn, and the boosts win by it."""

from pathlib import Path

import pytest

from memory.evaluation import quality
from memory.evaluation.datasets import RetrievalDataset, read_dataset

FILE = Path(__file__).parents[3] / "memory" / "evaluation" / "scenarios" / "graphs.jsonl"


def family(name: str) -> RetrievalDataset:
    whole = read_dataset(FILE)
    return RetrievalDataset(name, whole.form, tuple(s for s in whole.stores if s.questions[0].labels["family"] == name))


def test_the_scenarios_are_read_with_the_verdicts_on_turns() -> None:
    dataset = read_dataset(FILE)
    assert dataset.question_count == 24
    memories = [memory for store in family("solution").stores for memory in store.memories]
    judged = [memory.judged_turns for memory in memories if memory.judged_turns]
    assert len(judged) == 24
    assert {outcome for turns in judged for outcome, _ in turns} == {"worked", "failed"}
    assert {store.questions[0].labels["language"] for store in dataset.stores} == {"en", "es", "fr", "de", "it", "he"}


@pytest.mark.quality
@pytest.mark.slow
@pytest.mark.usefixtures("services", "db")
@pytest.mark.parametrize(("name", "boost"), [("solution", "solutions"), ("document", "documents")])
def test_each_boost_wins_where_it_is_meant_to(name: str, boost: str) -> None:
    results = quality.evaluate_dataset(family(name), ["hybrid", f"-{boost}"], 10, lambda said: None)
    figures = {mode: average.figures["Top-1"] for mode, average in results.average_all().items()}
    assert figures["hybrid"] >= 0.8
    assert figures["hybrid"] > figures[f"-{boost}"]
