"""Pending work on exchanges: marks for the sweep, and threads that have become idle.

The marks are two outboxes whose work falls due later: a mark is set in the transaction of the exchange and moved under
a lock, so that whoever moves it either sees the exchange or is followed by a new mark.
"""

from datetime import datetime, timedelta

from django.db.models import Min

from memory.access.outbox import Outbox
from memory.conf import memory_conf
from memory.inference import language_model
from memory.models import EndUser
from outcomes.models import ConversationWork, Detection, Exchange
from outcomes.signals import conversation_due

DETECTION = Outbox(ConversationWork, "detect_at")
PROFILES = Outbox(ConversationWork, "profile_at")

# Exchanges of a thread after which the detector looks at it.
DETECT_EVERY = 4
# After this time exchanges without a reaction stay unjudged, and unprocessed ones are given up.
GIVEN_UP_AFTER = timedelta(hours=12)


def is_detector_enabled() -> bool:
    conf = memory_conf()
    flags = conf.flags
    allowed = flags["outcome_detection"] and flags["outcome"] and conf.conversations.detections_a_day > 0
    return bool(allowed) and language_model() is not None


def get_idle_time() -> timedelta:
    return timedelta(minutes=memory_conf().conversations.idle_minutes)


def mark_exchange_work(user: EndUser, exchange: Exchange, now: datetime) -> None:
    """Mark the work a new exchange needs. Call it after the write, in its transaction."""
    detect_at = None
    if exchange.detection == Detection.PENDING:
        detect_at = now + get_idle_time()
        if release_due_exchanges(user, exchange, now):
            detect_at = now
    profile_at = now if exchange.profiled_at is None else None
    if detect_at:
        DETECTION.mark(user, detect_at)
    if profile_at:
        PROFILES.mark(user, profile_at)
    if profile_at or detect_at == now:
        conversation_due.send(EndUser, user_id=user.pk)


def release_due_exchanges(user: EndUser, exchange: Exchange, now: datetime) -> bool:
    """Make exchanges due for the detector: every fourth of this thread, and those of the thread left for it."""
    released = 0
    if Exchange.objects.filter(user=user, thread_id=exchange.thread_id).count() % DETECT_EVERY == 0:
        released += release_thread(user, exchange.thread_id, now)
    previous_thread = EndUser.objects.filter(pk=user.pk).values_list("last_thread_id", flat=True).first()
    if previous_thread and previous_thread != exchange.thread_id:
        released += release_thread(user, previous_thread, now)
    return released > 0


def release_thread(user: EndUser, thread_id: str, now: datetime) -> int:
    """Make a thread's pending exchanges due, except the last, which nobody has reacted to yet."""
    thread = Exchange.objects.filter(user=user, thread_id=thread_id)
    last = thread.order_by("-created_at", "-pk").values_list("pk", flat=True)[:1]
    pending = thread.filter(detection=Detection.PENDING, detection_at=None).exclude(pk__in=list(last))
    return pending.update(detection_at=now)


def move_marks(user: EndUser, now: datetime) -> None:
    """Set the marks to when what is still pending falls due. Needs the user's scope."""
    if not DETECTION.lock(user):
        return
    pending = Exchange.objects.filter(user=user, detection=Detection.PENDING)
    due = pending.aggregate(due=Min("detection_at"))["due"]
    unreleased = pending.filter(detection_at=None).values("thread_id").annotate(oldest=Min("created_at"))
    moments = [due] if due else []
    moments += [max(row["oldest"] + get_idle_time(), now + get_idle_time()) for row in unreleased]
    DETECTION.move(user, min(moments, default=None))
    unprofiled = Exchange.objects.filter(user=user, profiled_at=None, created_at__gt=now - GIVEN_UP_AFTER)
    pauses = [after or now for after in unprofiled.values_list("profile_after", flat=True)]
    PROFILES.move(user, min(pauses, default=None))


def release_idle_threads(user: EndUser, now: datetime) -> None:
    """Release exchanges of idle threads, and give up expired ones."""
    pending = Exchange.objects.filter(user=user, detection=Detection.PENDING, detection_at=None)
    pending.filter(created_at__lte=now - GIVEN_UP_AFTER).update(
        detection=Detection.SKIPPED, detection_at=now, detected={"skipped": "nothing was said after it"}
    )
    for thread_id in pending.values_list("thread_id", flat=True).distinct().order_by("thread_id"):
        thread = Exchange.objects.filter(user=user, thread_id=thread_id)
        last = thread.order_by("-created_at", "-pk").values_list("created_at", flat=True).first()
        if last is not None and last <= now - get_idle_time():
            release_thread(user, thread_id, now)


def list_due_users(now: datetime) -> list[int]:
    return sorted({*DETECTION.list_users(now), *PROFILES.list_users(now)})
