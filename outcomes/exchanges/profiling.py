"""Reads facts out of each exchange, once it is stored.

Only the user's own words are read, exchange by exchange in the order they were said (``reading_queue``). Facts are
stored in the transaction that settles their exchange, so they are stored once.
"""

from collections.abc import Sequence
from datetime import datetime

import structlog
from django.utils import timezone

from memory.access.confinement import EVERYTHING, RowScope, confine_to, current_scope
from memory.access.outbox import Drained, drain
from memory.access.scope import user_scope
from memory.facts.evidence import FactOrigin
from memory.lifecycle import learning
from memory.lifecycle.learning import DraftedStatement, SpokenText
from memory.models import EndUser
from memory.models.facts import EvidenceKind
from memory.platform.faults import Unavailable
from outcomes import work
from outcomes.exchanges import reading_queue
from outcomes.exchanges.reading_queue import TurnToRead
from outcomes.models import Exchange

logger = structlog.get_logger(__name__)

# Between batches a task looks whether its time is over, and what was said before but came in later takes its place.
AT_ONCE = 8


def drain_exchanges(user: EndUser, seconds: float) -> Drained:
    """Read all that waits, in the worker or beside it.

    Whoever reads without this lock takes an exchange that the worker has begun for one that killed it.
    """
    # Of every agent and project, in the order it was said: the mark is one for all of them.
    with confine_to(EVERYTHING):
        return drain(
            "exchanges",
            user.pk,
            lambda: profile_due_exchanges(user),
            lambda: work.move_reading_mark(user, timezone.now()),
            seconds=seconds,
            is_backing_off=lambda: False,
            is_marked=lambda: work.PROFILES.is_due(user, timezone.now()),
        )


def is_anything_unread(user: EndUser) -> bool:
    """Whether exchanges of any agent or project are due to be read."""
    with confine_to(EVERYTHING), user_scope(user):
        return work.filter_readable(user, timezone.now()).exists()


def profile_due_exchanges(user: EndUser, *, now: datetime | None = None, limit: int = AT_ONCE) -> int:
    """Read pending exchanges, in the order they were said. Returns how many were settled or tried.

    Without ``now`` each is settled at its own moment. Raises Unavailable.
    """
    begun, settled = reading_queue.begin_reading(user, now or timezone.now(), limit)
    silent: list[Exchange] = []
    try:
        for turn in begun:
            if not profile_turn(user, turn, now):
                silent.append(turn.exchange)
    except Unavailable:
        # What is settled already is passed over.
        for turn in begun:
            reading_queue.undo_attempt(user, turn.exchange)
        raise
    finally:
        # Most turns tell nothing: settled one by one they cost as much as reading them.
        reading_queue.settle_exchanges(user, silent, now or timezone.now())
    return settled + len(begun)


def profile_turn(user: EndUser, turn: TurnToRead, now: datetime | None) -> bool:
    """Read a turn and store what it tells. False if it tells nothing and is still to be settled."""
    try:
        # What is learned of it belongs where the exchange does.
        with confine_to(RowScope.of(turn.exchange)):
            drafted = draft_facts(user, turn)
            if drafted:
                store_facts(user, turn.exchange, drafted, now or timezone.now())
        return bool(drafted)
    except Unavailable:
        raise
    except Exception:
        # One turn that cannot be read must not keep the person's others from being read.
        logger.exception("an exchange could not be read", exchange=str(turn.exchange.pk))
        reading_queue.postpone_exchange(user, turn.exchange, now or timezone.now())
    return True


def draft_facts(user: EndUser, turn: TurnToRead) -> list[DraftedStatement]:
    """The facts in the user's words."""
    # It calls other services, so no transaction may be open.
    exchange = turn.exchange
    spoken = SpokenText(
        exchange.short_question,
        exchange.said_at,
        exchange.thread_id,
        exchange.memory_id,
        list(turn.previous),
        may_leave=not exchange.is_bound,
        asked=turn.asked,
        lead=turn.lead,
        speaker=turn.speaker,
    )
    return learning.draft_facts(user, spoken, {"exchange": str(exchange.pk)})


def store_facts(user: EndUser, exchange: Exchange, drafted: Sequence[DraftedStatement], now: datetime) -> int:
    """Store the facts and settle the exchange in one transaction, unless another worker has done so."""
    own = [one for one in drafted if one.scope != current_scope()]
    with confine_to(EVERYTHING):
        # In a transaction of its own, as each has one scope. Repeated because the other failed it adds nothing.
        if own and not learn_pending(user, exchange, own, now):
            return 0
    with user_scope(user):
        row = learn_pending(user, exchange, [one for one in drafted if one.scope == current_scope()], now)
        if row is None:
            return 0
        reading_queue.mark_profiled(row, now)
    return len(drafted)


def learn_pending(
    user: EndUser, exchange: Exchange, drafted: Sequence[DraftedStatement], now: datetime
) -> Exchange | None:
    """Store facts in the scope that holds. None, and nothing is stored, where the exchange is settled already."""
    with user_scope(user):
        row = reading_queue.lock_pending(user, exchange.pk)
        if row is not None:
            origin = FactOrigin(EvidenceKind.EXCHANGE, row.pk, row.memory_id, row.thread_id)
            learning.learn_facts(user, drafted, origin, now=now)
        return row
