"""Trains what says how likely a turn asks for what it tells to be remembered: logistic regression by scikit-learn.

    python -m tests.training.requests.train

writes the weights that the product reads, and says how many requests those find that were trained without an author,
or without a third of the frames. Each frame of `examples/<language>.txt` stands around several things told, and those
stand alone and in frames of the same look too, so that the frame is learned and not what is told in it.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from memory.claims.judgement.asking import WEIGHTS, list_asking_features
from memory.claims.judgement.telling import BUCKETS, TellingWeights
from memory.claims.lexicon import load_claim_words
from memory.guard.annotation import annotate_text
from memory.guard.spelling import normalise_text
from tests.training.claims import data

EXAMPLES: Final = Path(__file__).parent / "examples"
IN_FRAME, IN_OTHER = 5, 3
HOLE: Final = "{}"
LOOSENESS: Final = 10.0
LARGEST, QUANTILE = 127, 0.9999
FOLDS: Final = 3
LEAST: Final = 0.5
OWN: Final = "frames"


@dataclass(frozen=True, slots=True)
class AskingTurn:
    author: str
    text: str
    asks: bool
    fold: int = -1


def read_turns() -> list[AskingTurn]:
    found = [turn for path in sorted(EXAMPLES.glob("*.txt")) for turn in fill_frames(path)]
    for path in sorted((data.ROOT / "authors").glob("*.txt")):
        found += parse_requests(path)
    for folder in (data.SETS, data.DEVELOPMENT):
        for path in sorted([*folder.glob("*requests.jsonl"), *folder.glob("*requests.dev.jsonl")]):
            found += [AskingTurn(path.stem, text, asks=True) for text in read_texts(path)]
    asked = {turn.text for turn in found}
    others = [turn for turn in data.read_training_turns() if turn.text not in asked]
    return found + [AskingTurn(turn.author, turn.text, asks=False) for turn in others]


def read_texts(path: Path) -> Iterator[str]:
    return (json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines())


def fill_frames(path: Path) -> Iterator[AskingTurn]:
    sections: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    told = sections["told"]
    yield from (AskingTurn(OWN, text, asks=False) for text in told)
    for name, times in (("asks", IN_FRAME), ("others", IN_OTHER)):
        for number, frame in enumerate(sections[name]):
            filled = {frame.replace(HOLE, told[(number * times + at) % len(told)]) for at in range(times)}
            yield from (AskingTurn(OWN, text, name == "asks", number % FOLDS) for text in sorted(filled))


def parse_requests(path: Path) -> Iterator[AskingTurn]:
    asks = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            asks = line == "[asks]"
        elif asks and line:
            yield AskingTurn(path.stem, line, asks=True)


def build_matrix(turns: Sequence[AskingTurn]) -> csr_matrix:
    rows = [
        list_asking_features(annotate_text(normalise_text(turn.text), load_claim_words()).own_sentences)
        for turn in turns
    ]
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    values = np.concatenate([values for _, values in rows]).astype(np.float64)
    matrix = csr_matrix((values, np.concatenate([buckets for buckets, _ in rows]), ends), (len(rows), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def fit(matrix: csr_matrix, labels: np.ndarray) -> TellingWeights:
    regression = LogisticRegression(C=LOOSENESS, class_weight="balanced", max_iter=300, solver="liblinear")
    regression.fit(matrix, labels)
    weights = regression.coef_[0]
    step = np.quantile(np.abs(weights[weights != 0]), QUANTILE) / LARGEST
    steps = np.clip(np.rint(weights / step), -LARGEST, LARGEST).astype(np.int8)
    return TellingWeights(steps, float(step), float(regression.intercept_[0]))


def rate(weights: TellingWeights, matrix: csr_matrix) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-(matrix @ weights.steps.astype(np.float64) * weights.step + weights.bias))))


def describe(name: str, is_out: np.ndarray, matrix: csr_matrix, labels: np.ndarray) -> str:
    rates = rate(fit(matrix[~is_out], labels[~is_out]), matrix[is_out])
    asked = labels[is_out]
    found, wrong = int((rates[asked] >= LEAST).sum()), int((rates[~asked] >= LEAST).sum())
    return f"without {name}: {found} of {asked.sum()} requests found, and {wrong} of {(~asked).sum()} others\n"


def main() -> None:
    turns = read_turns()
    matrix, labels = build_matrix(turns), np.array([turn.asks for turn in turns])
    authors, folds = np.array([turn.author for turn in turns]), np.array([turn.fold for turn in turns])
    for author in dict.fromkeys(turn.author for turn in turns if turn.asks and turn.author != OWN):
        sys.stdout.write(describe(author, authors == author, matrix, labels))
    sys.stdout.write(describe("a third of the frames", folds == 0, matrix, labels))
    weights = fit(matrix, labels)
    np.savez_compressed(WEIGHTS, steps=weights.steps, step=weights.step, bias=weights.bias)
    sys.stdout.write(f"trained on {len(turns):,} turns: {WEIGHTS.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
