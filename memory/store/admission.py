"""What a memory must satisfy before it is written: lengths, characters, tags, and the guard of the memory bank."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from memory.access.confinement import ScopeRefused, current_scope
from memory.guard import WriteJudgement, explain_tag_refusal, judge_write, redact_secrets
from memory.guard.redaction.texts import JsonRedaction
from memory.language.text import InvalidText, validate_text
from memory.tiers import (
    EXTERNAL_TIERS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TEXT_CHARS,
    TRUST_OF_SOURCE,
    SourceType,
    Tier,
    Trust,
)

PREFERENCE = "preference"


class WriteRefused(ValueError):
    """A write that breaks a rule. ``field`` names the input, the message the rule."""

    def __init__(self, field_name: str, rule: str) -> None:
        super().__init__(rule)
        self.field = field_name
        self.rule = rule


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored. None means: ``occurred_at`` now, a random ``id``, the ``trust`` of the source type, and
    of ``expires_at`` the time of its tier.

    ``parents`` are the memories it was derived from; ``is_vouched`` means a person answers for it in spite of them and
    of what the guard suspects. ``is_requested``: the person asked for it to be remembered. ``is_strict``: refuse what
    the bank would take with ``warnings``, which are set by `validate_memory`. Without an ``agent_id`` or
    ``project_id`` it belongs to the scope it is stored in.
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
    expires_at: datetime | None = None
    origin: str | None = None
    score: float | None = None
    id: uuid.UUID | None = None
    trust: Trust | None = None
    parents: Sequence[uuid.UUID] = ()
    is_vouched: bool = False
    is_requested: bool = False
    is_strict: bool = False
    warnings: Sequence[str] = ()
    agent_id: str = ""
    project_id: str = ""

    @property
    def needs_review(self) -> bool:
        """Whether the guard suspects it and nobody has answered for it yet."""
        return bool(self.warnings) and not self.is_vouched


def validate_memory(new: NewMemory) -> NewMemory:
    """The memory as it may be stored, without secrets.

    Raises WriteRefused for a text or tags that break a rule, the bank's included.
    """
    new = set_scope(redact_memory(new))
    text = validate_field_text(new.text, MAX_TEXT_CHARS)
    tags = validate_tags(new.tags)
    if new.always_inject and new.tier is not Tier.MEMORY_BANK:
        raise WriteRefused("always_inject", "only memory_bank items can always be injected")
    # A client may lower the trust of its source type, never raise it.
    deserved = Trust.USER if new.is_vouched else TRUST_OF_SOURCE[new.source_type]
    trust = min(new.trust or deserved, deserved)
    validate_trust(trust, new.tier, always_inject=new.always_inject)
    if new.tier is not Tier.MEMORY_BANK:
        return replace(new, text=text, tags=tags, trust=trust)
    judged = judge_bank_item(text, tags, is_strict=new.is_strict, is_requested=new.is_requested)
    warnings = [warning.rule for warning in judged.warnings]
    return replace(new, text=text, tags=tag_wish(tags) if judged.is_wish else tags, trust=trust, warnings=warnings)


def set_scope(new: NewMemory) -> NewMemory:
    """The memory with the scope it will belong to. Nobody writes beside the scope they work in."""
    try:
        scope = current_scope().narrow(new.agent_id, new.project_id)
    except ScopeRefused as error:
        raise WriteRefused(error.field, error.rule) from error
    return replace(new, agent_id=scope.agent_id, project_id=scope.project_id)


def redact_memory(new: NewMemory) -> NewMemory:
    """Without the secrets in whatever of it is free text. Before all else: rows, words and vectors are made of it."""
    return replace(
        new,
        text=redact_secrets(new.text).text,
        tags=[redact_secrets(tag).text for tag in new.tags],
        thread_id=redact_secrets(new.thread_id).text,
        speaker=redact_secrets(new.speaker).text,
        source=JsonRedaction().redact(new.source),
        metadata=JsonRedaction().redact(new.metadata),
    )


def validate_trust(trust: int, tier: Tier, *, always_inject: bool) -> None:
    """External text stays in working or books until a person vouches for it."""
    # Any memory may end up in a prompt: what others wrote is kept where it is over in a day, or called a book.
    if trust > Trust.EXTERNAL:
        return
    if always_inject:
        raise WriteRefused("always_inject", "words of a document or tool can never always be injected")
    if tier not in EXTERNAL_TIERS:
        raise WriteRefused(
            "tier", f"words of a document or tool cannot be stored into {tier}; only into working or books"
        )


def validate_field_text(text: str, limit: int, field_name: str = "text") -> str:
    try:
        return validate_text(text, limit)
    except InvalidText as error:
        raise WriteRefused(field_name, str(error)) from error


def validate_tags(tags: Sequence[str]) -> list[str]:
    """Tags trimmed, lower-cased, each once, in order."""
    clean: dict[str, None] = {}
    for tag in tags:
        try:
            # A dict for a set that keeps the order people gave.
            clean[validate_text(tag.strip().lower(), MAX_TAG_CHARS)] = None
        except InvalidText as error:
            raise WriteRefused("tags", f"a tag {error}") from error
    if len(clean) > MAX_TAGS:
        raise WriteRefused("tags", f"at most {MAX_TAGS} tags, not {len(clean)}")
    return list(clean)


# A write asks twice: before it looks for the text's duplicate, with no transaction open, and when it writes. The guard
# reads 32 KB of marks for most of a second, and the second time must not be in the transaction.
@lru_cache(maxsize=64)
def judge_bank_text(text: str, *, is_requested: bool = False) -> WriteJudgement:
    return judge_write(text, is_requested=is_requested)


def judge_bank_item(
    text: str, tags: Sequence[str], *, is_strict: bool = False, is_requested: bool = False
) -> WriteJudgement:
    """What the guard makes of it. Raises WriteRefused for evidence of harm, and when strict for a suspicion too."""
    if not tags:
        raise WriteRefused("tags", "a memory_bank item needs at least one tag")
    judged = judge_bank_text(text, is_requested=is_requested)
    if reason := judged.objection if is_strict else judged.refusal:
        raise WriteRefused("text", str(reason))
    # Tags are shown beside the text, so an order may hide in one.
    if refused := explain_tag_refusal(tags):
        raise WriteRefused("tags", refused)
    return judged


def tag_wish(tags: list[str]) -> list[str]:
    """A wish about answers is a preference, whatever else it is about."""
    return tags if PREFERENCE in tags or len(tags) >= MAX_TAGS else [*tags, PREFERENCE]
