"""Appointments that are moved, given or cancelled: "dentist moved me to the 5th at 2pm", "I had to cancel the dentist,
new appointment 2 December".

The matter is what was told to be at some time, or else whoever gives the appointment; its time is a day or an hour with
all that stands beside it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.building import LONGEST, write_sentence
from memory.claims.dates.agenda import MARK, WORD, find_days, is_of_time, list_links
from memory.claims.dates.appointments import overlaps
from memory.claims.dates.rescheduling import CLOCK
from memory.claims.dates.rescheduling import MOVES as RESCHEDULES
from memory.claims.frames.languages import find_turn_languages
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.lexicon import MARK as KIND
from memory.claims.readings import SentenceReading
from memory.claims.relations import ABOUT
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import load_phrases, load_small_words, load_words
from memory.claims.slots.resolution import CARE
from memory.claims.subjects import is_person
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW_THE, is_hebrew
from memory.language.loader import SHARED, list_codes, read_entries, read_sections

TIME: Final = "time"
# Where what an appointment is for stands before its noun.
ENGLISH: Final = "en"
NOUN: Final = "noun "
MOVES: Final = "arranged move"
GIVES: Final = "arranged give"
CANCELS: Final = "arranged cancel"
NAMES: Final = "appointment"
# "ל-5": a number with the particle before it; elsewhere a word says that it is a day.
HEBREW_DAY: Final = re.compile(r"(?<=[לב]-)(?:[12]?\d|3[01])(?![\d:.])")
# Letters with which one word of a matter begins another: "Zahnarzt", "Zahnarzttermin".
LEAST_STEM: Final = 5
# What says of the same words less than that they are of an appointment.
LOOSE: Final = frozenset({ABOUT, TIME, "has", "sees", "lives_in", "dentist", "doctor"})
# What a star of a word stands for.
REST: Final = r"\w{0,20}"
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """``old`` is when it was, as far as that is known; without a new time it is over."""

    noun: str
    time: str
    old: str = ""


def claim_arrangements(
    readings: Sequence[SentenceReading], languages: Collection[str] | None, known: Sequence[KnownSlot]
) -> tuple[Claim, ...]:
    """What the person's own sentences tell of appointments, each in all of its words."""
    # Of few words the letters tell the language.
    likely = languages or {one for reading in readings for one in find_turn_languages(reading.sentence.raw)[:1]}
    spoken = [one for one in list_codes() if one in likely]
    found = (claim_sentence(readings, at, language, known) for at in range(len(readings)) for language in spoken)
    told: dict[Span, Claim] = {}
    for one in filter(None, found):
        told.setdefault(one.span, one)
    return tuple(told.values())


def claim_sentence(
    readings: Sequence[SentenceReading], at: int, language: str, known: Sequence[KnownSlot]
) -> Claim | None:
    sentence, place = readings[at].sentence, readings[at].place
    if not readings[at].is_own or sentence.is_question or sentence.has(KIND + "not", KIND + "hedge"):
        return None
    raw, told = sentence.raw, find_arrangement(sentence.raw, language, known)
    after = readings[at + 1].sentence if at + 1 < len(readings) else None
    if after and not after.is_question and not (told and told.time) and find_cue(raw, CANCELS, language):
        # "Den Zahnarzt musste ich absagen. Neuer Termin am 2.12."
        again = find_arrangement(f"{raw} – {after.raw}", language, known)
        raw, told = (f"{raw} {after.raw}", again) if again and again.time else (raw, told)
    if told is None or len(raw) > LONGEST:
        return None
    return claim_arrangement(told, raw, (place, place + len(raw)), language)


def claim_arrangement(told: Arrangement, raw: str, span: Span, language: str) -> Claim:
    words = " ".join(raw.replace(TITLE_DOT, ".").split()).rstrip(" ,;:.!…")
    return Claim(
        told.noun,
        TIME,
        told.time or told.old,
        write_sentence(words),
        span,
        polarity=bool(told.time),
        tense="new" if told.time else "over",
        lang=language,
        is_sure=True,
        replaces=told.old if told.time and told.old != told.time else "",
    )


def put_arranged(found: Sequence[Claim], arranged: Sequence[Claim]) -> list[Claim]:
    """The claims, with those of appointments in place of what says less of the same words."""
    kept = [one for one in found if one.relation not in LOOSE or not any(overlaps(one, other) for other in arranged)]
    return [*kept, *arranged]


def find_arrangement(raw: str, language: str, known: Sequence[KnownSlot]) -> Arrangement | None:
    if (cancelled := find_cue(raw, CANCELS, language)) is not None:
        return read_cancelled(raw, cancelled, language, known)
    moved = find_cue(raw, MOVES, language)
    given = find_cue(raw, GIVES, language) and find_cue(raw, NAMES, language)
    if moved is None and given is None:
        return None
    spans = list(list_times(raw, language))
    splits = [one for one in (split_move(raw, span, language) for span in spans) if one is not None]
    times = [new for _, new in splits] or [
        (low, high)
        for low, high in spans
        if is_reached(raw, (low, high), language) or (given and names_day(raw[max(0, low - 4) : high], language))
    ]
    found = find_matter(raw, language, known)
    if not times or found is None or names_other_patient(raw, language):
        return None
    noun, old = found
    return Arrangement(noun, word_time(raw, times[-1]), old or (word_time(raw, splits[-1][0]) if splits else ""))


def split_move(raw: str, span: Span, language: str) -> tuple[Span, Span] | None:
    """ "Von Dienstag auf Freitag um 15 Uhr" is when it was and when it is."""
    words, towards = list(WORD.finditer(raw, *span)), load_words(language, "arranged to")
    # "Al 5 a las 14" is one time: only a day takes the place of a day.
    days = [one.start() for one in find_days(raw, language) if span[0] <= one.start() < span[1]]
    cores = days or [one.start() for one in CLOCK.finditer(raw, *span)]
    for at, word in enumerate(words):
        # "ליום שישי": in Hebrew it is written onto the word.
        is_joined = is_hebrew(word[0]) and word[0][0] in towards
        is_between = any(one < word.start() for one in cores) and any(one >= word.start() for one in cores)
        if at and is_between and (is_joined or fold_letters(word[0]) in towards):
            low, high = trim_links(words, at + 1 - is_joined, len(words), language)
            before = trim_links(words, 0, at, language)
            if low < high and before[0] < before[1]:
                old = words[before[0]].start(), words[before[1] - 1].end()
                return old, (words[low].start(), words[high - 1].end())
    return None


def read_cancelled(raw: str, cue: Span, language: str, known: Sequence[KnownSlot]) -> Arrangement | None:
    """One that is over, with the new one that its sentence goes on to: "new appointment 2 December"."""
    joints = load_words(language, "joint")
    cuts = [one.end() for one in MARK.finditer(raw, cue[1])]
    cuts += [one.end() for one in WORD.finditer(raw, cue[1]) if fold_letters(one[0]) in joints]
    cut = min(cuts, default=len(raw))
    found = find_matter(raw[:cut], language, known)
    if found is None or names_other_patient(raw[:cut], language):
        return None
    noun, old = found
    for span in list_times(raw, language):
        if span[0] >= cut and find_cue(raw[cut : span[0]], NAMES, language):
            return Arrangement(noun, word_time(raw, span), old)
    return Arrangement(noun, "", old) if old else None


def tells_arrangement(text: str, language: str) -> bool:
    """Whether words may move, give or cancel an appointment."""
    return any(find_cue(text, section, language) for section in (MOVES, RESCHEDULES, GIVES, CANCELS))


def find_cue(raw: str, section: str, language: str) -> Span | None:
    found = load_phrases(language, section).search(raw)
    return found.span() if found else None


def find_matter(raw: str, language: str, known: Sequence[KnownSlot]) -> tuple[str, str] | None:
    """What it is, and when it was: what was told of last that the words name, or who gives the appointment."""
    told = [one for one in reversed(known) if one.relation == TIME and shares_matter(one.subject, raw, language)]
    if told:
        # Of two readings of the same words the one that tells more of when it is.
        named = max(told, key=lambda one: (len(one.object), -len(one.subject.split())))
        return named.subject, named.object
    matter = find_giver(raw, language) or find_appointment(raw, language)
    return (matter, "") if matter else None


def find_appointment(raw: str, language: str) -> str:
    """What is called an appointment, with what it is for: "my cataract appointment", "der OP-Termin"."""
    names, endings = load_words(language, NAMES), read_entries(language, "slots", "appointment ending")
    words = list(WORD.finditer(raw))
    for at, word in enumerate(words):
        plain = fold_letters(word[0])
        if any(plain.endswith(one) and plain != one for one in endings):
            return word[0].casefold()
        if plain in names:
            small = load_small_words(language)
            before = words[at - 1] if at and language == ENGLISH else None
            is_named = before is not None and fold_letters(before[0]) not in small and is_beside(raw, before, word)
            return raw[(before if before and is_named else word).start() : word.end()].casefold()
    return ""


def shares_matter(subject: str, raw: str, language: str) -> bool:
    """Whether words name an appointment: "Zahnarzt" and "dentist" of the "Zahnarzttermin" and the "dentist
    appointment"."""
    named, spoken = (list_naming(one, language) for one in (subject, raw))
    giver = list_naming(find_giver(raw, language), language)
    if giver and all(any(is_same_word(one, other) for other in named) for one in giver):
        return True
    return bool(named) and all(any(is_same_word(one, other) for other in spoken) for one in named)


def list_naming(spoken: str, language: str) -> list[str]:
    small = load_small_words(language) | load_words(language, NAMES)
    words = (fold_letters(word[0]) for word in WORD.finditer(spoken))
    bare = (word.removeprefix(HEBREW_THE) if is_hebrew(word) else word for word in words)
    return [word for word in bare if word not in small]


def is_same_word(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return short == long or (len(short) >= LEAST_STEM and long.startswith(short))


def find_giver(raw: str, language: str) -> str:
    found = load_givers(language).search(raw)
    return found["giver"].casefold() if found else ""


@cache
def load_givers(language: str) -> re.Pattern[str]:
    """Who gives appointments; a German word goes on to the appointment: "Arzttermin"."""
    nouns = {
        word
        for subject in ("slots", "claims", "frames")
        for section in read_sections(language, subject)
        if section.removeprefix(NOUN) in CARE
        for word in read_entries(language, subject, section)
    }
    nouns |= {word for code in (language, SHARED) for word in read_entries(code, "counsel", "healer")}
    words = "|".join(re.escape(one).replace(r"\*", REST) for one in sorted(nouns, key=len, reverse=True))
    ending = "|".join(read_entries(language, "slots", "appointment ending")) or "(?!)"
    return re.compile(rf"(?<!\w)(?:[למבו]?ה)?(?P<giver>(?:{words or '(?!)'})(?:{ending})?)(?!\w)", re.IGNORECASE)


def names_other_patient(raw: str, language: str) -> bool:
    """Whether it is somebody else whose appointment it is: "the dentist moved my son to the 5th"."""
    words = {fold_letters(word[0]) for word in WORD.finditer(raw)}
    return not words.isdisjoint(load_patient_nouns(language))


@cache
def load_patient_nouns(language: str) -> frozenset[str]:
    sections = [one for one in read_sections(language, "claims") if one.startswith(NOUN)]
    kin = [one for one in sections if is_person(one.removeprefix(NOUN)) and one.removeprefix(NOUN) not in CARE]
    return frozenset(fold_letters(word) for one in kin for word in read_entries(language, "claims", one))


def list_times(raw: str, language: str) -> Iterator[Span]:
    """The stretches that name a day or an hour, which end a clause or stand before its verb; without the small words
    around them."""
    words = list(WORD.finditer(raw))
    cores = {one.start() for one in [*find_days(raw, language), *CLOCK.finditer(raw), *HEBREW_DAY.finditer(raw)]}
    at = 0
    while at < len(words):
        if not any(words[at].start() <= core < words[at].end() for core in cores):
            at += 1
            continue
        first, last = find_stretch(raw, words, at, language)
        at = max(last, at + 1)
        first, last = trim_links(words, first, last, language)
        if first < last and (last == len(words) or ends_time(raw, words[last - 1], words[last], language)):
            yield words[first].start(), words[last - 1].end()


def find_stretch(raw: str, words: Sequence[re.Match[str]], at: int, language: str) -> Span:
    """The words of time beside one of them, up to the next mark."""
    first, last = at, at + 1
    while first and is_of_time(words[first - 1][0], language) and is_beside(raw, words[first - 1], words[first]):
        first -= 1
    while last < len(words) and is_of_time(words[last][0], language) and is_beside(raw, words[last - 1], words[last]):
        last += 1
    return first, last


def trim_links(words: Sequence[re.Match[str]], first: int, last: int, language: str) -> Span:
    links = list_links(language)
    while first < last and fold_letters(words[first][0]) in links:
        first += 1
    while last > first and fold_letters(words[last - 1][0]) in links:
        last -= 1
    return first, last


def is_beside(raw: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return not set(raw[one.end() : other.start()]) & set(",;:()!?")


def ends_time(raw: str, last: re.Match[str], after: re.Match[str], language: str) -> bool:
    """ "To the 5th floor" is no day."""
    spoken = fold_letters(after[0])
    is_verb = any(load_phrases(language, one).match(raw, after.start()) for one in (MOVES, GIVES, CANCELS))
    return is_verb or not is_beside(raw, last, after) or spoken in load_small_words(language) | list_links(language)


def is_reached(raw: str, span: Span, language: str) -> bool:
    """Whether something is moved to this time: "to the 5th", "auf den 5.", "ל-5"."""
    before = [word[0] for word in WORD.finditer(raw, max(0, span[0] - 20), span[0])][-2:]
    towards = load_words(language, "arranged to")
    return any(fold_letters(word) in towards for word in before)


def names_day(time: str, language: str) -> bool:
    """ "She always gives me an appointment at 8" is of no day."""
    return next(find_days(time, language), None) is not None or HEBREW_DAY.search(time) is not None


def word_time(raw: str, span: Span) -> str:
    return " ".join(raw[slice(*span)].casefold().replace(TITLE_DOT, ".").split())
