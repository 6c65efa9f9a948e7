"""Current before superseded: what is known to have ended stands below what took its place, in every tier.

A memory that told the old value stays and says so. Where the question is about what has changed, the memory that tells
the current value takes its place, even if the question's words find only the old one; a question about the past gets
the past.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.claims.claim import SPEAKER
from memory.claims.questions import AskedFor, read_question
from memory.claims.relations import ABOUT
from memory.facts import queries
from memory.facts.apart import Point, are_of_other_matters
from memory.facts.keys import OPEN_RELATIONS
from memory.inference.base import QuestionVector
from memory.language.exchanges import take_question
from memory.models import EndUser, Fact, FactEvidence
from memory.retrieval.candidates import RowFilter, read_rows
from memory.retrieval.latest import order_former, order_statements, outdates
from memory.retrieval.leeway import OF_KIND
from memory.retrieval.pool import Candidate
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankedCandidate, measure_standings, move
from memory.retrieval.replies import RepliesFound
from memory.retrieval.results import SearchValidity, Superseded
from memory.retrieval.told import ToldStatement, ToldStatements
from memory.retrieval.told_facts import ToldFact, read_told_facts
from memory.retrieval.unrelated import SUPERSEDED, restore_unrelated
from memory.retrieval.voices import lower_other_voices

CURRENT: Final = "current"
ENDED: Final = "ended"
# Candidates whose facts are read: an answer has at most fifty places.
MOST_READ: Final = 50
# Of the sum of a score: how far below its successor a superseded memory stands at least.
STEP: Final = 1.0
ASKED: Final = "asked_fact"
ASKED_WEIGHT: Final = 1.0
LATEST: Final = "latest_told"
FORMER: Final = "former_told"
# The best that are compared by what they say: with four a month lost .03.
COMPARED: Final = 8
# What ranking gives a statement for being one of the person's, and for having been known as ended.
STATEMENT_SHARES: Final = ("about_me", "identity", "change", ASKED)


def apply_validity(
    user: EndUser, query: Query, ranked: list[RankedCandidate], row_filter: RowFilter, vector: QuestionVector | None
) -> SearchValidity:
    """Reorder the candidates by what is known to have ended, or likely has. Returns what to say of it.

    Changes ``ranked`` in place, each share named in its boosts. In the user's scope.
    """
    best = sorted(ranked, key=lambda one: -one.final)[:MOST_READ]
    told = read_told_facts(user, [one.candidate.memory.id for one in best], vector)
    for one in best:
        one.facts = frozenset(fact.fact_id for fact in told.get(one.candidate.memory.id, ()))
    asked = read_question(query.text)
    replies = RepliesFound(query.text, ranked)
    if not (asked.is_past or query.wants_earlier):
        restore_unrelated(best, told)
    if not asked.is_past:
        lift_answers(asked, ranked, told, replies)
    notes = settle_ended(user, asked, best, told, ranked, row_filter)
    # What somebody else says tells nothing of the person, and takes nothing's place.
    others = lower_other_voices(query, ranked)
    own = [one for one in ranked if one not in others]
    doubted = settle_told(user, query, own, notes, told, is_past=asked.is_past)
    if not asked.is_past:
        replies.lift()
    outdated = (one.candidate.memory.id for one in best if one.facts and one.facts <= doubted.keys())
    return SearchValidity(notes, doubted, frozenset(outdated))


def settle_ended(
    user: EndUser,
    asked: AskedFor,
    best: Sequence[RankedCandidate],
    told: dict[UUID, list[ToldFact]],
    ranked: list[RankedCandidate],
    row_filter: RowFilter,
) -> dict[UUID, Superseded]:
    closed_ids = {fact.fact_id for facts in told.values() for fact in facts if fact.is_closed}
    if not closed_ids:
        return {}
    closed = {fact.pk: fact for fact in Fact.objects.for_user(user).filter(pk__in=closed_ids).defer("vector")}
    current = queries.find_current(user, list(closed.values()))
    tellers = find_tellers(user, current.values())
    places = {one.candidate.memory.id: one for one in ranked}
    notes: dict[UUID, Superseded] = {}
    for one in best:
        memory_id = one.candidate.memory.id
        for fact in told.get(memory_id, ()):
            if not fact.is_closed or fact.fact_id not in closed:
                continue
            now_held = current.get(fact.fact_id)
            telling = [teller for teller in tellers.get(now_held.pk, ()) if teller != memory_id] if now_held else []
            notes.setdefault(memory_id, describe(closed[fact.fact_id], now_held, telling))
            if is_asked_about(fact, told[memory_id]) and may_be_asked(fact, asked):
                settle_order(asked, one, telling, places, ranked, row_filter)
    return notes


def lift_answers(
    asked: AskedFor, ranked: Sequence[RankedCandidate], told: dict[UUID, list[ToldFact]], replies: RepliesFound
) -> None:
    """Up for memories that tell a current fact of the very relation that is asked for, of the one it is asked of."""
    asked = resolve_people(asked, told)
    tells = [tells_asked(told.get(one.candidate.memory.id, ()), asked, one, replies) for one in ranked]
    if any(tells):
        lifts = measure_standings(ranked).limit([ASKED_WEIGHT * telling for telling in tells], OF_KIND)
        for one, lift in zip(ranked, lifts, strict=True):
            move(one, one.total + lift, ASKED)


def settle_told(
    user: EndUser,
    query: Query,
    ranked: Sequence[RankedCandidate],
    superseded: Collection[UUID],
    facts: Mapping[UUID, Sequence[ToldFact]],
    *,
    is_past: bool,
) -> dict[UUID, datetime]:
    """Deal the sums of the few best that were said in conversation out anew, by which answers for the time asked.

    Returns the facts of which a later one of these most likely took the place, with when it was said.
    """
    best = sorted(ranked, key=lambda one: -one.total)[: 2 * COMPARED]
    said = [one for one in best if one.candidate.memory.is_spoken][:COMPARED]
    if len({one.candidate.memory.occurred_at for one in said}) < 2:
        return {}
    doubts = queries.read_doubts(user, {fact_id for one in said for fact_id in one.facts})
    told = [describe_told(one, doubts) for one in said]
    totals = [one.total for one in said]
    order = order_former(query.text, told) if is_past else order_statements(query.text, told)
    for total, place in zip(totals, order, strict=True):
        move(said[place], total, FORMER if is_past else LATEST)
    if is_past:
        return {}
    ended_at = {one.candidate.memory.occurred_at for one in said if one.candidate.memory.id in superseded}
    return find_doubted(query.text, told, [facts.get(one.candidate.memory.id, ()) for one in said], ended_at)


def find_doubted(
    question: str, told: Sequence[ToldStatement], facts: Sequence[Sequence[ToldFact]], ended_at: Collection[datetime]
) -> dict[UUID, datetime]:
    """``facts`` are those that each of the statements tells. Doubted is what another outdates in all of its tellers."""
    among = ToldStatements(question, told)
    doubted: dict[UUID, datetime] = {}
    for fact_id, fact in {fact.fact_id: fact for tells in facts for fact in tells}.items():
        pairs = [(one, tells) for one, tells in zip(told, facts, strict=True)]
        tellers = [one for one, tells in pairs if any(other.fact_id == fact_id for other in tells)]
        others = [
            one for one, tells in pairs if one not in tellers and not one.has_ended and may_tell_of(fact, one, tells)
        ]
        later = [other for other in others if all(outdates(among, other, teller, ended_at) for teller in tellers)]
        if later:
            doubted[fact_id] = min(one.said_at for one in later)
    return doubted


def may_tell_of(fact: ToldFact, other: ToldStatement, tells: Sequence[ToldFact]) -> bool:
    """Whether a statement may say what has become of a fact: not if all that it tells is of another matter."""
    known = Point(fact.subject, fact.relation, fact.object, "")
    points = [Point(one.subject, one.relation, one.object, other.text) for one in tells]
    return not all(are_of_other_matters(known, point) for point in points or [Point("", ABOUT, "", other.text)])


def describe_told(one: RankedCandidate, doubts: dict[UUID, set[UUID]]) -> ToldStatement:
    candidate = one.candidate
    return ToldStatement(
        take_question(candidate.memory.text),
        candidate.memory.occurred_at,
        one.total,
        candidate.nearness,
        sum(one.boosts.get(name, 0.0) for name in STATEMENT_SHARES),
        is_published=candidate.memory.is_published,
        is_superseded=SUPERSEDED in one.boosts,
        tells_asked=ASKED in one.boosts,
        has_ended=ENDED in one.boosts,
        facts=frozenset(one.facts),
        doubts=frozenset(older for fact_id in one.facts for older in doubts.get(fact_id, ())),
    )


def resolve_people(asked: AskedFor, told: Mapping[UUID, Sequence[ToldFact]]) -> AskedFor:
    """With the names of whom it asks of: "my partner" is Davide, where one of the memories found tells so."""
    meant = {
        fact.object
        for facts in told.values()
        for fact in facts
        if fact.relation in asked.people and fact.subject == SPEAKER and fact.object and not fact.is_closed
    }
    return replace(asked, subjects=asked.subjects | meant) if meant else asked


def tells_asked(facts: Sequence[ToldFact], asked: AskedFor, one: RankedCandidate, replies: RepliesFound) -> bool:
    """Whether a candidate tells a fact that is asked for. What one without facts replies to is not looked up."""
    is_reply = bool(facts) and replies.answers(one)
    return any(answers(fact, asked, is_reply=is_reply) for fact in facts)


def answers(fact: ToldFact, asked: AskedFor, *, is_reply: bool) -> bool:
    tells = fact.relation in asked.relations or (is_reply and fact.relation == ABOUT)
    tells = tells and asked.may_mean(fact.relation, fact.object)
    if fact.subject == SPEAKER and asked.people and fact.relation not in asked.people:
        # "Where does my partner work" asks nothing of the person's own work.
        return False
    return not fact.is_closed and tells and fact.subject in asked.subjects


def may_be_asked(fact: ToldFact, asked: AskedFor) -> bool:
    """ "Where did I live before?" lifts no former employer, and "which school does Chiara go to?" no new date with her
    dentist, whoever or whatever took their place."""
    return fact.relation in OPEN_RELATIONS or not asked.relations or fact.relation in asked.relations


def find_tellers(user: EndUser, facts: Collection[Fact]) -> dict[UUID, list[UUID]]:
    """The memories that tell facts, by fact: the bank item first, then the latest words.

    Of a fact without a relation, or of an end, the turn comes first: "I no longer have a car" is half of what was said,
    "it's the 47 bus for me" the other.
    """
    found: dict[UUID, list[UUID]] = {fact.pk: [] for fact in facts}
    in_bank = {fact.pk: fact.bank_item_id for fact in facts if fact.bank_item_id}
    for fact in facts:
        if fact.pk in in_bank and fact.relation not in OPEN_RELATIONS and fact.tense != "over":
            found[fact.pk].append(in_bank[fact.pk])
    rows = FactEvidence.objects.filter(user=user, fact_id__in=list(found), stance=1, memory_id__isnull=False)
    for fact_id, memory_id in rows.order_by("-occurred_at", "-pk").values_list("fact_id", "memory_id"):
        if memory_id is not None and memory_id not in found[fact_id]:
            found[fact_id].append(memory_id)
    for fact_id, item_id in in_bank.items():
        if item_id not in found[fact_id]:
            found[fact_id].append(item_id)
    return found


def describe(closed: Fact, current: Fact | None, telling: Sequence[UUID]) -> Superseded:
    statement = current.statement if current is not None else ""
    return Superseded(
        current.pk if current is not None else closed.pk, statement, closed.valid_to, telling[0] if telling else None
    )


def is_asked_about(fact: ToldFact, beside: Sequence[ToldFact]) -> bool:
    """Whether the question is about this fact, and not about another that the same memory tells and that still holds.

    "I live in Leeds and have a dog, Rex" answers a question about the dog whatever became of Leeds.
    """
    holding = [other for other in beside if not other.is_closed]
    if not holding:
        return True
    if fact.cosine is None:
        return False
    return all(other.cosine is None or fact.cosine >= other.cosine for other in holding)


def settle_order(
    asked: AskedFor,
    ended: RankedCandidate,
    telling: Sequence[UUID],
    places: dict[UUID, RankedCandidate],
    ranked: list[RankedCandidate],
    row_filter: RowFilter,
) -> None:
    """Put what holds above what has ended; the other way round where the past is asked for."""
    current = [places[memory_id] for memory_id in telling if memory_id in places]
    if not current and telling and not asked.is_past:
        current = add_unfound(telling, places, ranked, row_filter)
    if not current:
        return
    best = current[0]
    if asked.is_past:
        move(ended, max(ended.total, best.total + STEP), ENDED)
        return
    top = max(best.total, ended.total)
    move(best, top, CURRENT)
    move(ended, min(ended.total, top - STEP), ENDED)


def add_unfound(
    telling: Sequence[UUID], places: dict[UUID, RankedCandidate], ranked: list[RankedCandidate], row_filter: RowFilter
) -> list[RankedCandidate]:
    """Add what holds now in the place of what was found, where the question's words did not find it."""
    rows = {memory.id: memory for memory in read_rows(row_filter, telling, ())}
    for memory_id in telling:
        if memory_id in rows:
            added = RankedCandidate(Candidate(rows[memory_id]), 0.0, 0.0)
            places[memory_id] = added
            ranked.append(added)
            return [added]
    return []
