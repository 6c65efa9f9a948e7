"""Takes a source out of everything that tells it: memories, exchanges, facts, copies in spaces, stored answers."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from memory.lifecycle import erasure, publishing, purging
from memory.lifecycle.purging import PurgeFilter, PurgeResult
from memory.models import EndUser
from outcomes.exchanges import storing


def withdraw_source(
    user: EndUser, wanted: PurgeFilter, *, now: datetime, actor: str, dry_run: bool = False
) -> tuple[PurgeResult, int]:
    """Remove a source and everything derived from it; returns also how many exchanges went with it."""
    exchanges = shared = 0

    def withdraw_beside(gone: Sequence[UUID], staying: Sequence[UUID]) -> None:
        nonlocal exchanges, shared
        # A copy holds the words as they were, whether or not the memory has others now.
        shared += erasure.withdraw_contributions(user, now=now, of=[*gone, *staying])
        exchanges += storing.delete_exchanges_of(user, gone)
        # What stays was reworded: the words that a fact was read from are no longer in it.
        publishing.remove_with_memories(user, staying, now=now)
        erasure.redact_stored_answers(user, [*gone, *staying])

    result = purging.purge_source(user, wanted, now=now, actor=actor, also=withdraw_beside, dry_run=dry_run)
    result.shared = shared
    return result, exchanges
