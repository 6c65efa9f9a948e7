"""Trains what says how likely a turn tells something of the person: logistic regression by scikit-learn.

    python -m tests.training.claims.train

writes the weights that the product reads, and says how well those do that were trained without an author on that
author's turns. Run it whenever turns, words or rules of claims have changed.
"""

import sys
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from memory.claims.reader import read_turn
from memory.claims.telling import BUCKETS, WEIGHTS, TellingWeights, extract_telling_features, join_passages
from tests.training.claims.data import GUARD, LabelledTurn, read_training_turns

LOOSENESS = 10.0
"""Of 1, 3, 10 and 30 the best on the authors left out, by little."""
GUARD_WEIGHT = 0.2
"""Statements of the bank are worded as nobody speaks: with this weight of theirs more is found at the same silence."""
LARGEST, QUANTILE = 127, 0.9999
SILENT = 0.04
"""Share of silent turns that may teach something."""


def build_matrix(turns: Sequence[LabelledTurn]) -> csr_matrix:
    rows = [extract_telling_features(join_passages(read_turn(turn.text).list_passages())) for turn in turns]
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    values = np.concatenate([values for _, values in rows]).astype(np.float64)
    matrix = csr_matrix((values, np.concatenate([buckets for buckets, _ in rows]), ends), (len(rows), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def weigh_turns(turns: Sequence[LabelledTurn]) -> np.ndarray:
    return np.array([GUARD_WEIGHT if turn.author == GUARD else 1.0 for turn in turns])


def fit(matrix: csr_matrix, labels: np.ndarray, weights_of_turns: np.ndarray) -> TellingWeights:
    """The same turns give the same weights."""
    regression = LogisticRegression(C=LOOSENESS, class_weight="balanced", max_iter=400).fit(
        matrix, labels, sample_weight=weights_of_turns
    )
    weights = regression.coef_[0]
    step = np.quantile(np.abs(weights[weights != 0]), QUANTILE) / LARGEST
    steps = np.clip(np.rint(weights / step), -LARGEST, LARGEST).astype(np.int8)
    return TellingWeights(steps, float(step), float(regression.intercept_[0]))


def rate(weights: TellingWeights, matrix: csr_matrix) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-(matrix @ weights.steps.astype(np.float64) * weights.step + weights.bias))))


def describe_author(author: str, turns: Sequence[LabelledTurn], matrix: csr_matrix, labels: np.ndarray) -> str:
    is_theirs = np.array([turn.author == author for turn in turns])
    without = fit(matrix[~is_theirs], labels[~is_theirs], weigh_turns(turns)[~is_theirs])
    rates = rate(without, matrix[is_theirs])
    theirs = labels[is_theirs]
    least = np.quantile(rates[~theirs], 1 - SILENT)
    found = float((rates[theirs] >= least).mean())
    area = roc_auc_score(theirs, rates)
    return f"without {author}: area {area:.3f}, {found:.2f} of what tells at {least:.2f}, where {SILENT:.0%} do not\n"


def main() -> None:
    turns = read_training_turns()
    matrix, labels = build_matrix(turns), np.array([turn.tells for turn in turns])
    for author in dict.fromkeys(turn.author for turn in turns if turn.author != GUARD):
        sys.stdout.write(describe_author(author, turns, matrix, labels))
    weights = fit(matrix, labels, weigh_turns(turns))
    np.savez_compressed(WEIGHTS, steps=weights.steps, step=weights.step, bias=weights.bias)
    sys.stdout.write(f"trained on {len(turns):,} turns: {WEIGHTS.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
