"""Medicines and allergies that a sentence tells of beside the first it names: those joined to it, a medicine that was
stopped, one that another took the place of.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.numerals import read_spoken
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.matching import (
    SlotMatch,
    find_drug,
    join_entries,
    load_phrases,
    load_small_words,
    load_words,
    overlaps,
)
from memory.claims.slots.templates import load_templates
from memory.claims.slots.tongues import SPEAKS, list_tongues
from memory.claims.slots.unnamed import ALLERGIC
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, is_hebrew

TAKES: Final = "takes"
ALLERGY: Final = "allergic_to"
# Of one word or two.
TRIGGER: Final = r"[^\W\d_]{3,30}(?:\s[^\W\d_]{3,30})?"
# As much as a template with a verb has.
WEIGHT: Final = 4
CLAUSES: Final = re.compile(r"[^,;:.!?…\n]+")
SENTENCES: Final = re.compile(r"[^.!?…;\n]+(?:\.\d[^.!?…;\n]*)*")
LEAST_NAME: Final = 4
SPOKEN: Final = re.compile(r"[^\W\d_][\w-]{0,39}")
VITAMIN: Final = re.compile(r"(?:vitamin[ae]?|vitamine|ויטמין)\s[\w]{1,3}(?!\w)", re.IGNORECASE)
# Of a list: characters from one medicine to the next, and of a verb that is more than a preposition.
BETWEEN: Final = 45
LEAST_VERB: Final = 3
CLAUSE_END: Final = re.compile(r"[,;:.!?]")


def find_further_slots(raw: str, languages: Sequence[str], found: Sequence[SlotMatch]) -> Iterator[SlotMatch]:
    """Of what somebody takes or cannot take "... atorvastatin and aspirin", and of "stopped the aspirin" and "swapped
    it for ..." each medicine."""
    for first in (one for one in found if not one.is_over):
        for language in languages if first.relation == ALLERGY else ():
            yield from list_triggers(raw, language, first)
        for language in languages if first.relation == SPEAKS and not first.is_denied else ():
            yield from list_tongues(raw, language, first)
    # "I take ramipril and I'm allergic to penicillin": what somebody cannot bear is nothing that they take.
    borne = [one.object_span for one in found if one.relation == ALLERGY and not one.is_denied]
    drugs = [
        (drug, at) for drug, at in find_drugs(raw) if not any(overlaps((at, at + len(drug)), one) for one in borne)
    ]
    if not drugs:
        return
    own = (one for one in found if one.relation == TAKES and one.subject == SPEAKER)
    # "Ich nehme kein Ramipril" and what is joined to it are not taken.
    begun = [one.object_span[0] for one in own if not (one.is_over or one.is_denied)]
    for language in languages:
        yield from list_taken(raw, language, begun, drugs)
    for clause in CLAUSES.finditer(raw):
        if inside := [one for one in drugs if clause.start() <= one[1] < clause.end()]:
            yield from list_changed(fold_letters(clause[0]), languages, inside)


def find_drugs(raw: str) -> Iterator[tuple[str, int]]:
    """The medicines that a text names, with their places."""
    for word in SPOKEN.finditer(raw):
        if drug := find_joined_drug(word[0]):
            yield drug, word.end() - len(drug)


def list_changed(clause: str, languages: Sequence[str], drugs: Sequence[tuple[str, int]]) -> Iterator[SlotMatch]:
    """The medicines of a clause that are swapped or no longer taken. ``clause`` is in folded letters."""
    for language in languages:
        if len(drugs) > 1 and load_phrases(language, "swap", is_folded=True).search(clause):
            (old, _), (new, at) = drugs[0], drugs[-1]
            yield make_slot(new, at, replaces=old)
        elif load_phrases(language, "taken off", is_folded=True).search(clause):
            yield from (make_slot(drug, at, is_over=True) for drug, at in drugs)


def list_taken(raw: str, language: str, begun: Sequence[int], drugs: Sequence[tuple[str, int]]) -> Iterator[SlotMatch]:
    """Of "tomo enalapril de diez y omeprazol por la mañana" each medicine: those behind one that is known to be taken,
    or behind the verb where there are several, up to one that is denied, stopped or another's."""
    for sentence in SENTENCES.finditer(raw):
        inside = [extend_vitamin(raw, *one) for one in drugs if sentence.start() <= one[1] < sentence.end()]
        words = [(fold_letters(word[0]), word) for word in SPOKEN.finditer(raw, *sentence.span())] if inside else []
        speaks = is_own_by_form(language) or any(folded in load_words(language, "i") for folded, _ in words)
        verbs = [word.end() for folded, word in words if speaks and folded in load_takers(language)]
        # "I don't take ramipril or aspirin".
        verbs = [at for at in verbs if not denies(raw[sentence.start() : at], language)]
        known = [at for at in begun if sentence.start() <= at <= sentence.end()]
        starts = known or (verbs if len(inside) > 1 else [])
        if not starts:
            continue
        place = min(starts)
        for drug, start in inside:
            if start < place:
                continue
            between = raw[place:start]
            if len(between) > BETWEEN or separates_medicines(between, language):
                break
            yield from list_between(raw, place, start, language)
            yield make_slot(drug, start)
            place = start + len(drug)


def denies(before: str, language: str) -> bool:
    """Whether a denial stands in the last clause of what comes before a place."""
    clause = fold_letters(CLAUSE_END.split(before)[-1]).replace("'", " ")
    return load_phrases(language, "denial", is_folded=True).search(clause) is not None


def list_between(raw: str, start: int, end: int, language: str) -> Iterator[SlotMatch]:
    """ "Ramipril, Torasemid und Bisoprolol": a word of its own between two medicines of a list is one as well."""
    joint, small = load_joints(language)
    small_words, hot = load_small_words(language), load_hot_words(language)
    small_words = small_words | load_words(language, "dose unit") | load_words(language, "dose beside")
    pieces = re.compile(rf"(?:^|,|\s(?:{joint})\s)\s*(?:{small})?([^\W\d_]{{5,30}})\s*(?=,|\s(?:{joint})\s)")
    for found in pieces.finditer(raw[start:end]):
        name = found[1].casefold()
        is_light = fold_letters(name) in small_words or bool(hot.classify(name))
        if not is_light and read_spoken([fold_letters(name)], language) is None:
            yield make_slot(name, start + found.start(1))


def extend_vitamin(raw: str, drug: str, start: int) -> tuple[str, int]:
    """ "Vitamin D" has a letter behind its name."""
    letter = VITAMIN.match(raw, start)
    return (letter[0].casefold() if letter is not None else drug), start


def is_prescribed(relation: str, spoken: str) -> bool:
    """ "Tomo enalapril": a drug is taken in no other sense."""
    return relation == TAKES and bool(find_drug(spoken))


def find_joined_drug(word: str) -> str:
    """The medicine that a word is, without the "and" that Hebrew writes onto it; else nothing."""
    spoken = word.casefold()
    forms = (spoken, spoken[1:]) if is_hebrew(spoken[:1]) else (spoken,)
    return next((drug for one in forms if len(one) >= LEAST_NAME and (drug := find_drug(one))), "")


def separates_medicines(between: str, language: str) -> bool:
    """Whether what stands between two medicines says that the second is not taken, or not by the person."""
    spoken = {fold_letters(word) for word in SPOKEN.findall(between)}
    if denies(between, language) or any(stem in between.casefold() for stem in ALLERGIC):
        return True
    # "Là" without its accent is the article.
    others = load_words(language, "he") - load_words(language, "article")
    if spoken & (load_enders(language) | load_words(language, "denial") | others):
        return True
    folded = fold_letters(between)
    return any(load_phrases(language, kind, is_folded=True).search(folded) for kind in ("swap", "taken off"))


def is_own_by_form(language: str) -> bool:
    """Whether a verb alone says that the person speaks of themselves: "tomo"; "take the aspirin" may be an order."""
    return bool(load_words(language, "drop"))


@cache
def load_enders(language: str) -> frozenset[str]:
    over = (one for one in load_templates(language) if one.relation == TAKES and one.is_ending)
    return frozenset(word for one in over for word in one.needs)


@cache
def load_takers(language: str) -> frozenset[str]:
    """The verbs behind which somebody says what they take: those of the templates, without "on"."""
    own = (one for one in load_templates(language) if one.relation == TAKES and one.is_first and not one.is_ending)
    return frozenset(word for one in own for word in one.needs if len(word) > LEAST_VERB)


def list_triggers(raw: str, language: str, first: SlotMatch) -> Iterator[SlotMatch]:
    """ "Penicillin, nuts and bee stings": each up to the end of the list, where no other clause begins."""
    item = load_item(language)
    place = first.object_span[1]
    while (found := item.match(raw, place)) is not None:
        words = {fold_letters(word) for word in found[1].split()}
        if words & load_small_words(language):
            return
        span = found.span(1)
        yield replace(first, object=found[1].casefold(), start=span[0], end=span[1], object_span=span)
        place = found.end(1)


@cache
def load_item(language: str) -> re.Pattern[str]:
    """The next of a list: ", pollen", " y a las nueces"."""
    joint, small = load_joints(language)
    if language == HEBREW:
        # Both "and" and "to" are written onto it.
        return re.compile(r"(?:,\s{1,2}ו?|\sו)ל?([א-ת]{3,30})(?=\s*(?:[,.;!]|$|\sו))")
    led = rf"(?:,\s{{1,2}}(?:(?:{joint})\s)?|\s(?:{joint})\s)"
    return re.compile(rf"{led}(?:{small}){{0,2}}({TRIGGER})(?=\s*(?:[,.;!]|$|\s(?:{joint})\s))")


@cache
def load_joints(language: str) -> tuple[str, str]:
    joints = join_entries(language, "and", "answers")
    # "Al polen y a las nueces".
    words = load_words(language, "article") | load_words(language, "allergy to")
    small = "|".join(rf"{re.escape(one)}\s" for one in sorted(words, key=len, reverse=True))
    return joints, small or "(?!)"


def make_slot(drug: str, at: int, *, is_over: bool = False, replaces: str = "") -> SlotMatch:
    span = (at, at + len(drug))
    # Whoever stopped it: "mein Arzt hat das Ramipril abgesetzt".
    return SlotMatch(TAKES, SPEAKER, drug, *span, is_over, replaces, is_explicit=True, weight=WEIGHT, object_span=span)


def drop_taken(found: Sequence[SlotMatch], further: Sequence[SlotMatch]) -> list[SlotMatch]:
    """The slots read before, with the more exact ones in place of those of the same words."""
    spans = [one.object_span for one in further]
    kinds = {one.relation for one in further}
    kept = [one for one in found if one.relation not in kinds or not any(overlaps(one.object_span, s) for s in spans)]
    return [*kept, *further]
