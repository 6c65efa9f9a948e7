"""Whether the object of a claim has the form that its relation asks for, and what is claimed where it has not."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.forms_of_address import name_address
from memory.claims.frames.numerals import read_spoken
from memory.claims.frames.participles import is_participle
from memory.claims.frames.places import is_known_place, is_no_home
from memory.claims.frames.words import load_hot_words
from memory.claims.health.blood import BLOOD_TYPE, is_blood_type
from memory.claims.health.counsel import names_healer
from memory.claims.health.medicine import find_medicine
from memory.claims.relations import ABOUT, PLACES, REQUEST, fits_relation, free_claim
from memory.claims.slots.birthdays import settle_age
from memory.claims.slots.bygone import settle_bygone
from memory.claims.slots.denied import name_lacked, settle_denied
from memory.claims.slots.joining import settle_joined
from memory.claims.slots.kinds import begins_advice, is_deed, is_hired_vehicle, names_only_shifts, tells_new_shifts
from memory.claims.slots.lovers import name_lover
from memory.claims.slots.matching import load_phrases, load_small_words, load_words
from memory.claims.slots.misplaced import is_misplaced
from memory.claims.slots.nouns import find_known_noun
from memory.claims.slots.origins import is_place_of_wedding, settle_origin
from memory.claims.slots.spoken import cut_before, names_noun
from memory.claims.slots.states import name_state, name_support, settle_death
from memory.claims.slots.swaps import name_swapped
from memory.claims.slots.telling_nothing import tells_nothing, tells_when
from memory.claims.slots.trades import settle_trade
from memory.claims.slots.unnamed import (
    ALLERGIC,
    CALLED,
    NAMED,
    is_called,
    settle_named,
)
from memory.claims.slots.values import HOMES, complete_value, is_mere_dwelling, name_phone
from memory.claims.subjects import PRONOUN
from memory.claims.taxonomy import ANIMALS, CHILDREN, PEOPLE
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.hebrew import HEBREW, HEBREW_IN, HEBREW_TO
from memory.language.loader import list_codes, read_entries
from memory.language.names import capitalises_nouns, load_given_names

SUCCEEDED: Final = frozenset({"boss", "landlord"})
# Relations whose objects may be small words: a weekday is one.
OPEN: Final = frozenset({ABOUT, REQUEST, "style", "time", BLOOD_TYPE})
BRACKET: Final = re.compile(r"[()]")
WORD: Final = re.compile(r"[^\W_]+")
NUMBER: Final = re.compile(r"\d{3}")
CLOCK: Final = re.compile(r"\d{1,2}(?:[:.]\d\d)?\s?(?:[ap]m|h|uhr)")


def fit_claim(claim: Claim, *, has_capitals: bool) -> Claim | None:
    """ "My desk at work is 4.12" tells something, though no workplace; "my email to the team" nothing.

    ``has_capitals``: whether the person writes them, so that a small letter says that a word is no name.
    """
    if tells_nothing(claim):
        return None
    for settle in SETTLING:
        claim = settle(claim)
    if is_other_kind(claim):
        return replace(free_claim(claim), tense="present")
    claim = settle_trade(claim)
    # "Mi hermana se llama Mía" names her, though "mía" is "mine".
    is_name = is_employer_name(claim) or (claim.relation in CALLED and is_written_as_name(claim))
    if claim.relation not in OPEN and is_small(claim.object, claim.lang) and not is_name:
        return free_claim(claim)
    if claim.relation in CALLED and (stated := settle_named(claim, has_capitals=has_capitals)) is not None:
        return stated
    if is_no_name(claim):
        return None
    if (doing := name_doing(claim)) is not None:
        return doing
    if claim.tense == "over" or fits_relation(claim.relation, claim.object):
        return claim
    if claim.relation in PLACES or (claim.relation == "phone_number" and any(char.isdigit() for char in claim.object)):
        return free_claim(claim)
    return None


def name_doing(claim: Claim) -> Claim | None:
    """New shifts, a bus that is driven for a living, a medicine that is taken; None of anything else."""
    if claim.relation == ABOUT and claim.tense == "new" and tells_new_shifts(claim.statement):
        return replace(claim, relation="routine", subject=SPEAKER if claim.subject == PRONOUN else claim.subject)
    if claim.relation == "car" and claim.polarity and is_hired_vehicle(claim.object, claim.lang or "en"):
        return replace(claim, relation="works_as", object=word_doing(claim))
    if claim.relation == "takes":
        medicine = find_medicine(claim)
        return replace(claim, object=medicine) if medicine else free_claim(claim)
    return None


def is_no_name(claim: Claim) -> bool:
    """ "Das Rad hab ich meinem Bruder geschenkt", "meine Ärztin ist Frau Klein, Tel. 0421 555123": what was done with
    it is no name of his, nor her number one of hers."""
    if claim.relation in PEOPLE and NUMBER.search(claim.object):
        return True
    is_one_word = claim.relation in CALLED and claim.object.isalpha()
    at = claim.statement.casefold().rfind(claim.object) if is_one_word else -1
    return at > 0 and claim.statement[at].islower() and is_participle(claim.object, claim.lang or "en")


def name_kind(claim: Claim) -> Claim:
    """ "Moved to nights" is a shift and no home."""
    if claim.relation == "lives_in" and (names_only_shifts(claim.object) or names_new_shifts(claim)):
        return replace(claim, relation="shift")
    if claim.relation in SUCCEEDED and claim.subject == SPEAKER and claim.tense == "present":
        # "The new landlord is a Ms Green" speaks of the person's own.
        is_new = load_phrases(claim.lang or "en", "new one").search(claim.statement) is not None
        if is_new and not is_called(claim):
            return free_claim(claim)
        return replace(claim, tense="new", is_sure=True) if is_new else claim
    if claim.relation in {"works_at", "works_as"} and is_taught(claim):
        return replace(claim, relation="works_as", object=word_doing(claim))
    return claim


def names_new_shifts(claim: Claim) -> bool:
    found = load_phrases(claim.lang or "en", "new shifts").search(claim.statement.casefold())
    return found is not None and claim.object in found[0].split()


def trim_bracket(claim: Claim) -> Claim:
    """ "My dog (a lab) limps": half a bracket is the edge of a value."""
    is_whole = claim.object.count("(") == claim.object.count(")")
    return claim if is_whole else replace(claim, object=BRACKET.split(claim.object)[0].strip())


def is_other_kind(claim: Claim) -> bool:
    """Whether the object is nothing of the kind that its relation tells."""
    if is_misplaced(claim) or is_way_to_work(claim):
        return True
    if claim.relation in {"works_at", "works_as", "school"}:
        return is_no_work(claim)
    if claim.relation == "dating":
        # "I'm seeing the dentist on Friday".
        return names_healer(claim.object) or names_nobody(claim)
    if claim.relation == "from":
        # "Je suis de retour".
        return is_no_home(claim.object) or is_recent_deed(claim)
    if claim.relation == "born_in":
        # "Ida ist gestern geboren".
        return is_recent_deed(claim) or tells_when(claim.object, claim.lang)
    if claim.relation == BLOOD_TYPE:
        # "My blood type is a mystery".
        return not is_blood_type(claim.object)
    if claim.relation == "likes":
        # "I only own like 40 mugs", "like every Tuesday".
        is_when = load_phrases(claim.lang or "en", "again and again").match(claim.object) is not None
        return is_when or load_phrases(claim.lang or "en", "filler").search(claim.statement) is not None
    if claim.relation == "hobby":
        # "I swim on Thursdays": which evening it is says nothing of what is done.
        return tells_when(claim.object, claim.lang)
    if claim.relation in HOMES | NAMED:
        # "Hit by a car and taken to hospital": neither a home nor somebody's name.
        is_no_person = claim.relation == "married_to" and (
            names_children(claim) or tells_when(claim.object, claim.lang)
        )
        is_no_person = is_no_person or is_place_of_wedding(claim)
        return is_no_person or is_no_home(claim.object) or (claim.relation in HOMES and is_nowhere(claim))
    return claim.relation in {"has_condition", "diet"} and is_no_ailment(claim)


def names_nobody(claim: Claim) -> bool:
    """ "I'm seeing someone new"."""
    language = claim.lang or "en"
    nobody = load_words(language, "someone", "frames") | load_words(language, "new one") | load_small_words(language)
    return nobody.issuperset(fold_letters(word) for word in WORD.findall(claim.object))


def is_nowhere(claim: Claim) -> bool:
    return is_mere_dwelling(claim.object) or is_bare_manner(claim) or is_recent_deed(claim) or is_treated_there(claim)


def is_treated_there(claim: Claim) -> bool:
    """ "Franco sta in riabilitazione a Imola": what a town is told of is no home."""
    led, house, _ = [*[""] * 3, *map(fold_letters, WORD.findall(cut_before(claim)))][-3:]
    language = claim.lang or "en"
    return is_no_home(house) and led in load_words(language, "article") | load_words(language, "prep", "frames")


def is_way_to_work(claim: Claim) -> bool:
    """ "Vado a lavoro con la macchina", "נוסעת לעבודה בקורקינט": where somebody is going is nothing they do or have."""
    if claim.relation not in {"hobby", "car"}:
        return False
    first, language = claim.object.partition(" ")[0], claim.lang or "en"
    known = find_known_noun([first.removeprefix(HEBREW_TO)], language)
    return known is not None and known[1] == "job" and (language != HEBREW or first.startswith(HEBREW_TO))


def is_bare_manner(claim: Claim) -> bool:
    """ "Vivo sola", "ich wohne ganz oben", "gran lives with us": how or with whom somebody lives, and not where."""
    before = WORD.findall(cut_before(claim))
    language, last = claim.lang or "en", fold_letters(before[-1]) if before else ""
    # "En haut", and not "aux Pays-Bas".
    is_manner = fold_letters(claim.object) in load_words(language, "dwells manner")
    if is_manner or last in load_words(language, "beside whom"):
        return True
    return last in load_words(language, "dwells bare") and is_unnamed(claim)


def is_recent_deed(claim: Claim) -> bool:
    """ "Je viens de déménager", "vengo de hacerme las pruebas": done just now, and no place that somebody is from."""
    return is_deed(claim.object, claim.lang) and is_unnamed(claim)


def is_unnamed(claim: Claim) -> bool:
    """Whether the value is written small, and no place that is known by name."""
    at = claim.statement.casefold().find(claim.object)
    return claim.statement[at : at + 1].islower() and not is_known_place(claim.object)


def word_doing(claim: Claim) -> str:
    """ "Drive the 36 bus": the words up to the value, without who does so."""
    at = claim.statement.casefold().find(claim.object)
    if at < 0:
        return claim.object
    # "My neighbour Tom drives the school bus": behind his name.
    named = claim.statement.casefold().find(claim.subject, 0, at) if claim.subject != SPEAKER else -1
    words = claim.statement[named + len(claim.subject) if named >= 0 else 0 : at + len(claim.object)].split()
    own = load_words(claim.lang or "en", "i")
    # "J'enseigne les maths".
    first = words[0].replace("\u2019", "'").partition("'")
    words[:1] = [first[2]] if first[2] and fold_letters(first[0]) in own else words[:1]
    return " ".join(words[1:] if fold_letters(words[0]) in own else words).casefold()


def is_taught(claim: Claim) -> bool:
    """ "I teach Year 4", "doy clases de piano": what somebody does, and no place where they do it."""
    language = claim.lang or "en"
    before = [fold_letters(word) for word in WORD.findall(cut_before(claim))]
    leads = load_words(language, "article") - load_words(language, "prep", "frames")
    while before and before[-1] in leads:
        before.pop()
    # "מלמדת בבית ספר": where stands behind its particle.
    is_place = claim.object.startswith(HEBREW_IN)
    said = (" ".join(before[-size:]) for size in (1, 2))
    return not is_place and any(one in load_words(language, "teaches") for one in said)


def is_no_work(claim: Claim) -> bool:
    """ "I run a marathon", "ha lasciato la moglie", "soy alérgica": neither a place of work nor a trade.

    Nor is who one works with: "I work with Priya", "been with Jonas for three years".
    """
    words = WORD.findall(claim.object)
    language = claim.lang or "en"
    if not words:
        return False
    if fold_letters(words[0]) in load_words(language, "beside whom") | load_words(language, "my"):
        # "Chez sa mamie", "with my sister".
        return True
    if claim.relation == "works_at" and fold_name(claim.object) in load_given_names():
        before = cut_before(claim).split()
        return bool(before) and before[-1].casefold() in load_words(language, "beside whom")
    is_name = is_employer_name(claim)
    if claim.relation == "works_at" and fold_letters(words[0]) in load_words(language, "new one") and not is_name:
        # "Ich bin zu einer neuen Zahnärztin gewechselt".
        return names_healer(claim.object)
    if CLOCK.fullmatch(claim.object):
        # "I work nights, 10pm to 6am".
        return True
    if is_number(words) and not is_name:
        return True
    known = find_known_noun(words, language)
    if known is not None and known[1] in PEOPLE:
        return claim.relation == "works_at" and len(words) == 1
    listed = [fold_letters(word) in load_words(language, "no employer") for word in words]
    if all(listed) or (any(listed) and (capitalises_nouns(language) or not is_name)):
        return True
    return claim.relation == "works_as" and any(words[0].startswith(one) for one in list_allergic(language))


def is_employer_name(claim: Claim) -> bool:
    """ "I work at Next", "at Home Bargains": common words with the capitals of a name, which "IT" has not."""
    at = claim.statement.casefold().find(claim.object)
    if claim.relation != "works_at" or at <= 0:
        return False
    return all(word.istitle() for word in WORD.findall(claim.statement[at : at + len(claim.object)]))


def is_written_as_name(claim: Claim) -> bool:
    """Of "mia sorella si chiama Mia" the last word is the name, and behind such a verb one without a capital."""
    at = claim.statement.casefold().rfind(claim.object) if claim.object else 0
    before = WORD.findall(claim.statement[:at].casefold())
    is_behind = bool(before) and "named" in load_hot_words(claim.lang or "en").classify(before[-1])
    return at > 0 and (is_behind or claim.statement[at : at + 1].isupper())


def is_number(words: Sequence[str]) -> bool:
    """ "Somos cuatro": how many, in whatever language."""
    spoken = [fold_letters(word) for word in words]
    if not "".join(words).isalpha():
        return False
    found = (read_spoken(spoken, code) for code in list_codes())
    return any(number is not None and number[1] == len(words) for number in found)


def is_no_ailment(claim: Claim) -> bool:
    """ "I live with my two cats", "with Anna", "I quit in 2019", "no more nights": neither an ailment nor a diet."""
    joints = load_words(claim.lang or "en", "and", "answers")
    # "I live with Jonah and Kit".
    named = [fold_name(word) for word in claim.object.split() if fold_letters(word) not in joints]
    is_somebody = not load_given_names().isdisjoint(named[:1]) and (len(named) == 1 or named != claim.object.split())
    if is_somebody or begins_advice(claim.object) or names_only_shifts(claim.object):
        return True
    words = WORD.findall(claim.object)
    known = find_known_noun(words, claim.lang or "en") if words else None
    small = load_small_words(claim.lang or "en")
    if known is not None and known[1] in ANIMALS and "food" in find_topic_words(claim.object).topics:
        # "Ich esse keinen Fisch".
        return False
    is_when = bool(words) and all(word.isdigit() or fold_letters(word) in small for word in words)
    return is_when or (known is not None and known[1] in PEOPLE | ANIMALS)


def names_children(claim: Claim) -> bool:
    """ "Verheiratet mit zwei Kindern"."""
    return names_noun(claim.object, CHILDREN, claim.lang)


@cache
def list_allergic(language: str) -> tuple[str, ...]:
    """How the words begin by which somebody is allergic: of "allergic* to" what stands before the star."""
    entries = read_entries(language, "claims", "allergic_to")
    firsts = {entry.split()[0].rstrip("*") for entry in entries if entry.split()[0].startswith(ALLERGIC)}
    return tuple(firsts)


def is_small(spoken: str, language: str) -> bool:
    """ "It gives me migraines": a pronoun names nothing that somebody could be allergic to."""
    words = WORD.findall(fold_letters(spoken))
    return bool(words) and all(word in load_small_words(language) for word in words)


# How a claim is put right one step after the other, before it is asked whether its object fits at all.
SETTLING: Final = (
    name_address,
    name_swapped,
    name_lover,
    trim_bracket,
    name_phone,
    settle_denied,
    name_lacked,
    settle_bygone,
    settle_age,
    settle_origin,
    settle_joined,
    settle_death,
    name_support,
    name_state,
    complete_value,
    name_kind,
)
