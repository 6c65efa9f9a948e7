"""What a person's spaces add to a search: each is asked as the partition it is, with the rights of the member.

One question to each and not one over all: words and labels are kept under their owner, Qdrant has a graph for each,
and how rare a word is in one partition must not be told by another's ranking. Who belongs to no space pays one indexed
read.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory.access.cursors import GENERIC_PLAN
from memory.access.membership import act_as_member
from memory.access.scope import user_scope
from memory.access.spaces import SpaceAccess, list_memberships
from memory.models import EndUser, MemoryItem
from memory.retrieval.candidates import RowFilter, read_pool
from memory.retrieval.finding import FoundMatches
from memory.retrieval.pool import Candidate, Pool
from memory.retrieval.results import SearchRequest
from memory.store.admission import WriteRefused


@dataclass(frozen=True, slots=True)
class SharedItem:
    item: MemoryItem
    space: SpaceAccess


SharedItems = Mapping[uuid.UUID, SharedItem]


def choose_spaces(user: EndUser, request: SearchRequest) -> list[SpaceAccess]:
    """Those of the person that the request asks for, by slug. Raises WriteRefused for one they do not belong to."""
    if request.spaces is not None and not request.spaces:
        return []
    held = list_memberships(user)
    if request.spaces is None:
        return held
    unknown = set(request.spaces) - {access.slug for access in held}
    if unknown:
        raise WriteRefused("spaces", "must be slugs of spaces that the person belongs to")
    return [access for access in held if access.slug in request.spaces]


def add_shared(
    pool: Pool,
    user: EndUser,
    spaces: Sequence[SpaceAccess],
    found: FoundMatches,
    rows: RowFilter,
) -> tuple[Pool, SharedItems]:
    """The pool with the candidates of spaces, and their rows."""
    candidates: list[Candidate] = list(pool)
    shared: dict[uuid.UUID, SharedItem] = {}
    # Of a memory and its copy the person's own stands: an outcome scores that one.
    own = {candidate.memory.text for candidate in pool}
    for space in spaces:
        matches = found.list_of(space.space_id, user)
        if not matches:
            continue
        with act_as_member(user.pk), user_scope(space.space_id, settings=GENERIC_PLAN):
            read = read_pool(replace(rows, user=space.partition), matches, pool.words)
            part = [candidate for candidate in read if candidate.memory.text not in own]
            for candidate in part:
                # What others said is no conversation of the person's own.
                candidate.memory = candidate.memory._replace(is_spoken=False)
            ids = [candidate.memory.id for candidate in part]
            for item in MemoryItem.objects.for_user(space.space_id).filter(pk__in=ids).defer("lexemes"):
                shared[item.pk] = SharedItem(item, space)
        candidates += [candidate for candidate in part if candidate.memory.id in shared]
    return (Pool(candidates, pool.now, pool.words) if shared else pool), shared
