"""The slots that frames of verbs and nouns fill, beside those of templates (`slots`)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.constraints import find_constraint
from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.triples import Amendment, AskedEvent, HotReading, HotTriple
from memory.claims.frames.turn import READ, read_framed
from memory.claims.frames.words import LANGUAGES, SUBJECT
from memory.claims.relations import PLACES, fits_relation
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch, overlaps
from memory.claims.slots.nouns import is_predicate_word
from memory.claims.taxonomy import ANIMALS, PEOPLE
from memory.claims.turns import choose_reading
from memory.language.hebrew import HEBREW_IN, is_hebrew
from memory.language.loader import read_entries

# The weight of a slot that a frame reads, whose subject it knows.
FRAMED: Final = 90
# Characters behind the words of a triple in which its object may stand.
REACH: Final = 60
# What frames say of many things that a template names more closely: an allergy, a diet, a medicine.
GENERIC: Final = frozenset({"has", "is", "owns", "likes", "dislikes", "went_to", "time", "duration", "quantity"})
# What somebody tells of themselves beside their name.
INTRODUCED: Final = frozenset({"age", "works_as", "works_at", "lives_in", "born_in"})


@dataclass(frozen=True, slots=True)
class FramedText:
    """Slots, those that the turns before filled, where it only supposes, and what a question takes for granted."""

    slots: Sequence[SlotMatch] = ()
    known: Sequence[KnownSlot] = ()
    supposed: Sequence[tuple[int, int]] = ()
    asked: Sequence[AskedEvent] = ()
    amendment: Amendment | None = None

    def is_supposed(self, sentence: str, place: int) -> bool:
        """Whether a sentence only supposes; "if I eat nuts, my throat closes" limits all the same."""
        end = place + len(sentence)
        return any(low < end and place < high for low, high in self.supposed) and not find_constraint(sentence)


def read_frames(masked: str, previous: Sequence[str], languages: frozenset[str] | None) -> FramedText:
    """What frames read of a text whose other voices are blanks, in its places."""
    likely = find_turn_languages(masked, previous)
    spoken = [one for one in likely if languages is None or one in languages] or list(likely[:1])
    readings = [read_framed(masked[:READ], previous, one) for one in spoken]
    if not readings:
        return FramedText()
    reading = choose_reading(readings)
    known = [KnownSlot(*one.key) for one in reading.known]
    return FramedText(list_slots(reading, masked), known, reading.supposed, reading.asked, reading.amendment)


def list_slots(reading: HotReading, text: str) -> list[SlotMatch]:
    corrected = {(one.subject, one.relation): one.object for one in reading.retracted if not one.is_over}
    told = [make_slot(one, text, corrected.get((one.subject, one.relation), "")) for one in reading.triples]
    # "I live in York now" ends Leeds by what it tells; the words are York's.
    filled = {(one.subject, one.relation) for one in reading.triples}
    told += [
        make_slot(one, text) for one in reading.retracted if one.is_over and (one.subject, one.relation) not in filled
    ]
    told = [one for one in told if not is_state(one, text, reading.lang)]
    told = mark_introduced([one for one in told if one.end > one.start])
    return [replace(one, is_shared=any(is_of_another_too(one, other) for other in told)) for one in told]


def is_state(slot: SlotMatch, text: str, language: str) -> bool:
    """ "Dass meine Mutter Diabetes hat" names no mother called so."""
    words = text[slice(*slot.object_span)].split()
    return slot.relation in PEOPLE and len(words) == 1 and is_predicate_word(words[0], language)


def mark_introduced(slots: list[SlotMatch]) -> list[SlotMatch]:
    """What stands behind the name of who speaks is told of them: "I'm Sam, 42, plumber from Hull"."""
    name = next((one for one in slots if (one.subject, one.relation) == (SPEAKER, "name")), None)
    if name is None:
        return slots
    end = name.object_span[1]
    said = {id(one) for one in slots if one.subject == SPEAKER and one.relation in INTRODUCED and one.start >= end}
    return [replace(one, is_explicit=True, start=name.start) if id(one) in said else one for one in slots]


def is_of_another_too(one: SlotMatch, other: SlotMatch) -> bool:
    """Whether frames read the same words of two people; where they read one alone, `sharing` reads the other."""
    return one.subject != other.subject and (one.relation, one.object_span) == (other.relation, other.object_span)


def make_slot(triple: HotTriple, text: str, replaces: str = "") -> SlotMatch:
    start, end = triple.span
    # A name stands behind the noun that was read: "my landlord is Mr Patel".
    beside = text[start : end + REACH] if end > start else ""
    # What ends may be named by a part of its name: "Reginald" of Sir Reginald Fluff.
    named = (triple.object, *(sorted(triple.object.split(), key=len, reverse=True) if triple.is_over else ()))
    spoken = next((found for one in named if (found := find_word(one, beside))), None)
    return SlotMatch(
        triple.relation,
        triple.subject,
        triple.object,
        start,
        max(end, start + spoken.end()) if spoken else end,
        is_over=triple.is_over,
        replaces=replaces,
        is_correction=bool(replaces),
        weight=FRAMED,
        object_span=(start + spoken.start(), start + spoken.end()) if spoken else triple.span,
    )


def find_word(word: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)


def cut_slots(slots: Sequence[SlotMatch], start: int, end: int) -> list[SlotMatch]:
    """The slots of one sentence of the text, their places counted from its beginning."""
    return [
        replace(
            one,
            start=max(0, one.start - start),
            end=min(end, one.end) - start,
            object_span=(one.object_span[0] - start, one.object_span[1] - start),
        )
        for one in slots
        if start <= one.object_span[0] and one.object_span[1] <= end
    ]


def parts_with(sentence: str, slots: Sequence[SlotMatch], place: int) -> bool:
    """ "No more Pączek" of a hamster is no wish about answers."""
    end = place + len(sentence)
    return any(one.is_over and place <= one.object_span[0] < end for one in slots)


def join_slots(matched: Sequence[SlotMatch], framed: Sequence[SlotMatch]) -> list[SlotMatch]:
    """The slots of both, one for what both read."""
    # Frames know where a name ends: "my husband Theo are thinking" names nobody.
    named = {(one.subject, one.relation) for one in framed if one.relation in PEOPLE | ANIMALS}
    told = {one.object for one in framed}
    found = [
        trim_place(one)
        for one in matched
        if ((one.subject, one.relation) not in named or one.object in told) and may_be_place(one)
    ]
    # One of a template may be of both people of a frame: "my brother and I live in Kiel".
    paired: set[int] = set()
    for one in framed:
        pair = next((at for at, other in enumerate(found) if at not in paired and reads_same(one, other)), None)
        if pair is None:
            paired.add(len(found))
            found.append(one)
        else:
            paired.add(pair)
            found[pair] = choose_slot(found[pair], one)
    unlike = {(one.subject, one.relation, one.object, one.is_over): one for one in found}
    return sorted(unlike.values(), key=lambda one: one.start)


def may_be_place(slot: SlotMatch) -> bool:
    """ "Yoga moved to Thursdays", "my desk at work is 4.12": no place is a time, a number or a sentence."""
    if slot.relation not in PLACES:
        return True
    first = slot.object.split()[0] if slot.object else ""
    return fits_relation(slot.relation, slot.object) and first not in load_time_words()


def trim_place(slot: SlotMatch) -> SlotMatch:
    """ "Curitiba mês passado": a time at the end is no part of a place."""
    words = slot.object.split() if slot.relation in PLACES else []
    at = next((at for at, word in enumerate(words) if at and is_time(words, at)), len(words))
    if at == len(words):
        return slot
    kept = " ".join(words[:at])
    begun, _ = slot.object_span
    return replace(slot, object=kept, object_span=(begun, begun + len(kept)))


def is_time(words: Sequence[str], at: int) -> bool:
    # "Praça da Primavera" is none.
    return words[at] in load_time_words() and words[at - 1] not in load_of_words()


@cache
def load_time_words() -> frozenset[str]:
    """Words and units of time of every language, with the Hebrew particle before them."""
    kinds = ("time", "unit", "month")
    plain = {word for code in LANGUAGES for kind in kinds for word in read_entries(code, SUBJECT, kind)}
    return frozenset(plain | {f"{HEBREW_IN}{word}" for word in plain if is_hebrew(word)}) - load_of_words()


@cache
def load_of_words() -> frozenset[str]:
    kinds = ("of", "det", "prep", "the")
    return frozenset(word for code in LANGUAGES for kind in kinds for word in read_entries(code, SUBJECT, kind))


def reads_same(framed: SlotMatch, other: SlotMatch) -> bool:
    if framed.relation == other.relation and framed.object == other.object:
        return True
    return overlaps(framed.object_span, other.object_span)


def choose_slot(matched: SlotMatch, framed: SlotMatch) -> SlotMatch:
    """The relation that says more, and whose it is by the frame, which knows who was spoken of."""
    weight = max(matched.weight, FRAMED)
    if matched.relation != framed.relation and framed.relation in GENERIC:
        return replace(matched, subject=framed.subject, weight=weight) if matched.is_third else matched
    # "My sister's wife is called Ruth" takes no place of the person's own.
    replaces = matched.replaces if matched.subject == framed.subject else framed.replaces
    told = replace(matched, relation=framed.relation, subject=framed.subject, object=framed.object, weight=weight)
    # "Our cat Mog died yesterday": a template reads the name, and the frame that it is a cat they had.
    is_over = matched.is_over or (framed.is_over and framed.relation in ANIMALS)
    return replace(told, replaces=replaces, is_shared=framed.is_shared, is_over=is_over)
