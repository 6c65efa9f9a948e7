"""Trains what says how likely a passage tells something of the person: logistic regression by scikit-learn.

    python -m tests.training.claims.train

writes the weights that the product reads, and says how well those do that were trained without an author on that
author's passages, and these on the messages of two authors that are never learned from. Run it whenever turns, words or
rules of claims have changed, and `python -m tests.training.requests.train` after it where the features have.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from memory.claims.judgement.telling import BUCKETS, WEIGHTS, Passage, TellingWeights, extract_telling_features
from tests.training.claims.data import (
    GUARD,
    Extent,
    LabelledPassage,
    read_held_out,
    read_training_passages,
)
from tests.training.messages import HELD_OUT

LOOSENESS = 4.0
"""Of 1.5 to 6 the authors left out are found alike; with 2 more promises about single turns were missed."""
GUARD_WEIGHT = 0.2
"""Statements of the bank are worded as nobody speaks: with this weight of theirs more is found at the same silence."""
MESSAGE_WEIGHTS: Final[dict[Extent, float]] = {"turn": 2.0, "sentence": 2.0, "clause": 0.4, "head": 1.0}
"""Of passages of messages; other turns, and their heads, count one. Without clauses .33 of the telling ones are found
where 4 % of the others are, with them .40; where they count as much as turns do, whole turns lose what clauses win."""
LARGEST, QUANTILE = 127, 0.9999
SILENT = 0.04
"""Share of silent passages that may teach something."""
EXTENTS: Final[tuple[Extent, ...]] = ("turn", "sentence", "clause")


def build_matrix(passages: Iterable[Passage]) -> csr_matrix:
    rows = list(map(extract_telling_features, passages))
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    values = np.concatenate([values for _, values in rows]).astype(np.float64)
    matrix = csr_matrix((values, np.concatenate([buckets for buckets, _ in rows]), ends), (len(rows), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def weigh(passages: Sequence[LabelledPassage]) -> np.ndarray:
    return np.array([weigh_passage(one) for one in passages])


def weigh_passage(one: LabelledPassage) -> float:
    if one.author == GUARD:
        return GUARD_WEIGHT
    return MESSAGE_WEIGHTS[one.extent] if one.is_message else 1.0


def fit(matrix: csr_matrix, labels: np.ndarray, weights_of_passages: np.ndarray) -> TellingWeights:
    """The same passages give the same weights."""
    regression = LogisticRegression(C=LOOSENESS, class_weight="balanced", max_iter=400).fit(
        matrix, labels, sample_weight=weights_of_passages
    )
    weights = regression.coef_[0]
    step = np.quantile(np.abs(weights[weights != 0]), QUANTILE) / LARGEST
    steps = np.clip(np.rint(weights / step), -LARGEST, LARGEST).astype(np.int8)
    return TellingWeights(steps, float(step), float(regression.intercept_[0]))


def rate(weights: TellingWeights, matrix: csr_matrix) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-(matrix @ weights.steps.astype(np.float64) * weights.step + weights.bias))))


def describe(name: str, passages: Sequence[LabelledPassage], rates: np.ndarray) -> str:
    """How much of what tells is found where a given share of the silent is, of turns, of sentences and of clauses."""
    told = []
    for extent in EXTENTS:
        places = [at for at, one in enumerate(passages) if one.extent == extent]
        labels = np.array([passages[at].tells for at in places], dtype=bool)
        if labels.any() and not labels.all():
            of_extent = rates[places]
            least = np.quantile(of_extent[~labels], 1 - SILENT)
            found, area = float((of_extent[labels] >= least).mean()), roc_auc_score(labels, of_extent)
            told.append(f"{found:.2f} of {labels.sum()} {extent}s at {least:.2f} (area {area:.3f})")
    return f"{name}: {', '.join(told)}\n"


def describe_author(author: str, passages: Sequence[LabelledPassage], matrix: csr_matrix, labels: np.ndarray) -> str:
    is_theirs = np.array([one.author == author for one in passages])
    without = fit(matrix[~is_theirs], labels[~is_theirs], weigh(passages)[~is_theirs])
    theirs = [one for one in passages if one.author == author]
    return describe(f"without {author}", theirs, rate(without, matrix[is_theirs]))


def main() -> None:
    passages = read_training_passages()
    matrix, labels = build_matrix(one.passage for one in passages), np.array([one.tells for one in passages])
    sys.stdout.write(f"found of what tells, where {SILENT:.0%} of the silent are\n")
    for author in dict.fromkeys(one.author for one in passages if one.author != GUARD):
        sys.stdout.write(describe_author(author, passages, matrix, labels))
    weights = fit(matrix, labels, weigh(passages))
    held_out = read_held_out()
    rates = rate(weights, build_matrix(one.passage for one in held_out))
    for author in sorted(HELD_OUT):
        places = [at for at, one in enumerate(held_out) if one.author == author]
        sys.stdout.write(describe(f"never learned from: {author}", [held_out[at] for at in places], rates[places]))
    np.savez_compressed(WEIGHTS, steps=weights.steps, step=weights.step, bias=weights.bias)
    sys.stdout.write(f"trained on {len(passages):,} passages: {WEIGHTS.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
