"""A language model reads again what the rules have labelled, where one is configured: the latest messages first, within
the calls a person has a day. The rules' labels stand until then, and where the model does not answer."""

import time
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from memory.access.scope import user_scope
from memory.enrichment.by_model import PROMPT, label_by_model
from memory.enrichment.recording import KEPT, LOOKS_BACK, write_labels
from memory.inference.asking import find_prompt_model, take_call
from memory.language.exchanges import take_question
from memory.models import EndUser, MemoryItem, MessageLabel
from memory.platform.faults import BadReply, Unavailable
from memory.vocabulary.terms import ControlledVocabulary

logger = structlog.get_logger(__name__)

# Letters up to which a message is a nod, which the rules read as well as a model.
SHORTEST: Final = 12


def reread_by_model(
    user: EndUser,
    vocabulary: ControlledVocabulary,
    *,
    now: datetime,
    seconds: float,
    looks_back: timedelta = LOOKS_BACK,
) -> int:
    """Returns how many messages the model labelled. Stops at the first fault of the model, and asks later again."""
    model, started, read = find_prompt_model(PROMPT), time.monotonic(), 0
    while model is not None and time.monotonic() - started < seconds:
        found = find_unread(user, vocabulary, now - looks_back)
        if found is None:
            break
        item, text = found
        if len(text.strip()) < SHORTEST:
            mark_asked(user, item, now)
            continue
        if not take_call(user.pk):
            break
        try:
            labels = label_by_model(text, vocabulary)
        except BadReply as error:
            # The same message would be answered the same way tomorrow.
            logger.info("labels not read", reason=error.reason)
            mark_asked(user, item, now)
        except Unavailable as error:
            logger.info("labels wait for the model", reason=error.reason)
            break
        else:
            row = (item.pk, item.text, item.content_hash, item.occurred_at, labels)
            write_labels(user, vocabulary, [row], now=now, reader=model.model[:100], asked_at=now)
            read += 1
    return read


def find_unread(user: EndUser, vocabulary: ControlledVocabulary, since: datetime) -> tuple[MemoryItem, str] | None:
    """The latest message that the rules alone have labelled, and what the person said of it."""
    waiting: dict[str, Any] = {"preset": vocabulary.preset, "version": vocabulary.version, "asked_at": None}
    with user_scope(user):
        labels = MessageLabel.objects.filter(user=user, **waiting).values("item_id")
        items = MemoryItem.objects.for_user(user).filter(pk__in=labels, status__in=KEPT, occurred_at__gte=since)
        item = items.order_by("-occurred_at", "-pk").first()
    return (item, take_question(item.text)) if item else None


def mark_asked(user: EndUser, item: MemoryItem, now: datetime) -> None:
    with user_scope(user):
        MessageLabel.objects.filter(user=user, item_id=item.pk).update(asked_at=now)
