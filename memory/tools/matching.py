"""Which bank item a few words mean. Changing the wrong memory is worse than asking again, so doubt is a refusal."""

from datetime import datetime
from uuid import UUID

from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.retrieval.search import Hit, SearchRequest
from memory.tiers import Status, Tier
from memory.tools.arguments import Target
from memory.tools.calls import NotDone, ToolError

LOOKED_AT = 5
NEAR_ENOUGH = 1.0
"""Distance of unit vectors: a cosine of 0.5. Beyond it a neighbour is only the least unlike."""
CLEARLY_NEARER = 0.08
"""A second neighbour within this of the first makes the words ambiguous."""
PREVIEWED = 120


def target_of(door: MemoryFacade, user: EndUser | None, target: Target, *, now: datetime) -> UUID:
    """The id of the bank item meant. Raises NotDone for an unknown id, ToolError when the words do not settle it."""
    if target.memory_id is not None:
        item = door.get(user, target.memory_id) if user else None
        if item is None:
            raise NotDone([("memory_id", "there is no such memory")])
        if item.tier != Tier.MEMORY_BANK:
            raise ToolError([("memory_id", f"names a memory of {item.tier}; only memory_bank items can be changed")])
        return item.pk
    words = target.match_query or ""
    hits = bank_hits(door, user, words, now=now) if user else []
    if not hits:
        raise NotDone([("match_query", "matches nothing in the memory bank")])
    return settled(words, hits)


def bank_hits(door: MemoryFacade, user: EndUser, words: str, *, now: datetime) -> list[Hit]:
    request = SearchRequest(words, tiers=frozenset({Tier.MEMORY_BANK}), limit=LOOKED_AT)
    found = door.search(user, request, now=now, remember=False)
    return [hit for hit in found.hits if hit.item.status == Status.ACTIVE]


def settled(words: str, hits: list[Hit]) -> UUID:
    """The one hit the words mean: the only one that says them, or by far the nearest."""
    said = " ".join(words.casefold().split())
    literal = [hit.item for hit in hits if said in " ".join(hit.item.text.casefold().split())]
    if len(literal) == 1:
        return literal[0].pk
    if len(literal) > 1:
        raise ambiguous("these words stand in several memories", literal)
    near = sorted((hit.explain["distance"], hit.item.pk) for hit in hits if hit.explain["distance"] is not None)
    items = [hit.item for hit in hits]
    if not near or near[0][0] > NEAR_ENOUGH:
        raise ambiguous("nothing in the memory bank is near enough to these words", items)
    if len(near) > 1 and near[1][0] - near[0][0] < CLEARLY_NEARER:
        raise ambiguous("several memories are about as near to these words", items)
    return near[0][1]


def ambiguous(why: str, items: list[MemoryItem]) -> ToolError:
    candidates = [("match_query", f"candidate {item.pk}: {one_line(item.text)}") for item in items]
    return ToolError([("match_query", f"{why}; nothing was changed, name one by memory_id"), *candidates])


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PREVIEWED else f"{line[:PREVIEWED]}…"
