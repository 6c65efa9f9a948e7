"""Finds the bank item that a text duplicates or names, by its vector and its words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog

from memory.language.analysis import list_stems
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval.results import SearchHit, SearchRequest
from memory.retrieval.search import search
from memory.tiers import Tier

logger = structlog.get_logger(__name__)

CANDIDATES_READ = 5
# Words change a memory only when they identify one: asking again costs a call, correcting the wrong memory costs trust.
# So they occur in one item only, or one item is nearer than this distance of unit vectors, a cosine of 0.5, ...
MAX_DISTANCE = 1.0
# ... and nearer than the next by this.
MIN_MARGIN = 0.08


@dataclass(frozen=True, slots=True)
class BankCandidate:
    """``similarity`` is None where only the words matched."""

    item: MemoryItem
    similarity: float | None


@dataclass(frozen=True, slots=True)
class BankMatch:
    """``item`` is the one meant. Without one ``why`` gives the reason, and ``candidates`` are listed best first."""

    item: MemoryItem | None
    candidates: Sequence[BankCandidate]
    why: str = ""


def find_bank_item(user: EndUser, words: str, *, now: datetime, deadline: Deadline) -> BankMatch:
    """The active bank item a few words mean. An ambiguous match is no match: changing the wrong memory is worse.

    Asks the embedder, so it comes before any transaction. Without an embedder only literal words decide.
    """
    request = SearchRequest(
        words, tiers=frozenset({Tier.MEMORY_BANK}), limit=CANDIDATES_READ, boosts=(), deadline_s=deadline.remaining()
    )
    hits = search(user, request, now=now, remember=False).hits
    candidates = [BankCandidate(hit.item, hit.explain["similarity"]) for hit in hits]
    if not hits:
        return BankMatch(None, [], "nothing in the memory bank matches these words")
    folded, stems = fold_spaces(words), list_stems(words)
    # Of "my" nothing is left that could mean a memory, though it stands in one alone.
    literal_matches = [
        hit.item for hit in hits if folded in fold_spaces(hit.item.text) and stems & list_stems(hit.item.text)
    ]
    if len(literal_matches) == 1:
        return BankMatch(literal_matches[0], candidates)
    if literal_matches:
        return BankMatch(None, candidates, "these words stand in several memories")
    return choose_nearest(hits, candidates)


def choose_nearest(hits: Sequence[SearchHit], candidates: list[BankCandidate]) -> BankMatch:
    near = sorted((hit for hit in hits if hit.explain["distance"] is not None), key=lambda hit: hit.explain["distance"])
    if not near or near[0].explain["distance"] > MAX_DISTANCE:
        return BankMatch(None, candidates, "nothing in the memory bank is near enough to these words")
    if len(near) > 1 and near[1].explain["distance"] - near[0].explain["distance"] < MIN_MARGIN:
        return BankMatch(None, candidates, "several memories are about as near to these words")
    return BankMatch(near[0].item, candidates)


def fold_spaces(text: str) -> str:
    return " ".join(text.casefold().split())
