"""Where a conversation stands: a row that every web process reads and writes; none holds anything of its own."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from knowledge_graph.models import HotThread, HotTurn
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
    def of(cls, row: HotThread | None) -> "HotThreadState":
        if row is None:
            return cls()
        recent = [(UUID(fact_id), turn) for fact_id, turn in row.recent]
        shown = [ShownFact(UUID(fact_id), turn, score) for fact_id, turn, score in row.shown]
        return cls(row.turn, list(row.mentions), recent, shown)

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


def lock_thread(user: EndUser, thread_id: str) -> None:
    """One turn of a conversation at a time. Taken before the lock of the facts, wherever both are."""
    lock_for_transaction(f"hot {thread_id}", user)


def load_thread(user: EndUser, thread_id: str) -> tuple[HotThreadState, list[str]]:
    """The state, and the person's last turns, oldest first. In the user's scope."""
    row = HotThread.objects.filter(user=user, thread_id=thread_id).first()
    if row is None:
        return HotThreadState(), []
    said = HotTurn.objects.filter(user=user, thread_id=thread_id).order_by("-number")
    return HotThreadState.of(row), list(said.values_list("text", flat=True)[:EARLIER_TURNS])[::-1]


def save_thread(user: EndUser, thread_id: str, state: HotThreadState, now: datetime) -> None:
    values = {
        "turn": state.turn,
        "mentions": state.mentions,
        "recent": [[str(fact_id), turn] for fact_id, turn in state.recent],
        "shown": [[str(one.fact_id), one.turn, round(one.score, 3)] for one in state.shown],
        "updated_at": now,
    }
    if not HotThread.objects.filter(user=user, thread_id=thread_id).update(**values):
        HotThread.objects.create(user=user, thread_id=thread_id, **values)


def digest_words(text: str) -> str:
    """Equal for the same words, however they are spaced."""
    return hashlib.sha256(" ".join(text.split()).casefold().encode("utf-8", "surrogatepass")).hexdigest()


def find_exchange_of(user: EndUser, thread_id: str, digest: str, now: datetime) -> Exchange | None:
    """The exchange of these very words that no turn was found to be yet. In the user's scope."""
    stored = Exchange.objects.filter(user=user, thread_id=thread_id, created_at__gt=now - SAME_TURN)
    taken = HotTurn.objects.filter(user=user, thread_id=thread_id, exchange_id__isnull=False).values("exchange_id")
    for exchange in stored.exclude(pk__in=taken).order_by("created_at", "pk").only("user_message", "memory_id"):
        if digest_words(exchange.user_message) == digest:
            return exchange
    return None


def link_exchange(user: EndUser, exchange: Exchange) -> HotTurn | None:
    """The turn of the same words is this exchange: what it told is the exchange's evidence, and counts once.

    In the transaction that stores the exchange.
    """
    lock_thread(user, exchange.thread_id)
    turns = HotTurn.objects.filter(user=user, thread_id=exchange.thread_id, exchange_id=None)
    turn = turns.filter(digest=digest_words(exchange.user_message)).order_by("number").first()
    if turn is None:
        return None
    turn.exchange_id, turn.memory_id = exchange.pk, exchange.memory_id
    turn.save(update_fields=["exchange_id", "memory_id"])
    evidence = FactEvidence.objects.filter(user=user, kind=EvidenceKind.HOT_TURN, ref_id=turn.pk)
    evidence.update(kind=EvidenceKind.EXCHANGE, ref_id=exchange.pk, memory_id=exchange.memory_id)
    return turn


def drop_turns_of(user: EndUser, memory_ids: Sequence[UUID]) -> None:
    """Deleted memories take the turns they were along. In the user's scope."""
    HotTurn.objects.filter(user=user, memory_id__in=list(memory_ids)).delete()


def purge_threads(user_id: int, *, now: datetime) -> int:
    """Delete conversations, and turns, a week after the last of them. Returns how many rows."""
    with user_scope(user_id):
        threads = HotThread.objects.filter(user_id=user_id, updated_at__lt=now - KEPT).delete()[0]
        return threads + HotTurn.objects.filter(user_id=user_id, at__lt=now - KEPT).delete()[0]
