"""What takes the place of what: an old value beside the new one, an ending, a value without its slot."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.dates.agenda import is_doing, is_of_time, tells_move, tells_only_time
from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.words import load_hot_words
from memory.claims.health.moved_doses import DOSES, LEAST_NAMING, find_moved_dose, is_clipped, is_dose_of_kin
from memory.claims.health.named_doses import DOSE
from memory.claims.health.prescriptions import ALLERGY, TAKES
from memory.claims.relations import ABOUT
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import DAY, SlotMatch, load_days, load_phrases, load_words
from memory.claims.slots.nouns import WORDS, find_known_noun, has_owner, is_person_or_animal, names_kin
from memory.claims.slots.unnamed import ALLERGIC
from memory.claims.subjects import PRONOUN
from memory.claims.taxonomy import HAVING
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries
from memory.language.stopwords import load_all_stop_words

# Words of an old value, and the letters from which one of them tells it.
MOST_OLD: Final = 3
SHORTEST_TOLD: Final = 3
WORKMATES: Final = frozenset({"boss", "colleague"})
SLOTS: Final = "slots"
# What "from X to Y" is read as while nobody knows what X is.
MOVES: Final = frozenset({"lives_in", "provider", "works_at"})
NUMBER: Final = "phone_number"
GYM: Final = "gym"
LEARNS: Final = frozenset({"learns", "learning", "studies"})
PHONE: Final = re.compile(r"\+?\d[\d /-]{5,18}\d")


def follow_known(slot: SlotMatch, raw: str, language: str, known: Sequence[KnownSlot]) -> SlotMatch:
    """The slot with what it replaces, and, for an ending, in the slot that it was told in."""
    old, is_correction = find_replaced(slot, raw, language)
    old = old or find_swapped(slot, raw, language, known)
    if old:
        slot = replace(slot, replaces=slot.replaces or old, is_correction=is_correction)
    if slot.replaces and slot.relation in MOVES:
        slot = follow_replaced(slot, known)
    if slot.is_over and slot.relation == TAKES and slot.subject == SPEAKER:
        slot = replace(slot, subject=find_taker(slot, raw, language, known))
    if slot.is_over and slot.relation == "is" and slot.object.startswith(ALLERGIC):
        return name_allergy(slot, raw, known)
    told = find_ended(slot, language, known) if slot.is_over else None
    # "My sister came off sertraline" ends none of the person's own, though both take it.
    is_theirs = told is not None and slot.subject != SPEAKER == told.subject and told.relation == slot.relation
    # "My sister's iPhone got stolen".
    is_theirs = is_theirs or (slot.relation in HAVING and has_owner(slot.object))
    if told is not None and not is_theirs:
        return replace(slot, subject=told.subject, relation=told.relation, object=told.object)
    return slot


def follow_replaced(slot: SlotMatch, known: Sequence[KnownSlot]) -> SlotMatch:
    """ "I moved from Lidl to Aldi" is of whatever Lidl was told as: an employer, and neither a home nor a provider."""
    told = next((one for one in reversed(known) if fold_letters(one.object) == fold_letters(slot.replaces)), None)
    if told is None or told.relation == ABOUT:
        return slot
    return replace(slot, relation=told.relation, subject=told.subject)


def name_allergy(slot: SlotMatch, raw: str, known: Sequence[KnownSlot]) -> SlotMatch:
    """ "Gegen Erle bin ich nicht mehr allergisch" is of the one allergy that it names, whichever was told last."""
    said = raw.casefold()
    told = (one for one in reversed(known) if one.relation == ALLERGY and one.subject == slot.subject)
    named = next((one for one in told if one.object and one.object in said), None)
    return slot if named is None else replace(slot, relation=ALLERGY, object=named.object)


def find_taker(slot: SlotMatch, raw: str, language: str, known: Sequence[KnownSlot]) -> str:
    """Whose medicine is over: "he's come off the metformin" is of whoever takes it beside the person, or of nobody
    known; "she stopped my metformin" and "he took me off it" are of the person."""
    hot = load_hot_words(language)
    kinds = [hot.classify(word.casefold()) for word in WORDS.findall(raw[: slot.object_span[0]])]
    if any("i" in kind or "my" in kind for kind in kinds) or not any(kind & {"he", "she"} for kind in kinds):
        return SPEAKER
    if set(WORDS.findall(fold_letters(raw))) & load_words(language, "me"):
        return SPEAKER
    theirs = (one for one in reversed(known) if one.relation == TAKES and one.object == slot.object)
    taker = next((one.subject for one in theirs if one.subject != SPEAKER), "")
    comes_off = load_phrases(language, "comes off", is_folded=True).search(fold_letters(raw)) is not None
    return taker or (PRONOUN if comes_off else SPEAKER)


def is_no_event(slot: SlotMatch, language: str, known: Sequence[KnownSlot]) -> bool:
    """ "Clive retired on friday", "ma mère m'appelle le dimanche": what is done, who does it, a day have no time."""
    words = slot.subject.split()
    if slot.relation != "time" or not words:
        return False
    named = {one.object for one in known if is_person_or_animal(one.relation)}
    is_deed = words[0] in named if len(words) > 1 else is_doing(words[0], language) or names_kin(words[0], language)
    # "Am 28. Oktober um 9 Uhr habe ich ...": a day and its hour.
    is_day = load_days(language).fullmatch(slot.subject) is not None or all(is_of_time(one, language) for one in words)
    return is_deed or is_day


def find_swapped(slot: SlotMatch, raw: str, language: str, known: Sequence[KnownSlot]) -> str:
    """ "Naproxen was wrecking my stomach, so she's switched me to celecoxib": the medicine that goes."""
    if slot.relation != TAKES or load_phrases(language, "swap").search(raw) is None:
        return ""
    said = raw.casefold()
    taken = (one.object for one in reversed(known) if one.relation == TAKES and one.object != slot.object)
    return next((name for name in taken if name and name in said), "")


def find_ended(slot: SlotMatch, language: str, known: Sequence[KnownSlot]) -> KnownSlot | None:
    if slot.relation == "works_at" and slot.subject != SPEAKER:
        # "Brogan has left the company": whoever leaves a place of work is somebody's boss no longer.
        return next((one for one in reversed(known) if one.object == slot.subject and one.relation in WORKMATES), None)
    # "Is allergic to nuts" is of a list as often as not.
    known = [one for one in known if one.relation != "is" or not one.object.startswith(ALLERGIC)]
    own = [one for one in known if one.subject == slot.subject]
    alike = [one for one in own if one.relation == slot.relation]
    told = (found for some in (alike, own, known) if (found := find_told(slot.object, some)) is not None)
    return next(told, None) or find_of_noun(slot.object, language, known)


def find_replaced(slot: SlotMatch, raw: str, language: str) -> tuple[str, bool]:
    """The old value, and whether it is one put right: "Tom instead of Priya", "Fiona, not Fionnuala"."""
    for pattern, is_correction in load_replacing(language):
        if found := pattern.search(raw):
            kinds = ("article", "my", "adverb", "stop")
            small = frozenset(word for kind in kinds for word in load_words(language, kind))
            words = [word for word in WORDS.findall(found["old"]) if fold_letters(word) not in small]
            old = " ".join(words).casefold()
            if old and old not in slot.object and slot.object not in old:
                return old, is_correction
    return "", False


@cache
def load_replacing(language: str) -> tuple[tuple[re.Pattern[str], bool], ...]:
    """ "instead of X" anywhere, and "not X" behind a comma or before "but"."""
    words = read_entries(language, SLOTS, "instead")
    denials = load_words(language, "denial")
    instead = [re.escape(one) for one in words if fold_letters(one) not in denials]
    deny = [re.escape(one) for one in words if fold_letters(one) in denials]
    old = rf"(?P<old>[\w.'-]{{1,30}}(?:\s[\w.'-]{{1,30}}){{0,{MOST_OLD - 1}}})"
    prefix = "ל?" if language == HEBREW else ""
    return (
        (re.compile(rf"(?<!\w)(?:{'|'.join(instead) or '(?!)'})\s{prefix}{old}", re.IGNORECASE), False),
        (re.compile(rf",\s(?:{'|'.join(deny) or '(?!)'})\s{old}\s?(?=[.!,]|$)", re.IGNORECASE), True),
    )


def find_told(spoken: str, known: Sequence[KnownSlot]) -> KnownSlot | None:
    """What was told last that some words name: "Pettifer has left" of "my boss, Mr Pettifer"."""
    words = {fold_letters(word) for word in WORDS.findall(spoken)}
    for one in reversed(known):
        told = [fold_letters(word) for word in WORDS.findall(one.object)]
        if any(len(word) >= SHORTEST_TOLD and word in words for word in told):
            return one
    return None


def find_of_noun(spoken: str, language: str, known: Sequence[KnownSlot]) -> KnownSlot | None:
    """ "I no longer have a car" ends the car that was told by its name."""
    noun = find_known_noun(WORDS.findall(spoken), language)
    return next((one for one in reversed(known) if noun is not None and one.relation == noun[1]), None)


def find_moved(raw: str, language: str, known: Sequence[KnownSlot]) -> SlotMatch | None:
    """A value whose slot only the last turns tell: "it's 40 mg, not 20", "on Thursdays now"."""
    if not known:
        return None
    if (dosed := find_moved_dose(raw, language, known)) is not None:
        return dosed
    values = ((DOSE, DOSES), (load_days(language), frozenset({"time"})), (PHONE, frozenset({NUMBER})))
    for pattern, fits in values:
        found = list(pattern.finditer(raw))
        told = find_spoken_of(raw, [one for one in known if one.relation in fits])
        is_dated = told is not None and told.relation == "time" and told.object[:1].isdigit()
        if told is not None and is_dated and names_subject(raw, told):
            # "Vet moved to the 8th": a number alone is a day only of what is named and was told to be on one.
            found = found or list(DAY.finditer(raw))
        if not found or told is None or is_dose_of_kin(raw, language, told, known):
            continue
        new = next((one for one in found if one[0].casefold() != told.object), None)
        # "Lunedì alle 10 c'è il sole" takes the place of no appointment.
        is_moved = told.relation != "time" or names_part(raw, told) or tells_other_time(raw, language)
        if new is not None and is_moved:
            return SlotMatch(
                told.relation,
                told.subject,
                new[0].casefold(),
                new.start(),
                new.end(),
                replaces=told.object,
                is_correction=corrects(raw, language),
                object_span=new.span(),
            )
    return None


def tells_other_time(raw: str, language: str) -> bool:
    """Whether the words say that a day or an hour is another one: by a verb, by "now", or as all that they tell."""
    now = load_words(language, "now", "frames")
    is_now = any(fold_letters(word) in now for word in WORDS.findall(raw))
    return is_now or tells_move(raw, language) or tells_only_time(raw, language)


def find_spoken_of(raw: str, known: Sequence[KnownSlot]) -> KnownSlot | None:
    """Whose value it is: what the words name, if only its medicine by a part, else what was told of last."""
    named = [one for one in reversed(known) if names_subject(raw, one)]
    words = frozenset(WORDS.findall(raw)) - load_all_stop_words()
    clipped = (
        one for one in reversed(known) if one.relation in DOSES and any(is_clipped(word, one.subject) for word in words)
    )
    return next(iter(named), None) or next(clipped, known[-1] if known else None)


def names_subject(raw: str, known: KnownSlot) -> bool:
    named, spoken = (list(map(fold_letters, WORDS.findall(one))) for one in (known.subject, raw))
    # "המוסך": the article is written onto the word.
    spoken += [word[1:] for word in spoken if word.startswith("ה")]
    return bool(named) and set(named) <= set(spoken)


def names_part(raw: str, known: KnownSlot) -> bool:
    """ "Band's been shoved to Mondays", of the brass band practice."""
    named, spoken = ({fold_letters(word) for word in WORDS.findall(one)} for one in (known.subject, raw))
    return names_subject(raw, known) or any(len(word) >= LEAST_NAMING for word in named & spoken)


def find_renamed(raw: str, language: str, known: Sequence[KnownSlot]) -> SlotMatch | None:
    """ "Fiona, not Fionnuala": the new value before the old one, which was told."""
    found = load_replacing(language)[1][0].search(raw)
    told = find_told(found["old"], known) if found else None
    before = list(WORDS.finditer(raw, 0, found.start())) if found else []
    if told is None or not before or not before[-1][0][0].isupper():
        return None
    span = before[-1].span()
    spoken = raw[slice(*span)].casefold()
    return SlotMatch(
        told.relation, told.subject, spoken, *span, replaces=told.object, is_correction=True, object_span=span
    )


def tells_part(slot: SlotMatch, moved: SlotMatch) -> bool:
    """ "They've shifted pottery to Thursdays" is of the pottery class that was told of."""
    is_time = slot.relation == moved.relation == "time" and slot.object == moved.object
    return is_time and set(slot.subject.split()) < set(moved.subject.split())


def find_new_number(raw: str, language: str) -> list[SlotMatch]:
    """ "He cambiado de número: 611 333 444"."""
    changed = load_phrases(language, "new number").search(raw)
    found = PHONE.search(raw, changed.end()) if changed else None
    if found is None:
        return []
    return [
        SlotMatch(NUMBER, SPEAKER, found[0], *found.span(), weight=FRAMED, is_explicit=True, object_span=found.span())
    ]


def settle_language(slot: SlotMatch, raw: str, language: str, known: Sequence[KnownSlot]) -> SlotMatch | None:
    """ "Me he apuntado a alemán" is of no gym; "I've switched to Portuguese" is where a language was learnt before, as
    else it may be that of the answers."""
    if slot.relation != GYM or fold_letters(slot.object) not in load_words(language, "language word"):
        return slot
    learnt = (one for one in reversed(known) if one.relation in LEARNS and one.subject == slot.subject)
    old = next((one.object for one in learnt if one.object != slot.object), "")
    is_swap = load_phrases(language, "swap").search(raw) is not None
    if is_swap and not old:
        return None
    return replace(slot, relation="learns", replaces=old if is_swap else "")


def switches_language(text: str) -> bool:
    language = next(iter(find_turn_languages(text, ())), "en")
    names = not load_words(language, "language word").isdisjoint(map(fold_letters, WORDS.findall(text)))
    return names and load_phrases(language, "swap").search(text) is not None


def corrects(raw: str, language: str) -> bool:
    patterns = load_phrases(language, "correction"), load_replacing(language)[1][0]
    return any(pattern.search(raw) is not None for pattern in patterns)
