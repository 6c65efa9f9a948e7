"""Decides what becomes of facts that lie near each other. Nothing is written here, so that a dry run tells the same.

Each fact is held against the winner alone, the one most believed: along a chain of likeness strangers would become one.
Where there is doubt both stay and a person decides.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, cast
from uuid import UUID

from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.facts.consolidation.candidates import NearFacts
from memory.facts.drafts import FactDraft
from memory.facts.evidence import compute_confidence
from memory.facts.judgement import describe_fact, ends_fact, tells_another
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.pairs import PairVerdict, judge_pair, read_statement
from memory.facts.recording import needs_review
from memory.facts.succession import may_end
from memory.models import EndUser, Fact, FactEvent, FactEvidence
from memory.models.facts import ReviewKind
from memory.tiers import Trust

if TYPE_CHECKING:
    from memory.claims.claim import ClaimTense

# Of two that say the same one at least has to be believed: two rumours make no fact.
LEAST_BELIEVED: Final = 0.6
# Said so near to each other, time does not tell which of two holds.
SAME_TIME: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PairDecision:
    """``winner`` stays, ``other`` is merged into it, ends by it, or waits beside it."""

    winner: UUID
    other: UUID
    cosine: float | None = None


@dataclass(slots=True)
class PairPlan:
    """``undecided`` contradict each other at one time by one voice: both are doubted, and wait for a person."""

    merges: list[PairDecision] = field(default_factory=list)
    endings: list[PairDecision] = field(default_factory=list)
    reviews: list[tuple[PairDecision, ReviewKind]] = field(default_factory=list)
    undecided: list[PairDecision] = field(default_factory=list)


def plan_pairs(
    user: EndUser,
    near: NearFacts,
    parted: Collection[frozenset[UUID]],
    now: datetime,
    changed: Collection[UUID] | None = None,
) -> PairPlan:
    """``parted`` are the pairs that a person decided about or is asked about; with ``changed`` only pairs of these are
    looked at. Needs no open scope.
    """
    plan, gone = PairPlan(), set[UUID]()
    place = {fact.pk: number for number, fact in enumerate(rank_facts(near.facts.values(), now))}
    for winner in sorted((pk for pk in near.pairs if pk in place), key=place.__getitem__):
        others = {pk: cosine for pk, cosine in near.pairs[winner].items() if place.get(pk, -1) > place[winner]}
        for other in sorted(others, key=lambda pk: (-(others[pk] or 0.0), place[pk])):
            if winner in gone:
                break
            # Of two projects both hold, whatever they say of each other.
            is_apart = RowScope.of(near.facts[winner]) != RowScope.of(near.facts[other])
            is_settled = is_apart or other in gone or frozenset((winner, other)) in parted
            if is_settled or (changed is not None and winner not in changed and other not in changed):
                continue
            decide_pair(user, near.facts[winner], near.facts[other], others[other], plan, gone, now)
    return plan


def rank_facts(facts: Iterable[Fact], now: datetime) -> list[Fact]:
    """What a person vouches for first, then by confidence and evidence; the earlier one of equals."""

    def weigh(fact: Fact) -> tuple[bool, bool, float, int, datetime, str]:
        by_hand = fact.is_curated or fact.is_confirmed
        believed = round(compute_confidence(fact, now), 6)
        return (not by_hand, fact.bank_item_id is None, -believed, -fact.evidence_count, fact.first_seen, str(fact.pk))

    return sorted(facts, key=weigh)


def decide_pair(
    user: EndUser, winner: Fact, other: Fact, cosine: float | None, plan: PairPlan, gone: set[UUID], now: datetime
) -> None:
    verdict = judge_facts(winner, other, cosine)
    if verdict == "merge":
        decision = PairDecision(winner.pk, other.pk, cosine)
        if is_mergeable(winner, other, now):
            plan.merges.append(decision)
            gone.add(other.pk)
        else:
            plan.reviews.append((decision, ReviewKind.DUPLICATE))
    elif verdict == "unsure":
        plan.reviews.append((PairDecision(winner.pk, other.pk, cosine), ReviewKind.UNSURE))
    elif verdict == "contradiction":
        decide_contradiction(user, *order_by_time(winner, other), cosine, plan, gone)


def judge_facts(one: Fact, other: Fact, cosine: float | None) -> PairVerdict:
    earlier, later = order_by_time(one, other)
    if (
        one.keys == other.keys
        and one.relation not in OPEN_RELATIONS
        and (one.polarity, one.tense) == (other.polarity, other.tense)
    ):
        return "merge"
    verdict = judge_pair(describe_fact(earlier), describe_fact(later), cosine, is_ordered=True)
    if verdict == "merge" and tells_another(earlier, draft_from_fact(later), later.keys):
        return "keep_both"
    return verdict


def order_by_time(one: Fact, other: Fact) -> tuple[Fact, Fact]:
    earlier, later = sorted((one, other), key=lambda fact: (fact.last_seen, fact.first_seen, str(fact.pk)))
    return earlier, later


def is_mergeable(winner: Fact, other: Fact, now: datetime) -> bool:
    """Without asking anybody: of one voice, one category, believed, and not both written by hand."""
    is_apart = winner.trust != other.trust or (other.is_curated or other.is_confirmed)
    if is_apart or (winner.category and other.category and winner.category != other.category):
        return False
    return max(compute_confidence(winner, now), compute_confidence(other, now)) > LEAST_BELIEVED


def decide_contradiction(
    user: EndUser, earlier: Fact, later: Fact, cosine: float | None, plan: PairPlan, gone: set[UUID]
) -> None:
    """By the same gates as when it is told: a verdict alone ended nine of fourteen facts wrongly."""
    draft = draft_from_fact(later)
    # The words first: of 863 such pairs of 3,000 facts hardly one gets further, and each scope takes 2 ms.
    if not may_end(earlier, draft, later.keys, later.thread_id):
        return
    with user_scope(user):
        if not ends_fact(earlier, draft, later.keys, later.thread_id) or is_held_together(user, earlier, later):
            return
    decision = PairDecision(later.pk, earlier.pk, cosine)
    if needs_review(earlier, draft) or earlier.is_confirmed:
        plan.reviews.append((decision, ReviewKind.CONTRADICTION))
    elif later.last_seen - earlier.last_seen <= SAME_TIME:
        plan.undecided.append(decision)
    else:
        plan.endings.append(decision)
        gone.add(earlier.pk)


def is_held_together(user: EndUser, one: Fact, other: Fact) -> bool:
    """Whether both were told in one breath, or a person brought one of them back beside the other."""
    told = FactEvidence.objects.filter(user=user, fact=one).values("ref_id")
    if FactEvidence.objects.filter(user=user, fact=other, ref_id__in=told).exists():
        return True
    return FactEvent.objects.filter(user=user, fact__in=[one, other], kind="restored").exists()


def draft_from_fact(fact: Fact) -> FactDraft:
    return FactDraft(
        fact.statement,
        fact.last_seen,
        fact.base_confidence,
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        lang=fact.lang,
        polarity=fact.polarity,
        tense=cast("ClaimTense", fact.tense),
        replaces=read_statement(fact.statement).replaces,
        trust=Trust(fact.trust),
    )
