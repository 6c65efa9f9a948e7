"""Trains the classifier of the guard: logistic regression over its features, by scikit-learn, in some ten seconds.

    python -m tests.training.guard.train

learns from the examples beside this and from the writes `tests/memory/guard/writes/train_*.txt`, and writes the weights
that the product reads. Run it whenever examples, sets or words of the guard have changed; a test holds the stored
weights to what it gives.
"""

import sys
import warnings
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from memory.guard.annotation import annotate_text
from memory.guard.classifier import CLASSES, WEIGHTS, ClassifierWeights
from memory.guard.features import BUCKETS, extract_features
from tests.training.guard.data import LabelledWrite, read_training_data

ROUNDS, RATE, SHRINKING = 40, 0.075, 0.03
"""Chosen with the sets `tuned_*`: of their 311 writes 8 are judged wrong, none of them harmful. With less shrinking
(0.01) or fewer rounds (30 at 0.05) harmful ones got in, with more (0.2) nine more statements were refused."""
RAREST = 2
"""Features of fewer examples than this are learned nothing from."""
LARGEST, QUANTILE = 15, 0.9995
"""A weight is stored in 31 steps up to this quantile; with 255 steps the file is half as large again, and no write of
any set is judged otherwise."""


def build_matrix(examples: Sequence[LabelledWrite]) -> csr_matrix:
    """A row of feature values for each example."""
    rows = [extract_features(annotate_text(example.text)) for example in examples]
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    values = np.concatenate([values for _, values in rows]).astype(np.float64)
    matrix = csr_matrix((values, np.concatenate([buckets for buckets, _ in rows]), ends), (len(rows), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def train(examples: Sequence[LabelledWrite]) -> ClassifierWeights:
    """The same examples give the same weights."""
    matrix = build_matrix(examples)
    known = np.flatnonzero(np.asarray((matrix > 0).sum(axis=0)).ravel() >= RAREST)
    # Without a hidden layer this is logistic regression. LogisticRegression itself goes on until it fits the training
    # data best, which is too well: it refused 12 to 19 statements of `tuned_*` wrongly, this one 4.
    regression = MLPClassifier(
        hidden_layer_sizes=(),
        solver="adam",
        beta_2=0.99,
        batch_size=len(examples),
        learning_rate_init=RATE,
        max_iter=ROUNDS,
        n_iter_no_change=ROUNDS,
        alpha=SHRINKING,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        regression.fit(matrix[:, known], [CLASSES.index(example.label) for example in examples])
    weights = np.zeros((BUCKETS, len(CLASSES)))
    weights[known] = regression.coefs_[0]
    return quantise(weights, regression.intercepts_[0])


def quantise(weights: np.ndarray, bias: np.ndarray) -> ClassifierWeights:
    step = np.quantile(np.abs(weights), QUANTILE, axis=0) / LARGEST
    steps = np.clip(np.rint(weights / step), -LARGEST, LARGEST)
    return ClassifierWeights(steps.astype(np.int8), step.astype(np.float32), bias.astype(np.float32))


def main() -> None:
    examples = read_training_data()
    weights = train(examples)
    np.savez_compressed(WEIGHTS, steps=weights.steps, step=weights.step, bias=weights.bias)
    sys.stdout.write(f"trained on {len(examples):,} examples: {WEIGHTS.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
