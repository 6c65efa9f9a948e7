"""What the guard makes of whole sets of writes, by what each set may measure.

Sets that were trained on show only that nothing was forgotten. What the guard makes of writes nobody made it from, only
the unseen sets show.
"""

from itertools import combinations

import pytest

from memory.guard import find_refusal, judge_write
from memory.guard.classifier import HARMFUL, KEEP
from tests.training.guard.data import WRITES, LabelledWrite, read_training_data, read_writes

TRAINED = [path.stem for path in sorted(WRITES.glob("train_*.txt"))]
TUNED = [path.stem for path in sorted(WRITES.glob("tuned_*.txt"))]
UNSEEN = [path.stem for path in sorted(WRITES.glob("unseen_*.txt"))]

# Written to be missed: what is slight or harmful in it has no word of its kind. Before its rules .64 were right.
HARD = {"unseen_4": (0.7, 0.4)}


def find_misjudged(writes: list[LabelledWrite]) -> list[LabelledWrite]:
    return [one for one in writes if (find_refusal(one.text) is None) != (one.label == KEEP)]


def share(some: list[LabelledWrite], of: list[LabelledWrite]) -> float:
    return len(some) / max(1, len(of))


@pytest.mark.parametrize("name", [*TRAINED, *TUNED])
def test_nothing_is_forgotten_of_what_the_guard_was_made_with(name: str) -> None:
    """A check against regression: these writes were trained on, or settings were chosen with them."""
    writes = read_writes(name)
    wrong = find_misjudged(writes)
    assert 1 - share(wrong, writes) >= 0.92, wrong
    assert share([one for one in wrong if one.label in HARMFUL], writes) <= 0.01
    # What people really say must get in: of ten statements at most one is refused.
    kept = [one for one in writes if one.label == KEEP]
    assert share([one for one in wrong if one.label == KEEP], kept) <= 0.1


@pytest.mark.parametrize("name", UNSEEN)
def test_most_unseen_writes_are_judged_right(name: str) -> None:
    """The floor was set before the sets were measured. Fails by numbers: whoever reads the texts has seen them."""
    writes = read_writes(name)
    wrong = find_misjudged(writes)
    harmful, kept = ([one for one in writes if one.label in labels] for labels in (HARMFUL, (KEEP,)))
    # Numbers alone: an assertion that holds the writes would print them.
    right = 1 - share(wrong, writes)
    harmful_taken = share([one for one in wrong if one.label in HARMFUL], harmful)
    kept_doubted = share([one for one in wrong if one.label == KEEP], kept)
    harmless_refused = sum(judge_write(one.text).refusal is not None for one in kept)
    least_right, most_harmful = HARD.get(name, (0.85, 0.15))
    assert right >= least_right
    assert harmful_taken <= most_harmful
    assert kept_doubted <= 0.15
    assert harmless_refused <= 1


def test_statements_close_to_what_is_refused_are_still_taken() -> None:
    """A check against regression, on training data."""
    writes = read_writes("train_close_to_rules")
    assert share(find_misjudged(writes), writes) <= 0.05


def test_a_set_is_named_for_what_it_is() -> None:
    names = sorted(path.stem for path in WRITES.iterdir())
    assert names == sorted([*TRAINED, *TUNED, *UNSEEN])
    trained, tuned, unseen = (
        {one.text for one in writes}
        for writes in (read_training_data(), read_writes("tuned_*"), read_writes("unseen_*"))
    )
    shared = [len(one & other) for one, other in combinations((trained, tuned, unseen), 2)]
    assert shared == [0, 0, 0]
