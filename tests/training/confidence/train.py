"""Trains when a search is silent: logistic regression over how well questions are met, by scikit-learn.

    python manage.py shell -c "from tests.training.confidence.train import main; main('FILE', ...)"

Every question of a file (conversations or scenarios, as `bench quality` takes them) is asked of its own store and of
another of that file, whose person never spoke of it. Prints what a model that never saw a file says of it, and writes
the weights for the embedding model in use. Learn anew when the embedding model changes; the ranking hardly matters.
"""

import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from django.utils import timezone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from memory.conf import memory_conf
from memory.evaluation.datasets import DatasetQuestion, DatasetStore, read_dataset
from memory.evaluation.loading import LoadedStore, create_benchmark_organization, load_store
from memory.evaluation.quality import ASKED_AT, PATIENCE_S
from memory.retrieval import search
from memory.retrieval.confidence import SIGNS, WEIGHTS, ConfidenceModel, Signs, build_model, estimate_confidence
from memory.retrieval.confidence import read_signs as read_signs_of
from memory.retrieval.results import SearchRequest

MOST_ASKED = 70
"""Of a store, own questions and others alike."""
SHRINKING = 1.0
"""With .1 and 10 the mean area under the curve of files left out was the same to the third digit."""
LOW = 0.06
"""Probability below which a search is silent. Of own questions to the months of four authors, asked a month later and a
quarter of them in another language than the answer was told in, .94 are answered so, and .70 with .34, which .97 of the
own questions of the files reach. Of others' questions of the files .80, .76, .93 and .92 still meet silence (LoCoMo,
realtalk, polyglot, scenarios), of the months' .41."""
STEEPNESS = 1.1
"""Of the threshold in small stores: among ten statements it is what it was with .34 and 2.5, chosen on questions to
them in other words."""
KNOWN = {"asked fact": 2.42}
"""In the files hardly anything tells the fact that is asked for; its weight is from own conversations."""
SURE = 0.85
"""Probability from which the grade is high."""
DIGITS = 4


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    family: str
    is_own: bool
    signs: Signs


def collect(path: Path) -> Iterator[AskedQuestion]:
    """The signs of a file's questions. Nothing of the data is left afterwards."""
    stores = read_dataset(path).stores
    with create_benchmark_organization(timezone.now()) as organization:
        for number, store in enumerate(stores):
            others = [question for other in stores if other is not store for question in other.questions]
            with load_store(organization, store, ASKED_AT) as content:
                for is_own, questions in ((True, list(store.questions)), (False, others)):
                    random.Random(number).shuffle(questions)
                    for question in questions[:MOST_ASKED]:
                        yield from ask(content, store, question, path.name, is_own=is_own)


def ask(
    content: LoadedStore, store: DatasetStore, question: DatasetQuestion, family: str, *, is_own: bool
) -> Iterator[AskedQuestion]:
    seen: list[Signs] = []

    def remember(query: Any, pool: Any, ranked: Any, model: str, parts: Sequence[str]) -> tuple[str, float]:
        seen.append(read_signs_of(query, pool, ranked))
        return estimate_confidence(query, pool, ranked, model, parts)

    with patch.object(search, "estimate_confidence", remember):
        request = SearchRequest(question.text, limit=10, deadline_s=PATIENCE_S)
        search.search(content.user, request, now=ASKED_AT, remember=False)
    for signs in seen:
        yield AskedQuestion(family, is_own, signs)


def train(asked: Sequence[AskedQuestion], left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The same questions give the same weights. ``left_out`` are signs that are not believed."""
    families = sorted({one.family for one in asked})
    known = np.array([[np.nan if one.signs[name] is None else one.signs[name] for name in SIGNS] for one in asked])
    means, spreads = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    spreads[spreads == 0] = 1.0
    matrix = np.nan_to_num((known - means) / spreads)
    matrix[:, [place for place, name in enumerate(SIGNS) if name in left_out or name in KNOWN]] = 0.0
    labels = np.array([one.is_own for one in asked])
    places = np.array([families.index(one.family) for one in asked])
    # Each file counts alike, and in it own questions as much as others.
    counts = np.bincount(places * 2 + labels, minlength=2 * len(families))
    weights = len(asked) / (2 * len(families)) / counts[places * 2 + labels]
    regression = LogisticRegression(C=SHRINKING, max_iter=2000).fit(matrix, labels, weights)
    return {
        "bias": round(float(regression.intercept_[0]), DIGITS),
        "signs": {
            name: [round(float(value), DIGITS) for value in values]
            for name, *values in zip(SIGNS, means, spreads, regression.coef_[0], strict=True)
        }
        | {name: [0.0, 1.0, weight] for name, weight in KNOWN.items()},
        "low": LOW,
        "high": SURE,
        "steepness": STEEPNESS,
    }


def judge(model: ConfidenceModel, asked: Sequence[AskedQuestion]) -> str:
    """How well own questions are told from others, and how many of each are met with silence."""
    own = [model.estimate(one.signs) for one in asked if one.is_own]
    others = [model.estimate(one.signs) for one in asked if not one.is_own]
    area = roc_auc_score([1] * len(own) + [0] * len(others), own + others)
    answered, silent = np.mean(np.array(own) >= model.low), np.mean(np.array(others) < model.low)
    return f"AUC {area:.3f}, silent on {silent:.2f} of {len(others)} others, answered {answered:.3f} of {len(own)} own"


def report(asked: Sequence[AskedQuestion]) -> Iterator[str]:
    """Of each file, by a model that learned from the others alone."""
    for family in sorted({one.family for one in asked}):
        model = build_model(train([one for one in asked if one.family != family]))
        yield f"{family}: {judge(model, [one for one in asked if one.family == family])}"


def write(asked: Sequence[AskedQuestion], embedding_model: str) -> Mapping[str, Any]:
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8")) if WEIGHTS.exists() else {}
    stored[embedding_model] = train(asked)
    stored["words"] = train(asked, frozenset({"near", "nearer"}))
    WEIGHTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    return dict(stored)


def main(*files: str) -> None:
    asked = [one for name in files for one in collect(Path(name))]
    for line in report(asked):
        sys.stdout.write(f"{line}\n")
    write(asked, memory_conf().embedding.model)
