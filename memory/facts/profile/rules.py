"""Makes profile facts of the claims in a message: which of them the bank keeps, under which field, in which words.

What a clause claims is read in `memory.claims`; here it is decided what lasts and concerns the person. Precision comes
before recall: a wrong fact is worse than a missed one, and every statement passes the bank's guard. A request to
remember is kept whatever its grammar, unless the guard refuses it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims import Claim, read_claims
from memory.claims.relations import ABOUT, is_meant
from memory.claims.sentences import READ
from memory.claims.subjects import STRANGERS, is_person
from memory.claims.taxonomy import DEPARTING
from memory.facts.profile.completion import complete_statement
from memory.facts.profile.facts import Certainty, ProfileFact, ProfileField
from memory.facts.profile.turns import find_told_turn
from memory.guard import find_order, find_refusal, find_secret, judge_write
from memory.language.loader import read_entries
from memory.tiers import Trust

__all__ = ["LONGEST", "MOST_FACTS", "READ", "find_facts_by_rules"]

MOST_FACTS = 12
LONGEST = 300
# People of whom a fact is nobody's business unless it touches the person.
# What the guard holds of a sentence by its words alone, though the clause claims something: 15 of 79 new values.
REWORDED: Final = frozenset({"passing state", "raw turn", "world knowledge", "gossip"})

FIELDS: Final[dict[str, ProfileField]] = {
    "name": "name",
    "style": "communication_style",
    "learning": "learning_goals",
    "studies": "learning_goals",
    "works_at": "work_context",
    "works_as": "work_context",
    "reports_to": "colleagues",
    "boss": "colleagues",
    "colleague": "colleagues",
    "project": "projects",
    "goal": "goals",
    "struggles_with": "challenges",
    "interest": "interests",
    "hobby": "interests",
    "likes": "preferences",
    "dislikes": "preferences",
    "diet": "preferences",
    "values": "values",
    "friend_of": "family",
}
CATEGORY_FIELDS: Final[dict[str, ProfileField]] = {
    "name": "name",
    "manner style": "communication_style",
    "learning": "learning_goals",
    "work": "work_context",
    "projects": "projects",
    "goals": "goals",
    "technical": "technical_skills",
    "creative": "creative_skills",
    "challenges": "challenges",
    "interests": "interests",
    "identity": "identity",
    "preferences": "preferences",
    "family": "family",
    "colleagues": "colleagues",
    "values": "values",
}


def find_facts_by_rules(
    message: str,
    previous: Sequence[str] = (),
    *,
    requests_only: bool = False,
    with_remarks: bool = False,
    asked: str = "",
    lead: str = "",
) -> list[ProfileFact]:
    """The profile facts of a message, each as a sentence of its own. ``previous`` are the person's last turns.

    ``with_remarks``: also sentences that claim nothing, of low certainty: worth keeping only where they change a fact.
    ``asked`` is what the assistant asked back, and ``lead`` the talk that led to it.
    """
    found: dict[str, ProfileFact] = {}
    claims = read_claims(message, previous, with_remarks=with_remarks, asked=asked, lead=lead)
    for claim in claims:
        if requests_only and not claim.is_request:
            continue
        statement = word_statement(claim)
        whole = complete_statement(claim, statement, message[:READ], LONGEST, claims)
        statement = whole if is_taken(claim, whole) else statement
        if len(statement) > LONGEST or claim.hedged or is_of_strangers(claim):
            continue
        key = statement.casefold()
        if first := found.get(key):
            found[key] = replace(first, claims=(*first.claims, claim))
        elif is_taken(claim, statement):
            found[key] = ProfileFact(choose_field(claim), statement, choose_confidence(claim), Trust.USER, (claim,))
    kept = join_contained(list(found.values()))[:MOST_FACTS]
    turn = find_told_turn(message, asked, lead) if with_remarks else None
    return kept if turn is None else add_turn(kept, turn)


def add_turn(found: list[ProfileFact], turn: ProfileFact) -> list[ProfileFact]:
    """Beside what was found, unless that is all of it: a remark is then meant, however slight it sounds."""
    same = next((one for one in found if one.statement.casefold() == turn.statement.casefold()), None)
    if same is None:
        return [*found, turn]
    meant = replace(same, claims=tuple(replace(claim, is_sure=True) for claim in same.claims))
    return [meant if one is same and is_remark(one) else one for one in found]


def join_contained(found: Sequence[ProfileFact]) -> list[ProfileFact]:
    """A statement that goes on in a clause of no relation is told with it: of "Dr Lohse has left, I'm with Dr Ash now"
    the bank kept the first half, as the second said the same and more."""
    kept = list(found)
    for whole in found:
        if is_remark(whole):
            continue
        is_free = all(claim.relation == ABOUT for claim in whole.claims)
        inside = (one for one in kept if one is not whole and is_within(one.statement, whole.statement))
        # What is over is told with what takes its place, whatever that fills, as is what became of whoever was boss.
        part = next((one for one in inside if is_free or all(map(is_told_with, one.claims))), None)
        if part is not None and whole in kept:
            kept[kept.index(part)] = replace(part, statement=whole.statement, claims=(*part.claims, *whole.claims))
            kept.remove(whole)
    return kept


def is_told_with(claim: Claim) -> bool:
    return claim.tense == "over" or claim.relation == ABOUT


def is_within(part: str, whole: str) -> bool:
    return len(part) < len(whole) and part.rstrip(".").casefold() in whole.casefold()


def is_remark(found: ProfileFact) -> bool:
    return all(claim.is_remark for claim in found.claims)


def word_statement(claim: Claim) -> str:
    """A statement in the person's words, or, where the bank takes those for a turn of talk, as told of the person.

    The reader has already set apart what is said in passing, so only what the guard holds trivial is worded anew, and
    only what names its relation or a change: what holds a secret, an order or a joke stays as it is, so that the guard
    sees it plainly.
    """
    refusal = find_refusal(claim.statement)
    is_sure = claim.relation != ABOUT or claim.tense != "present"
    if is_meant(claim) or refusal is None or not is_sure:
        return claim.statement
    # Never what the guard's classifier takes for harmful: told as the person's words it might pass.
    if refusal.rule not in REWORDED or find_secret(claim.statement) or find_order(claim.statement):
        return claim.statement
    worded = (f"{teller}: {claim.statement}" for teller in read_entries(claim.lang or "en", "claims", "reported"))
    return next((text for text in worded if find_refusal(text) is None), claim.statement)


def is_taken(claim: Claim, statement: str) -> bool:
    """What somebody asks to be remembered is kept unless it plainly does harm; the rest must be beyond suspicion."""
    if claim.is_request:
        return judge_write(statement, is_requested=True).refusal is None
    # "I meant Faro, not Loulé" sounds like talk, but puts right what is known.
    # So does "ahora está una tal Vanesa" of a new boss.
    is_exchanged = claim.tense != "present" and claim.relation in DEPARTING
    is_told = is_meant(claim) or is_exchanged or (claim.is_correction and bool(claim.replaces))
    return judge_write(statement, is_requested=is_told).objection is None


def is_of_strangers(claim: Claim) -> bool:
    return claim.category == STRANGERS or claim.relation == "neighbor"


def choose_field(claim: Claim) -> ProfileField:
    field = CATEGORY_FIELDS.get(claim.category) or FIELDS.get(claim.relation)
    if field == "goals":
        return choose_goal(claim.time)
    if field is not None:
        return field
    return "family" if is_person(claim.relation) else "identity"


def choose_goal(reach: str) -> ProfileField:
    return "long_term_goals" if reach == "far" else "short_term_goals" if reach == "near" else "goals"


def choose_confidence(claim: Claim) -> Certainty:
    if claim.is_remark:
        return "low"
    # What names no relation, or only an end, says little by itself: the turn it was said in says more.
    if (claim.relation == ABOUT or claim.tense == "over") and not claim.is_request:
        return "fair"
    return "medium" if choose_field(claim) in {"family", "colleagues", "challenges", "projects"} else "high"
