"""Diets that end by what somebody eats again: "I've started eating meat again" of a vegetarian."""

from typing import Final

from memory.claims.health.diets import EATS, FOODS, LEAVES_OUT, name_kinds, says_again
from memory.facts.drafts import FactDraft
from memory.facts.keys import fold_key
from memory.models import Fact

DIET: Final = "diet"


def ends_diet(fact: Fact, draft: FactDraft) -> bool:
    """Whether the draft tells that somebody eats again what their diet leaves out."""
    # Of "אני שוב אוכלת בשר" the verb is that of a diet.
    if not {draft.relation, fact.relation} <= {DIET, EATS} or not draft.polarity or draft.tense == "over":
        return False
    is_theirs = fact.subject_key == fold_key(draft.subject) and fact.last_seen <= draft.occurred_at
    # "I eat fish now" says so as well as "again".
    if not is_theirs or not (draft.tense == "new" or says_again(draft.statement)):
        return False
    eaten = name_kinds(draft.object, FOODS)
    if not fact.polarity:
        # "I don't eat meat".
        return bool(eaten & name_kinds(fact.object, FOODS))
    diets = name_kinds(fact.object, LEAVES_OUT) if fact.relation == DIET else ()
    return any(eaten & LEAVES_OUT[diet] for diet in diets)
