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
from memory.claims.health.counsel import names_healer
from memory.claims.health.dose_changes import find_bare_move, load_dose_moves, read_move
from memory.claims.health.doses import (
    TAKES_DOSE,
    Number,
    count_numbers,
    find_named_move,
    find_told_move,
    is_of_speaker,
    may_follow,
    read_changed_dose,
)
from memory.claims.health.medicine import MEDICATION
from memory.claims.health.prescriptions import ALLERGY, TAKES
from memory.claims.relations import ABOUT
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.matching import DAY, SlotMatch, load_days, load_phrases, load_words, overlaps
from memory.claims.slots.nouns import WORDS, find_known_noun, has_owner, is_person_or_animal, names_kin
from memory.claims.slots.resolution import DOSE, READ_OF_TURN, SENTENCES, KnownSlot, read_slots
from memory.claims.slots.unnamed import ALLERGIC
from memory.claims.subjects import PRONOUN
from memory.claims.taxonomy import HAVING
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries
from memory.language.stopwords import load_all_stop_words

# Words of an old value, and the letters from which one of them tells it.
MOST_OLD: Final = 3
SHORTEST_TOLD: Final = 3
# Letters from which one word of an appointment's name says which it is.
LEAST_NAMING: Final = 4
WORKMATES: Final = frozenset({"boss", "colleague"})
# Relations whose object is a value that may come without its slot: "now it's 40 mg", "Thursdays now".
DOSES: Final = frozenset({TAKES_DOSE})
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


def is_dose_of_kin(raw: str, language: str, told: KnownSlot, known: Sequence[KnownSlot]) -> bool:
    """ "A mi suegro le han puesto 20 mg" changes none of the person's own."""
    if told.relation not in DOSES or not names_kin(raw, language):
        return False
    takers = {one.subject for one in known if one.relation == TAKES and one.object == told.subject}
    return takers <= {SPEAKER}


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


def find_moved_dose(raw: str, language: str, known: Sequence[KnownSlot]) -> SlotMatch | None:
    """ "The doctor upped it to 850": of the medicine that was told of last, in the unit it was told in."""
    doses = [one for one in known if one.relation in DOSES | {TAKES}]
    # "Il medico me l'ha portato a 10" is of four languages, and the whole turn's may be another.
    spoken = dict.fromkeys((language, *find_turn_languages(raw))) if doses else (language,)
    if DOSE.search(raw):
        return None if names_kin(raw, language) else find_told_move(raw, language)
    if (named := next(filter(None, (find_named_move(raw, one) for one in spoken)), None)) is not None:
        number, name, span = named
        is_own = is_of_speaker(raw, language) and not names_kin(raw, language)
        doses += [KnownSlot(SPEAKER, TAKES, name)] if is_own else []
    elif doses and (found := find_bare_move(raw, spoken)) is not None:
        value, name = read_move(found)
        start = found.start() + found[0].index(value)
        number, span = Number(value.replace(",", "."), "", 1), (start, start + len(value))
    else:
        return None
    told = find_dosed(doses, name, number, is_named=named is not None)
    if told is None or is_dose_of_kin(raw, language, told, known):
        return None
    said = raw[slice(*span)]
    dose = said.casefold() if number.unit else f"{said}{told.object.lstrip('0123456789.,')}"
    weight = FRAMED if named is not None else 0
    return SlotMatch(told.relation, told.subject, dose, *span, replaces=told.object, weight=weight, object_span=span)


def put_moved_dose(
    slots: Sequence[SlotMatch], raw: str, language: str, known: Sequence[KnownSlot]
) -> list[SlotMatch] | None:
    """The slots with the dose that a sentence moves; None where it moves none, or says as much by another template."""
    dosed = find_moved_dose(raw, language, known)
    is_told = dosed is not None and any((one.relation, one.subject) == (TAKES_DOSE, dosed.subject) for one in slots)
    if dosed is None or (is_told and not dosed.replaces):
        return None
    # "Auf 10 erhöht" is no time of the day, "mon Levothyrox est passé à 100" tells of none that is called "passé".
    others = (one for one in slots if not overlaps(one.object_span, dosed.object_span))
    return [*(one for one in others if one.relation != dosed.subject), dosed]


def find_dosed(doses: Sequence[KnownSlot], name: str, number: Number, *, is_named: bool) -> KnownSlot | None:
    """The last known dose that a number may have changed, of the medicine that is named if any is; of one that nobody
    else takes and whose dose nobody told its first."""
    dosed = [one for one in doses if one.relation in DOSES]
    told = next((one for one in reversed(dosed) if not name or is_clipped(name, one.subject)), None)
    if told is not None:
        return told if may_follow(told.object, number) else None
    taken = any(one.relation == TAKES and one.object == name and one.subject == SPEAKER for one in doses)
    return KnownSlot(name, TAKES_DOSE, "") if is_named and taken else None


def is_clipped(name: str, drug: str) -> bool:
    """ "Levo", of the levothyroxine."""
    return len(name) >= LEAST_NAMING and fold_letters(drug).startswith(fold_letters(name))


def read_new_dose(text: str) -> tuple[Number, str] | None:
    """The number to which a turn says that a dose has moved, and what it tells of the medicine's name; without a name,
    by somebody who heals: "the doctor upped it to 10 mg"; not "the rent went up to 900"."""
    language = next(iter(find_turn_languages(text, ())), "en")
    if (named := find_named_move(text, language)) is not None:
        return named[:2]
    found = load_dose_moves(language).search(text)
    if found is None:
        return None
    value, name = read_move(found)
    if not name and not names_healer(text):
        return None
    told = DOSE.match(text, found.start() + found[0].index(value))
    unit = told[0][len(value) :].strip().casefold() if told is not None else ""
    return Number(value.replace(",", "."), unit, 1), name


def find_changed_dose(text: str, previous: Sequence[str], asked: str) -> list[SlotMatch]:
    """ "Perdón, 10", "desde hoy catorce", "it's two and a half now": the new dose of the one medicine that the turn
    before told of, and no style of answers. With another number in that turn, or behind another matter, it may be
    anything's."""
    # "Sorry, 10" is of as many languages as "pardon, 10": the turn before tells which.
    language = next(iter(find_turn_languages(text, previous[-1:])), "en")
    found = read_changed_dose(text, language) if previous else None
    last = previous[-1][:READ_OF_TURN] if found else ""
    if found is None or count_numbers(last, language) != 1:
        return []
    slots = [slot for raw in SENTENCES.split(last) for slot in read_slots(raw, frozenset({language}), ())]
    doses = {(one.subject, one.object) for one in slots if one.relation in DOSES}
    drug, old = next(iter(doses), ("", ""))
    number, span = found
    if len(doses) != 1 or not may_follow(old, number) or not asks_of_dose(text, span, drug, language, asked):
        return []
    unit = number.unit or old.lstrip("0123456789.,").strip()
    dose = f"{number.value} {unit}".strip()
    is_correction = load_phrases(language, "correction").search(text) is not None
    return [
        SlotMatch(
            TAKES_DOSE, drug, dose, *span, replaces=old, is_correction=is_correction, weight=FRAMED, object_span=span
        )
    ]


def asks_of_dose(text: str, span: tuple[int, int], drug: str, language: str, asked: str) -> bool:
    """Whether nothing else was asked for in between; a number alone has to be asked for."""
    is_asked = drug in asked.casefold() or MEDICATION in find_topic_words(asked).spans
    if not asked:
        return bool(WORDS.search(text[: span[0]] + text[span[1] :]))
    return is_asked or load_phrases(language, "correction").search(text) is not None


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
