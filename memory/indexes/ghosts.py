"""Ids of deleted memories that may still be in an index."""

from collections.abc import Collection, Sequence
from functools import cache
from uuid import UUID

from redis import Redis

from memory.indexes.base import require_user
from memory.platform import redis as shared

# By then every repair of the index has run many times over.
KEPT_S = 7 * 86_400


class GhostRegistry:
    """Filters deleted ids before their rows are read. Only an optimisation: without Redis the ids are still dropped,
    because every id an index returns is read from Postgres."""

    def add(self, user_id: int, ids: Collection[UUID]) -> None:
        key = _key(user_id)
        if not ids:
            return

        def write(client: Redis) -> None:
            pipe = client.pipeline(transaction=False)
            pipe.sadd(key, *(id.bytes for id in ids))
            pipe.expire(key, KEPT_S)
            pipe.execute()

        shared.call_or_default(write, None)

    def find_among(self, user_id: int, ids: Sequence[UUID]) -> set[UUID]:
        """Which of these are ghosts."""
        key = _key(user_id)
        if not ids:
            return set()
        flags = shared.call_or_default(
            lambda client: list(client.smismember(key, [id.bytes for id in ids])), [0] * len(ids)
        )
        return {id for id, is_ghost in zip(ids, flags, strict=True) if is_ghost}

    def filter(self, user_id: int, ids: Sequence[UUID]) -> list[UUID]:
        """The ids that are not ghosts, in their order."""
        gone = self.find_among(user_id, ids)
        return [id for id in ids if id not in gone]

    def forget(self, user_id: int, ids: Collection[UUID] | None = None) -> None:
        """Remove these ids (restored or imported again); without ids, all of the user's."""
        key = _key(user_id)
        if ids is None:
            shared.call_or_default(lambda client: client.delete(key), 0)
        elif ids:
            shared.call_or_default(lambda client: client.srem(key, *(id.bytes for id in ids)), 0)


@cache
def ghost_registry() -> GhostRegistry:
    return GhostRegistry()


def _key(user_id: int) -> str:
    return shared.build_key("ghosts", str(require_user(user_id)))
