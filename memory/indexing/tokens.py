"""Turns in the index whose tokens are not kept: stored before they were, or while the embedding server gave none.

Such a turn is found by its vector and its words like any other; only nothing compares it token by token. Its vector is
right and stays, so nothing waits for this.
"""

import time
from collections.abc import Sequence
from uuid import UUID

import structlog

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.indexes.tokens import TOKENS, count_items_without_tokens, list_items_without_tokens
from memory.indexing.passages import (
    build_passage,
    encode_turns,
    find_content_span,
    set_indexing_deadline,
    store_token_signs,
)
from memory.indexing.queue import BATCH
from memory.inference import token_embedder
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable

logger = structlog.get_logger(__name__)

# Turns of one user that are completed in one go: after an upgrade there may be very many, and each is embedded.
MAX_TURNS = 1000


def backfill_tokens(user: EndUser, *, repair: bool) -> tuple[int, int]:
    """How many turns of the user lack their tokens, and how many of these got them now.

    Neither is anything where the embedding server gives no tokens, or cannot say whether it does.
    """
    model = token_embedder()
    lacking = completed = 0
    try:
        if model is None or not model.is_offered(Deadline(memory_conf().embedding.query_timeout_s)):
            return 0, 0
        lacking = count_items_without_tokens(user.pk, model.model)
        left = list_items_without_tokens(user.pk, model.model, MAX_TURNS) if lacking and repair else []
        for start in range(0, len(left), BATCH):
            started = time.monotonic()
            completed += encode_missing(user, left[start : start + BATCH])
            time.sleep(memory_conf().reindex.rest_s(time.monotonic() - started))
    except Unavailable as error:
        # Search does without them; the next comparison comes back.
        logger.warning("turns left without their tokens", reason=error.reason)
    return lacking, completed


def encode_missing(user: EndUser, ids: Sequence[UUID]) -> int:
    """Keep the tokens of these turns. Returns of how many. Raises Unavailable."""
    with user_scope(user):
        items = list(MemoryItem.objects.for_user(user).filter(pk__in=ids).defer("lexemes"))
    # Without what a language model might say of each: asking it again for all of them would cost more than it is worth.
    texts = ["".join(build_passage(item)) for item in items]
    spans = [(text, find_content_span(text, item)) for text, item in zip(texts, items, strict=True)]
    encoded = encode_turns(spans, set_indexing_deadline(len(items)))
    if items and not encoded:
        raise Unavailable(TOKENS, "the server gave none")
    store_token_signs(items, dict(enumerate(one.signs for one in encoded)))
    return len(encoded)
