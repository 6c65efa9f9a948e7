"""The memory bank as a whole: finding the item a few words mean, and choosing what to archive when it is full."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Count

from memory import store
from memory.access import user_scope
from memory.admission import Refused
from memory.conf import memory_conf
from memory.merging import take_turns
from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet
from memory.resilience import Deadline
from memory.retrieval.results import Hit, SearchRequest
from memory.retrieval.search import search
from memory.scoring import quality, wilson_lower_bound
from memory.tiers import Tier, Trust

LOOKED_AT = 5
FAR = 1.0
"""Distance of unit vectors that is a cosine of 0.5. A nearest neighbour beyond it is not similar at all."""
CLEARLY_NEARER = 0.08
"""A second neighbour within this of the first makes the words ambiguous."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """``similarity`` is None where only the words matched."""

    item: MemoryItem
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Match:
    """``item`` is the one meant. Without one ``why`` gives the reason, and ``candidates`` are listed best first."""

    item: MemoryItem | None
    candidates: Sequence[Candidate]
    why: str = ""


def match(user: EndUser, words: str, *, now: datetime, deadline: Deadline) -> Match:
    """The active bank item a few words mean. An ambiguous match is no match: changing the wrong memory is worse.

    Asks the embedder, so it comes before any transaction. Without an embedder only literal words decide.
    """
    request = SearchRequest(
        words, tiers=frozenset({Tier.MEMORY_BANK}), limit=LOOKED_AT, boosts=(), deadline_s=deadline.remaining()
    )
    hits = search(user, request, now=now, remember=False).hits
    candidates = [Candidate(hit.item, hit.explain["similarity"]) for hit in hits]
    if not hits:
        return Match(None, [], "nothing in the memory bank matches these words")
    said = folded(words)
    literal = [hit.item for hit in hits if said in folded(hit.item.text)]
    if len(literal) == 1:
        return Match(literal[0], candidates)
    if literal:
        return Match(None, candidates, "these words stand in several memories")
    return nearest(hits, candidates)


def nearest(hits: Sequence[Hit], candidates: list[Candidate]) -> Match:
    near = sorted((hit for hit in hits if hit.explain["distance"] is not None), key=lambda hit: hit.explain["distance"])
    if not near or near[0].explain["distance"] > FAR:
        return Match(None, candidates, "nothing in the memory bank is near enough to these words")
    if len(near) > 1 and near[1].explain["distance"] - near[0].explain["distance"] < CLEARLY_NEARER:
        return Match(None, candidates, "several memories are about as near to these words")
    return Match(near[0].item, candidates)


def folded(text: str) -> str:
    return " ".join(text.casefold().split())


# --- room --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Seat:
    """The facts that decide whether an item keeps its place."""

    item_id: uuid.UUID
    trust: int
    principal: str
    always_inject: bool
    quality: float
    wilson: float
    last_used_at: datetime | None
    created_at: datetime
    is_kept: bool

    @property
    def is_safe(self) -> bool:
        """Items a person pinned, and the one a person has just written, are never archived to make room."""
        return self.trust >= Trust.USER and (self.always_inject or self.is_kept)

    @property
    def strength(self) -> tuple[object, ...]:
        used = self.last_used_at or datetime.min.replace(tzinfo=UTC)
        worth = (self.always_inject, self.quality, self.wilson, used, self.created_at, self.item_id)
        return (self.trust, self.is_kept, *worth)


def overflow(user: EndUser, keep: Collection[uuid.UUID] = ()) -> dict[uuid.UUID, str]:
    """Ids that must leave the bank, each with the reason: first of sources that hold more than their share.

    The least trusted go first, then the weakest by quality, Wilson bound and last use. ``keep`` was just written: it
    goes last among equals, and never before an item of lower trust.
    """
    capacity, share = memory_conf().limits.bank_capacity, bank_share()
    bank = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
    counted = bank.values_list("trust", "principal").annotate(Count("id"))
    held: Counter[str] = Counter()
    total = 0
    for trust, principal, number in counted:
        total += number
        held[principal] += number if trust < Trust.USER else 0
    if total <= capacity and all(number <= share for number in held.values()):
        return {}
    seats = sorted(seats_of(bank, keep), key=lambda seat: seat.strength)
    gone: dict[uuid.UUID, str] = {}
    for principal, number in held.items():
        reason = f"{principal or 'one source'} holds more than {share} of the bank's {capacity} places"
        own = [seat for seat in seats if seat.principal == principal and seat.trust < Trust.USER]
        gone |= {seat.item_id: reason for seat in own[: max(0, number - share)]}
    weakest = [seat.item_id for seat in seats if not seat.is_safe and seat.item_id not in gone]
    excess = max(0, total - len(gone) - capacity)
    return gone | dict.fromkeys(weakest[:excess], f"the bank holds more than {capacity} items")


def bank_share() -> int:
    """How many items one source that is not a person may hold."""
    limits = memory_conf().limits
    return max(1, int(limits.bank_capacity * limits.bank_source_share))


def seats_of(bank: ItemQuerySet, keep: Collection[uuid.UUID]) -> Iterable[Seat]:
    read = bank.only(
        "trust", "principal", "always_inject", "importance", "confidence", "worked", "failed", "partial",
        "last_used_at", "created_at",
    )  # fmt: skip
    for item in read:
        yield Seat(
            item_id=item.pk,
            trust=item.trust,
            principal=item.principal,
            always_inject=item.always_inject,
            quality=quality(item.importance, item.confidence),
            wilson=wilson_lower_bound(item.worked, item.failed, item.partial),
            last_used_at=item.last_used_at,
            created_at=item.created_at,
            is_kept=item.pk in keep,
        )


def make_room(
    user: EndUser, *, now: datetime, keep: Collection[uuid.UUID] = (), actor: str = "promotion"
) -> dict[uuid.UUID, str]:
    """Archive what does not fit. Returns what went, with the reasons.

    Raises Refused when that would be the item just written: in a bank full of statements by people there is no room for
    one that no person made.
    """
    with user_scope(user):
        take_turns("bank", user)
        over = overflow(user, keep)
        if any(item_id in over for item_id in keep):
            raise Refused("tier", "the memory bank is full of what people wrote; archive something there first")
        store.archive_many(user, over, now=now, actor=actor)
    return over
