"""The turn a tool is called in: its last search, and whether its follow-up search is used up."""

from datetime import datetime, timedelta
from uuid import UUID

from redis import Redis

from memory.access.confinement import current_scope
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, Turn
from memory.platform import redis as shared

# A response without a turn id refers to a search of the last day, or to none.
STILL_THE_TURN = timedelta(hours=24)
COUNTED_S = 24 * 60 * 60


def find_last_turn(user: EndUser, thread_id: str, *, now: datetime) -> UUID | None:
    """The last search of the thread, or of the user without one; None once its outcome is recorded.

    An older turn instead would be scored twice, or score memories that were not shown.
    """
    scope = current_scope()
    with user_scope(user):
        turns = Turn.objects.filter(user=user, created_at__gt=now - STILL_THE_TURN)
        if thread_id:
            turns = turns.filter(thread_id=thread_id, agent_id=scope.agent_id, project_id=scope.project_id)
        last = turns.order_by("-created_at", "-pk").first()
    return last.turn_id if last and last.scored_at is None else None


def turn_exists(user: EndUser, turn_id: UUID) -> bool:
    with user_scope(user):
        return Turn.objects.filter(user=user, turn_id=turn_id).exists()


def claim_follow_up(user: EndUser, turn_id: UUID) -> bool:
    """True while the turn has a follow-up search left, and takes it. Two calls at once cannot both have the last one.

    Without Redis every search is allowed: the limit only saves time.
    """
    counter = shared.build_key("follow-ups", str(user.pk), str(turn_id))

    def count(client: Redis) -> int:
        pipe = client.pipeline(transaction=True)
        pipe.incr(counter)
        pipe.expire(counter, COUNTED_S)
        return int(pipe.execute()[0])

    return shared.call_or_default(count, 1) <= memory_conf().limits.follow_ups


def release_follow_up(user: EndUser, turn_id: UUID) -> None:
    """Return the follow-up after a failed search."""
    shared.call_or_default(lambda client: client.decr(shared.build_key("follow-ups", str(user.pk), str(turn_id))), 0)
