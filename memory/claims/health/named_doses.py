"""A medicine and its dose side by side: "20 mg of omeprazole", "sertraline, 50 mg", "ich nehme Candesartan, 8 mg"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.health.doses import find_plain_doses
from memory.claims.health.prescriptions import find_drugs
from memory.claims.slots.matching import SlotMatch, find_drug, load_small_words, load_words, overlaps
from memory.claims.slots.nouns import WORDS
from memory.guard.spelling import fold_letters
from memory.language.loader import list_codes

DOSE: Final = re.compile(
    r"(?<!\d)(\d{1,5}(?:[.,]\d{1,3})?)\s?(?:mg|ml|mcg|µg|μg|g|iu|ie|ui|מג|מ\"ג|מיקרוגרם)(?!\w)", re.IGNORECASE
)
# The verb may stand between: "Candesartan nehmen, 8 mg".
DOSE_BEHIND: Final = re.compile(rf"(?:\s[^\W\d_]{{3,15}}(?=,))?,?\s{{0,2}}({DOSE.pattern})", re.IGNORECASE)
DRUG_AND_DOSE: Final = re.compile(rf"(?P<drug>[^\W\d_]{{4,40}}),?\s{{1,2}}(?P<dose>{DOSE.pattern})", re.IGNORECASE)
OF: Final = re.compile(r"^(?:of|on|de|di|d'|von)\s")


def list_plain_doses(raw: str, language: str, read: Sequence[SlotMatch]) -> list[SlotMatch]:
    """Of the medicines that a sentence says are taken, those whose dose it tells without a unit."""
    taken = {one.object for one in read if one.relation == "takes" and not one.is_over}
    taken -= {one.subject for one in read if one.relation == "takes_dose"}
    doses = find_plain_doses(raw, language) if taken else ()
    spans = [one.object_span for one in read]
    return [one for one in doses if one.subject in taken and not any(overlaps(one.object_span, span) for span in spans)]


def find_doses(raw: str, language: str) -> Iterator[SlotMatch]:
    """ "Ich nehm seit dem Sommer Sertralin, 50 mg": a drug and its dose, whatever verb they stand behind."""
    speaks = any(fold_letters(word) in load_words(language, "i") for word in WORDS.findall(raw))
    for found in DRUG_AND_DOSE.finditer(raw):
        if drug := find_drug(found["drug"].casefold()):
            start, end = found.span()
            if speaks:
                yield SlotMatch("takes", SPEAKER, drug, start, end, object_span=found.span("drug"))
            yield SlotMatch("takes_dose", drug, found["dose"].casefold(), start, end, object_span=found.span("dose"))


def split_dose(slot: SlotMatch, raw: str) -> list[SlotMatch]:
    """ "20 mg of omeprazole" is a drug and its dose; so is "sertraline, 50 mg"."""
    if slot.relation == "takes" and DOSE.search(slot.object) is None:
        slot = replace(slot, object=find_drug(slot.object) or slot.object)
    behind = DOSE_BEHIND.match(raw, slot.object_span[1]) if slot.relation == "takes" else None
    if behind is not None and DOSE.search(slot.object) is None:
        dose = behind[1].casefold()
        return [
            slot,
            replace(slot, subject=slot.object, relation="takes_dose", object=dose, object_span=behind.span(1)),
        ]
    dose = DOSE.search(slot.object)
    if slot.relation != "takes" or dose is None:
        return [slot]
    drug = OF.sub("", (slot.object[: dose.start()] + slot.object[dose.end() :]).strip())
    if not drug or names_only_time(drug):
        return name_dosed(slot, dose[0], raw)
    drug = find_drug(drug) or drug
    return [replace(slot, object=drug), replace(slot, subject=drug, relation="takes_dose", object=dose[0])]


def name_dosed(slot: SlotMatch, dose: str, raw: str) -> list[SlotMatch]:
    """Of "ich soll Candesartan nehmen, 8 mg morgens" the medicine, which stands before what is taken, or behind it."""
    drugs = list(find_drugs(raw))
    before = [one for one in drugs if one[1] < slot.object_span[0]]
    if not drugs:
        return [replace(slot, relation="takes_dose", object=dose)]
    drug, at = before[-1] if before else drugs[0]
    taken = replace(slot, object=drug, start=min(slot.start, at), object_span=(at, at + len(drug)))
    return [taken, replace(slot, subject=drug, relation="takes_dose", object=dose)]


def names_only_time(spoken: str) -> bool:
    """ "Morgens", "la mattina", "twice a day": when something is taken, and not what."""
    words = [fold_letters(word) for word in WORDS.findall(spoken)]
    return any(load_light_words(code).issuperset(words) for code in list_codes())


@cache
def load_light_words(language: str) -> frozenset[str]:
    kinds = ("time", "time link", "time adj", "prep", "unit")
    light = load_small_words(language).union(*(load_words(language, kind, "frames") for kind in kinds))
    return light | load_words(language, "dose beside")
