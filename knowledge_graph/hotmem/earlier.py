"""What was said in a conversation before a turn: the person's last turns, and the question they were asked at the end.

The assistant's words reach the hot path by the exchanges of the conversation, or a client sends its last reply.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from knowledge_graph.hotmem.threads import EARLIER_TURNS, OF_CONVERSATION, digest_words, list_conversation_keys
from memory.language.exchanges import find_asked
from memory.models import EndUser
from outcomes.exchanges.reading_queue import SaidBefore

# Characters of a reply in which the question it ends with is looked for.
END_OF_REPLY: Final = 400
# One may be the exchange of the very turn, which a client has stored first.
MOST_EXCHANGES: Final = 2
# One statement for both: a message to the database takes .5 ms of a turn.
LOAD_EARLIER: Final = f"""
(SELECT false, text, coalesce(trace->>'asked', ''), at, exchange_id FROM hot_turn
 WHERE {OF_CONVERSATION} ORDER BY number DESC LIMIT {EARLIER_TURNS})
UNION ALL
(SELECT true, user_message, right(assistant_message, {END_OF_REPLY}), said_at, id FROM exchange
 WHERE {OF_CONVERSATION} ORDER BY created_at DESC, id DESC LIMIT {MOST_EXCHANGES})
"""  # noqa: S608 -- names of our own


class EarlierRow(NamedTuple):
    """A turn with what it answered, or an exchange with the end of what was replied to it; the latest first."""

    is_exchange: bool
    said: str
    other: str
    at: datetime
    exchange_id: UUID | None


@dataclass(frozen=True, slots=True)
class EarlierTalk:
    """``turns`` are the person's, oldest first; ``asked`` is what the assistant asked since, and ``lead`` the talk that
    led to that."""

    turns: Sequence[str] = ()
    asked: str = ""
    lead: str = ""


def load_earlier(user: EndUser, thread_id: str, text: str, reply: str = "") -> EarlierTalk:
    """``reply`` is the assistant's last, where the client sends it. In the user's scope."""
    keys: list[Any] = list_conversation_keys(user, thread_id)
    with connection.cursor() as cursor:
        cursor.execute(LOAD_EARLIER, [*keys, *keys])
        rows = [EarlierRow(*row) for row in cursor.fetchall()]
    turns = [row for row in rows if not row.is_exchange]
    last = find_last_exchange(rows, text)
    said = SaidBefore()
    for row in reversed(turns):
        said = SaidBefore([*said.turns, row.said], [*said.answered, row.other])
    if last is not None and not (turns and is_of(last, turns[0])):
        # A conversation of which the turns before came in as exchanges alone.
        said = said.add(last.said)
    asked = find_asked(reply or (last.other if last is not None else ""))
    return EarlierTalk([row.said for row in reversed(turns)], asked, said.lead if asked else "")


def find_last_exchange(rows: Sequence[EarlierRow], text: str) -> EarlierRow | None:
    """The exchange that the turn follows: of the turn before or since; not its own, which may be stored already."""
    latest = next((row for row in rows if not row.is_exchange), None)
    digest = digest_words(text)
    for row in rows:
        if not row.is_exchange:
            continue
        if latest is not None and is_of(row, latest):
            return row
        if latest is not None and row.at < latest.at:
            return None
        if digest_words(row.said) != digest:
            return row
    return None


def is_of(exchange: EarlierRow, turn: EarlierRow) -> bool:
    return exchange.exchange_id == turn.exchange_id
