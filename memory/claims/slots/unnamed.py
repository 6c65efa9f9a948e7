"""What is told of somebody or something by words that are no name: "my mum fell", "mein Auto ist kaputt"."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.participles import is_participle
from memory.claims.frames.phrases import VERBAL
from memory.claims.frames.tokens import read_hot_tokens
from memory.claims.frames.words import load_hot_words
from memory.claims.relations import ABOUT, free_claim
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import find_known_noun, is_predicate_word
from memory.claims.taxonomy import ANIMALS, KIN, PARTNERS, PEOPLE
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name, fold_text
from memory.language.hebrew import is_hebrew
from memory.language.loader import list_codes, read_entries
from memory.language.names import load_given_names

NAMED: Final = PEOPLE | {"married_to"}
# What has a name or a make.
MADE: Final = frozenset({"car", "motorbike", "bike", "boat", "phone", "laptop"})
CALLED: Final = NAMED | ANIMALS | MADE
CLIPPED_IS: Final = re.compile(r"['\u2019]s ")
# The owner with whom a clause ends: "my dad's".
OWNER_LAST: Final = re.compile(r"\bmy (?:\w+ )?(\w+)['\u2019]s\s*(?:[.,;:!?)]|$)", re.IGNORECASE)
# "Is", of all languages that write small letters.
LINK: Final = re.compile(r"(?:['\u2019]s|\b(?:is|are|ist|sind|est|sont|es|está|son|están|è|é|sono|são|está|estão)) $")
# "My mum was hurt": nobody was called so for a while.
WAS: Final = re.compile(r"\b(?:was|were|war|waren|était|étaient|estaba|estaban|era|erano|estava|estavam) $")
# Words before a verb whose subject is a noun of the person's: "and our old car".
BEFORE_A_VERB: Final = 4
# A value that no mark sets apart from its noun, or from what follows.
BESIDE: Final = re.compile(r"\w [ .!]?")
# How such adjectives begin in the languages of the product.
ALLERGIC: Final = ("allerg", "alérg", "intoler", "intoller", "intolér", "אלרג", "רגיש")
WORD: Final = re.compile(r"[^\W_]+")


def settle_named(claim: Claim, *, has_capitals: bool) -> Claim | None:
    """What is told of somebody by words that are no name of theirs; None where they are."""
    if claim.relation in ANIMALS and names_end(claim):
        return replace(claim, object="", tense="over", polarity=False)
    # "Mein Vater ist gestorben": kin stay kin.
    is_death = claim.relation in KIN - PARTNERS and names_end(claim)
    if is_death or tells_deed(claim) or tells_state(claim, has_capitals=has_capitals) or names_person(claim):
        if claim.relation in MADE:
            # What is the person's own, as it would be told of their boiler.
            return free_claim(claim)
        whose = claim.relation if claim.subject == SPEAKER else claim.subject
        stated = replace(claim, subject=whose, relation=ABOUT, polarity=True)
        return replace(stated, tense="present") if is_death else stated
    return None


def names_person(claim: Claim) -> bool:
    """ "My boss is a young woman": what anybody is is nobody's name, and no trade. "Guy" with a capital is one."""
    at = claim.statement.casefold().find(claim.object)
    words = WORD.findall(claim.statement[at : at + len(claim.object)] if at >= 0 else claim.object)
    # "Ein netter Kerl": where nouns have capitals, the adjective has none.
    is_said = claim.lang == "de" and any(word[0].islower() for word in words)
    spoken = {fold_letters(word) for word in words if is_said or word[0].islower() or is_hebrew(word)}
    return not spoken.isdisjoint(load_words(claim.lang or "en", "person word"))


def names_end(claim: Claim) -> bool:
    """ "Notre chien est mort": that is not what the dog is called."""
    said, value = f" {fold_letters(claim.statement)} ", fold_letters(claim.object)
    phrases = (fold_letters(one) for one in read_entries(claim.lang or "en", "frames", "parting"))
    found = (one for one in phrases if f" {one}" in said)
    return bool(value) and any(one.split()[-1] == value or f"{value} ".startswith(f"{one} ") for one in found)


def tells_state(claim: Claim, *, has_capitals: bool) -> bool:
    """ "My boss is vegetarian", "mon mari est au chômage": how somebody is, and not how they are called."""
    words = WORD.findall(claim.object)
    at = claim.statement.casefold().find(claim.object)
    if not words or at < 0 or any(fold_name(word) in load_given_names() for word in words):
        return False
    if is_hebrew(words[0]) and is_predicate_word(words[0], claim.lang):
        # "הבוס שלי לא אוכל חזיר".
        return True
    was = WAS.search(claim.statement[:at]) is not None
    is_said = was or LINK.search(claim.statement[:at]) is not None or claim.statement[:at].endswith(", ")
    if not is_said or not claim.statement[at].islower():
        return False
    if claim.relation in MADE and fold_letters(words[0]) in load_words(claim.lang or "en", "prep", "frames"):
        # "In the garage till Tuesday": where the car is answers what is asked of the car.
        return False
    behind = WORD.search(claim.statement, at + len(claim.object))
    if behind is not None and fold_letters(behind[0]) in load_words(claim.lang or "en", "prep", "frames"):
        # "Mio figlio è finito in ospedale": a participle is no name.
        return True
    is_diet = is_listed(claim.object, "diet word")
    language = claim.lang or "en"
    is_known = was or claim.relation in MADE or is_participle(words[0], language)
    # "My mum's poorly", "mein Sohn ist krank": neither is a name, whoever writes capitals or not.
    hot = (load_words(language, kind, "frames") for kind in ("passing", "quality"))
    is_known = is_known or any(fold_letters(words[0]) in known for known in hot)
    return has_capitals or is_known or len(words) > 1 or is_diet or words[0].startswith(ALLERGIC)


def tells_deed(claim: Claim) -> bool:
    """ "My car failed its MOT", "mi coche se rompió": in a clause without another verb what stands right behind a noun.

    It is told of the car, and no make or name.
    """
    at = claim.statement.casefold().find(claim.object)
    before, end = WORD.findall(claim.statement[:at]), at + len(claim.object)
    if at <= 0 or BESIDE.fullmatch(claim.statement[at - 2 : at] + claim.statement[end : end + 1]) is None:
        return False
    if not may_be_verb(claim, at) or fold_name(claim.object.split()[0]) in load_given_names():
        return False
    # "אמא שלי": whose it is may stand behind the noun.
    known = find_known_noun(before[-2:], claim.lang or "en") if 0 < len(before) <= BEFORE_A_VERB else None
    if known is None or known[1] != claim.relation:
        return False
    is_beside = known[0].split()[-1] in before[-1 - is_hebrew(claim.statement[at]) :]
    return is_beside and is_only_verb(claim, at, end)


def may_be_verb(claim: Claim, at: int) -> bool:
    """Whether a value at a place of its statement is written as no name is.

    Hebrew has no letter that tells: there of a person's only the end of a sentence is, for animals have any name.
    """
    if not is_hebrew(claim.statement[at]):
        return claim.statement[at].islower()
    return claim.relation in PEOPLE and claim.statement.rstrip(".!").endswith(claim.object)


def is_only_verb(claim: Claim, start: int, end: int) -> bool:
    """Whether no verb stands before or behind some words of a statement, nor what may be one: "my mum (linda) fell"."""
    tokens = read_hot_tokens(claim.statement, load_hot_words(claim.lang or "en"))
    around = [one for one in tokens if one.end <= start or one.start >= end]
    behind = next((one for one in around if one.start >= end), None)
    is_last = behind is None or behind.is_mark or behind.has("prep", "conj", "adv", "time")
    return is_last and not any(one.has(*VERBAL) for one in around)


def is_of_theirs(statement: str, spoken: str) -> bool:
    """ "My husband's car broke down" names no husband; "my husband's Dan" does."""
    found = CLIPPED_IS.search(statement)
    words = statement[found.end() :].split() if found else []
    if not words or not fold_text(" ".join(words)).startswith(fold_text(spoken)):
        return False
    # "My wife's ann" is all of its sentence, and so is "my brother's dog".
    is_had = find_known_noun([words[-1].strip(".,!")], "en") is not None
    return (len(words) > 1 or is_had) and not (words[0][0].isupper() or fold_name(words[0]) in load_given_names())


def belongs_to(claim: Claim) -> bool:
    """ "The bike is my dad's" and "she was my nan's" name no dad and no nan."""
    found = OWNER_LAST.search(claim.statement)
    noun = find_known_noun([found[1].casefold()], "en") if found else None
    return noun is not None and noun[1] == claim.relation


def is_called(claim: Claim) -> bool:
    """ "Tom", "a Ms Green", "herr lang"; not "evil"."""
    first = claim.object.split()[0] if claim.object else ""
    at = claim.statement.casefold().find(claim.object)
    is_capital = at >= 0 and claim.statement[at : at + 1].isupper()
    titles = read_entries(claim.lang or "en", "claims", "title")
    return is_capital or first.rstrip(".") in titles or fold_name(first) in load_given_names()


def is_listed(spoken: str, section: str) -> bool:
    """Whether a list of any language holds it: the language of a few words is not sure."""
    return any(fold_letters(spoken) in load_words(code, section) for code in list_codes())
