"""Memories and what happened to them, in the shapes that mem0's clients know."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory.mem0.scopes import read_expiry, read_metadata, read_scope
from memory.models import MemoryItem, MemoryVersion
from memory.retrieval.results import SearchHit
from memory.tiers import Status

ADD, UPDATE, DELETE = "ADD", "UPDATE", "DELETE"


def render_memory(item: MemoryItem, person: str, score: float | None = None) -> dict[str, Any]:
    scope = read_scope(item)
    shown = {
        "id": str(item.pk),
        "memory": item.text,
        "hash": item.content_hash,
        "user_id": person,
        "agent_id": scope.agent_id,
        "app_id": scope.app_id,
        "run_id": scope.run_id,
        **({"actor_id": item.speaker} if item.speaker else {}),
        "metadata": read_metadata(item),
        "categories": list(item.tags),
        "created_at": item.occurred_at.isoformat(),
        "updated_at": item.updated_at.isoformat(),
        "expiration_date": read_expiry(item),
    }
    return shown if score is None else {**shown, "score": round(score, 6)}


def render_hit(hit: SearchHit, person: str) -> dict[str, Any]:
    """With what took the place of something it tells; mem0 has no field of its own for that."""
    shown = render_memory(hit.item, person, hit.final_score)
    if (later := hit.superseded_by) is None:
        return shown
    until = later.until.isoformat() if later.until else None
    by = {"id": str(later.memory_id) if later.memory_id else None, "memory": later.statement or None, "until": until}
    return {**shown, "superseded_by": by}


def select_fields(memory: Mapping[str, Any], fields: Sequence[str] | None) -> dict[str, Any]:
    """Those that were asked for; the id always, as nothing can be done with a memory without it."""
    if not fields:
        return dict(memory)
    return {name: value for name, value in memory.items() if name in {"id", *fields}}


def render_added(items: Iterable[MemoryItem]) -> list[dict[str, Any]]:
    return [{"id": str(item.pk), "memory": item.text, "data": {"memory": item.text}, "event": ADD} for item in items]


def render_history(item: MemoryItem, versions: Sequence[MemoryVersion], person: str) -> list[dict[str, Any]]:
    """Oldest first: how it began, and each wording that took the place of another."""
    # What was merged into it stood beside it and never was its wording.
    worn = sorted((row for row in versions if row.reason != "merged"), key=lambda row: row.version)
    wordings = [(row.text, row.archived_at) for row in worn]
    texts = [*(text for text, _ in wordings), item.text]
    moments = [item.created_at, *(ended for _, ended in wordings)]
    changes = [
        describe_change(item, person, number, before, after, at)
        for number, (before, after, at) in enumerate(zip([None, *texts], texts, moments, strict=False))
    ]
    if item.status == Status.ARCHIVED and item.archived_at is not None:
        changes.append(describe_change(item, person, len(changes), item.text, None, item.archived_at))
    return changes


def describe_change(
    item: MemoryItem, person: str, number: int, before: str | None, after: str | None, at: datetime
) -> dict[str, Any]:
    return {
        "id": f"{item.pk}-{number}",
        "memory_id": str(item.pk),
        "input": [],
        "old_memory": before,
        "new_memory": after,
        "user_id": person,
        "categories": list(item.tags),
        "metadata": read_metadata(item),
        "event": ADD if before is None else DELETE if after is None else UPDATE,
        "is_deleted": after is None,
        "created_at": item.created_at.isoformat(),
        "updated_at": at.isoformat(),
    }
