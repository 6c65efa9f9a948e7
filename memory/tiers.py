"""The five tiers, what each allows, and the other closed vocabularies of a memory. Pure: no framework."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum


class Tier(StrEnum):
    WORKING = "working"
    HISTORY = "history"
    PATTERNS = "patterns"
    MEMORY_BANK = "memory_bank"
    BOOKS = "books"


class Status(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"


class Indexing(StrEnum):
    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"


class Outcome(StrEnum):
    WORKED = "worked"
    FAILED = "failed"
    PARTIAL = "partial"
    UNKNOWN = "unknown"


class SourceType(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """What a tier allows. ``scored`` is False where the store is authoritative and outcomes must not touch it."""

    tier: Tier
    ttl: timedelta | None
    scored: bool
    promotes_to: Tier | None = None
    keeps_proven: bool = False
    """A row past its TTL stays while it is proven (score >= 0.7 and uses >= 2)."""


POLICIES: dict[Tier, TierPolicy] = {
    policy.tier: policy
    for policy in (
        TierPolicy(Tier.WORKING, ttl=timedelta(hours=24), scored=True, promotes_to=Tier.HISTORY),
        TierPolicy(Tier.HISTORY, ttl=timedelta(days=30), scored=True, promotes_to=Tier.PATTERNS, keeps_proven=True),
        TierPolicy(Tier.PATTERNS, ttl=None, scored=True),
        TierPolicy(Tier.MEMORY_BANK, ttl=None, scored=False),
        TierPolicy(Tier.BOOKS, ttl=None, scored=False),
    )
}

SCORED_TIERS = frozenset(tier for tier, policy in POLICIES.items() if policy.scored)

BANK_TAGS = (
    "identity",
    "preference",
    "goal",
    "project",
    "system_mastery",
    "agent_growth",
    "workflow",
    "context",
)
"""Tags the memory bank knows by name; free tags may stand beside them."""
