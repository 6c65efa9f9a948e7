"""Appointments told in a few words each: "chiropodist thursday at 10, eye test friday at half 2".

Each is a claim of its own with its own words: of a sentence kept as one, the second went when the first was moved.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.building import write_sentence
from memory.claims.frames.numerals import read_spoken
from memory.claims.inner_dots import NUMERIC_DATE
from memory.claims.relations import ABOUT
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import DAY, SlotMatch, load_days, load_phrases, load_small_words, load_words
from memory.claims.slots.resolution import LAST_TURNS, READ_OF_TURN, SENTENCES
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, is_hebrew
from memory.language.loader import list_codes, read_entries
from memory.language.names import load_given_names

WORD: Final = re.compile(r"\d+(?:[.:]\d+)*[^\W\d_]*|[^\W\d_]+(?:[\"-][^\W\d_]+)*")
MARK: Final = re.compile(r"[,;—–]|\s-+\s|[.!?…]+\s*$")
NUMERIC: Final = re.compile(rf"(?<!\d){NUMERIC_DATE}(?!\d)")
# Words that name what an appointment is: what goes on longer tells something else.
MOST_NAMING: Final = 3
# A sentence of a person holds a few; what goes on longer is a pasted list.
MOST: Final = 8
LEAST: Final = 2
# Words beside a day and an hour that only propose them: "say", "zum Beispiel".
MOST_BESIDE: Final = 1
OF_TIME: Final = ("time", "time link", "time adj", "unit", "month", "clock")
HAVING: Final = ("have 1", "have 3", "got")
CLITICS: Final = "בלהומ"
LONGEST_CLITICS: Final = 2
TOLD: Final = frozenset({ABOUT, "time"})
# How "we" ends a verb, and how much of it is left that tells which event it is.
DOING: Final = {"es": re.compile(r"[aei]mos$"), "pt": re.compile(r"[aei]mos$"), "it": re.compile(r"iamo$")}
SHORTEST_STEM: Final = 4


@dataclass(frozen=True, slots=True)
class Appointment:
    """What it is, when, its words, and their place in the sentence."""

    noun: str
    time: str
    words: str
    span: tuple[int, int]


def split_appointments(claims: Sequence[Claim], raw: str, place: int, languages: Collection[str] | None) -> list[Claim]:
    """The claims of a sentence, or where it is a list of appointments, one for each of them.

    ``place`` is where the sentence begins in its text.
    """
    if any(claim.relation not in TOLD for claim in claims):
        return list(claims)
    for language in order_languages(languages):
        told = list_appointments(raw, language)
        # Of whom a clause tells is no name of an appointment: "Mia swims".
        if any(is_part(claim.subject, one.noun) for claim in claims for one in told):
            continue
        # What no rule took for the person's life is theirs only if it names day and hour of each.
        if len(told) >= LEAST and (claims or all(tells_hour(one.time) for one in told)):
            return [claim_one(one, place, language) for one in told]
    return list(claims)


def claim_one(one: Appointment, place: int, language: str) -> Claim:
    span = (place + one.span[0], place + one.span[1])
    return Claim(one.noun, "time", one.time, one.words, span, lang=language, is_sure=True)


def is_part(subject: str, noun: str) -> bool:
    return subject != noun and subject.casefold() in noun.split()


def tells_hour(time: str) -> bool:
    return len(time.split()) > 1


def collect_appointments(previous: Sequence[str], languages: Collection[str] | None) -> list[KnownSlot]:
    """The appointments that the last turns told side by side."""
    spoken = order_languages(languages)
    sentences = [raw for turn in previous[-LAST_TURNS:] for raw in SENTENCES.split(turn[:READ_OF_TURN])]
    told = (next(filter(None, (list_appointments(raw, one) for one in spoken)), []) for raw in sentences)
    return [KnownSlot(one.noun, "time", one.time) for each in told for one in each]


def is_proposed(question: str, raw: str, likely: Collection[str] | None) -> bool:
    """ "Is it not better in the morning? Fridays at 9 say": days and hours alone behind a question that tells of no
    change are part of what is asked."""
    for language in order_languages(likely):
        words = [fold_letters(match[0]) for match in WORD.finditer(raw)]
        small = load_small_words(language)
        rest = [word for word in words if word not in small and not is_of_time(word, language)]
        is_told = any(word in list_frame_words(language, "be 1", "be 3", "now") for word in words)
        days = load_days(language)
        if days.search(raw) and not is_told and len(rest) <= MOST_BESIDE and not tells_move(question, language):
            return True
    return False


def name_occasion(slot: SlotMatch, raw: str, language: str) -> SlotMatch:
    """What is at some time, by the noun that names it."""
    if slot.relation == "gym" and load_days(language).match(slot.object):
        # "Voy al gimnasio los lunes": when somebody trains, and no name of a gym.
        named = load_phrases(language, "gym word").search(raw)
        slot = replace(slot, subject=named[0].casefold(), relation="time") if named is not None else slot
    return name_practice(name_event(slot, language), language)


def name_event(slot: SlotMatch, language: str) -> SlotMatch:
    """ "Da questa settimana yoga è il giovedì": what has a time is named behind since when it has it."""
    words = slot.subject.split()
    starts = {one for kind in ("begins", "begins if ahead") for one in read_entries(language, "slots", kind)}
    if slot.relation != "time" or len(words) < LEAST or words[0] not in starts:
        return slot
    at = next((at for at, word in enumerate(words) if at and not is_of_time(word, language)), len(words))
    named = [word for word in words[at:] if word not in list_frame_words(language, "unit")]
    return replace(slot, subject=" ".join(named)) if named else slot


def name_practice(slot: SlotMatch, language: str) -> SlotMatch:
    """ "Ensayamos los miércoles" and "los ensayos son los viernes" are of one rehearsal."""
    spoken = fold_letters(slot.subject)
    if slot.relation != "time" or " " in spoken or language not in DOING:
        return slot
    events = {fold_letters(word): word for word in read_entries(language, "frames", "event")}
    stem = DOING[language].sub("", spoken)
    if stem != spoken and len(stem) >= SHORTEST_STEM:
        # The verb says whose it is, as no noun does.
        named, weight = next((event for event in events if event.startswith(stem)), ""), FRAMED
    else:
        named, weight = spoken.removesuffix("s"), slot.weight
    return replace(slot, subject=events[named], weight=weight) if named in events else slot


def is_doing(spoken: str, language: str) -> bool:
    """ "Llama los domingos", "nos la han cambiado a los jueves": what somebody does is no appointment."""
    folded = fold_letters(spoken)
    if folded in list_frame_words(language, "event"):
        return False
    is_form = language in DOING and DOING[language].search(folded) is not None
    return is_form or folded in list_frame_words(language, "verb", "named") | load_words(language, "arranged move")


def tells_only_time(raw: str, language: str) -> bool:
    """ "Ab Mittwoch dann viertel nach drei, also mittwochs": days and hours, and words that name nothing."""
    words = [fold_letters(match[0]) for match in WORD.finditer(raw)]
    small = load_small_words(language) | list_frame_words(language, "now", "adv", "be 1", "be 3", "conj")
    return all(word in small or word[1:] in small or is_of_time(word, language) for word in words)


def tells_move(spoken: str, language: str) -> bool:
    return any(load_phrases(language, one).search(spoken) for one in ("rescheduled", "correction"))


def order_languages(likely: Collection[str] | None) -> list[str]:
    """All of them, the likely ones first: of so few words the days alone tell the language for sure."""
    return sorted(list_codes(), key=lambda one: likely is not None and one not in likely)


def list_appointments(raw: str, language: str) -> list[Appointment]:
    """All of a sentence as appointments, or none where part of it tells anything else."""
    if raw.rstrip().endswith("?") or sum(1 for _ in find_days(raw, language)) < LEAST:
        return []
    pieces = list(cut_pieces(raw, language))
    read = [read_appointment(raw, span, language) for span in pieces[: MOST + 1]]
    if not LEAST <= len(read) <= MOST or any(one is None for one in read):
        return []
    told = [one for one in read if one is not None]
    return told if len({one.noun for one in told}) == len(told) and not names_doer(raw, pieces, language) else []


def names_doer(raw: str, pieces: Sequence[tuple[int, int]], language: str) -> bool:
    """ "Mia swims tuesdays and dances thursdays", "she has football monday, piano tuesday": of whom the second tells,
    only the first says."""
    third = list_doers(language)
    words = [[match[0] for match in WORD.finditer(raw, *span)] for span in pieces]
    given = load_given_names()
    named = [any(word.casefold() in third or fold_letters(word) in given for word in piece) for piece in words]
    return any(named) and not all(named)


@cache
def list_doers(language: str) -> frozenset[str]:
    """Of somebody else, as they are written: "a" has, "à" is at."""
    own = frozenset(read_entries(language, "frames", "have 1"))
    theirs = [word for kind in ("have 3", "he", "she", "they") for word in read_entries(language, "frames", kind)]
    return frozenset(theirs) - own


def cut_pieces(raw: str, language: str) -> Iterator[tuple[int, int]]:
    """The stretches between marks and joints; one that names nothing goes on with what is before: "tres y cuarto"."""
    joints = load_words(language, "joint")
    cuts = [match.span() for match in MARK.finditer(raw)]
    cuts += [match.span() for match in WORD.finditer(raw) if fold_letters(match[0]) in joints]
    held: tuple[int, int] | None = None
    start = 0
    for low, high in [*sorted(cuts), (len(raw), len(raw))]:
        words = list(WORD.finditer(raw, start, low))
        if words:
            span = words[0].start(), words[-1].end()
            is_more = held is not None and all(is_of_time(word[0], language) for word in words)
            if held is not None and not is_more:
                yield held
            held = (held[0], span[1]) if held is not None and is_more else span
        start = max(start, high)
    if held is not None:
        yield held


def read_appointment(raw: str, span: tuple[int, int], language: str) -> Appointment | None:
    """What it is before when it is, or behind it: "the vet on the 7th at 4", "Dienstag 10 Uhr Friseur"."""
    words = list(WORD.finditer(raw, *span))
    timed = [is_of_time(word[0], language) for word in words]
    told = raw[slice(*span)]
    days = [match.start() + span[0] for match in find_days(told, language)]
    at = next((at for at, word in enumerate(words) if any(word.start() <= day < word.end() for day in days)), None)
    if at is None:
        return None
    first, last = at, at + 1
    while first and timed[first - 1]:
        first -= 1
    while last < len(words) and timed[last]:
        last += 1
    before, behind = list_naming(words[:first], language), list_naming(words[last:], language)
    naming = before or behind
    if bool(before) == bool(behind) or len(naming) > MOST_NAMING:
        return None
    noun = raw[naming[0].start() : naming[-1].end()].casefold()
    if is_doing(noun, language) or load_phrases(language, "ended").search(told):
        # "Ya no hay acuarela los martes, nos la han cambiado a los jueves" tells of one thing.
        return None
    while first < at and fold_letters(words[first][0]) in list_links(language):
        first += 1
    time = raw[words[first].start() : words[last - 1].end()].casefold()
    return Appointment(noun, time, write_sentence(told), span)


def find_days(told: str, language: str) -> Iterator[re.Match[str]]:
    for kind in (load_days(language), DAY, NUMERIC, load_months(language)):
        yield from kind.finditer(told)


def list_naming(words: Sequence[re.Match[str]], language: str) -> list[re.Match[str]]:
    """The words that name something, with the small ones between them; none of an owner or of having one."""
    small = load_small_words(language) | list_frame_words(language, "det", "prep", "to", "of", "my", "i", *HAVING)
    naming = [at for at, word in enumerate(words) if fold_letters(word[0]) not in small]
    return list(words[naming[0] : naming[-1] + 1]) if naming else []


def is_of_time(word: str, language: str) -> bool:
    plain = fold_letters(word)
    if plain[0].isdigit() or plain in list_links(language) or plain in list_time_words(language):
        return True
    if is_hebrew(plain):
        # "ביום", "בעשר": the particle is written onto the word.
        bare = (plain[size:] for size in range(1, LONGEST_CLITICS + 1) if set(plain[:size]) <= set(CLITICS))
        return any(one in list_time_words(language) for one in bare)
    return load_days(language).fullmatch(word) is not None or read_spoken([plain], language) is not None


@cache
def list_links(language: str) -> frozenset[str]:
    return list_frame_words(language, "time link", "clock", "prep", "det")


@cache
def list_time_words(language: str) -> frozenset[str]:
    hours = {fold_letters(word) for entry in read_entries(language, "slots", "hour") for word in entry.split()}
    told = list_frame_words(language, *OF_TIME) | load_words(language, "weekday") | (hours - {"*"})
    # "Aujourd'hui" is read as two words.
    return told | {part for word in told for part in word.split("'") if len(part) > 1}


@cache
def list_frame_words(language: str, *sections: str) -> frozenset[str]:
    return frozenset().union(*(load_words(language, section, "frames") for section in sections))


@cache
def load_months(language: str) -> re.Pattern[str]:
    """A day of a month by its name: "4. Dezember", "5 de marzo", "March 5"."""
    words = read_entries(language, "frames", "time")
    named = "|".join(re.escape(one) for one in sorted(words, key=len, reverse=True))
    day, name = r"(?:[12]?\d|3[01])", rf"(?:{named or '(?!)'})"
    # "2 בנובמבר": the particle is written onto the month.
    behind = r"\.?(?: de| di|th|st|nd|rd)? " + ("[בל]?" if language == HEBREW else "")
    return re.compile(rf"(?<![\d.:]){day}{behind}{name}(?!\w)|(?<!\w){name} {day}(?![\d:])", re.IGNORECASE)
