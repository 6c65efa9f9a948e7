"""The scenario sets of the product's own: whole, the same everywhere, and split so that one half stays unseen."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from memory.evaluation.datasets import DatasetError, DatasetForm, DatasetMemory, RetrievalDataset
from memory.evaluation.learning import select_adversarial
from memory.evaluation.scenarios import HALVES, SETS, parse_memory, read_drafts, read_scenario_set

FAMILIES = {
    *("lexical-exact", "paraphrase", "outcome-beats-similarity", "quality-beats-similarity", "recency-intended"),
    *("superseded", "negation", "entity-disambiguation", "multi-entity", "cross-lingual", "hebrew-morphology"),
    *("numbers-dates", "book-vs-chat", "distractor-heavy", "speaker-ownership", "identity"),
}
# A set never changes once figures of it are published: another text is another version.
DIGESTS = {"scenarios-v1": "b0c49e4b93a1464b", "scenarios-v2": "4103de32148a75c2"}


def count_scenarios(dataset: RetrievalDataset, label: str) -> Counter[str]:
    return Counter(store.questions[0].labels[label] for store in dataset.stores)


WRITTEN = (
    *("key", "text", "tier", "tags", "importance", "confidence"),
    *("days_ago", "occurred_at", "speaker", "thread_id", "outcomes"),
)
"""What a set says of a memory; what other sets may say besides is no change of it."""


def render_memory(memory: DatasetMemory) -> str:
    return f"Memory({', '.join(f'{name}={getattr(memory, name)!r}' for name in WRITTEN)})"


def digest(dataset: RetrievalDataset) -> str:
    reported = [
        (
            store.key,
            [render_memory(memory) for memory in store.memories],
            one.text,
            sorted(one.grades.items()),
            sorted(one.traps),
            sorted(one.labels.items()),
        )
        for store in dataset.stores
        for one in store.questions
    ]
    return hashlib.sha256(repr(reported).encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", SETS)
def test_a_set_stays_as_it_is(name: str) -> None:
    assert digest(read_scenario_set(name)) == DIGESTS[name]


@pytest.mark.parametrize(
    ("name", "questions", "of_a_family", "controls"), [("scenarios-v1", 200, 10, 20), ("scenarios-v2", 140, 6, 7)]
)
def test_the_set_has_every_family_language_and_kind(name: str, questions: int, of_a_family: int, controls: int) -> None:
    dataset = read_scenario_set(name)
    assert dataset.form is DatasetForm.SCENARIOS
    assert dataset.question_count >= questions
    assert set(count_scenarios(dataset, "family")) == FAMILIES
    assert min(count_scenarios(dataset, "family").values()) >= of_a_family
    assert set(count_scenarios(dataset, "language")) == {"en", "he", "es", "fr", "de", "it"}
    assert count_scenarios(dataset, "kind")["control"] >= controls


@pytest.mark.parametrize("name", SETS)
def test_each_scenario_has_an_answer_traps_and_bystanders(name: str) -> None:
    keys = set()
    for store in read_scenario_set(name).stores:
        question = store.questions[0]
        assert list(question.grades.values()).count(2) == 1
        assert question.traps.isdisjoint(question.grades)
        assert len(store.memories) >= len(question.traps) + len(question.grades) + 3
        texts = [memory.text for memory in store.memories]
        assert len(set(texts)) == len(texts)
        keys.add(store.key)
    assert len(keys) == read_scenario_set(name).question_count


def test_halves_share_nothing_and_have_every_family_and_language() -> None:
    first, second = (read_scenario_set("scenarios-v1", half) for half in HALVES)
    assert not {store.key for store in first.stores} & {store.key for store in second.stores}
    assert first.question_count + second.question_count == read_scenario_set("scenarios-v1").question_count
    for label in ("family", "language", "kind"):
        assert set(count_scenarios(first, label)) == set(count_scenarios(second, label))


def test_controls_do_not_count_where_learning_is_measured() -> None:
    assert set(count_scenarios(select_adversarial(read_scenario_set("scenarios-v1")), "kind")) == {"adversarial"}


def test_the_notation() -> None:
    mark, memory = parse_memory("* p50 .5/.9 bike,tools ++- | Grease | the chain")
    assert mark == "*"
    assert (memory.tier, memory.days_ago, memory.tags) == ("patterns", 50.0, ("bike", "tools"))
    assert (memory.importance, memory.confidence) == (0.5, 0.9)
    assert memory.outcomes == ("worked", "worked", "failed")
    assert memory.text == "Grease | the chain"


@pytest.mark.parametrize(
    "content",
    [
        "* h3 | no scenario before it",
        "= identity\n? Who am I?\n* h3 | two\n* h4 | answers\n! h5 | trap",
        "= identity\n? Who am I?\n* h3 | no trap",
        "= identity\n* h3 | no question\n! h4 | trap",
        "= identity\n? Who am I?\n* x3 | no such tier\n! h4 | trap",
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "en.txt").write_text(content, encoding="utf-8")
    with pytest.raises(DatasetError, match=r"en\.txt"):
        read_drafts(tmp_path / "en.txt")
