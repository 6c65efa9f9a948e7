"""What the classifier makes of an author it has learned nothing from: each is left out in turn.

    python -m tests.training.guard.leave_out

Settings of the training are chosen by these figures: an author who is met again is judged too well.
"""

import sys
from collections.abc import Sequence

import numpy as np

from memory.guard.annotation import annotate_text
from memory.guard.classifier import FIRST_TRIVIAL, HARMFUL, KEEP, ClassifierWeights
from memory.guard.features import extract_features
from tests.training.guard.data import WRITES, LabelledWrite, cut_fragments, read_examples, read_writes
from tests.training.guard.train import train

STRANGERS = ("as_an_assistant_writes", "first_person", "varied_forms", "own_words", "words_and_tool_calls")
WISHES = (
    *("wishes_and_exercises", "orders_in_many_shapes", "numbers_and_permissions", "slight_and_hidden"),
    "wishes_and_rules_of_a_house",
)
TESTED = {
    "strangers": ("tuned_all_kinds", "tuned_short_and_long", *(f"train_{name}" for name in STRANGERS)),
    "wishes": ("tuned_orders_wishes_requests", *(f"train_{name}" for name in WISHES)),
}
# A class that only the author left out has shown must still be known by name.
STAND_INS = [LabelledWrite("exercise", "en", text) for text in ("Translate: 'x'", "Translate this: 'a b c'")]


def measure(weights: ClassifierWeights, writes: Sequence[LabelledWrite]) -> str:
    predicted = np.array([weights.predict(extract_features(annotate_text(one.text))) for one in writes])
    best = predicted.argmax(axis=1)
    judged = np.where(best == 0, 0, np.where(best < FIRST_TRIVIAL, 1, 2))
    meant = np.array([0 if one.label == KEEP else 1 if one.label in HARMFUL else 2 for one in writes])
    figures = [f"right {np.mean(judged == meant):.3f}"]
    for number, name in enumerate(("to keep", "harmful", "slight")):
        figures.append(f"{name} {np.mean(judged[meant == number] == number):.3f}")
    return ", ".join(figures)


def main() -> None:
    for author, sets in TESTED.items():
        learned = [path.stem for path in sorted(WRITES.glob("train_*.txt")) if path.stem not in sets]
        examples = read_examples() + [write for name in learned for write in read_writes(name)] + STAND_INS
        weights = train(examples + cut_fragments(examples))
        tested = [write for name in sets for write in read_writes(name)]
        sys.stdout.write(f"without {author}: {len(tested):,} of theirs: {measure(weights, tested)}\n")


if __name__ == "__main__":
    main()
