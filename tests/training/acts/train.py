"""Trains what says what somebody does with a turn: logistic regression by scikit-learn.

    python -m tests.training.acts.train

writes the weights that the product reads, and says how well those do that were trained without a language on the turns
of that language. Run it whenever the turns, the words of the frames or the rules of intents have changed.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from memory.claims.frames.acts import ACTS, BUCKETS, WEIGHTS, hash_features, name_features
from memory.claims.frames.intents import find_cues
from memory.claims.frames.state import TurnClauses, mask_text
from memory.claims.frames.words import LANGUAGES, load_hot_words

EXAMPLES = Path(__file__).parent / "examples"
LOOSENESS = 5.0
LARGEST, QUANTILE = 127, 0.9999
MARKS = re.compile(r"[^\w\s'’-]")


@dataclass(frozen=True, slots=True)
class ActExample:
    language: str
    text: str
    act: str


def read_act_examples() -> list[ActExample]:
    """Each turn as it was written and as it is spoken: without capitals and marks."""
    found: list[ActExample] = []
    for language in LANGUAGES:
        act = ""
        for line in (EXAMPLES / f"{language}.txt").read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                act = line.strip("[]")
            elif line and not line.startswith("#"):
                spoken = MARKS.sub("", line).casefold()
                found += [ActExample(language, text, act) for text in dict.fromkeys((line, spoken))]
    return found


def build_matrix(examples: Sequence[ActExample]) -> csr_matrix:
    rows = [extract_features(one) for one in examples]
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    values = np.concatenate([values for _, values in rows]).astype(np.float64)
    matrix = csr_matrix((values, np.concatenate([buckets for buckets, _ in rows]), ends), (len(rows), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def extract_features(example: ActExample) -> tuple[np.ndarray, np.ndarray]:
    turn = TurnClauses.of(mask_text(example.text), load_hot_words(example.language))
    return hash_features(name_features(turn.clauses, find_cues(turn.clauses, turn.reasons, turn.words)))


def fit(matrix: csr_matrix, acts: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=LOOSENESS, class_weight="balanced", max_iter=400).fit(matrix, acts)


def main() -> None:
    examples = read_act_examples()
    matrix = build_matrix(examples)
    acts = np.array([ACTS.index(one.act) for one in examples])
    spoken = np.array([one.language for one in examples])
    for language in LANGUAGES if "--fast" not in sys.argv else ():
        theirs = spoken == language
        right = fit(matrix[~theirs], acts[~theirs]).predict(matrix[theirs]) == acts[theirs]
        sys.stdout.write(f"without {language}: {right.mean():.2f} of {theirs.sum()}\n")
    regression = fit(matrix, acts)
    weights = regression.coef_.T
    step = np.quantile(np.abs(weights[weights != 0]), QUANTILE) / LARGEST
    steps = np.clip(np.rint(weights / step), -LARGEST, LARGEST).astype(np.int8)
    bias = regression.intercept_.astype(np.float32)
    np.savez_compressed(WEIGHTS, steps=steps, step=step, bias=bias)
    sys.stdout.write(f"{len(examples)} turns, {WEIGHTS.stat().st_size // 1024} KB\n")


if __name__ == "__main__":
    main()
