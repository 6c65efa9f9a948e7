"""MemoryMetaV1: the metadata of a context, a stable contract with clients."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory.context.blocks import ContextSection, KnownLine
from memory.context.selection import ContextSelection
from memory.context.supplied import ContextInsights
from memory.models import EndUser
from memory.retrieval.book_places import name_document
from memory.retrieval.results import SearchHit, SearchRequest, SearchResult
from memory.tiers import SCORED_TIERS, Tier

DEBUG_SHOWN = ("retrieval_confidence", "fallbacks_used", "stage_timings_ms", "errors", "vector_stage_status", "intent")


def build_meta(
    user: EndUser,
    query: str,
    request: SearchRequest,
    selection: ContextSelection,
    found: SearchResult,
    sections: Sequence[ContextSection],
    insights: ContextInsights,
    now: datetime,
) -> dict[str, Any]:
    """MemoryMetaV1: what the context contains and why, for the client to show."""
    debug, hits = found.debug, selection.hits
    return {
        "schema_version": "v1",
        "conversation_id": request.thread_id or "default",
        "assistant_message_id": str(found.turn_id),
        "user_id": user.external_id,
        "created_at": now.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "context_type": insights.context_type,
        "retrieval": {
            "query": query,
            "normalized_query": debug.normalized_query,
            "limit": request.limit,
            "sort_by": "relevance",
            "tiers_considered": debug.tiers_considered,
            "tiers_used": debug.tiers_used,
            "search_position_map": build_position_map(hits),
        },
        "known_context": {
            "known_context_text": next((part.text for part in sections if part.name == "known_context"), ""),
            "known_context_items": [build_known_item(line) for line in selection.known],
        },
        "citations": [build_citation(hit) for hit in hits],
        "context_insights": insights.meta,
        "debug": {name: value for name, value in debug.as_dict().items() if name in DEBUG_SHOWN},
        "feedback": build_feedback(hits),
    }


def build_known_item(line: KnownLine) -> dict[str, Any]:
    """``memory_id`` is the fact's own where no bank item stands behind it."""
    return {
        "tier": Tier.MEMORY_BANK,
        "memory_id": str(line.memory_id or line.fact_id),
        "content": line.statement,
        "doc_id": None,
        "score_summary": None,
    }


def build_citation(hit: SearchHit) -> dict[str, Any]:
    return {"tier": hit.item.tier, "memory_id": str(hit.item.pk), **name_document(hit.item)}


def build_position_map(hits: Sequence[SearchHit]) -> dict[str, Any]:
    return {
        "by_position": [
            {"position": hit.position, "tier": hit.item.tier, "memory_id": str(hit.item.pk)} for hit in hits
        ],
        "by_memory_id": {str(hit.item.pk): {"position": hit.position, "tier": hit.item.tier} for hit in hits},
    }


def build_feedback(hits: Sequence[SearchHit]) -> dict[str, Any]:
    """Whether an outcome of this turn could move a score, and of which positions."""
    scored = [hit.position for hit in hits if hit.item.tier in SCORED_TIERS]
    return {
        "eligible": bool(scored),
        "interrupted": False,
        "eligible_reason": None if scored else "nothing that outcomes score was handed over",
        "default_related_positions": scored,
    }
