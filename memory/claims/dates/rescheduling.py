"""A date or an hour that takes the place of one just told: "the dentist on 8th Dec. Scratch that, it's the 9th", "they
pushed it to the 10th".

Which event is meant only the sentence before says, and it need fill no slot: the value is put there for the one of its
kind, and the sentence is read as if it had been told so.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from memory.claims.contrasts import put_contrast_right
from memory.claims.corrected import CorrectedText, correct_text, join_sentences
from memory.claims.dates.agenda import list_frame_words
from memory.claims.frames.numerals import read_spoken
from memory.claims.frames.triples import Amendment
from memory.claims.slots.matching import DAY, NO_MORE, load_days, load_phrases, load_small_words
from memory.guard.spelling import fold_letters
from memory.language.loader import list_codes

# "Auf den 10. verschoben", "auf den 11., gleiche Zeit": the stop of a day ends nothing.
DAY_STOP: Final = r"(?:(?<=(?:den|zum|vom|der) \d)|(?<=(?:den|zum|vom|der) \d\d))\.(?=,| [a-zäöüß])"
SENTENCES: Final = re.compile(rf"[^.!?…\n]+(?:(?:[.:]\d{{1,2}}|{DAY_STOP})[^.!?…\n]*)*")
WORDS: Final = re.compile(r"[^\W\d_]+|\d+")
# Words of a sentence that only moves something.
LONGEST: Final = 14
# Words of it that may name who moved what: "me corrieron el turno".
MOST_BESIDE: Final = 3
LEAST_WORD: Final = 4
LEAST_STEM: Final = 5
# Of a turn before it, which is taken whole: "am 4. Dezember" ends no sentence.
LONGEST_TURN: Final = 160
MOVES: Final = "rescheduled"
SAME_TIME: Final = "same time"
HOUR: Final = r"(?:[01]?\d|2[0-3])"
BEFORE_HOUR: Final = ("at ", "um ", "alle ", "a las ", "às ")
CLOCK: Final = re.compile(
    rf"(?<![\d.:]){HOUR}[:.h]\d{{2}}(?!\d)|(?<![\d.:]){HOUR}\s?(?:am|pm|uhr|hs|h)\b|"
    + "|".join(rf"(?<=\b{one}){HOUR}{NO_MORE}" for one in BEFORE_HOUR),
    re.IGNORECASE,
)
Pair = tuple[str, re.Match[str]]


def put_values_right(
    text: str, amendment: Amendment | None, previous: Sequence[str], languages: Collection[str] | None
) -> CorrectedText:
    """A text as it was meant, by the slot that a correction fills or by the date or hour that it moves."""
    corrected = correct_text(text, amendment, previous)
    spoken = [one for one in list_codes() if one in (languages or ())]
    if corrected.text == text:
        corrected = put_contrast_right(text, previous, spoken)
    return corrected if corrected.text != text else correct_times(text, previous, spoken)


def correct_times(text: str, previous: Sequence[str], languages: Sequence[str]) -> CorrectedText:
    """A text whose last told date or hour is moved in the sentence that told it, or as it stands."""
    found = (move_time(text, previous, one) for one in languages)
    return next((one for one in found if one.text != text), CorrectedText(text))


def move_time(text: str, previous: Sequence[str], language: str) -> CorrectedText:
    sentences = [one for one in SENTENCES.finditer(text) if one[0].strip()]
    for at, sentence in enumerate(sentences):
        # "Is it not better in the morning? Fridays then" is part of what is asked.
        is_asked = "?" in {text[sentence.end() :][:1], text[: sentence.start()].rstrip()[-1:]}
        if is_asked or not moves_time(sentence[0], language, is_first=at == 0):
            continue
        for told in [sentences[at - 1][0]] if at else [one for one in previous[-1:] if len(one) <= LONGEST_TURN]:
            pairs = list(pair_values(told, sentence[0], language))
            is_moved = any(old.casefold() != new[0].casefold() for old, new in pairs)
            if is_moved and not told.rstrip().endswith("?") and not tells_more(sentence[0], told, pairs, language):
                is_wrong = load_phrases(language, "correction").search(sentence[0]) is not None
                return replace(exchange_values(text, sentences, at, told, pairs), is_correction=is_wrong)
    return CorrectedText(text)


def moves_time(spoken: str, language: str, *, is_first: bool) -> bool:
    if len(spoken.split()) > LONGEST:
        return False
    is_correction = load_phrases(language, "correction").search(spoken) is not None
    return is_correction or (is_first and load_phrases(language, MOVES).search(spoken) is not None)


def pair_values(told: str, spoken: str, language: str) -> Iterator[Pair]:
    """For each kind of value that both name once: the old one, and where the new one stands."""
    for kind in (load_days(language), DAY, CLOCK):
        old, new = list(kind.finditer(told)), list(kind.finditer(spoken))
        if len(old) == len(new) == 1:
            yield old[0][0], new[0]


def tells_more(spoken: str, before: str, pairs: Sequence[Pair], language: str) -> bool:
    """ "Wird Mittwoch viertel nach drei" holds an hour that nothing takes the place of, "actually I moved to Leeds on
    Monday" another matter: in the sentence before either would be wrong."""
    rest = spoken
    for _, new in sorted(pairs, key=lambda pair: -pair[1].start()):
        rest = f"{rest[: new.start()]} {rest[new.end() :]}"
    is_correction = load_phrases(language, "correction").search(rest) is not None
    for section in ("correction", MOVES, SAME_TIME):
        rest = load_phrases(language, section).sub(" ", rest)
    words = [fold_letters(word) for word in WORDS.findall(rest)]
    words = [word for word in words if word not in load_small_words(language)]
    units = list_frame_words(language, "time", "unit", "month")
    is_timed = any(word in units or word.isdigit() or read_spoken([word], language) for word in words)
    told = [word for word in words if len(word) >= LEAST_WORD]
    # "Zahnarzt verschoben auf den 11." is of the sentence about the dentist.
    is_other = bool(told) and not any(word[:LEAST_STEM] in fold_letters(before) for word in told)
    return is_timed or is_other or len(told) > (1 if is_correction else MOST_BESIDE)


def exchange_values(
    text: str, sentences: Sequence[re.Match[str]], at: int, told: str, pairs: Sequence[Pair]
) -> CorrectedText:
    right = told.strip()
    for old, new in pairs:
        right = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new[0], right, count=1)
    rest = text[sentences[at].end() :].lstrip(" .!…")
    before = text[: sentences[at - 1].start()] if at else ""
    whole = join_sentences(join_sentences(before, right), rest)
    old, new = pairs[0]
    return CorrectedText(whole) if at else CorrectedText(whole, old.casefold(), new[0].casefold())
