"""How likely a candidate is a secret: logistic regression over its context, with weights that are stored.

It only adds up. It is trained outside the product (`tests/training/guard/secrets.py`).
"""

import json
import math
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import Final

from memory.guard.redaction.candidates import NAMING, CandidateContext

WEIGHTS: Final = Path(__file__).parent / "likelihood.json"
BIAS: Final = "bias"
THRESHOLD: Final = 0.7
# Where nothing names a secret: of conversations .7 marked six lines more, for six secrets of 241.
UNNAMED_THRESHOLD: Final = 0.8
# What is weighed in pairs: a shape means something else behind each name and sign.
PAIRED: Final = ("shape", "mark", "before", "distance", "after", "gap", "previous", "following")


@cache
def load_weights() -> dict[str, float]:
    loaded: dict[str, float] = json.loads(WEIGHTS.read_text("utf-8"))
    return loaded


@lru_cache(maxsize=8192)
def rate_context(context: CandidateContext) -> float:
    """Between 0 and 1."""
    weights = load_weights()
    odds = weights.get(BIAS, 0.0) + sum(weights.get(name, 0.0) for name in list_features(context))
    return 1 / (1 + math.exp(-odds))


def is_likely_secret(context: CandidateContext) -> bool:
    return rate_context(context) >= choose_threshold(context)


def choose_threshold(context: CandidateContext) -> float:
    return THRESHOLD if context.before or context.after in NAMING else UNNAMED_THRESHOLD


def list_features(context: CandidateContext) -> Iterator[str]:
    fields = context._asdict()
    support = fields.pop("support")
    for name in support:
        yield f"near={name}"
        yield f"near={name} shape={context.shape}"
        yield f"near={name} previous={context.previous}"
    for name, value in fields.items():
        yield f"{name}={value}"
    for one, other in combinations(PAIRED, 2):
        yield f"{one}={fields[one]} {other}={fields[other]}"
    yield f"earlier={context.earlier} previous={context.previous}"
    yield f"second={context.second} before={context.before}"
