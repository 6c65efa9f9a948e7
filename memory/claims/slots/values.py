"""Values that were read in part, or with too much: the town of a dwelling, the employer of a job, a day behind it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.numerals import read_spoken
from memory.claims.frames.places import list_spoken
from memory.claims.relations import fits_relation
from memory.claims.slots.matching import load_small_words, load_words
from memory.claims.slots.spoken import cut_as_written
from memory.claims.taxonomy import ANIMALS, PEOPLE
from memory.guard.spelling import fold_letters
from memory.language.concepts import translate_to_english
from memory.language.folding import fold_text
from memory.language.hebrew import HEBREW, HEBREW_AND, HEBREW_IN, is_hebrew, list_hebrew_readings
from memory.language.loader import collect_entries, list_codes
from memory.language.names import load_given_names
from memory.language.periods import is_time_word

PLACES: Final = frozenset({"works_at", "lives_in", "school"})
WORKPLACES: Final = frozenset({"works_at", "school"})
STUDIED: Final = frozenset({"studies", "learns", "learning"})
OF_STUDIES: Final = frozenset({"university", "school", "course"})
HOMES: Final = frozenset({"lives_in", "home", "moved_from"})
# "9-5", and words of "nine to five".
HOURS: Final = re.compile(r"\d{1,2}(?:[:.]\d\d)?[-–]\d{1,2}(?:[:.]\d\d)?")
MOST_HOURS: Final = 3
# Words of a name with a clause behind it: a name and a surname are two.
LEAST_OF_CLAUSE: Final = 3
# "En Zaragoza", "a Quarto Oggiaro", right behind a dwelling.
TOWN_BEHIND: Final = re.compile(r" (\w{1,3}) ([A-ZÀ-Þ][\w'-]+(?: [A-ZÀ-Þ][\w'-]+)*)")
EMPLOYER_BEHIND: Final = re.compile(r" ([^\W\d_]{1,4}) ([^\W\d_][\w'&-]*(?: [A-ZÀ-Þ][\w'&-]*)*)")
# "Eine Nussallergie", "eine Laktoseintoleranz" and "a peanut allergy", or what stands behind: "une allergie aux noix".
ALLERGY_BEFORE: Final = re.compile(
    r"([^\W\d_]{3,30}?(?: [^\W\d_]{3,30})?)[\s-]?"
    r"(?:allergy|allergie|intolerance|intoleranz|unverträglichkeit)"
)
ALLERGY_BEHIND: Final = re.compile(r"(?:allergie|intolérance) (?:aux?|à la|à l'|à) ?(.{3,40})")


def complete_value(claim: Claim) -> Claim:
    return cut_where(cut_clause(drop_day(drop_hours(name_employer(name_town(name_allergy(claim)))))))


def cut_where(claim: Claim) -> Claim:
    """ "לומדת משפטים באוניברסיטת חיפה": Hebrew writes "at" onto where something is studied."""
    first, *rest = claim.object.split() or [""]
    if claim.lang != HEBREW or claim.relation not in STUDIED:
        return claim
    # Of "יחסים בינלאומיים" the letter is the word's own.
    is_language = first in load_words(HEBREW, "language word")
    led = (at for at, word in enumerate(rest) if word.startswith(HEBREW_IN) and (is_language or names_place(word[1:])))
    return replace(claim, object=" ".join((first, *rest[: next(led, len(rest))])))


def names_place(word: str) -> bool:
    # "אוניברסיטת חיפה" is "אוניברסיטה" before its town.
    whole = f"{word[:-1]}ה" if word.endswith("ת") else word
    return translate_to_english(list_hebrew_readings(whole)) in OF_STUDIES


def cut_clause(claim: Claim) -> Claim:
    """ "אח שלי רונן מגדל אבוקדו", "גרה בלוס אנג'לס ויש לה": Hebrew parts neither a verb nor an "and" from a value."""
    words = claim.object.split()
    if len(words) < LEAST_OF_CLAUSE:
        return claim
    if claim.lang != HEBREW:
        return replace(claim, object=cut_at_joint(claim)) if claim.relation in PLACES else claim
    # "הכלב שלי שוקו אכל שוקולד": an animal is called by one word.
    if claim.relation in ANIMALS or (claim.relation in PEOPLE and words[0] in load_given_names()):
        return replace(claim, object=words[0])
    small = load_small_words(HEBREW)
    ends = (at for at, word in enumerate(words) if at and word.removeprefix(HEBREW_AND) in small and word not in small)
    at = next(ends, len(words))
    return replace(claim, object=" ".join(words[:at])) if claim.relation in PLACES else claim


def cut_at_joint(claim: Claim) -> str:
    """ "I moved to Berlin y trabajo en Zalando": behind a capital and any "and" no place goes on small."""
    said = cut_as_written(claim).split()
    joints = collect_entries("slots", "joint")
    ends = (at for at, word in enumerate(said[:-1]) if at and word in joints and said[at + 1][0].islower())
    at = next(ends, len(said)) if said[0][0].isupper() else len(said)
    return claim.object if at == len(said) else " ".join(said[:at]).casefold()


def drop_hours(claim: Claim) -> Claim:
    """ "At Tesco nine to five", "at the sorting office six till two": from when to when is no part of the name."""
    words = claim.object.split()
    if claim.relation not in WORKPLACES or len(words) < 2:
        return claim
    behind = claim.statement[claim.statement.casefold().find(claim.object) + len(claim.object) :].split()
    said = [*words, *(word.casefold() for word in behind[:MOST_HOURS])]
    language = claim.lang or "en"
    at = next((at for at in range(1, len(words)) if tells_hours(said[at:], language)), len(words))
    # The clause may end within them: "aldi de nueve", and not "Phase Eight".
    if at == len(words) and f" {words[-1]}" in claim.statement and is_hour(words[-1], language):
        is_led = fold_letters(words[-2]) in load_words(language, "prep", "frames")
        at -= 2 if is_led else int(words[-1].isalpha())
    return replace(claim, object=" ".join(words[: max(1, at)]))


def tells_hours(words: Sequence[str], language: str) -> bool:
    """Whether words begin with a stretch of hours, or with until when."""
    if HOURS.fullmatch(words[0]):
        return True
    joints = load_words(language, "until") | load_words(language, "arranged to")
    if not is_hour(words[0], language) and fold_letters(words[0]) in load_small_words(language) - joints:
        words = words[1:]
    at = 0 if words and words[0] in joints else 1
    is_joined = len(words) > at + 1 and words[at] in joints
    return is_joined and all(is_hour(words[place], language) for place in (0, at + 1) if place != at)


def is_hour(word: str, language: str) -> bool:
    return word[0].isdigit() or read_spoken([fold_letters(word)], language) is not None


def drop_day(claim: Claim) -> Claim:
    """ "Empiezo en Inditex el lunes", "I'm at Aldi now": the time is no part of the employer's name."""
    words = claim.object.split()
    small = load_small_words(claim.lang or "en")
    is_timed = len(words) > 1 and (
        is_time_word(fold_text(words[-1]))
        or (fold_letters(words[-1]) in small and claim.object in claim.statement.lower())
    )
    if claim.relation not in PLACES or not is_timed:
        return claim
    while len(words) > 1 and (is_time_word(fold_text(words[-1])) or fold_letters(words[-1]) in small):
        words.pop()
    return replace(claim, object=" ".join(words))


def name_allergy(claim: Claim) -> Claim:
    """ "Eine Nussallergie", "a peanut allergy", "une allergie aux noix": what it is of."""
    if claim.relation not in {"has", "has_condition"}:
        return claim
    found = ALLERGY_BEFORE.fullmatch(claim.object) or ALLERGY_BEHIND.fullmatch(claim.object)
    return replace(claim, relation="allergic_to", object=found[1]) if found else claim


def name_employer(claim: Claim) -> Claim:
    """ "J'ai quitté mon boulot chez Orange": where the work is that was read alone."""
    words = claim.object.split()
    language = claim.lang or "en"
    if claim.relation != "works_at" or not words or fold_letters(words[0]) not in load_words(language, "of work"):
        return claim
    behind = claim.statement[claim.statement.casefold().find(claim.object) + len(words[0]) :]
    led = EMPLOYER_BEHIND.match(behind)
    if led is not None and fold_letters(led[1]) in load_words(language, "at work"):
        return replace(claim, object=led[2].casefold())
    named = words[1].lstrip(HEBREW_IN) if len(words) > 1 and is_hebrew(words[1]) else ""
    return replace(claim, object=named) if named else claim


def name_town(claim: Claim) -> Claim:
    """ "Vivo en un ático en Zaragoza": where the dwelling is that was read alone."""
    if claim.relation not in HOMES or not is_mere_dwelling(claim.object):
        return claim
    behind = claim.statement[claim.statement.casefold().find(claim.object) + len(claim.object) :]
    led = TOWN_BEHIND.match(behind)
    is_led = led is not None and fold_letters(led[1]) in load_words(claim.lang or "en", "work place", "frames")
    return replace(claim, object=led[2].casefold()) if led is not None and is_led else claim


def is_mere_dwelling(spoken: str) -> bool:
    """ "עברנו דירה", "nos mudamos de piso": a dwelling without a name is no place where somebody lives."""
    words = list_spoken(spoken)
    kinds = ((load_words(code, "dwelling", "frames"), load_small_words(code)) for code in list_codes())
    sizes = frozenset(fold_letters(one) for one in collect_entries("slots", "dwelling size"))
    return any(words & dwellings and words <= dwellings | small | sizes for dwellings, small in kinds)


def name_phone(claim: Claim) -> Claim:
    """ "My phone is a Pixel 9": which it is, where a number would have digits alone."""
    at = claim.statement.casefold().find(claim.object)
    said = claim.statement[at : at + len(claim.object)] if at >= 0 else ""
    is_make = bool(said) and said[0].isalpha() and any(char.isupper() or char.isdigit() for char in said)
    if claim.relation != "phone_number" or not is_make or is_led(claim) or fits_relation(claim.relation, claim.object):
        return claim
    return replace(claim, subject=SPEAKER, relation="phone")


def is_led(claim: Claim) -> bool:
    """Whether the value begins with a preposition: "on O2" is where a phone is, and not which."""
    return fold_letters(claim.object.split()[0]) in load_words(claim.lang or "en", "prep", "frames")
