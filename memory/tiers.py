"""The five tiers, what each allows, and the other closed vocabularies of a memory. Pure: no framework."""

from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum, StrEnum


class Tier(StrEnum):
    WORKING = "working"
    HISTORY = "history"
    PATTERNS = "patterns"
    MEMORY_BANK = "memory_bank"
    BOOKS = "books"


class Status(StrEnum):
    ACTIVE = "active"
    # Past its time in its tier. In no list, count or cap of the tier, and still found by a search over all of them.
    DORMANT = "dormant"
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


class Trust(IntEnum):
    """How far a memory may be used. A derived memory has the lowest trust among its parents."""

    # Text of documents, tools or the web: never always-inject, never beyond working unless a person vouches.
    EXTERNAL = 1
    # Text of an assistant, and exchanges, which contain some.
    ASSISTANT = 2
    # The person, their client, or an operator.
    USER = 3


TRUST_OF_SOURCE = {
    SourceType.USER: Trust.USER,
    SourceType.ASSISTANT: Trust.ASSISTANT,
    SourceType.SYSTEM: Trust.ASSISTANT,
    SourceType.TOOL: Trust.EXTERNAL,
    SourceType.DOCUMENT: Trust.EXTERNAL,
}


@dataclass(frozen=True, slots=True)
class TierPolicy:
    """What a tier allows. ``scored`` is False where the store is authoritative and outcomes must not touch it."""

    tier: Tier
    ttl: timedelta | None
    scored: bool
    promotes_to: Tier | None = None
    # A row past its TTL stays while it is proven (score >= 0.7 and uses >= 2).
    keeps_proven: bool = False


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

# The tiers external text may be in before a person vouches for it.
EXTERNAL_TIERS = frozenset({Tier.WORKING, Tier.BOOKS})

SCORED_TIERS = frozenset(tier for tier, policy in POLICIES.items() if policy.scored)

# Tags the memory bank knows by name; free tags may stand beside them.
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


EXTERNAL_SOURCES = {SourceType.DOCUMENT: "from a document", SourceType.TOOL: "from a tool"}


FROM_OUTSIDE = "from outside"


# What one memory, one question and one request may hold. Constants and not settings: the published API names them, and
# a schema that depended on the installation would be another API.
MAX_TEXT_CHARS = 32_768
MAX_QUERY_CHARS = 4_000
MAX_TAGS = 20
MAX_TAG_CHARS = 64
# Of what an agent or a project is called.
SCOPE_ID_CHARS = 128
MAX_METADATA_BYTES = 16_384
MAX_BATCH = 500
# Clocks and zones differ; a row of next year would be the newest of everything for as long.
MOST_AHEAD = timedelta(days=1)
# Before it nothing was said that anybody tells a memory: a year such as 1 is what a program makes of an empty field.
FIRST_YEAR = 1900
