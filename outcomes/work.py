"""Pending work on exchanges: marks for the sweep, and threads that have become idle.

The marks are two outboxes whose work falls due later: a mark is set in the transaction of the exchange and moved under
a lock, so that whoever moves it either sees the exchange or is followed by a new mark.
"""

from datetime import datetime, timedelta

from django.db.models import Min, OuterRef, Q, QuerySet, Subquery

from memory.access.confinement import RowScope
from memory.access.outbox import Outbox
from memory.conf import memory_conf
from memory.inference.asking import find_prompt_model
from memory.models import EndUser
from memory.models.isolation import ScopedRow
from outcomes.models import ConversationWork, Detection, Exchange
from outcomes.signals import judging_due, reading_due

DETECTION = Outbox(ConversationWork, "detect_at")
PROFILES = Outbox(ConversationWork, "profile_at")

# What tells a conversation from another of the same person.
CONVERSATION = ("thread_id", "agent_id", "project_id")
# Exchanges of a thread after which the detector looks at it.
DETECT_EVERY = 4
# After this time exchanges without a reaction stay unjudged.
GIVEN_UP_AFTER = timedelta(hours=12)
# A person's exchanges that come in a burst are read together, at most once in this time.
GATHERED_FOR = timedelta(seconds=0.5)


def filter_conversation(user: EndUser, thread_id: str, place: ScopedRow) -> QuerySet[Exchange]:
    """The exchanges of one conversation: two projects that both call theirs "main" have two."""
    return Exchange.objects.filter(user=user, thread_id=thread_id, agent_id=place.agent_id, project_id=place.project_id)


def is_detector_enabled() -> bool:
    conf = memory_conf()
    flags = conf.flags
    allowed = flags["outcome_detection"] and flags["outcome"] and conf.conversations.detections_a_day > 0
    return bool(allowed) and find_prompt_model("outcome_detection") is not None


def get_idle_time() -> timedelta:
    return timedelta(minutes=memory_conf().conversations.idle_minutes)


def mark_exchange_work(user: EndUser, exchange: Exchange, now: datetime, *, is_awaited: bool = False) -> None:
    """Mark the work a new exchange needs. Call it after the write, in its transaction.

    The worker is told only when nothing waited: what waits already has its message, or is found by the sweep.
    """
    if exchange.detection == Detection.PENDING:
        is_due = release_due_exchanges(user, exchange, now)
        if DETECTION.mark(user, now if is_due else now + get_idle_time()) and is_due:
            judging_due.send(EndUser, user_id=user.pk)
    if exchange.profiled_at is None and PROFILES.mark(user, now):
        after_s = 0.0 if is_awaited else find_reading_pause(user, now)
        reading_due.send(EndUser, user_id=user.pk, after_s=after_s)


def find_reading_pause(user: EndUser, now: datetime) -> float:
    """Seconds to gather what else is said: none after a silence, so that a single exchange is read at once."""
    read = Exchange.objects.filter(user=user, profiled_at__isnull=False).order_by("-created_at", "-pk")
    last = read.values_list("profiled_at", flat=True).first()
    since = now - last if last else GATHERED_FOR
    return max(timedelta(0), GATHERED_FOR - max(since, timedelta(0))).total_seconds()


def release_due_exchanges(user: EndUser, exchange: Exchange, now: datetime) -> bool:
    """Make exchanges due for the detector: every fourth of this thread, and those of the thread left for it."""
    released = 0
    if filter_conversation(user, exchange.thread_id, exchange).count() % DETECT_EVERY == 0:
        released += release_thread(user, exchange.thread_id, exchange, now)
    previous_thread = EndUser.objects.filter(pk=user.pk).values_list("last_thread_id", flat=True).first()
    if previous_thread and previous_thread != exchange.thread_id:
        # Of the same place: one of another is left when it falls silent.
        released += release_thread(user, previous_thread, exchange, now)
    return released > 0


def release_thread(user: EndUser, thread_id: str, place: ScopedRow, now: datetime) -> int:
    """Make a thread's pending exchanges due, except the last, which nobody has reacted to yet."""
    thread = filter_conversation(user, thread_id, place)
    last = thread.order_by("-created_at", "-pk").values_list("pk", flat=True)[:1]
    pending = thread.filter(detection=Detection.PENDING, detection_at=None).exclude(pk__in=list(last))
    return pending.update(detection_at=now)


def move_detection_mark(user: EndUser, released_at: datetime) -> None:
    """Set the mark to when what is still pending falls due, after a release at that time. Needs the user's scope."""
    if not DETECTION.lock(user):
        return
    pending = Exchange.objects.filter(user=user, detection=Detection.PENDING)
    due = pending.aggregate(due=Min("detection_at"))["due"]
    moments = [due] if due else []
    moments += [find_next_release(last_at, released_at) for last_at in list_unreleased(user, pending)]
    DETECTION.move(user, min(moments, default=None))


def list_unreleased(user: EndUser, pending: QuerySet[Exchange]) -> list[datetime]:
    """When the last exchange was of each conversation with some that are not due yet."""
    same = {field: OuterRef(field) for field in CONVERSATION}
    last = Exchange.objects.filter(user=user, **same).order_by("-created_at", "-pk").values("created_at")[:1]
    unreleased = pending.filter(detection_at=None).values(*CONVERSATION).annotate(last=Subquery(last)).distinct()
    return [row["last"] for row in unreleased]


def find_next_release(last_at: datetime, released_at: datetime) -> datetime:
    silent_at = last_at + get_idle_time()
    # Of one that had fallen silent only the last exchange is left, and all that awaits it is to be given up.
    return silent_at if silent_at > released_at else last_at + GIVEN_UP_AFTER


def filter_readable(user: EndUser, now: datetime) -> QuerySet[Exchange]:
    """Exchanges that are due to be read, however old: what was said before a long stop is as true as ever."""
    is_ready = Q(profile_after=None) | Q(profile_after__lte=now)
    return Exchange.objects.filter(is_ready, user=user, profiled_at=None)


def move_reading_mark(user: EndUser, now: datetime) -> bool:
    """Clear the mark, or set it to the end of a pause. False if something is to be read already."""

    def find_next(user: EndUser) -> datetime | None:
        if filter_readable(user, now).exists():
            return now
        paused = Exchange.objects.filter(user=user, profiled_at=None)
        end: datetime | None = paused.aggregate(end=Min("profile_after"))["end"]
        return end

    return PROFILES.advance(user, find_next, now)


def release_idle_threads(user: EndUser, now: datetime) -> None:
    """Release exchanges of idle threads, and give up expired ones."""
    pending = Exchange.objects.filter(user=user, detection=Detection.PENDING, detection_at=None)
    pending.filter(created_at__lte=now - GIVEN_UP_AFTER).update(
        detection=Detection.SKIPPED, detection_at=now, detected={"skipped": "nothing was said after it"}
    )
    for thread_id, agent_id, project_id in pending.values_list(*CONVERSATION).distinct().order_by(*CONVERSATION):
        place = RowScope(agent_id, project_id)
        thread = filter_conversation(user, thread_id, place)
        last = thread.order_by("-created_at", "-pk").values_list("created_at", flat=True).first()
        if last is not None and last <= now - get_idle_time():
            release_thread(user, thread_id, place, now)
