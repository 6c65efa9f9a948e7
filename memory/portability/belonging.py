"""What an export tells of spaces, for the person to read: where they belong, and what they brought there.

An import passes these lines over: no file gives a place among others, and what was shared is a copy of the person's own
memory or the space's.
"""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any, Final

from memory.access.membership import act_as_member
from memory.access.scope import visit_space
from memory.models import EndUser, MemoryItem, Space, SpaceMember, SpaceShare
from memory.portability.values import write_value

MEMBERSHIP, SHARE = "membership", "share"
TOLD: Final = {
    MEMBERSHIP: frozenset({"space", "name", "role", "added_by", "added_at"}),
    SHARE: frozenset({"space", "memory_id", "shared_from", "at", "text", "tier", "occurred_at"}),
}
CHUNK: Final = 2_000

Line = dict[str, Any]


def iterate_belonging(user: EndUser) -> Iterator[Line]:
    """In the user's scope."""
    members = SpaceMember.objects.filter(user=user).select_related("space").order_by("added_at", "pk")
    for member in members:
        said = {"space": member.space.slug, "name": member.space.name, "role": member.role, "added_by": member.added_by}
        yield {"type": MEMBERSHIP, **said, "added_at": write_value(member.added_at)}
    shares = SpaceShare.objects.filter(contributor_id=user.pk).order_by("user_id", "pk")
    for space_id, own in groupby(shares.iterator(chunk_size=CHUNK), key=lambda share: share.user_id):
        yield from iterate_shares(user, space_id, list(own))


def iterate_shares(user: EndUser, space_id: int, shares: list[SpaceShare]) -> Iterator[Line]:
    """With the words as they stand there, as long as the person may read them."""
    slug = Space.objects.filter(pk=space_id).values_list("slug", flat=True).first() or ""
    for start in range(0, len(shares), CHUNK):
        part = shares[start : start + CHUNK]
        with act_as_member(user.pk), visit_space(space_id):
            ids = [share.item_id for share in part]
            rows = MemoryItem.objects.for_user(space_id).filter(pk__in=ids)
            told = {row["id"]: row for row in rows.values("id", "text", "tier", "occurred_at")}
        for share in part:
            words = {name: write_value(value) for name, value in told.get(share.item_id, {}).items() if name != "id"}
            source = {"shared_from": str(share.source_item_id)} if share.source_item_id else {}
            yield {
                "type": SHARE,
                "space": slug,
                "memory_id": str(share.item_id),
                **source,
                "at": write_value(share.at),
                **words,
            }


def check_told_line(value: Line, refuse: Callable[[str, str], Exception]) -> bool:
    """Whether the line is one of these; raises what ``refuse`` makes for one that is not as they are written."""
    fields = TOLD.get(str(value.get("type")))
    if fields is None:
        return False
    for name, given in value.items():
        if name != "type" and name not in fields:
            raise refuse(name[:64], "unknown field")
        if not isinstance(given, str):
            raise refuse(name, "must be a string")
    return True
