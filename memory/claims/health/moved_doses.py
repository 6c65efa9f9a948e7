"""A dose that has moved, of a medicine that was told of before: "the doctor upped it to 850", "desde hoy catorce".

Such words name the medicine by a part of its name or not at all, so what was told decides whose dose it is.
"""

from collections.abc import Sequence
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.languages import find_turn_languages
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
from memory.claims.health.named_doses import DOSE
from memory.claims.health.prescriptions import TAKES
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch, load_phrases, overlaps
from memory.claims.slots.nouns import WORDS, names_kin
from memory.claims.slots.resolution import READ_OF_TURN, SENTENCES, read_slots
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters

# Letters from which a part of a name says which medicine or appointment is meant.
LEAST_NAMING: Final = 4
# Relations whose object is a value that may come without its slot: "now it's 40 mg".
DOSES: Final = frozenset({TAKES_DOSE})


def is_dose_of_kin(raw: str, language: str, told: KnownSlot, known: Sequence[KnownSlot]) -> bool:
    """ "A mi suegro le han puesto 20 mg" changes none of the person's own."""
    if told.relation not in DOSES or not names_kin(raw, language):
        return False
    takers = {one.subject for one in known if one.relation == TAKES and one.object == told.subject}
    return takers <= {SPEAKER}


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
