"""The memory bank as a whole: which item a few words mean, and who makes room when it is full."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.models import EndUser, MemoryItem
from memory.resilience import Deadline
from memory.retrieval.results import Hit, SearchRequest
from memory.retrieval.search import search
from memory.tiers import Tier

LOOKED_AT = 5
FAR = 1.0
"""Distance of unit vectors: a cosine of 0.5. Beyond it a neighbour is only the least unlike."""
CLEARLY_NEARER = 0.08
"""A second neighbour within this of the first makes the words ambiguous."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """``similarity`` is None where only the words matched."""

    item: MemoryItem
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Match:
    """``item`` is the one meant; without one ``why`` says what is in doubt, and ``candidates`` are best first."""

    item: MemoryItem | None
    candidates: Sequence[Candidate]
    why: str = ""


def match(user: EndUser, words: str, *, now: datetime, deadline: Deadline) -> Match:
    """The active bank item a few words mean. Changing the wrong memory is worse than asking again: doubt is no match.

    Asks the embedder, so it comes before any transaction. Without an embedder only literal words decide.
    """
    request = SearchRequest(
        words, tiers=frozenset({Tier.MEMORY_BANK}), limit=LOOKED_AT, boosts=(), deadline_s=deadline.remaining()
    )
    hits = search(user, request, now=now, remember=False).hits
    candidates = [Candidate(hit.item, hit.explain["similarity"]) for hit in hits]
    if not hits:
        return Match(None, [], "nothing in the memory bank matches these words")
    said = folded(words)
    literal = [hit.item for hit in hits if said in folded(hit.item.text)]
    if len(literal) == 1:
        return Match(literal[0], candidates)
    if literal:
        return Match(None, candidates, "these words stand in several memories")
    return nearest(hits, candidates)


def nearest(hits: Sequence[Hit], candidates: list[Candidate]) -> Match:
    near = sorted((hit for hit in hits if hit.explain["distance"] is not None), key=lambda hit: hit.explain["distance"])
    if not near or near[0].explain["distance"] > FAR:
        return Match(None, candidates, "nothing in the memory bank is near enough to these words")
    if len(near) > 1 and near[1].explain["distance"] - near[0].explain["distance"] < CLEARLY_NEARER:
        return Match(None, candidates, "several memories are about as near to these words")
    return Match(near[0].item, candidates)


def folded(text: str) -> str:
    return " ".join(text.casefold().split())
