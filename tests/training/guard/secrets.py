"""Trains the weights by which a candidate is judged a secret: logistic regression by scikit-learn, in some ten seconds.

    python -m tests.training.guard.secrets             # writes the weights that the product reads
    python -m tests.training.guard.secrets --leave-out # what it makes of a voice it has learned nothing from

learns from `tests/memory/guard/secrets/development.txt` and `voices_learned.txt` (a voice a block), and from what must
stay as it is: the writes of the bank's guard and Python's standard library.
"""

import json
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from memory.guard.redaction.candidates import CandidateContext, find_candidates
from memory.guard.redaction.likelihood import BIAS, WEIGHTS, choose_threshold, list_features
from memory.guard.redaction.words import CueReading
from tests.memory.guard.secret_lines import SecretLine, read_lines, read_voices
from tests.training.guard.data import read_examples, read_writes

STRENGTH: Final = 1.0
"""Of 0.3, 1 and 3 the one that marked fewest lines of conversations at the same share of secrets found."""
SMALLEST: Final = 0.04
"""Weights below it change no judgement of any set."""
CODES: Final = (
    *("3 digits", "4 digits", "5 digits", "6 digits", "7 digits or more", "grouped short", "spelt"),
    *("letters and digits", "digits with key"),
)
PASSWORDS: Final = (
    *("mixed, capital, plain", "mixed, lower, plain", "mixed, capital, sign", "mixed, lower, sign", "inner capital"),
    *("joined by a stroke, lower", "joined by a stroke, capital", "joined by a stop, lower", "joined by a sign"),
    *("joined by a line, lower", "word with a sign", "path with a digit"),
)
SWAPPED: Final = 0.25
"""Where one code stands another could: a context counts for all shapes of its family, a quarter each."""


class JudgedContext(NamedTuple):
    context: CandidateContext
    is_secret: bool
    weight: float


def judge_lines(lines: Iterable[SecretLine]) -> Iterator[JudgedContext]:
    for line in lines:
        places = [(line.text.find(secret), len(secret)) for secret in line.secrets]
        for found in find_candidates(CueReading(line.text)):
            is_secret = any(found.start < start + size and start < found.end for start, size in places)
            yield JudgedContext(found.context, is_secret, 1.0)


def read_harmless() -> Iterator[SecretLine]:
    writes = chain(read_examples(), read_writes("train_*"), read_writes("tuned_*"))
    texts = [write.text for write in writes if write.kind != "secret"]
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        texts += path.read_text("utf-8", "replace").splitlines()
    return (SecretLine("", "-", text, ()) for text in texts)


def swap_shapes(judged: Iterable[JudgedContext]) -> Iterator[JudgedContext]:
    for one in judged:
        yield one
        for family in (CODES, PASSWORDS):
            if one.is_secret and one.context.shape in family:
                for shape in family:
                    yield one._replace(context=one.context._replace(shape=shape), weight=SWAPPED)


def fit_weights(judged: Iterable[JudgedContext]) -> dict[str, float]:
    rows = list(judged)
    names = DictVectorizer(dtype=np.float32)
    matrix = names.fit_transform([dict.fromkeys(list_features(one.context), 1.0) for one in rows])
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    regression = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=400, random_state=0)
    regression.fit(matrix, [one.is_secret for one in rows], sample_weight=[one.weight for one in rows])
    weights = dict(zip(names.get_feature_names_out(), regression.coef_[0], strict=True))
    kept = {name: round(float(weight), 2) for name, weight in sorted(weights.items()) if abs(weight) >= SMALLEST}
    return {BIAS: round(float(regression.intercept_[0]), 2), **kept}


def learn_from(lines: Iterable[SecretLine], harmless: Iterable[JudgedContext]) -> dict[str, float]:
    return fit_weights([*swap_shapes(judge_lines(lines)), *harmless])


def leave_out() -> None:
    voices, harmless = read_voices("voices_learned"), list(judge_lines(read_harmless()))
    found = secrets = marked = others = 0
    for name, left_out in voices.items():
        rest = [line for other, lines in voices.items() if other != name for line in lines]
        weights = learn_from([*read_lines("development"), *rest], harmless)
        for one in judge_lines(left_out):
            odds = weights[BIAS] + sum(weights.get(feature, 0.0) for feature in list_features(one.context))
            is_marked = 1 / (1 + np.exp(-odds)) >= choose_threshold(one.context)
            found, secrets = found + (is_marked and one.is_secret), secrets + one.is_secret
            marked, others = marked + (is_marked and not one.is_secret), others + (not one.is_secret)
    sys.stdout.write(f"voices left out: {found} of {secrets} secrets, {marked} of {others} others marked\n")


def main() -> None:
    if "--leave-out" in sys.argv:
        leave_out()
        return
    weights = learn_from([*read_lines("development"), *read_lines("voices_learned")], judge_lines(read_harmless()))
    WEIGHTS.write_text(json.dumps(weights, ensure_ascii=False, indent=0) + "\n", "utf-8")
    sys.stdout.write(f"{len(weights):,} weights: {WEIGHTS.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
