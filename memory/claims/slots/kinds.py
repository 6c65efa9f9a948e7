"""What kind of thing a value is: a shift, a vehicle of one's work, advice. None is what its verb says."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from memory.claims.slots.matching import load_phrases, load_small_words, load_words
from memory.guard.spelling import fold_letters
from memory.language.loader import list_codes, read_entries

WORD: Final = re.compile(r"[^\W_]+")
# How a deed begins; in Spanish and Italian a pronoun may be written onto it.
INFINITIVES: Final = {
    "fr": re.compile(r"[^\W\d_]{2,30}(?:er|ir|dre|tre)\b"),
    "es": re.compile(r"[^\W\d_]{1,30}[aei]r(?:me|te|se|nos|l[aeo]s?)?\b"),
    "it": re.compile(r"[^\W\d_]{1,30}[aei]r(?:e|mi|ti|si|ci|l[aeio])\b"),
    "pt": re.compile(r"[^\W\d_]{1,30}[aei]r\b"),
}
# What stands beside shifts and names nothing: "finally no more nights".
LIGHT: Final = ("not", "adv", "now", "conj", "det", "i", "to me", "of", "degree", "clitic")
# Words up to the verb of advising: "me sugerir".
MOST_BEFORE: Final = 2


def is_deed(spoken: str, language: str) -> bool:
    """Whether words begin with an infinitive: "comprar pan", "fare la spesa". "Vengo" is Spanish and Italian."""
    return language in INFINITIVES and any(one.match(spoken) for one in INFINITIVES.values())


def is_hired_vehicle(spoken: str, language: str) -> bool:
    """ "The 36 bus": what people drive for others; neither a car of theirs nor "a VW bus"."""
    words = [fold_letters(word) for word in WORD.findall(spoken)]
    vehicles = load_words(language, "hired vehicle")
    beside = load_words(language, "vehicle word") | load_small_words(language)
    rest = [word for word in words if word not in vehicles]
    return len(rest) < len(words) and all(word in beside or any(map(str.isdigit, word)) for word in rest)


def names_only_shifts(spoken: str) -> bool:
    """ "No more nights": shifts, and otherwise words that name nothing; neither a food nor a manner of answering.

    Of so few words their language is not sure.
    """
    words = [fold_letters(word) for word in WORD.findall(spoken)]
    return any(names_shifts_in(words, language) for language in list_codes())


def tells_new_shifts(said: str) -> bool:
    """ "They moved me to days": when somebody works has changed, and not what they do."""
    return any(load_phrases(language, "new shifts").search(said) for language in list_codes())


def names_shifts_in(words: Sequence[str], language: str) -> bool:
    rest = [word for word in words if word not in load_words(language, "shifts")]
    return len(rest) < len(words) and all(word in list_light(language) for word in rest)


@cache
def list_light(language: str) -> frozenset[str]:
    ended = (word for one in read_entries(language, "frames", "ended phrase") for word in one.split())
    told = (load_words(language, kind, "frames") for kind in LIGHT)
    return load_small_words(language).union(map(fold_letters, ended), load_words(language, "denial"), *told)


def begins_advice(spoken: str) -> bool:
    """ "Nada de me sugerir aspirina": what the assistant is not to advise, and nothing that somebody does not eat."""
    words = [fold_letters(word) for word in WORD.findall(spoken)][:MOST_BEFORE]
    return any(load_advice(language).fullmatch(word) for language in list_codes() for word in words)


@cache
def load_advice(language: str) -> re.Pattern[str]:
    verbs = (one for one in read_entries(language, "guard", "recommend") if " " not in one)
    entries = (*verbs, *read_entries(language, "slots", "advice"))
    return re.compile("|".join(re.escape(fold_letters(one)).replace(r"\*", ".*") for one in entries))
