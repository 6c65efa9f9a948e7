"""How the weights of the second opinion are made of examples: logistic regression, without chance, in half a minute.

    python -m memory.guard.training tests/memory/writes

learns from the examples beside this and from the sets of writes in the folder, and writes ``opinion.weights`` anew. To
be run whenever examples, sets or words have changed.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory.guard.annotation import annotate_text
from memory.guard.classifier import CLASSES, HARMFUL, KEEP, LARGEST, TRIVIAL, WEIGHTS, ClassifierWeights, pack_weights
from memory.guard.features import BUCKETS, Features, extract_features

EXAMPLES = Path(__file__).parent / "examples"
APART = "apart"
"""How the name of a set begins that nothing is learned from."""
ROUNDS = 40
RATE = 0.15
MEAN, SPREAD = 0.9, 0.99
"""How much of the past a weight's mean slope and its spread remember (Adam)."""
SHRINKING = 1e-5
SHORTEST_FRAGMENT, FRAGMENT_SIZES = 1, 4
RAREST = 2
"""Traits of fewer examples than this are learned nothing from."""


@dataclass(frozen=True, slots=True)
class Example:
    kind: str
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Which example shows which trait: rows in order, and the same entries in the order of the traits."""

    known: NDArray[np.intp]
    column: NDArray[np.intp]
    share: NDArray[np.float64]
    row_starts: NDArray[np.intp]
    by_trait: NDArray[np.intp]
    row: NDArray[np.intp]
    trait_starts: NDArray[np.intp]


def examples(folder: Path = EXAMPLES) -> list[Example]:
    return [example for path in sorted(folder.glob("*.txt")) for example in examples_of(path)]


def examples_of(path: Path) -> Iterator[Example]:
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.strip("[]") in CLASSES:
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            yield Example(kind, path.stem, line.replace("\\n", "\n"))


def examples_of_sets(folder: Path) -> list[Example]:
    """Writes of the sets in a folder (``kind | language | text``), but for those that are kept apart to measure by."""
    paths = [path for path in sorted(folder.glob("*.txt")) if not path.stem.startswith(APART)]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [line.split(" | ", 2) for line in lines if line and not line.startswith("#")]
    return [Example(kind, language, text.replace("\\n", "\n")) for kind, language, text in rows]


def fragments(told: Sequence[Example]) -> list[Example]:
    """A few words of each write to keep, so that little said is no ground for suspicion."""
    found = []
    for number, example in enumerate(one for one in told if class_of(one.kind) == KEEP):
        words, size = example.text.split(), SHORTEST_FRAGMENT + number % FRAGMENT_SIZES
        start = number % max(1, len(words) - size + 1)
        found.append(Example(KEEP, example.language, " ".join(words[start : start + size])))
    return found


def class_of(kind: str) -> str:
    """The class of a kind of write; the kinds that belong in the bank are one class."""
    return kind if kind in {*HARMFUL, *TRIVIAL} else KEEP


def trained(told: Sequence[Example]) -> ClassifierWeights:
    told = [*told, *fragments(told)]
    table = tabled([extract_features(annotate_text(example.text)) for example in told])
    right = np.eye(len(CLASSES))[[CLASSES.index(class_of(example.kind)) for example in told]]
    weights, bias = fitted(table, right)
    full = np.zeros((BUCKETS, len(CLASSES)))
    full[table.known] = weights
    step = np.abs(full).max(axis=0) / LARGEST
    return ClassifierWeights(np.rint(full / step).astype(np.int8), step.astype(np.float32), bias.astype(np.float32))


def tabled(shown: Sequence[Features]) -> Table:
    place = np.concatenate([places for places, _ in shown])
    share = np.concatenate([shares for _, shares in shown]).astype(np.float64)
    row = np.repeat(np.arange(len(shown)), [len(places) for places, _ in shown])
    is_common = np.bincount(place, minlength=BUCKETS)[place] >= RAREST
    place, share, row = place[is_common], share[is_common], row[is_common]
    known, column = np.unique(place, return_inverse=True)
    by_trait = np.argsort(column, kind="stable")
    return Table(
        known=known,
        column=column,
        share=share,
        row_starts=np.searchsorted(row, np.arange(len(shown))),
        by_trait=by_trait,
        row=row[by_trait],
        trait_starts=np.searchsorted(column[by_trait], np.arange(len(known))),
    )


def fitted(table: Table, right: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights by trait and class, and the bias: Adam over all examples at once, with a rate that falls to nothing."""
    weights = np.zeros((len(table.known) + 1, right.shape[1]))
    mean, spread = np.zeros_like(weights), np.zeros_like(weights)
    for turn in range(1, ROUNDS + 1):
        slope = slopes(table, right, weights)
        mean = MEAN * mean + (1 - MEAN) * slope
        spread = SPREAD * spread + (1 - SPREAD) * slope**2
        pace = RATE * (1 - (turn - 1) / ROUNDS)
        weights -= pace * (mean / (1 - MEAN**turn)) / (np.sqrt(spread / (1 - SPREAD**turn)) + 1e-8)
    return weights[:-1], weights[-1]


def slopes(table: Table, right: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The slope of the loss; the last row is that of the bias."""
    told = np.add.reduceat(weights[table.column] * table.share[:, None], table.row_starts, axis=0) + weights[-1]
    told = np.exp(told - told.max(axis=1, keepdims=True))
    error = (told / told.sum(axis=1, keepdims=True) - right) / len(right)
    by_trait = error[table.row] * table.share[table.by_trait][:, None]
    slope = np.empty_like(weights)
    slope[:-1] = np.add.reduceat(by_trait, table.trait_starts, axis=0) + SHRINKING * weights[:-1]
    slope[-1] = error.sum(axis=0)
    return slope


def main() -> None:
    told = examples() + [example for folder in sys.argv[1:] for example in examples_of_sets(Path(folder))]
    content = pack_weights(trained(told))
    WEIGHTS.write_bytes(content)
    sys.stdout.write(f"learned from {len(told):,} examples, {len(content):,} bytes\n")


if __name__ == "__main__":
    main()
