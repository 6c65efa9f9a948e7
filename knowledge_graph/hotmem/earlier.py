"""What a conversation holds when a turn comes in: its state, the person's last turns, and what they were asked.

The assistant's words reach the hot path by the exchanges of the conversation, or a client sends its last reply.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from knowledge_graph.hotmem.threads import (
    EARLIER_TURNS,
    OF_CONVERSATION,
    SAME_TURN,
    HotThreadState,
    digest_words,
    list_conversation_keys,
)
from memory.language.exchanges import find_asked
from memory.models import EndUser
from outcomes.exchanges.reading_queue import SaidBefore

# Characters of a reply in which the question it ends with is looked for.
END_OF_REPLY: Final = 400
# One may be the exchange of the very turn, which a client has stored first.
MOST_EXCHANGES: Final = 2
# How much longer the same words may be where they are spaced or capitalised otherwise. The database knows the size of a
# message without reading it, so none is fetched that cannot be the turn.
MOST_STRETCHED: Final = 2
PADDING: Final = 200
STATE, TURN, EXCHANGE, OWN = "state", "turn", "exchange", "own"
# In one statement: four took 1.5 ms of a quiet turn, one takes .6.
LOAD: Final = f"""
(SELECT '{STATE}', json_build_array(mentions, recent, shown)::text, '', turn, updated_at, NULL::uuid, NULL::uuid
 FROM hot_thread WHERE {OF_CONVERSATION})
UNION ALL
(SELECT '{TURN}', text, coalesce(trace->>'asked', ''), number, at, exchange_id, NULL FROM hot_turn
 WHERE {OF_CONVERSATION} ORDER BY number DESC LIMIT {EARLIER_TURNS})
UNION ALL
(SELECT '{EXCHANGE}', user_message, right(assistant_message, {END_OF_REPLY}), 0, said_at, id, memory_id FROM exchange
 WHERE {OF_CONVERSATION} ORDER BY created_at DESC, id DESC LIMIT {MOST_EXCHANGES})
UNION ALL
(SELECT '{OWN}', user_message, '', 0, said_at, id, memory_id FROM exchange e
 WHERE {OF_CONVERSATION} AND created_at > %s AND octet_length(user_message) BETWEEN %s AND %s AND NOT EXISTS (
  SELECT 1 FROM hot_turn t WHERE t.user_id = e.user_id AND t.thread_id = e.thread_id AND t.exchange_id = e.id)
 ORDER BY created_at, id)
"""  # noqa: S608 -- names of our own


class EarlierRow(NamedTuple):
    """A turn with what it answered, or an exchange with the end of what was replied to it; the latest first.

    Of ``kind`` own are exchanges that no turn was found to be yet; of the state ``said`` holds its lists.
    """

    kind: str
    said: str
    other: str
    number: int
    at: datetime
    exchange_id: UUID | None
    memory_id: UUID | None


@dataclass(frozen=True, slots=True)
class EarlierTalk:
    """``turns`` are the person's, oldest first; ``asked`` is what the assistant asked since, and ``lead`` the talk that
    led to that."""

    turns: Sequence[str] = ()
    asked: str = ""
    lead: str = ""


@dataclass(frozen=True, slots=True)
class HotConversation:
    """A conversation as a turn finds it.

    ``own_exchange`` is the stored exchange of the turn's own words with its memory, if it was stored before the turn.
    """

    state: HotThreadState = field(default_factory=HotThreadState)
    talk: EarlierTalk = field(default_factory=EarlierTalk)
    own_exchange: tuple[UUID, UUID | None] | None = None


def load_conversation(user: EndUser, thread_id: str, text: str, reply: str, now: datetime) -> HotConversation:
    """Before the turn of these words. ``reply`` is the assistant's last, where the client sends it.

    In the user's scope, under the lock of the conversation.
    """
    keys = list_conversation_keys(user, thread_id)
    size = len(text.encode("utf-8", "surrogatepass"))
    values: list[Any] = [*keys * 4, now - SAME_TURN, size // MOST_STRETCHED, size * MOST_STRETCHED + PADDING]
    with connection.cursor() as cursor:
        cursor.execute(LOAD, values)
        rows = [EarlierRow(*row) for row in cursor.fetchall()]
    digest = digest_words(text)
    mine = (row for row in rows if row.kind == OWN and digest_words(row.said) == digest)
    found = next(((row.exchange_id, row.memory_id) for row in mine if row.exchange_id is not None), None)
    return HotConversation(read_state(rows), read_talk(rows, digest, reply), found)


def read_state(rows: Sequence[EarlierRow]) -> HotThreadState:
    """The state of a conversation. Turns from before states had an agent and a project only tell their number."""
    row = next((row for row in rows if row.kind == STATE), None)
    if row is not None:
        return HotThreadState.of(row.number, *json.loads(row.said))
    return HotThreadState(max((row.number for row in rows if row.kind == TURN), default=0))


def read_talk(rows: Sequence[EarlierRow], digest: str, reply: str) -> EarlierTalk:
    turns = [row for row in rows if row.kind == TURN]
    last = find_last_exchange(rows, turns[0] if turns else None, digest)
    asked = find_asked(reply or (last.other if last is not None else ""))
    said = SaidBefore()
    for row in reversed(turns):
        said = SaidBefore([*said.turns, row.said], [*said.answered, row.other])
    if last is not None and not (turns and is_of(last, turns[0])):
        # A conversation whose last turn came in as an exchange alone.
        said = said.add(last.said)
    return EarlierTalk([row.said for row in reversed(turns)], asked, said.lead if asked else "")


def find_last_exchange(rows: Sequence[EarlierRow], latest: EarlierRow | None, digest: str) -> EarlierRow | None:
    """The exchange that the turn follows: of the turn before or since; not its own, which may be stored already."""
    for row in rows:
        if row.kind != EXCHANGE:
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
