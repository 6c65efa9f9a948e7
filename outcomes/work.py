"""What waits to be done with exchanges: marks that a sweep finds, and threads that are over for now.

A mark is renewed in the transaction of the exchange and settled under a lock on its own row, so that a settling
either sees the exchange or comes first and is overtaken.
"""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Min

from memory.conf import memory_conf
from memory.inference import language_model
from memory.models import EndUser
from outcomes.models import ConversationWork, Detection, Exchange
from outcomes.signals import conversation_due

DETECT_EVERY = 4
"""Exchanges of a thread after which the detector looks at it."""
GIVEN_UP_AFTER = timedelta(hours=12)
"""An answer nobody reacted to by then stays unjudged, and words not looked through by then are let go."""


def detector_may_look() -> bool:
    conf = memory_conf()
    flags = conf.flags
    allowed = flags["outcome_detection"] and flags["outcome"] and conf.conversations.detections_a_day > 0
    return bool(allowed) and language_model() is not None


def idle() -> timedelta:
    return timedelta(minutes=memory_conf().conversations.idle_minutes)


def note_work(user: EndUser, exchange: Exchange, now: datetime) -> None:
    """Leave word of what a new exchange asks for. Follows its writing, in its transaction."""
    detect_at = None
    if exchange.detection == Detection.PENDING:
        detect_at = now + idle()
        if release_due(user, exchange, now):
            detect_at = now
    profile_at = now if exchange.profiled_at is None else None
    if detect_at is None and profile_at is None:
        return
    mark(user, detect_at, profile_at)
    if profile_at or detect_at == now:
        conversation_due.send(EndUser, user_id=user.pk)


def release_due(user: EndUser, exchange: Exchange, now: datetime) -> bool:
    """Give the detector what is ready: every fourth exchange of this thread, and the thread that was left for it."""
    released = 0
    if Exchange.objects.filter(user=user, thread_id=exchange.thread_id).count() % DETECT_EVERY == 0:
        released += release(user, exchange.thread_id, now)
    left = EndUser.objects.filter(pk=user.pk).values_list("last_thread_id", flat=True).first()
    if left and left != exchange.thread_id:
        released += release(user, left, now)
    return released > 0


def release(user: EndUser, thread_id: str, now: datetime) -> int:
    """Make a thread's waiting exchanges due, but its last: nothing was said of that yet."""
    thread = Exchange.objects.filter(user=user, thread_id=thread_id)
    last = thread.order_by("-created_at", "-pk").values_list("pk", flat=True)[:1]
    waiting = thread.filter(detection=Detection.PENDING, detection_at=None).exclude(pk__in=list(last))
    return waiting.update(detection_at=now)


def mark(user: EndUser, detect_at: datetime | None, profile_at: datetime | None) -> None:
    with connection.cursor() as cursor:
        # LEAST passes over nulls: the earlier of two moments, or the only one.
        cursor.execute(
            "INSERT INTO conversation_work AS w (end_user_id, detect_at, profile_at) VALUES (%s, %s, %s)"
            " ON CONFLICT (end_user_id) DO UPDATE SET detect_at = LEAST(w.detect_at, excluded.detect_at),"
            " profile_at = LEAST(w.profile_at, excluded.profile_at)",
            [user.pk, detect_at, profile_at],
        )


def settle_marks(user: EndUser, now: datetime) -> None:
    """Bring the marks in line with what is still waiting. Runs in the user's scope."""
    work = ConversationWork.objects.select_for_update().filter(end_user=user).first()
    if work is None:
        return
    waiting = Exchange.objects.filter(user=user, detection=Detection.PENDING)
    due = waiting.aggregate(due=Min("detection_at"))["due"]
    unreleased = waiting.filter(detection_at=None).values("thread_id").annotate(oldest=Min("created_at"))
    moments = [due] if due else []
    moments += [max(row["oldest"] + idle(), now + idle()) for row in unreleased]
    work.detect_at = min(moments, default=None)
    unprofiled = Exchange.objects.filter(user=user, profiled_at=None, created_at__gt=now - GIVEN_UP_AFTER)
    pauses = [after or now for after in unprofiled.values_list("profile_after", flat=True)]
    work.profile_at = min(pauses, default=None)
    work.save(update_fields=["detect_at", "profile_at"])


def release_quiet_threads(user: EndUser, now: datetime) -> None:
    """Threads nothing was said in for a while are over for now; what is past its time is let go."""
    waiting = Exchange.objects.filter(user=user, detection=Detection.PENDING, detection_at=None)
    waiting.filter(created_at__lte=now - GIVEN_UP_AFTER).update(
        detection=Detection.SKIPPED, detection_at=now, detected={"skipped": "nothing was said after it"}
    )
    for thread_id in waiting.values_list("thread_id", flat=True).distinct().order_by("thread_id"):
        thread = Exchange.objects.filter(user=user, thread_id=thread_id)
        last = thread.order_by("-created_at", "-pk").values_list("created_at", flat=True).first()
        if last is not None and last <= now - idle():
            release(user, thread_id, now)


def users_due(now: datetime) -> list[int]:
    due = ConversationWork.objects.filter(detect_at__lte=now) | ConversationWork.objects.filter(profile_at__lte=now)
    return list(due.order_by("pk").values_list("pk", flat=True))
