"""Reads exchanges for display, each with its outcome, actions and signals."""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from memory.access.confinement import current_scope
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.models.isolation import ScopedRow
from memory.tiers import Tier
from outcomes.exchanges.storing import SCORED, UNSCORED, is_scoring_enforced
from outcomes.exchanges.threads import PUBLISHED, ConversationKey
from outcomes.models import ActionTaken, ConversationSignal, Exchange, OutcomeEvent, Source
from outcomes.work import CONVERSATION, filter_conversation

EXPORT_BATCH = 200
# An import stores a conversation at once, in whatever order its file has.
AS_SAID = ("said_at", "created_at", "pk")
# One row of each thread by its index. DISTINCT ON read every exchange of these threads: 6,750 pages for 41 of them.
LAST_OF_THREADS = """
SELECT last.* FROM unnest(%s::text[], %s::text[], %s::text[]) AS thread (id, agent, project), LATERAL (
    SELECT * FROM exchange
    WHERE user_id = %s AND thread_id = thread.id AND agent_id = thread.agent AND project_id = thread.project
    ORDER BY created_at DESC, id DESC LIMIT 1
) AS last
"""
FIRST_OF_THREADS = """
SELECT first.* FROM unnest(%s::text[], %s::text[], %s::text[]) AS thread (id, agent, project), LATERAL (
    SELECT id, user_id, agent_id, project_id, thread_id, text FROM memory_item
    WHERE user_id = %s AND thread_id = thread.id AND agent_id = thread.agent AND project_id = thread.project
      AND status = 'active' ORDER BY arrival LIMIT 1
) AS first
"""


@dataclass(frozen=True, slots=True)
class ExchangeCursor:
    """The end of a page: its last exchange."""

    created_at: datetime
    exchange_id: uuid.UUID


@dataclass(slots=True)
class ExchangeDetail:
    """An exchange with its actions and signals. ``outcome`` is the current verdict, if there is one."""

    exchange: Exchange
    outcome: OutcomeEvent | None = None
    signals: list[ConversationSignal] = field(default_factory=list)
    actions: list[ActionTaken] = field(default_factory=list)
    learned: list[MemoryItem] = field(default_factory=list)
    """Items of the memory bank that were read from it."""

    @property
    def state(self) -> str:
        return UNSCORED if self.exchange.required_scoring and self.exchange.scored_at is None else SCORED


@dataclass(frozen=True, slots=True)
class ThreadState:
    """``waits`` while the outcome of the thread's last exchange is required and missing."""

    thread_id: str
    exchanges: int
    last: Exchange | None
    waits: bool

    @property
    def state(self) -> str:
        return UNSCORED if self.waits else SCORED

    @property
    def blocking(self) -> bool:
        return self.waits and is_scoring_enforced()


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """``outcome`` is that of the last exchange; ``last_at`` when the latest was said, which an import may store first.

    Of a list that is narrowed only the ``exchanges`` that fit are counted.
    """

    thread_id: str
    exchanges: int
    last: Exchange
    last_at: datetime
    outcome: OutcomeEvent | None = None

    @property
    def waits(self) -> bool:
        return self.last.required_scoring and self.last.scored_at is None


@dataclass(frozen=True, slots=True)
class MemoryThread:
    """A conversation of which only memories are known: an import, or one whose exchanges are past their time."""

    thread_id: str
    memories: int
    first: MemoryItem
    last_at: datetime


def list_exchanges(
    user: EndUser,
    *,
    limit: int,
    thread_id: str = "",
    place: ScopedRow | None = None,
    after: ExchangeCursor | None = None,
) -> tuple[list[ExchangeDetail], ExchangeCursor | None]:
    """Exchanges, newest first, and where the next page starts.

    Without a ``place`` those of every conversation of that name that the scope sees.
    """
    with user_scope(user):
        rows = filter_conversation(user, thread_id, place) if place is not None else filter_thread(user, thread_id)
        if after is not None:
            rows = rows.filter(
                Q(created_at__lt=after.created_at) | Q(created_at=after.created_at, pk__lt=after.exchange_id)
            )
        found = list(rows.order_by("-created_at", "-pk")[: limit + 1])
        page = found[:limit]
        has_more = len(found) > limit
        return load_details(user, page), ExchangeCursor(page[-1].created_at, page[-1].pk) if has_more else None


def list_conversation(
    user: EndUser, conversation: ConversationKey, *, limit: int, offset: int = 0
) -> list[ExchangeDetail]:
    """The exchanges of a conversation in the order they were said."""
    with user_scope(user):
        rows = Exchange.objects.filter(user=user, **conversation._asdict())
        return load_details(user, list(rows.order_by(*AS_SAID)[offset : offset + limit]))


def count_said_before(user: EndUser, exchange: Exchange) -> int:
    """How many exchanges of its conversation come before it."""
    with user_scope(user):
        rows = Exchange.objects.filter(user=user, **ConversationKey.of(exchange)._asdict())
        at, made = exchange.said_at, exchange.created_at
        tied = Q(created_at__lt=made) | Q(created_at=made, pk__lt=exchange.pk)
        return rows.filter(Q(said_at__lt=at) | (Q(said_at=at) & tied)).count()


def filter_thread(user: EndUser, thread_id: str) -> QuerySet[Exchange]:
    rows = Exchange.objects.filter(user=user)
    return rows.filter(thread_id=thread_id) if thread_id else rows


def find_exchange(user: EndUser, exchange_id: uuid.UUID) -> ExchangeDetail | None:
    with user_scope(user):
        return next(iter(load_details(user, list(Exchange.objects.filter(user=user, pk=exchange_id)))), None)


def list_exchanges_stored_with(user: EndUser, memory_id: uuid.UUID, *, within: timedelta) -> list[ExchangeDetail]:
    """The exchange of a memory and those of its conversation stored so soon after it, oldest first, if it has one."""
    with user_scope(user):
        first = Exchange.objects.filter(user=user, memory_id=memory_id).first()
        if first is None:
            return []
        rows = filter_conversation(user, first.thread_id, first).filter(created_at__gte=first.created_at)
        return load_details(user, list(rows.filter(created_at__lt=first.created_at + within).order_by("created_at")))


def load_details(user: EndUser, exchanges: Sequence[Exchange]) -> list[ExchangeDetail]:
    """These exchanges with outcomes, actions, signals and what was learned from them."""
    # In four queries, however many exchanges a page has.
    found = {exchange.pk: ExchangeDetail(exchange) for exchange in exchanges}
    for signal in ConversationSignal.objects.filter(user=user, exchange_id__in=list(found)).order_by("pk"):
        found[signal.exchange_id].signals.append(signal)
    for action in ActionTaken.objects.filter(user=user, exchange_id__in=list(found)).order_by("pk"):
        if action.exchange_id is not None:
            found[action.exchange_id].actions.append(action)
    for exchange_id, event in find_outcomes(user, exchanges).items():
        found[exchange_id].outcome = event
    add_memories(user, found.values())
    return list(found.values())


def find_outcomes(user: EndUser, exchanges: Sequence[Exchange]) -> dict[uuid.UUID, OutcomeEvent]:
    """The verdict that stands on each exchange, or on its turn, where there is one. In the user's scope."""
    found, known = {}, {exchange.pk for exchange in exchanges}
    by_turn = defaultdict(list)
    for exchange in exchanges:
        by_turn[exchange.turn_id].append(exchange.pk)
    turns = [turn_id for turn_id in by_turn if turn_id is not None]
    for event in filter_current(user).filter(Q(exchange_id__in=known) | Q(turn_id__in=turns)).order_by("pk"):
        about = {event.exchange_id, *(by_turn[event.turn_id] if event.turn_id else ())}
        for exchange_id in about & known:
            found[exchange_id] = event
    return found


def find_turn_outcomes(user: EndUser, turns: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The verdict that stands on each turn, where there is one."""
    with user_scope(user):
        given = filter_current(user).filter(turn_id__in=turns).order_by("pk").values_list("turn_id", "outcome")
        return {turn_id: outcome for turn_id, outcome in given if turn_id is not None}


def filter_current(user: EndUser) -> QuerySet[OutcomeEvent]:
    """The verdicts that stand, without hints."""
    return OutcomeEvent.objects.filter(user=user, sign=1, replaced_at=None).exclude(source=Source.IMPLICIT)


def add_memories(user: EndUser, details: Collection[ExchangeDetail]) -> None:
    """What the memory bank took from each."""
    by_memory = {one.exchange.memory_id: one for one in details if one.exchange.memory_id}
    bank = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK, source__kind=PUBLISHED)
    for item in bank.filter(parents__overlap=list(by_memory)).defer("lexemes").order_by("created_at", "pk"):
        for memory_id in item.parents:
            if detail := by_memory.get(memory_id):
                detail.learned.append(item)


def load_thread_state(user: EndUser, thread_id: str, place: ScopedRow | None = None) -> ThreadState:
    """Where a conversation stands; without a ``place`` that of the scope that holds."""
    with user_scope(user):
        rows = filter_conversation(user, thread_id, place or current_scope())
        last = rows.order_by("-created_at", "-pk").first()
        waits = last is not None and last.required_scoring and last.scored_at is None
        return ThreadState(thread_id, rows.count(), last, waits=waits)


def list_threads(
    user: EndUser, *, limit: int, offset: int = 0, words: str = "", outcome: str = ""
) -> list[ThreadSummary]:
    """Conversations with their last exchange, by when it was said; two of one name in two projects are two.

    ``words`` and ``outcome`` narrow them to those with an exchange that has both.
    """
    with user_scope(user):
        exchanges = narrow_exchanges(user, words, outcome)
        rows = exchanges.values(*CONVERSATION).annotate(number=Count("pk"), last=Max("said_at"))
        newest = list(rows.order_by("-last", *CONVERSATION)[offset : offset + limit])
        named = Exchange.objects.raw(LAST_OF_THREADS, [*list_columns(newest), user.pk])
        last = {ConversationKey.of(row): row for row in named}
        outcomes = find_outcomes(user, list(last.values()))
        return [
            ThreadSummary(row["thread_id"], row["number"], one, row["last"], outcomes.get(one.pk))
            for row in newest
            if (one := last[ConversationKey.from_values(row)])
        ]


def narrow_exchanges(user: EndUser, words: str, outcome: str) -> QuerySet[Exchange]:
    found = Exchange.objects.filter(user=user)
    if words:
        told = Q(user_message__icontains=words) | Q(assistant_message__icontains=words)
        found = found.filter(told | Q(thread_id__icontains=words))
    if outcome:
        given = filter_current(user).filter(outcome=outcome)
        of_turn = Q(turn_id__in=given.filter(turn_id__isnull=False).values("turn_id"))
        found = found.filter(of_turn | Q(pk__in=given.filter(exchange_id__isnull=False).values("exchange_id")))
    return found


def list_columns(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Conversations as the columns that a statement unnests."""
    return [[row[name] for row in rows] for name in CONVERSATION]


def list_memory_threads(user: EndUser, *, limit: int, offset: int = 0, words: str = "") -> list[MemoryThread]:
    """Newest first, each with the memory it begins with. ``words`` narrow them, and what is counted of each."""
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).active().defer("lexemes")
        own = {name: OuterRef(name) for name in CONVERSATION}
        # Asked as a range, so that the index of threads is read and not every memory.
        silent = items.filter(~Exists(Exchange.objects.filter(user=user, **own)), thread_id__gt="")
        # What was read in a conversation of a project and is the person's own makes no conversation of theirs.
        said = Exchange.objects.filter(user=user, thread_id=OuterRef("thread_id"))
        silent = silent.filter(text__icontains=words) if words else silent
        rows = silent.exclude(Exists(said), source__contains={"kind": PUBLISHED}).values(*CONVERSATION)
        counted = rows.annotate(number=Count("pk"), last=Max("occurred_at")).order_by("-last", *CONVERSATION)
        newest = list(counted[offset : offset + limit])
        named = MemoryItem.objects.for_user(user).raw(FIRST_OF_THREADS, [*list_columns(newest), user.pk])
        first = {ConversationKey.of(item): item for item in named}
        return [
            MemoryThread(row["thread_id"], row["number"], first[ConversationKey.from_values(row)], row["last"])
            for row in newest
        ]


def list_thread_memories(
    user: EndUser, conversation: ConversationKey, *, limit: int, offset: int = 0
) -> list[MemoryItem]:
    """The memories of a conversation, in the order they came."""
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).active().filter(**conversation._asdict()).defer("lexemes")
        return list(items.order_by("arrival", "pk")[offset : offset + limit])


def iterate_export_rows(user: EndUser, thread_id: str = "") -> Iterator[dict[str, Any]]:
    """Every exchange as one flat record, oldest first."""
    # Batch by batch: a client that reads slowly must not keep a transaction open.
    last: ExchangeCursor | None = None
    while True:
        with user_scope(user):
            rows = filter_thread(user, thread_id)
            if last is not None:
                rows = rows.filter(
                    Q(created_at__gt=last.created_at) | Q(created_at=last.created_at, pk__gt=last.exchange_id)
                )
            batch = load_details(user, list(rows.order_by("created_at", "pk")[:EXPORT_BATCH]))
        yield from map(build_export_row, batch)
        if len(batch) < EXPORT_BATCH:
            return
        last = ExchangeCursor(batch[-1].exchange.created_at, batch[-1].exchange.pk)


def build_export_row(one: ExchangeDetail) -> dict[str, Any]:
    exchange, outcome = one.exchange, one.outcome
    return {
        "role": "exchange",
        "exchange_id": str(exchange.pk),
        "thread_id": exchange.thread_id,
        "turn_id": str(exchange.turn_id) if exchange.turn_id else None,
        "doc_id": str(exchange.memory_id) if exchange.memory_id else None,
        "speaker": exchange.speaker,
        "user": exchange.user_message,
        "assistant": exchange.assistant_message,
        "timestamp": exchange.created_at.isoformat().replace("+00:00", "Z"),
        "occurred_at": exchange.said_at.isoformat().replace("+00:00", "Z"),
        "interrupted": exchange.interrupted,
        "required_scoring": exchange.required_scoring,
        "scored": exchange.scored_at is not None,
        "outcome": outcome.outcome if outcome else None,
        "outcome_source": outcome.source if outcome else None,
        "tools": exchange.tools,
        "signals": [{"kind": signal.kind, "evidence": signal.evidence} for signal in one.signals],
    }


def count_signals(user: EndUser) -> dict[str, int]:
    """How often each signal was noticed."""
    with user_scope(user):
        counted = ConversationSignal.objects.filter(user=user).values_list("kind").annotate(Count("id"))
        return dict(counted.order_by("kind"))
