"""Which facts of a person lie near each other, or fill the same slot: what the judge of pairs is asked about."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from memory.claims.relations import is_single_valued
from memory.embedding_conf import EmbeddingConf
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.nearest import embedding_of
from memory.models import EndUser, Fact

# The rule of merging, on the scale of all thresholds.
NEAR: Final = 0.85
# Rows of vectors compared at a time: 10,000 facts take 40 MB so, and all at once 400.
BLOCK: Final = 1_000
# Of a fact: whoever has more like it has lists that no pair tells apart.
MOST_NEAR: Final = 20
MOST_IN_SLOT: Final = 20


@dataclass(slots=True)
class NearFacts:
    """Active facts with their vectors under a model, and the pairs of them that are worth a look, with their cosine."""

    facts: dict[UUID, Fact]
    vectors: dict[UUID, NDArray[np.float32]]
    model: str
    pairs: dict[UUID, dict[UUID, float | None]] = field(default_factory=lambda: defaultdict(dict))

    def add_pair(self, one: UUID, other: UUID, cosine: float | None) -> None:
        self.pairs[one][other] = cosine
        self.pairs[other][one] = cosine


def read_near_facts(user: EndUser, model: str) -> NearFacts:
    """The active facts of a user with their vectors of one model. In the user's scope."""
    active = Fact.objects.for_user(user).active()
    facts = {fact.pk: fact for fact in active.defer("vector").order_by("pk")}
    rows = active.filter(model=model, vector__isnull=False).order_by("pk").values_list("pk", "vector")
    return NearFacts(facts, {pk: np.array(vector, dtype=np.float32) for pk, vector in rows}, model)


def refresh_facts(near: NearFacts, user: EndUser) -> None:
    """As they are after a round, without those that have ended. In the user's scope."""
    active = Fact.objects.for_user(user).active().filter(pk__in=list(near.pairs)).defer("vector")
    near.facts = {fact.pk: fact for fact in active}


def find_near_pairs(near: NearFacts) -> None:
    """All pairs of the facts that are worth a look."""
    ids = list(near.vectors)
    conf = embedding_of(near.model)
    for one, other, cosine in iterate_near(np.array(list(near.vectors.values()), dtype=np.float32), conf):
        near.add_pair(ids[one], ids[other], cosine)
    for slot in list_single_slots(list(near.facts.values())):
        for first, second in combinations(slot, 2):
            if second not in near.pairs[first]:
                near.add_pair(first, second, measure_pair(near.vectors.get(first), near.vectors.get(second), conf))


def iterate_near(vectors: NDArray[np.float32], conf: EmbeddingConf) -> Iterator[tuple[int, int, float]]:
    """Pairs of near vectors, each once, as two places and the cosine."""
    for start in range(0, len(vectors), BLOCK):
        cosines = vectors[start : start + BLOCK] @ vectors.T
        for row, line in enumerate(cosines):
            one = start + row
            # The calibrated scale keeps the order, so the nearest are chosen before it is asked.
            after = line[one + 1 :]
            nearest = (
                np.argpartition(-after, MOST_NEAR)[:MOST_NEAR] if len(after) > MOST_NEAR else np.arange(len(after))
            )
            for place in nearest:
                cosine = conf.calibrate_cosine(float(after[place]))
                if cosine >= NEAR:
                    yield one, one + 1 + int(place), cosine


def measure_pair(
    one: NDArray[np.float32] | None, other: NDArray[np.float32] | None, conf: EmbeddingConf
) -> float | None:
    return None if one is None or other is None else conf.calibrate_cosine(float(one @ other))


def list_single_slots(facts: Sequence[Fact]) -> list[list[UUID]]:
    """The ids of facts that fill one slot together in which only one has room, the latest first."""
    slots: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.relation not in OPEN_RELATIONS and is_single_valued(fact.relation):
            slots[(fact.subject_key, fact.relation)].append(fact)
    latest = (sorted(held, key=lambda fact: (fact.last_seen, fact.pk), reverse=True) for held in slots.values())
    return [[fact.pk for fact in held[:MOST_IN_SLOT]] for held in latest if len(held) > 1]
