"""Illnesses and allergies that turn out wrong or are over: "Lotte isn't coeliac after all".

Whoever says so says it in other words than it was told in, maybe in another language; so the words are held against
what is known of whom they name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.words import load_hot_words
from memory.claims.health.diets import INTOLERANCES, name_kinds
from memory.claims.health.prescriptions import ALLERGY
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch, load_phrases, load_words, overlaps
from memory.claims.slots.resolution import LAST_TURNS, READ_OF_TURN, SENTENCES, read_slots
from memory.guard.spelling import fold_letters
from memory.language.concepts import find_english_name
from memory.language.folding import normalise_text
from memory.language.hebrew import HEBREW, is_hebrew, list_hebrew_readings
from memory.language.loader import list_codes
from memory.language.stems import stem_word

CONDITION: Final = "has_condition"
LIMITS: Final = frozenset({CONDITION, ALLERGY, "intolerant_to"})
WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
PART: Final = re.compile(r"[^\W\d_]+")
CLAUSE: Final = re.compile(r"[^,;:.!?…()\n]+")
# Words between the denial and what it denies: "hat doch keine", "isn't actually a".
REACH: Final = 4
# Letters that two words of one illness begin with: "diabetic", "diabetes".
LEAST_SHARED: Final = 6
LEAST_HEBREW: Final = 4
OWN: Final = frozenset({"i", "my", "be 1", "have 1", "to me"})
OTHERS: Final = frozenset({"he", "she", "they"})


def find_denied(raw: str, language: str, known: Sequence[KnownSlot]) -> list[SlotMatch]:
    """The known illness or allergy of whom a clause names that it says they do not have."""
    told = [one for one in known if is_limit(one)]
    if not told:
        return []
    denials = load_words(language, "denial")
    for clause in CLAUSE.finditer(raw):
        words = list(WORD.finditer(raw, *clause.span()))
        denied = [at for at, word in enumerate(words) if denies(word[0], denials)]
        for at in denied:
            for word in words[at + 1 : at + 2 + REACH]:
                found = next((one for one in reversed(told) if names_illness(word[0], language, one.object)), None)
                if found is None or not is_of(found, raw, language, known) or is_limited(words, at, word, language):
                    continue
                if tells_limit_of(raw, language, word.span()):
                    return []
                return [end_illness(found, word.span())]
    return []


def tells_limit_of(raw: str, language: str, span: tuple[int, int]) -> bool:
    """ "Fiete verträgt keine Laktose", said once more, denies nothing."""
    told = (one for one in read_slots(raw, frozenset({language}), ()) if one.relation in LIMITS)
    return any(overlaps(one.object_span, span) and not (one.is_denied or one.is_over) for one in told)


def is_limit(told: KnownSlot) -> bool:
    """Hebrew says what somebody is without a verb: "נועה צליאקית" was read for what she is called and is."""
    is_ill = told.relation == "is" and any(
        load_phrases(code, "ill word").fullmatch(told.object) for code in list_codes()
    )
    return bool(told.object) and (told.relation in LIMITS or is_ill)


def list_other_limits(previous: Sequence[str], languages: frozenset[str] | None) -> Iterator[KnownSlot]:
    """The illnesses and allergies that the last turns told in another language than the one that is read."""
    for turn in previous[-LAST_TURNS:]:
        spoken = frozenset(find_turn_languages(turn)[:1])
        if languages is None or not spoken or not spoken.isdisjoint(languages):
            continue
        for raw in SENTENCES.split(turn[:READ_OF_TURN]):
            told = (KnownSlot(one.subject, one.relation, one.object) for one in read_slots(raw, spoken, ()))
            yield from filter(is_limit, told)


def end_illness(told: KnownSlot, span: tuple[int, int]) -> SlotMatch:
    relation = told.relation if told.relation in LIMITS else CONDITION
    slot = SlotMatch(relation, told.subject, told.object, *span, is_over=True, is_explicit=True)
    return replace(slot, weight=FRAMED, object_span=span)


def denies(word: str, denials: frozenset[str]) -> bool:
    """ "Isn't", and the "n'" of "n'est"."""
    spoken = fold_letters(word).replace("'", " ")
    return spoken in denials or not denials.isdisjoint(spoken.split())


def is_limited(words: Sequence[re.Match[str]], start: int, end: re.Match[str], language: str) -> bool:
    """ "Not only coeliac" denies nothing."""
    between = [fold_letters(word[0]) for word in words[start + 1 :] if word.start() < end.start()]
    return not load_words(language, "not only").isdisjoint(between)


def names_illness(word: str, language: str, illness: str) -> bool:
    """Whether a word is of the same illness as what was told, maybe in another language."""
    spoken = fold_letters(word)
    if name_kinds(word, INTOLERANCES) & name_kinds(illness, INTOLERANCES):
        return True
    least = LEAST_HEBREW if is_hebrew(spoken[:1]) else LEAST_SHARED
    meaning = name_meaning(word, (language,))
    for told in WORD.findall(illness):
        folded = fold_letters(told)
        if folded == spoken or (len(spoken) >= least and folded[:least] == spoken[:least]):
            return True
        if meaning and meaning == name_meaning(told, list_codes()):
            return True
    return False


def name_meaning(word: str, languages: Sequence[str]) -> str:
    """The English word for it, whatever language it is of; empty where none is known."""
    spoken = normalise_text(word).casefold()
    if is_hebrew(spoken[:1]):
        return find_english_name(list_hebrew_readings(spoken)) or ""
    stems = (stem_word(spoken, code) for code in languages if code != HEBREW)
    return find_english_name(form for forms in stems for form in forms) or ""


def is_of(told: KnownSlot, raw: str, language: str, known: Sequence[KnownSlot]) -> bool:
    """Whether a sentence speaks of whose illness was told: by their name, or as he or she, the last who was told of;
    of the person by their own words, where nobody else is named."""
    # "She's" and "I'm" are two.
    words = PART.findall(raw)
    spoken = {fold_letters(word) for word in words}
    kinds = {kind for word in words for kind in load_hot_words(language).classify(word.casefold())}
    if told.subject == SPEAKER:
        people = {fold_letters(one.subject) for one in known if one.subject != SPEAKER}
        return bool(kinds & OWN) and not kinds & OTHERS and people.isdisjoint(spoken)
    if set(map(fold_letters, PART.findall(told.subject))) <= spoken:
        return True
    last = next((one.subject for one in reversed(known) if is_limit(one)), "")
    return bool(kinds & OTHERS) and last == told.subject and not kinds & OWN
