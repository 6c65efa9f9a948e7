"""Whether a turn that is read again, or on, was counted for a fact already."""

from collections.abc import Sequence
from copy import copy
from typing import Final

from django.db import connection

from memory.facts.drafts import FactDraft
from memory.facts.judgement import describe_draft, judge_fact
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.nearest import measure_cosines
from memory.facts.pairs import PairStatement
from memory.facts.queries import FoundSlots
from memory.facts.readings import was_read_so
from memory.models import EndUser, Fact

# What a statement limits is told though the same turn said half of it before.
LIMITING: Final = frozenset({"allergic_to", "has_condition", "takes", "diet"})
FIND_REWORDED: Final = """
SELECT before->>'statement' FROM fact_event
WHERE user_id = %s AND fact_id = %s AND kind = 'reworded' AND after->>'statement' = %s ORDER BY id DESC LIMIT 1
"""


def find_known(user: EndUser, draft: FactDraft, keys: tuple[str, str, str], told_with: Sequence[Fact]) -> Fact | None:
    """The fact this very turn was read into before, whatever became of it since."""
    for fact in told_with:
        if is_same_fact(fact, draft, keys):
            merged = Fact.objects.for_user(user).filter(pk=fact.merged_into) if fact.merged_into else None
            return (merged.first() if merged is not None else None) or fact
    return None


def find_told(
    user: EndUser,
    draft: FactDraft,
    keys: tuple[str, str, str],
    told_with: Sequence[Fact],
    found: FoundSlots,
) -> Fact | None:
    """The fact this very turn was counted for though it says it in other words, active or not by now."""
    if not told_with:
        return None
    told = describe_draft(draft)
    cosines = measure_cosines(user, draft.vector, draft.model, [fact.pk for fact in told_with])
    for fact in told_with:
        if fact.relation in OPEN_RELATIONS and draft.relation in LIMITING and fact.statement != draft.statement:
            # "The dog takes apoquel, and is allergic to chicken" is no repetition of its first half.
            is_told = False
        elif fact.statement != draft.statement:
            is_told = judge_fact(fact, draft, told, keys, cosines.get(fact.pk)) == "merge"
        elif draft.relation in OPEN_RELATIONS:
            is_told = (fact.subject_key, fact.relation) == keys[:2]
        else:
            # Those that the turn added stand in the words that they were told in.
            has_taken = fact.pk not in found.fresh and has_taken_wording(fact, draft, told, keys, found)
            is_told = has_taken or was_read_so(fact, draft.relation)
        if is_told:
            return fact
    return None


def has_taken_wording(
    fact: Fact, draft: FactDraft, told: PairStatement, keys: tuple[str, str, str], found: FoundSlots
) -> bool:
    """Whether the fact has the turn's wording because it was merged: by the wording before it says the same.

    Another fact of the same sentence has that wording too, and says something else.
    """
    before = found.reworded.get(fact.pk) or find_wording_before(fact)
    if before is None:
        return False
    earlier = copy(fact)
    earlier.statement = before
    return judge_fact(earlier, draft, told, keys, None) == "merge"


def find_wording_before(fact: Fact) -> str | None:
    with connection.cursor() as cursor:
        cursor.execute(FIND_REWORDED, [fact.user_id, fact.pk, fact.statement])
        row = cursor.fetchone()
    return str(row[0]) if row is not None else None


def is_same_fact(fact: Fact, draft: FactDraft, keys: tuple[str, str, str]) -> bool:
    """By its slot and value; a fact of no slot, by its words."""
    if fact.keys != keys:
        return False
    return draft.relation not in OPEN_RELATIONS or fold_key(fact.statement) == fold_key(draft.statement)
