"""Which of the nearest records are shown, in which order, and why the others are not. Pure: no framework."""

import math
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from memory.language.text import estimate_tokens
from memory.records.texts import Kind

MIN_SCORE: Final = 0.35
BOOST: Final = 0.15
BOOST_DECAY_DAYS: Final = 14.0
TOKENS: Final = 1200
DEFAULT_TOP_K: Final = 8
# A preferred kind passes others that are up to a fifth nearer: .40 stands before .47, and not before .49.
PREFERENCE: Final = 0.2


class RecallBias(StrEnum):
    """What the question is asked for, where the client knows."""

    PLANNING = "planning"
    JOURNALING = "journaling"


@dataclass(frozen=True, slots=True)
class KindPreference:
    """``share`` of the preference; one that fades is for recent records."""

    share: float = 1.0
    fades: bool = True


PREFERRED: Final[Mapping[RecallBias, Mapping[Kind, KindPreference]]] = {
    # The second choice of two has half: a message of today stays behind a to-do that is as near.
    RecallBias.PLANNING: {Kind.TODO: KindPreference(fades=False), Kind.MESSAGE: KindPreference(share=0.5)},
    RecallBias.JOURNALING: {Kind.JOURNAL: KindPreference(), Kind.GRATITUDE: KindPreference()},
}


class Omission(StrEnum):
    """Why a record that was near is not shown."""

    SCORE = "min_score"
    KIND_FULL = "max_per_kind"
    ENOUGH = "top_k"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class RecallOptions:
    kinds: Sequence[Kind] = tuple(Kind)
    top_k: int = DEFAULT_TOP_K
    bias: RecallBias | None = None
    max_per_kind: int | None = None

    def as_json(self) -> dict[str, object]:
        """For the log; what was not asked for is left out."""
        asked = {"bias": self.bias and self.bias.value, "max_per_kind": self.max_per_kind}
        kinds = [kind.value for kind in self.kinds]
        return {"kinds": kinds, "top_k": self.top_k, **{name: value for name, value in asked.items() if value}}


@dataclass(frozen=True, slots=True)
class RecordCandidate:
    kind: Kind
    ref_id: uuid.UUID
    snippet: str
    similarity: float
    created_at: datetime


@dataclass(frozen=True, slots=True)
class RecordHit:
    """``score`` is the product of the three factors."""

    kind: Kind
    ref_id: uuid.UUID
    snippet: str
    score: float
    created_at: datetime
    similarity: float = 0.0
    recency: float = 1.0
    preference: float = 1.0


@dataclass(frozen=True, slots=True)
class RecordChoice:
    shown: Sequence[RecordHit]
    omitted: Sequence[tuple[RecordHit, Omission]]


def weigh_recency(age_days: float) -> float:
    """What a score is multiplied by: up to 15 % more for what is recent."""
    return 1 + BOOST * fade(age_days)


def fade(age_days: float) -> float:
    return math.exp(-max(0.0, age_days) / BOOST_DECAY_DAYS)


def weigh_kind(kind: Kind, age_days: float, bias: RecallBias | None) -> float:
    """At planning a to-do counts more, and so does a message while it is recent; at journaling, recent writing."""
    preferred = PREFERRED[bias].get(kind) if bias else None
    if preferred is None:
        return 1.0
    return 1 + PREFERENCE * preferred.share * (fade(age_days) if preferred.fades else 1.0)


def choose_hits(candidates: Sequence[RecordCandidate], options: RecallOptions, *, now: datetime) -> RecordChoice:
    """The best hits above the floor and within the token budget, each record once; ties by age and id."""
    ranked = sorted(
        (weigh_candidate(one, options.bias, now) for one in candidates),
        key=lambda hit: (-hit.score, -hit.created_at.timestamp(), hit.ref_id),
    )
    best: dict[uuid.UUID, RecordHit] = {}
    omitted: list[tuple[RecordHit, Omission]] = []
    of_kind: Counter[Kind] = Counter()
    left = TOKENS
    for hit in ranked:
        if hit.ref_id in best:
            continue
        omission = find_omission(hit, options, len(best), of_kind[hit.kind], is_spent=left < 0)
        if omission is None:
            left -= estimate_tokens(hit.snippet)
            # Ends with the hit that no longer fits: a smaller one after it would be shown for its size alone.
            omission = Omission.BUDGET if left < 0 else None
        if omission is not None:
            omitted.append((hit, omission))
            continue
        best[hit.ref_id] = hit
        of_kind[hit.kind] += 1
    return RecordChoice(list(best.values()), omitted)


def weigh_candidate(one: RecordCandidate, bias: RecallBias | None, now: datetime) -> RecordHit:
    age_days = (now - one.created_at).total_seconds() / 86_400
    recency, preference = weigh_recency(age_days), weigh_kind(one.kind, age_days, bias)
    score = one.similarity * recency * preference
    return RecordHit(one.kind, one.ref_id, one.snippet, score, one.created_at, one.similarity, recency, preference)


def find_omission(
    hit: RecordHit, options: RecallOptions, shown: int, of_kind: int, *, is_spent: bool
) -> Omission | None:
    # A preference orders what is about the question; it makes nothing be about it.
    if hit.similarity * hit.recency < MIN_SCORE:
        return Omission.SCORE
    if shown >= options.top_k:
        return Omission.ENOUGH
    if options.max_per_kind is not None and of_kind >= options.max_per_kind:
        return Omission.KIND_FULL
    return Omission.BUDGET if is_spent else None
