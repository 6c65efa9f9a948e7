"""Names of towns, firms and people within few words, where no verb says what they are: "ab Montag bei Trumpf"."""

import re
from collections.abc import Sequence
from typing import Final

from memory.claims.dates.agenda import WORD, is_of_time, list_frame_words, list_time_words
from memory.claims.frames.places import is_known_place, is_no_home
from memory.claims.slots.matching import load_small_words, load_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.taxonomy import PEOPLE
from memory.claims.topics import find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_IN, is_hebrew
from memory.language.names import load_given_names

# Words of a name.
MOST_OF_NAME: Final = 3
# Letters of a Hebrew word from which its first may be "in".
LEAST_WITH_IN: Final = 4
# Words that stand beside each other, as they were found.
Stretch = Sequence[re.Match[str]]


def is_told_town(words: Stretch, raw: str, language: str) -> bool:
    """Who writes no capitals writes none in a town's name: "zapopan", and not "obras"."""
    spoken = cut_words(words, raw)
    if raw == raw.casefold() and not find_topic_words(spoken).topics:
        return is_town(spoken.title(), language)
    return is_town(spoken, language)


def cut_words(words: Stretch, text: str) -> str:
    """The words as they are written, with what stands between them."""
    return text[words[0].start() : words[-1].end()]


def take_name(words: Stretch, language: str) -> Stretch:
    """The words of a name at the beginning: as many as have a capital, or the first alone."""
    end = next((at for at, word in enumerate(words) if not word[0][0].isupper()), len(words))
    first = words[:1] if words and not is_plain(words[0][0], language) else []
    return words[: min(end, MOST_OF_NAME)] or first


def is_town(spoken: str, language: str) -> bool:
    """ "Leeds", neither "bed", "June" nor "hospital"; of German, whose nouns all have a capital, only a known one."""
    words = [fold_letters(word) for word in spoken.split()]
    bare = spoken.removeprefix(HEBREW_IN) if language == HEBREW else spoken
    kinds = list_frame_words(language, "field", "dwelling", "passing", "time", "unit", "event")
    if is_no_home(bare) or not kinds.isdisjoint(words) or any(is_of_time(word, language) for word in words):
        return False
    return is_known_place(bare) or (language != "de" and spoken[0].isupper())


def names_another(text: str, language: str) -> bool:
    """ "My sister got the keys! Her new house in Howden", "Tom hat letzten Arbeitstag" tell nothing of the person's."""
    known = (find_known_noun([one[0]], language) for one in WORD.finditer(text))
    their = load_words(language, "their")
    if any(one is not None and one[1] in PEOPLE for one in known):
        return True
    spoken = [fold_letters(one[0]) for one in WORD.finditer(text)]
    return any(word in their or word in load_given_names() for word in spoken)


def begins_with_in(word: str, language: str) -> bool:
    """Whether "in" is written onto a Hebrew word: "בחיפה"."""
    return language == HEBREW and word.startswith(HEBREW_IN) and len(word) >= LEAST_WITH_IN


def is_plain(word: str, language: str) -> bool:
    """Whether a word names nothing: "I'm", "then", "the"."""
    plain = fold_letters(word)
    small = list_frame_words(language, "det", "i", "my", "be 1", "adv", "got", "have 1")
    return plain in load_small_words(language) | small


def names_day(word: str, language: str) -> bool:
    plain = fold_letters(word)
    bare = {plain, *(plain[1:] for _ in plain[:1] if is_hebrew(plain)), plain.removesuffix("s")}
    return not bare.isdisjoint(list_time_words(language) - list_frame_words(language, "time link", "clock", "time adj"))


def is_name(words: Stretch, raw: str, language: str) -> bool:
    """A name and no people: "ab Montag bei Oma". Who writes capitals writes them there."""
    spoken = [one[0] for one in words]
    known = find_known_noun(spoken, language)
    if len(spoken) > MOST_OF_NAME or (known is not None and known[1] in PEOPLE):
        return False
    if any(
        fold_letters(word) in load_words(language, "of work") | load_words(language, "home noun") for word in spoken
    ):
        return False
    has_capitals = raw != raw.casefold()
    return not has_capitals or spoken[0][0].isupper() or spoken[0][0].isdigit() or is_hebrew(spoken[0])
