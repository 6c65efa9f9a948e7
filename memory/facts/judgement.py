"""Holds a new statement against what is known: what says the same, what it ends, what is unclear."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, cast
from uuid import UUID

from django.db import connection

from memory.access.confinement import RowScope
from memory.claims.claim import SPEAKER
from memory.claims.constraints import CONSTRAINT
from memory.claims.dates.arrangements import TIME
from memory.claims.dates.beginnings import begins_later
from memory.claims.health.doses import read_changed_dose
from memory.claims.relations import is_single_valued
from memory.claims.taxonomy import PARTNERS
from memory.facts.apart import (
    TAKES,
    are_apart,
    are_unrelated,
    ends_another_matter,
    fills_another_slot,
    is_another_medicine,
    tell_apart,
)
from memory.facts.diets import ends_diet
from memory.facts.displacing import moves_arrangement
from memory.facts.drafts import FactDraft
from memory.facts.evidence import FactOrigin
from memory.facts.keys import OPEN_RELATIONS, digest_fact, fold_key
from memory.facts.nearest import find_candidates, find_in_slot
from memory.facts.pairs import PairStatement, PairVerdict, judge_pair
from memory.facts.pairs.likelihood import adds_another
from memory.facts.queries import AskedSlot, ToldSlot, current_look_up
from memory.facts.replacement import KEPT, EarlierStatement, estimate_all
from memory.facts.succession import (
    ends_state,
    is_axis_over,
    is_lasting_tie,
    is_spared,
    may_end,
    names_matter,
    tells_birth,
)
from memory.language.analysis import extract_terms
from memory.models import EndUser, Fact

if TYPE_CHECKING:
    from memory.claims.claim import ClaimTense

ENDED: Final = "over"
DOSE: Final = "takes_dose"
AGE: Final = "age"
# "Meine Freundin" is either.
FRIEND: Final = "friend_of"
NUMBER: Final = re.compile(r"\d{1,5}(?:\.\d{1,3})?")
# What limits somebody and may be several at once.
SEVERAL_LIMITS: Final = frozenset({"allergic_to", "intolerant_to", "takes", "has_condition"})
# Once for all that is asked of it.
TOLD_WITH: Final = """
SELECT relation, subject_key, object_key FROM fact
WHERE user_id = %s AND md5(statement) = md5(%s) AND statement = %s AND id <> %s
"""


@dataclass(slots=True)
class JudgedFacts:
    """The candidates by verdict, with the cosine each was judged by."""

    same: list[tuple[Fact, float | None]] = field(default_factory=list)
    contradicting: list[tuple[Fact, float | None]] = field(default_factory=list)
    unsure: list[tuple[Fact, float | None]] = field(default_factory=list)
    # What the statement likely replaces, though not surely enough to end it.
    doubted: list[tuple[Fact, float | None]] = field(default_factory=list)
    # What a remark likely speaks of, though not likely enough to end it.
    about: Fact | None = None


def judge_candidates(
    user: EndUser,
    draft: FactDraft,
    keys: tuple[str, str, str],
    beside: Collection[UUID],
    origin: FactOrigin,
) -> JudgedFacts:
    """``beside`` are facts of the same sentence, which are not held against each other."""
    return judge_compared(draft, keys, beside, origin, find_compared(user, draft, keys, origin.scope))


def judge_compared(
    draft: FactDraft,
    keys: tuple[str, str, str],
    beside: Collection[UUID],
    origin: FactOrigin,
    compared: Sequence[tuple[Fact, float | None]],
) -> JudgedFacts:
    """Sort known facts by what a statement is to each: the same, its successor, a contradiction, or nothing."""
    judged = JudgedFacts()
    compared = [pair for pair in compared if pair[0].pk not in beside and not denies_another(pair[0], draft, keys)]
    if not compared:
        # Most of what is told for the first time: reading its sentence took a sixteenth of the turn.
        return judged
    told = describe_draft(draft)
    # "I joined a second gym", whatever else its words announce.
    adds_one = adds_another(told)
    # "From January it'll be Thursday": until then it is what it was.
    is_ahead = begins_later(draft.statement, draft.occurred_at)
    others: list[tuple[Fact, float | None]] = []
    for fact, cosine in compared:
        verdict = judge_fact(fact, draft, told, keys, cosine)
        if is_ahead and verdict != "unrelated" and fold_key(fact.statement) != fold_key(draft.statement):
            verdict = "keep_both"
        if verdict == "merge":
            judged.same.append((fact, cosine))
            continue
        others.append((fact, cosine))
        if draft.is_turn:
            continue
        # "Como pescado otra vez" adds no other fish, "nasceu na segunda" no second one.
        is_added = adds_one and not (ends_diet(fact, draft) or tells_birth(fact, draft))
        if verdict == "contradiction" and not is_added and ends_fact(fact, draft, keys, origin.thread_id):
            judged.contradicting.append((fact, cosine))
        elif verdict == "unsure":
            judged.unsure.append((fact, cosine))
    if not (judged.same or judged.contradicting):
        judge_likely(judged, others, draft, told, keys, origin.thread_id)
    if is_ahead:
        spare_present(judged)
    return judged


def denies_another(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """ "I don't live in Leeds" says nothing of a home in York, nor that of it."""
    is_one_slot = (fact.subject_key, fact.relation) == (keys[0], draft.relation) and is_single_valued(draft.relation)
    is_other = set(fact.object_key.split()).isdisjoint(keys[2].split())
    return is_one_slot and is_other and fact.polarity != draft.polarity and draft.tense == fact.tense == "present"


def spare_present(judged: JudgedFacts) -> None:
    """What it will take the place of it speaks of already, but neither ends nor casts doubt on."""
    judged.about = judged.about or next((fact for fact, _ in judged.contradicting), None)
    judged.contradicting.clear()
    judged.doubted.clear()


def find_compared(
    user: EndUser, draft: FactDraft, keys: tuple[str, str, str], scope: RowScope
) -> list[tuple[Fact, float | None]]:
    """What a statement is compared with. A quick one with its own slot alone: of fifty things a person likes nothing
    was found, and comparing with each took 15 ms of the hot path's 30."""
    if not draft.is_quick:
        return find_candidates(user, draft.relation, keys[0], draft.vector, draft.model, scope)
    found = current_look_up()
    known = found.facts.get(name_slot(draft, keys)) if found is not None else None
    if known is not None:
        return [(fact, None) for fact in known]
    return find_in_slot(user, keys, scope, holds_one=holds_one(draft))


def name_slot(draft: FactDraft, keys: tuple[str, str, str]) -> AskedSlot:
    return AskedSlot(keys, digest_fact(*keys, draft.statement), draft.occurred_at, holds_one(draft))


def holds_one(draft: FactDraft) -> bool:
    """Whether another value of the slot may end by it."""
    is_change = draft.tense != "present" or draft.is_correction or bool(draft.replaces)
    return is_change or is_single_valued(draft.relation)


def judge_likely(
    judged: JudgedFacts,
    others: Sequence[tuple[Fact, float | None]],
    draft: FactDraft,
    told: PairStatement,
    keys: tuple[str, str, str],
    thread: str,
) -> None:
    """Add what the statement likely replaces beyond the judge's verdict: the likeliest alone."""
    others = [
        pair for pair in others if not (are_unrelated(pair[0], draft, keys) or ends_another(pair[0], draft, keys))
    ]
    earlier = [
        EarlierStatement(describe_fact(fact), fact.last_seen, bool(thread) and fact.thread_id == thread, cosine)
        for fact, cosine in others
    ]
    likely = estimate_all(earlier, told, draft.occurred_at, draft.turn)
    best = max(range(len(others)), key=lambda place: likely[place].chance, default=None)
    if best is None:
        return
    if draft.is_remark:
        nearest = max(range(len(others)), key=lambda place: likely[place].matter)
        judged.about = others[nearest][0] if likely[nearest].matter >= KEPT else None
    fact = others[best][0]
    if is_number_alone(draft) and leaves_limit(fact, draft):
        return
    is_ended = likely[best].ends and not draft.is_turn
    if is_ended and may_likely_end(fact, draft, keys) and (fact.relation == draft.relation or is_alone(fact)):
        judged.contradicting.append(others[best])
        judged.about = None
    elif likely[best].is_doubtful:
        judged.doubted.append(others[best])


def may_likely_end(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """What is over ends the value it names, and kin never: "stopped the aspirin" ended the ramipril beside it."""
    if is_spared(fact, draft, keys) or is_lasting_tie(fact, draft) or spares_limits(fact, draft):
        return False
    if fills_another_slot(fact, draft, keys):
        return False
    return draft.tense != "over" or names_matter(fact, draft)


def spares_limits(fact: Fact, draft: FactDraft) -> bool:
    """Whether the fact limits somebody and goes on, however surely the draft ends something."""
    # "Elvanse is 50 mg now" ends no taking of it.
    is_dose_alone = fact.relation == TAKES and draft.relation == DOSE
    return is_dose_alone or leaves_limit(fact, draft) or spares_unnamed(fact, draft)


def leaves_limit(fact: Fact, draft: FactDraft) -> bool:
    """What limits somebody, a medicine or an allergy, goes on unless the words name it or say that something is over:
    "no wait, 4" of a recipe took the insulin that was told before it."""
    is_limit = fact.category == CONSTRAINT and draft.relation in OPEN_RELATIONS and draft.tense != ENDED
    return is_limit and not names_matter(fact, draft) and not is_axis_over(fact, draft)


def spares_unnamed(fact: Fact, draft: FactDraft) -> bool:
    """Of several allergies or medicines in one sentence only those end that are named: "I'm not allergic to nuts any
    more" took the latex with it. The sentence itself tells the others still."""
    if draft.tense != ENDED:
        return False
    if fact.relation in OPEN_RELATIONS:
        return any(one.relation in SEVERAL_LIMITS for one in list_told_with(fact))
    # A word alone is of another language than its sentence as often as not, and its stem another.
    said = set(fold_key(draft.statement).split()) | set(fold_key(draft.object).split())
    terms = set(extract_terms(fact.object)) & set(extract_terms(draft.statement))
    is_named = bool(terms or said & set(fact.object_key.split()))
    return fact.relation in SEVERAL_LIMITS and not is_named and not is_alone(fact)


def ends_another(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    return is_another_medicine(fact, draft) or ends_another_matter(fact, draft, keys)


def is_number_alone(draft: FactDraft) -> bool:
    return read_changed_dose(draft.statement, draft.lang or "en") is not None


def is_alone(fact: Fact) -> bool:
    """Whether its sentence told nothing else: of several facts in one, nothing but the slot tells which is meant."""
    return not list_told_with(fact)


def list_told_with(fact: Fact) -> list[ToldSlot]:
    """What else its sentence told, whatever became of it since. In the user's scope."""
    found = current_look_up()
    if found is not None and (known := found.beside.get((fact.pk, fact.statement))) is not None:
        return known
    with connection.cursor() as cursor:
        cursor.execute(TOLD_WITH, [fact.user_id, fact.statement, fact.statement, fact.pk])
        return [ToldSlot(*row) for row in cursor.fetchall()]


def ends_fact(fact: Fact, draft: FactDraft, keys: tuple[str, str, str], thread_id: str) -> bool:
    """Whether a statement that something is over or new ends this fact."""
    # "My brother no longer works at Tesco" is of him alone.
    if draft.tense == ENDED and draft.relation not in OPEN_RELATIONS and fact.subject_key != keys[0]:
        return False
    # "Dr Shaw took me off the naproxen" ends the naproxen, and not whoever said so.
    if draft.tense == ENDED and fills_another_slot(fact, draft, keys):
        return False
    if ends_another(fact, draft, keys) or spares_limits(fact, draft) or not may_end(fact, draft, keys, thread_id):
        return False
    if moves_arrangement(fact, draft):
        return True
    beside = list_told_with(fact)
    # What "my brother and I" have in common each of us ends for themselves: "er hat gekündigt" leaves me my work.
    is_shared = any((one.relation, one.value) == (fact.relation, fact.object_key) for one in beside)
    if is_shared and (fact.subject_key == SPEAKER) != (keys[0] == SPEAKER):
        return False
    # "Tilda isn't vegan" ends nothing of the person's own that was told in one sentence with Tilda's diet.
    if fact.subject_key != keys[0] and any(one.subject == keys[0] for one in beside):
        return False
    if fact.relation == draft.relation or draft.relation in OPEN_RELATIONS:
        return True
    # "I live in York now" ends Leeds, and nothing of the dog that was named in the same sentence.
    return all(one.relation != draft.relation for one in beside)


def judge_fact(
    fact: Fact, draft: FactDraft, told: PairStatement, keys: tuple[str, str, str], cosine: float | None
) -> PairVerdict:
    is_same_slot = draft.relation not in OPEN_RELATIONS and fact.keys == keys
    if is_same_slot and fact.polarity == draft.polarity and (fact.tense == ENDED) == (draft.tense == ENDED):
        return "merge"
    # "Mein Arzt hat das Ramipril abgesetzt": the very value is over, in whatever words.
    is_named = is_same_slot or has_same_time(fact, keys[2], keys)
    if is_named and draft.tense == ENDED and fact.polarity and fact.last_seen <= draft.occurred_at:
        return "contradiction"
    if takes_place(fact, draft, keys) or parts_with(fact, draft, keys):
        return "contradiction"
    if ends_state(fact, draft):
        return "contradiction"
    # The judge is told which was said first: what came in late, as from an import, is the earlier one, and what was
    # said again since is the later one.
    known = describe_fact(fact)
    pair = (known, told) if fact.last_seen <= draft.occurred_at else (told, known)
    verdict = judge_pair(*pair, cosine, is_ordered=True)
    return "keep_both" if verdict == "merge" and tells_another(fact, draft, keys) else verdict


def tells_another(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether they are two facts though their sentences say the same, or are one: "my sister Inès is pregnant"."""
    is_dose = DOSE in {fact.relation, draft.relation} and fact.relation != draft.relation
    return is_dose or are_apart(fact, draft, keys) or tell_apart(fact, draft, keys)


def parts_with(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether a couple's end names whom the fact tells, whatever they were called: girlfriend, Freundin, fiancé."""
    if draft.tense != ENDED or draft.relation not in PARTNERS or fact.relation not in PARTNERS | {FRIEND}:
        return False
    is_held = fact.subject_key == keys[0] and fact.polarity and fact.last_seen <= draft.occurred_at
    is_named = bool(set(fact.object_key.split()) & set(keys[2].split()))
    return is_held and (is_named or (not keys[2] and fact.relation == draft.relation))


def takes_place(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """Whether the draft announces another value of a slot that holds one: a new home, whatever else its sentence tells.

    Its words decide nothing then: "with my husband", "because of work" made two people and two contexts of one move.
    """
    old = fold_key(draft.replaces)
    if old and draft.tense == "new" and (fact.object_key == old or has_same_time(fact, old, keys)):
        # "It's on Wednesdays now" was read as in the place of Tuesdays.
        is_held = fact.polarity and fact.tense != ENDED and fact.last_seen <= draft.occurred_at
        return is_held and (fact.subject_key, fact.relation) == keys[:2]
    is_slot = is_single_valued(draft.relation) and (fact.subject_key, fact.relation) == keys[:2]
    if is_slot and draft.relation in {DOSE, AGE} and draft.polarity and fact.polarity:
        # One medicine has one dose, whatever verb raised it, and one is as old as was said last.
        return list_numbers(fact.object) != list_numbers(draft.object) and fact.last_seen <= draft.occurred_at
    if not is_slot or draft.tense != "new" or fact.polarity != draft.polarity or fact.tense == ENDED:
        return False
    known, told = set(fact.object_key.split()), set(keys[2].split())
    return bool(known and told) and known.isdisjoint(told) and fact.last_seen <= draft.occurred_at


def has_same_time(fact: Fact, time: str, keys: tuple[str, str, str]) -> bool:
    """Whether a fact is of a time that an earlier turn was read for the day of: "3" of "3. November"."""
    is_slot = fact.relation == TIME and (fact.subject_key, fact.relation) == keys[:2]
    return is_slot and bool(time) and fact.object_key.split()[: len(time.split())] == time.split()


def list_numbers(spoken: str) -> list[str]:
    return NUMBER.findall(spoken.replace(",", "."))


def describe_fact(fact: Fact) -> PairStatement:
    return PairStatement(
        fact.statement,
        fact.subject,
        fact.relation,
        fact.object,
        fact.polarity,
        cast("ClaimTense", fact.tense),
        fact.lang,
    )


def describe_draft(draft: FactDraft) -> PairStatement:
    return PairStatement(
        draft.statement,
        draft.subject,
        draft.relation,
        draft.object,
        draft.polarity,
        draft.tense,
        draft.lang,
        draft.replaces,
    )
