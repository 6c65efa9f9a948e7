"""Memories that were of little use are worded anew by a language model before they are let go.

What fails once more is archived by the next pass of promotion. A note that failed because nobody could understand it
gets another chance: its wording is changed, the old one stays a version, and its failures so far no longer archive it.
Without a model nothing is changed.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import F
from pydantic import BaseModel, Field

from memory.access.scope import user_scope
from memory.guard import find_order, find_secret
from memory.inference.asking import ask_prompt, find_prompt_model
from memory.inference.conf import prompt_conf
from memory.language.grounding import adds_nothing, keeps_particulars
from memory.models import EndUser, MemoryItem
from memory.store import writing
from memory.store.admission import WriteRefused
from memory.tiers import MAX_TEXT_CHARS, SCORED_TIERS, Trust

PROMPT: Final = "fragment_replay"
ACTOR: Final = "model"
REASON: Final = "worded anew, as it was of little use"
# Of one night. A model on two cores takes half a minute for each.
MOST_REWORDED: Final = 5
# What a model words anew whole; longer ones are documents.
MAX_CHARS: Final = 2_000
# Judged since then: one that could not be worded better is not asked about every night.
RECENT: Final = timedelta(days=2)


class RewordedText(BaseModel):
    """What the model answers; nothing where the note is clear, or cannot be made so."""

    text: str = Field(max_length=MAX_TEXT_CHARS)


def reword_weak_memories(user: EndUser, *, now: datetime) -> list[UUID]:
    """Returns those that were worded anew."""
    if find_prompt_model(PROMPT) is None:
        return []
    return [item.pk for item in list_weak_memories(user, now) if reword_memory(user, item, now)]


def list_weak_memories(user: EndUser, now: datetime) -> list[MemoryItem]:
    """Active ones of low score that failed lately, the weakest first. Nobody else's words are worded anew."""
    with user_scope(user):
        weak = (
            MemoryItem.objects.for_user(user)
            .active()
            .filter(
                tier__in=SCORED_TIERS,
                score__lt=prompt_conf().replay_below,
                uses__gt=F("overruled_uses"),
                last_used_at__gte=now - RECENT,
                trust__gt=Trust.EXTERNAL,
                review=False,
            )
        )
        items = weak.only("id", "user", "text", "content_hash", "uses", "trust").order_by("score", "pk")
        return [item for item in items[: 2 * MOST_REWORDED] if len(item.text) <= MAX_CHARS][:MOST_REWORDED]


def reword_memory(user: EndUser, item: MemoryItem, now: datetime) -> bool:
    answer = ask_prompt(PROMPT, {"fragment": item.text}, RewordedText, user_id=user.pk)
    text = answer.text.strip() if answer else ""
    if not is_faithful(item.text, text):
        return False
    with user_scope(user):
        current = MemoryItem.objects.for_user(user).select_for_update(no_key=True).filter(pk=item.pk).first()
        # Somebody may have worded or judged it meanwhile.
        if current is None or (current.content_hash, current.uses) != (item.content_hash, item.uses):
            return False
        try:
            writing.revise_memory(
                user, item.pk, {"text": text}, now=now, actor=ACTOR, trust=Trust.ASSISTANT, reason=REASON
            )
        except WriteRefused:
            return False
        # Its failures were those of the old wording; the next one decides.
        MemoryItem.objects.for_user(user).filter(pk=item.pk).update(overruled_uses=F("uses"))
    return True


def is_faithful(original: str, text: str) -> bool:
    """Whether a new wording says the same in other words, with every particular and nothing besides."""
    if not text or text == original or find_secret(text) or find_order(text):
        return False
    return keeps_particulars([original], text) and adds_nothing([original], text)
