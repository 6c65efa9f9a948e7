"""Candidates as a search finds them, and what one ranking signal says of each."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from memory.language import build_query_groups
from memory.retrieval.pool import Candidate, CandidateMemory, Pool
from memory.retrieval.query import understand_query
from memory.retrieval.ranking import RankingSignal
from memory.tiers import Tier

NOW = datetime(2025, 6, 16, 12, tzinfo=UTC)


def make_pool(query: str, *memories: dict[str, Any]) -> Pool:
    """Candidates in order, ids from 1. ``relevance`` and ``days_ago`` are given beside the fields of a memory."""
    words = build_query_groups(query)
    found = []
    for number, given in enumerate(memories, 1):
        fields = {"tier": Tier.HISTORY, "days_ago": 10, "relevance": 0.5, **given}
        relevance, days = fields.pop("relevance"), fields.pop("days_ago")
        fields = {"holds": (False,) * len(words), **fields}
        memory = CandidateMemory(UUID(int=number), occurred_at=NOW - timedelta(days=days), **fields)
        found.append(Candidate(memory, relevance=relevance))
    return Pool(found, NOW, words)


def signal_values(
    signal: RankingSignal, query: str, *memories: dict[str, Any], speakers: tuple[str, ...] = ()
) -> list[float]:
    return list(signal.value(understand_query(query, speakers, NOW), make_pool(query, *memories)))


def text(words: str, **fields: Any) -> dict[str, Any]:
    return {"text": words, **fields}


def fact(words: str, **fields: Any) -> dict[str, Any]:
    return {"text": words, "tier": Tier.MEMORY_BANK, "tags": ("home",), **fields}
