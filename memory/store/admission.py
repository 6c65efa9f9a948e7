"""What a memory must satisfy before it is written: lengths, characters, tags, and the guard of the memory bank."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory.conf import memory_conf
from memory.guard import bank_refusal, tag_refusal
from memory.language.text import Unfit, fit_text
from memory.tiers import EXTERNAL_TIERS, TRUST_OF_SOURCE, SourceType, Tier, Trust


class Refused(ValueError):
    """A write that breaks a rule. ``field`` names the input, the message the rule."""

    def __init__(self, field_name: str, rule: str) -> None:
        super().__init__(rule)
        self.field = field_name
        self.rule = rule


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored. None means: ``occurred_at`` now, a random ``id``, the ``trust`` of the source type.

    ``parents`` are the memories it was derived from; ``vouched`` means a person answers for it in spite of them.
    """

    text: str
    tier: Tier = Tier.WORKING
    tags: Sequence[str] = ()
    importance: float = 0.7
    confidence: float = 0.7
    always_inject: bool = False
    thread_id: str = ""
    speaker: str = ""
    source_type: SourceType = SourceType.USER
    source: dict[str, Any] = field(default_factory=dict)
    occurred_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    origin: str | None = None
    score: float | None = None
    id: uuid.UUID | None = None
    trust: Trust | None = None
    parents: Sequence[uuid.UUID] = ()
    vouched: bool = False


def admitted(new: NewMemory) -> NewMemory:
    """The memory as it may be stored. Raises Refused for a text or tags that break a rule, and for the bank's guard."""
    limits = memory_conf().limits
    text = checked_text(new.text, limits.text)
    tags = checked_tags(new.tags)
    if new.always_inject and new.tier is not Tier.MEMORY_BANK:
        raise Refused("always_inject", "only memory_bank items can always be injected")
    # A client may lower the trust of its source type, never raise it.
    deserved = Trust.USER if new.vouched else TRUST_OF_SOURCE[new.source_type]
    trust = min(new.trust or deserved, deserved)
    check_trust(trust, new.tier, always_inject=new.always_inject)
    if new.tier is Tier.MEMORY_BANK:
        guard_bank(text, tags)
    return replace(new, text=text, tags=tags, trust=trust)


def check_trust(trust: int, tier: Tier, *, always_inject: bool) -> None:
    """External text stays in working or books until a person vouches for it."""
    if trust > Trust.EXTERNAL:
        return
    if always_inject:
        raise Refused("always_inject", "words of a document or tool can never always be injected")
    if tier not in EXTERNAL_TIERS:
        raise Refused("tier", f"words of a document or tool cannot be stored into {tier}; only into working or books")


def checked_text(text: str, limit: int, field_name: str = "text") -> str:
    try:
        return fit_text(text, limit)
    except Unfit as error:
        raise Refused(field_name, str(error)) from error


def checked_tags(tags: Sequence[str]) -> list[str]:
    """Tags trimmed, lower-cased, each once, in order."""
    limits = memory_conf().limits
    clean: dict[str, None] = {}
    for tag in tags:
        try:
            clean[fit_text(tag.strip().lower(), limits.tag)] = None
        except Unfit as error:
            raise Refused("tags", f"a tag {error}") from error
    if len(clean) > limits.tags:
        raise Refused("tags", f"at most {limits.tags} tags, not {len(clean)}")
    return list(clean)


def guard_bank(text: str, tags: Sequence[str]) -> None:
    if not tags:
        raise Refused("tags", "a memory_bank item needs at least one tag")
    if reason := bank_refusal(text):
        raise Refused("text", reason)
    if reason := tag_refusal(tags):
        raise Refused("tags", reason)
