"""Medicines and allergies that a sentence tells of beside the first it names: those joined to it, a medicine that was
stopped, one that another took the place of.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.slots import SlotMatch, find_drug, load_phrases, load_small_words, load_words, overlaps
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

TAKES: Final = "takes"
ALLERGY: Final = "allergic_to"
# Of one word or two.
TRIGGER: Final = r"[^\W\d_]{3,30}(?:\s[^\W\d_]{3,30})?"
# As much as a template with a verb has.
WEIGHT: Final = 4
CLAUSES: Final = re.compile(r"[^,;:.!?…\n]+")
WORDS: Final = re.compile(r"[^\W\d_][\w-]{3,39}")
# From one medicine of a list to the next: a dose, how often, a comma, "and".
STEP: Final = r"(?:\s\d[\d.,]*\s?(?:mg|mcg|µg|ml|g|iu|ie|ui|מ\"ג)?)?(?:,\s{1,2}|\s(?:%s)\s)(?:%s)?"


def find_further_slots(raw: str, languages: Sequence[str], found: Sequence[SlotMatch]) -> Iterator[SlotMatch]:
    """Of what somebody takes or cannot take "... atorvastatin and aspirin", and of "stopped the aspirin" and "swapped
    it for ..." each medicine."""
    for first in (one for one in found if not one.is_over):
        for language in languages:
            if first.relation == TAKES:
                yield from list_joined(raw, language, first)
            elif first.relation == ALLERGY:
                yield from list_triggers(raw, language, first)
    for clause in CLAUSES.finditer(raw):
        spoken = ((word[0].casefold(), word.start() + clause.start()) for word in WORDS.finditer(clause[0]))
        if drugs := [(drug, at) for drug, at in spoken if find_drug(drug)]:
            yield from list_changed(fold_letters(clause[0]), languages, drugs)


def list_changed(clause: str, languages: Sequence[str], drugs: Sequence[tuple[str, int]]) -> Iterator[SlotMatch]:
    """Of a clause in folded letters that names medicines, with their places."""
    for language in languages:
        if len(drugs) > 1 and load_phrases(language, "swap", is_folded=True).search(clause):
            (old, _), (new, at) = drugs[0], drugs[-1]
            yield make_slot(new, at, replaces=old)
        elif load_phrases(language, "taken off", is_folded=True).search(clause):
            yield from (make_slot(drug, at, is_over=True) for drug, at in drugs)


def list_joined(raw: str, language: str, first: SlotMatch) -> Iterator[SlotMatch]:
    place = first.object_span[1]
    joint, small = load_joints(language)
    step = re.compile(STEP % (joint, small), re.IGNORECASE)
    while (found := step.match(raw, place)) is not None and (word := WORDS.match(raw, found.end())) is not None:
        if not find_drug(word[0].casefold()):
            return
        yield make_slot(word[0].casefold(), word.start())
        place = word.end()


def list_triggers(raw: str, language: str, first: SlotMatch) -> Iterator[SlotMatch]:
    """ "Penicillin, nuts and bee stings": each up to the end of the list, where no other clause begins."""
    joint, small = load_joints(language)
    item = re.compile(
        rf"(?:,\s{{1,2}}(?:(?:{joint})\s)?|\s(?:{joint})\s)(?:{small})?({TRIGGER})(?=\s*(?:[,.;!]|$|\s(?:{joint})\s))"
    )
    place = first.object_span[1]
    while (found := item.match(raw, place)) is not None:
        words = {fold_letters(word) for word in found[1].split()}
        if words & load_small_words(language):
            return
        span = found.span(1)
        yield replace(first, object=found[1].casefold(), start=span[0], end=span[1], object_span=span)
        place = found.end(1)


@cache
def load_joints(language: str) -> tuple[str, str]:
    joints = "|".join(re.escape(one) for one in read_entries(language, "answers", "and"))
    small = "|".join(rf"{re.escape(one)}\s" for one in sorted(load_words(language, "article"), key=len, reverse=True))
    return joints or "(?!)", small or "(?!)"


def make_slot(drug: str, at: int, *, is_over: bool = False, replaces: str = "") -> SlotMatch:
    span = (at, at + len(drug))
    # Whoever stopped it: "mein Arzt hat das Ramipril abgesetzt".
    return SlotMatch(TAKES, SPEAKER, drug, *span, is_over, replaces, is_explicit=True, weight=WEIGHT, object_span=span)


def drop_taken(found: Sequence[SlotMatch], further: Sequence[SlotMatch]) -> list[SlotMatch]:
    """What was read before with what is known more closely of the same words."""
    spans = [one.object_span for one in further]
    kinds = {one.relation for one in further}
    kept = [one for one in found if one.relation not in kinds or not any(overlaps(one.object_span, s) for s in spans)]
    return [*kept, *further]
