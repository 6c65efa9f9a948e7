"""Remembers what a search answered with, so that an outcome can name it later."""

import json
import secrets
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from django.db import DatabaseError, ProgrammingError, connection
from django.utils.crypto import salted_hmac

from memory.access.cursors import execute_prepared
from memory.access.scope import user_scope
from memory.access.users import is_stranger
from memory.models import EndUser, Turn
from memory.retrieval.results import SearchDebug, SearchHit, SearchRequest
from memory.store.admission import WriteRefused

logger = structlog.get_logger(__name__)

TURN_SALT = "commonplace.turn"
REMEMBER = "remember"
# What Postgres says of a row that a policy keeps out.
ROW_SECURITY = "42501"
# A disk that is full, and a transaction that may only read: what is there can still be found.
UNWRITABLE = frozenset({"53100", "25006"})

# Both in one statement: every search ends with it, and two of which the ORM composed one took 2.3 ms instead of 1.2.
# Locked rows are not counted: it is only a statistic. The agent and project of the turn are those of the scope.
KEEP_TURN = """
WITH kept AS (
    INSERT INTO turn (user_id, turn_id, thread_id, query, positions, debug, sections, created_at)
    VALUES (%(user)s, %(turn)s, %(thread)s, %(query)s, %(positions)s::jsonb, %(debug)s::jsonb, '[]', %(now)s)
    ON CONFLICT (user_id, turn_id) DO UPDATE SET thread_id = EXCLUDED.thread_id, query = EXCLUDED.query,
        positions = EXCLUDED.positions, debug = EXCLUDED.debug, sections = EXCLUDED.sections,
        created_at = EXCLUDED.created_at
), free AS (
    SELECT id FROM memory_item WHERE user_id = %(user)s AND id = ANY(%(retrieved)s::uuid[])
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE memory_item SET retrieved = retrieved + 1 FROM free
WHERE memory_item.user_id = %(user)s AND memory_item.id = free.id
"""


def new_turn_id(user: EndUser) -> uuid.UUID:
    """Random; for a stranger also signed, as no row can tell later that it was given out."""
    return sign_turn_id(user, secrets.token_bytes(8)) if is_stranger(user) else uuid.uuid4()


def sign_turn_id(user: EndUser, nonce: bytes) -> uuid.UUID:
    # The version's bits of a UUID lie in the nonce; they are set before it is signed.
    nonce = uuid.UUID(bytes=nonce + bytes(8), version=4).bytes[:8]
    signature = salted_hmac(TURN_SALT, f"{user.organization_id}/{user.external_id}/{nonce.hex()}", algorithm="sha256")
    return uuid.UUID(bytes=nonce + signature.digest()[:8], version=4)


def adopt_strangers_turn(user: EndUser, turn_id: uuid.UUID) -> Turn | None:
    """The turn of a search that answered before this person was known and so left no row: it had found nothing.

    None for a turn id that was never given out to them.
    """
    if sign_turn_id(user, turn_id.bytes[:8]) != turn_id:
        return None
    with user_scope(user):
        return Turn.objects.get_or_create(user=user, turn_id=turn_id)[0]


@contextmanager
def refuse_foreign_turn() -> Iterator[None]:
    """A client's own id may be that of a turn which the scope hides, and which is not to be written over."""
    try:
        yield
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", None) != ROW_SECURITY:
            raise
        raise WriteRefused("turn_id", "belongs to another agent or project") from error


@contextmanager
def answer_unkept(debug: SearchDebug | None = None) -> Iterator[None]:
    """Where nothing can be written a search is answered all the same; an outcome cannot name its turn.

    The open transaction is rolled back at its end: nothing may be read in it afterwards.
    """
    try:
        yield
    except DatabaseError as error:
        sqlstate = getattr(error.__cause__, "sqlstate", None)
        if sqlstate not in UNWRITABLE:
            raise
        logger.warning("turn not kept", sqlstate=sqlstate)
        if debug is not None:
            debug.note_skipped(REMEMBER, "the database takes no writes", "Unavailable")


@dataclass(frozen=True, slots=True)
class HandedSection:
    """A section of a context as a turn keeps it: which memories stood in it, and never their words."""

    name: str
    tokens: int
    memory_ids: tuple[uuid.UUID, ...] = ()

    def as_json(self) -> list[Any]:
        return [self.name, self.tokens, [str(item_id) for item_id in self.memory_ids]]


def record_context(
    user: EndUser, turn_id: uuid.UUID, sections: Sequence[HandedSection], positions: Sequence[tuple[uuid.UUID, str]]
) -> None:
    """Keep what the turn's context was made of, and by which numbers it told it. Nothing of a turn that is not kept."""
    # As with the turn itself, the last moment's may be lost in a power cut.
    with answer_unkept(), user_scope(user, settings={"synchronous_commit": "off"}):
        told = [section.as_json() for section in sections]
        numbered = [[str(item_id), tier] for item_id, tier in positions]
        Turn.objects.filter(user=user, turn_id=turn_id).update(sections=told, positions=numbered)


def list_turns(user: EndUser, limit: int) -> list[Turn]:
    """The latest turns that asked something, newest first."""
    with user_scope(user):
        asked = Turn.objects.filter(user=user).exclude(query="")
        return list(asked.defer("debug").order_by("-created_at", "-pk")[:limit])


def find_turn(user: EndUser, turn_id: uuid.UUID) -> Turn | None:
    with user_scope(user):
        return Turn.objects.filter(user=user, turn_id=turn_id).first()


def record_turn(
    user: EndUser,
    turn_id: uuid.UUID,
    request: SearchRequest,
    hits: Sequence[SearchHit],
    debug: SearchDebug,
    now: datetime,
) -> None:
    """Keep which memory was at which position, so that an outcome can name positions; count the retrievals.

    The last thing in its transaction. Raises WriteRefused for the id of a turn of another agent or project.
    """
    values = {
        "user": user.pk,
        "turn": turn_id,
        "thread": request.thread_id,
        "query": request.query,
        "positions": json.dumps([[str(hit.item.pk), hit.item.tier] for hit in hits]),
        "debug": json.dumps(debug.as_dict()),
        "retrieved": [hit.item.pk for hit in hits if hit.space is None],
        "now": now,
    }
    with answer_unkept(debug), refuse_foreign_turn(), user_scope(user), connection.cursor() as cursor:
        execute_prepared(cursor, KEEP_TURN, values)
