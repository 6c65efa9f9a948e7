"""Where a conversation stands: a row that every web process reads and writes; none holds anything of its own."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import connection

from knowledge_graph.models import HotThread, HotTurn
from memory.access.confinement import current_scope
from memory.access.deferred_writes import write_later
from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.models import EndUser, FactEvidence
from memory.models.facts import EvidenceKind
from outcomes.models import Exchange

MOST_MENTIONS: Final = 20
MOST_RECENT: Final = 50
# Shown facts are kept for the window and the pause before one is shown again, whichever is longer.
MOST_SHOWN: Final = 100
EARLIER_TURNS: Final = 4
KEPT: Final = timedelta(days=7)
# A client stores the exchange when its answer is complete, or the turn after the exchange.
SAME_TURN: Final = timedelta(hours=1)
# In plain SQL, as each statement that the mapper builds takes a millisecond of a turn's thirty.
OF_CONVERSATION: Final = "user_id = %s AND thread_id = %s AND agent_id = %s AND project_id = %s"
LOAD_STATE: Final = f"SELECT turn, mentions, recent, shown FROM hot_thread WHERE {OF_CONVERSATION}"  # noqa: S608
SAVE_STATE: Final = """
INSERT INTO hot_thread (user_id, thread_id, agent_id, project_id, turn, mentions, recent, shown, updated_at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (user_id, thread_id, agent_id, project_id) DO UPDATE SET
    turn = excluded.turn, mentions = excluded.mentions, recent = excluded.recent, shown = excluded.shown,
    updated_at = excluded.updated_at
"""
SAVE_TURN: Final = """
INSERT INTO hot_turn (id, user_id, thread_id, number, text, digest, lang, intent, trace, exchange_id, memory_id, at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


@dataclass(frozen=True, slots=True)
class ShownFact:
    fact_id: UUID
    turn: int
    score: float


@dataclass(slots=True)
class HotThreadState:
    """``mentions`` are folded names, the latest last; ``recent`` are facts that turns told or were given."""

    turn: int = 0
    mentions: list[str] = field(default_factory=list)
    recent: list[tuple[UUID, int]] = field(default_factory=list)
    shown: list[ShownFact] = field(default_factory=list)

    @classmethod
    def of(cls, turn: int, mentions: list[str], recent: list[Any], shown: list[Any]) -> "HotThreadState":
        """The state out of the columns of its row."""
        return cls(
            turn,
            mentions,
            [(UUID(fact_id), turn) for fact_id, turn in recent],
            [ShownFact(UUID(fact_id), turn, score) for fact_id, turn, score in shown],
        )

    def add_mentions(self, names: Iterable[str]) -> None:
        for name in names:
            self.mentions = [*(other for other in self.mentions if other != name), name][-MOST_MENTIONS:]

    def add_recent(self, facts: Iterable[UUID]) -> None:
        fresh = list(dict.fromkeys(facts))
        kept = [one for one in self.recent if one[0] not in fresh]
        self.recent = [*kept, *((fact_id, self.turn) for fact_id in fresh)][-MOST_RECENT:]

    def add_shown(self, facts: Iterable[tuple[UUID, float]]) -> None:
        fresh = dict(facts)
        kept = [one for one in self.shown if one.fact_id not in fresh]
        self.shown = [*kept, *(ShownFact(fact_id, self.turn, score) for fact_id, score in fresh.items())][-MOST_SHOWN:]

    def list_window(self, turns: int) -> list[ShownFact]:
        """What was shown in the last turns, the latest first, of a turn the best first."""
        inside = [one for one in self.shown if one.turn > self.turn - turns]
        return sorted(inside, key=lambda one: (-one.turn, -one.score))


def list_conversation_keys(user: EndUser, thread_id: str) -> list[Any]:
    """The values of `OF_CONVERSATION`, in the agent and project that the work is confined to."""
    scope = current_scope()
    return [user.pk, thread_id, scope.agent_id, scope.project_id]


def lock_thread(user: EndUser, thread_id: str) -> None:
    """One turn of a conversation at a time. Taken before the lock of the facts, wherever both are."""
    scope = current_scope()
    # No id of an agent or a project has a space in it.
    lock_for_transaction(f"hot {scope.agent_id} {scope.project_id} {thread_id}", user)


def load_thread(user: EndUser, thread_id: str) -> HotThreadState:
    """The state of a conversation, a new one where it has none. In the user's scope."""
    with connection.cursor() as cursor:
        cursor.execute(LOAD_STATE, list_conversation_keys(user, thread_id))
        row = cursor.fetchone()
    return HotThreadState.of(row[0], *map(json.loads, row[1:])) if row is not None else HotThreadState()


def save_thread(user: EndUser, thread_id: str, state: HotThreadState, now: datetime) -> None:
    recent = [[str(fact_id), turn] for fact_id, turn in state.recent]
    shown = [[str(one.fact_id), one.turn, round(one.score, 3)] for one in state.shown]
    lists = map(json.dumps, (state.mentions, recent, shown))
    write_later(SAVE_STATE, [*list_conversation_keys(user, thread_id), state.turn, *lists, now])


def save_turn(row: HotTurn) -> None:
    """A turn that is new. In the user's scope."""
    values = (row.pk, row.user_id, row.thread_id, row.number, row.text, row.digest, row.lang, row.intent)
    write_later(SAVE_TURN, [*values, json.dumps(row.trace), row.exchange_id, row.memory_id, row.at])


def digest_words(text: str) -> str:
    """Equal for the same words, however they are spaced."""
    return hashlib.sha256(" ".join(text.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()


def link_exchange(user: EndUser, exchange: Exchange) -> HotTurn | None:
    """The turn of the same words is this exchange: what it told is the exchange's evidence, and counts once.

    In the transaction that stores the exchange.
    """
    lock_thread(user, exchange.thread_id)
    scope = current_scope()
    place = {"thread_id": exchange.thread_id, "agent_id": scope.agent_id, "project_id": scope.project_id}
    turns = HotTurn.objects.filter(user=user, exchange_id=None, **place)
    turn = turns.filter(digest=digest_words(exchange.user_message)).order_by("number").first()
    if turn is None:
        return None
    turn.exchange_id, turn.memory_id = exchange.pk, exchange.memory_id
    turn.save(update_fields=["exchange_id", "memory_id"])
    evidence = FactEvidence.objects.filter(user=user, kind=EvidenceKind.HOT_TURN, ref_id=turn.pk)
    evidence.update(kind=EvidenceKind.EXCHANGE, ref_id=exchange.pk, memory_id=exchange.memory_id)
    return turn


def drop_turns_of(user: EndUser, memory_ids: Sequence[UUID]) -> None:
    """Delete the turns that were stored with deleted memories. In the user's scope."""
    HotTurn.objects.filter(user=user, memory_id__in=list(memory_ids)).delete()


def purge_threads(user_id: int, *, now: datetime) -> int:
    """Delete conversations, and turns, a week after the last of them. Returns how many rows."""
    with user_scope(user_id):
        threads = HotThread.objects.filter(user_id=user_id, updated_at__lt=now - KEPT).delete()[0]
        return threads + HotTurn.objects.filter(user_id=user_id, at__lt=now - KEPT).delete()[0]
