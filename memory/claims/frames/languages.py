"""Which language a turn is in, by its small words and verbs; the last turns decide where it says too little."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from memory.claims.frames.words import LANGUAGES, load_hot_words
from memory.guard.lexicon import WORD
from memory.guard.spelling import normalise_text
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries, read_sections

MOST_WORDS: Final = 60
READ: Final = 300
EARLIER_WEIGHT: Final = 0.3
# Of the likeliest language's votes, from which another is read too: "vivo a" is of two.
CLOSE: Final = 0.75
PAIRS_OF_HEBREW: Final = re.compile("[א-ת]{2}")
LETTERS: Final = {
    "ñ": "es",
    "¿": "es",
    "¡": "es",
    "ß": "de",
    "ä": "de",
    "ç": "fr",
    "œ": "fr",
    "ê": "fr",
    "ò": "it",
    "ì": "it",
    "ã": "pt",
    "õ": "pt",
}


def find_turn_languages(text: str, earlier: Sequence[str] = ()) -> tuple[str, ...]:
    """The likeliest language, and others that are nearly as likely."""
    votes = count_votes(text)
    for turn in earlier[-2:]:
        for language, count in count_votes(turn).items():
            votes[language] += EARLIER_WEIGHT * count
    ranked = sorted(LANGUAGES, key=lambda language: -votes[language])
    return tuple(one for one in ranked if votes[one] >= CLOSE * votes[ranked[0]])


def count_votes(text: str) -> dict[str, float]:
    votes = dict.fromkeys(LANGUAGES, 0.0)
    lowered = normalise_text(text).casefold().replace("’", "'")
    for word in WORD.findall(lowered)[:MOST_WORDS]:
        for part in word.split("'"):
            owners = load_owners().get(part, ())
            for language in owners:
                votes[language] += 1 / len(owners)
        votes["de"] += 2 * word.startswith("lieblings")
    for letter, language in LETTERS.items():
        votes[language] += 0.5 * (letter in lowered)
    # "I'm Sam": of English alone, though "Sam" is of a German Saturday.
    votes["en"] += sum(word in load_english_contractions() for word in lowered.split()[:MOST_WORDS])
    # No other language is written so, and its words have particles on them that no list has.
    votes[HEBREW] += len(PAIRS_OF_HEBREW.findall(lowered[:READ]))
    return votes


@cache
def load_english_contractions() -> frozenset[str]:
    forms = (lines[0] for name, lines in read_sections("en", "frames").items() if name.startswith("split ") and lines)
    return frozenset(joined for form in forms if "'" in (joined := "".join(form.split())))


@cache
def load_owners() -> dict[str, tuple[str, ...]]:
    """Every word that a list of some language has, and those languages."""
    found: dict[str, set[str]] = {}
    for language in LANGUAGES:
        words = load_hot_words(language)
        small = [*words.classes, *words.nouns]
        for subject, section in (("stopwords", "grammar"), ("stopwords", "fillers")):
            small += read_entries(language, subject, section)
        for phrases in words.phrases.values():
            small += [word for phrase in phrases for word in phrase.split()]
        for word in small:
            for part in word.split():
                found.setdefault(part.rstrip("*'"), set()).add(language)
    return {word: tuple(sorted(languages)) for word, languages in found.items()}
