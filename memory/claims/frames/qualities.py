"""Which predicates are qualities that last, and which the make of a thing, as far as their words tell."""

from typing import Final

from memory.claims.frames.heads import HEAD_LAST
from memory.claims.frames.jobs import load_religions, matches_job
from memory.claims.frames.participles import is_participle
from memory.claims.frames.phrases import NounPhrase, PhraseReader
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries

# Words of a predicate, and of a name of who speaks.
MOST_OF_PREDICATE: Final = 5
# How qualities end of several, or of a woman, and how they are listed.
OF_MANY: Final = {
    "en": (("s", ("",)),),
    "es": (("s", ("",)), ("es", ("",)), ("as", ("o", "a")), ("a", ("o",))),
    "pt": (("s", ("",)), ("es", ("",)), ("as", ("o", "a")), ("a", ("o",))),
    "fr": (("s", ("",)), ("es", ("",)), ("e", ("",)), ("nnes", ("n",)), ("ves", ("f",)), ("ve", ("f",))),
    "it": (("i", ("o", "e", "a")), ("e", ("a", "o")), ("hi", ("o",)), ("a", ("o",))),
    "de": (("e", ("",)), ("en", ("",)), ("innen", ("", "in")), ("in", ("",))),
}
# Endings of adjectives that no people has: with a capital it is a name, "my boss is Clive".
NO_PEOPLE: Final = ("ive", "ous", "ful", "less")


def is_quality(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """Whether a predicate is a quality that lasts, as far as its words tell."""
    tokens = reader.tokens[phrase.start : phrase.end]
    if not tokens or len(phrase.head.split()) > MOST_OF_PREDICATE:
        return False
    if any(token.has("passing", "time", "unit", "wh") or token.text.isdigit() for token in tokens):
        return False
    if any(token.has("quality", "complement") or is_quality_of_many(reader, token.text) for token in tokens):
        return True
    head = phrase.head.split()
    language = reader.words.language
    if not head or phrase.owner or any(token.has("the") for token in tokens):
        return False
    if language not in HEAD_LAST and phrase.has_article:
        return False
    if language == "en" and head[-1].endswith(("ing", "ed")) and "-" not in head[-1]:
        return False
    return head[-1].endswith(tuple(read_entries(language, "frames", "adjective ending")))


def is_quality_of_many(reader: PhraseReader, word: str) -> bool:
    """ "Vegans", "siamo vegani", "somos celíacas"."""
    stems = [
        word[: -len(end)] + one
        for end, ones in OF_MANY.get(reader.words.language, ())
        if word.endswith(end)
        for one in ones
    ]
    return any("quality" in reader.words.classify(stem) for stem in stems)


def strip_degree(spoken: str, reader: PhraseReader) -> str:
    words = spoken.split()
    while len(words) > 1 and "degree" in reader.words.classify(words[0]):
        words.pop(0)
    return " ".join(words)


def is_listed(reader: PhraseReader, word: str) -> bool:
    """Whether a word ends as adjectives and occupations do, or is of a religion: "Adventistin", "Zeuge Jehovas"."""
    language = reader.words.language
    endings = tuple(read_entries(language, "frames", "adjective ending"))
    is_of_religion = any(fold_letters(word) in one.split() for one in load_religions(language))
    return word.endswith(endings) or is_of_religion or matches_job(word, language)


def is_told_small(reader: PhraseReader, word: str) -> bool:
    """Whether a word without a capital is a quality, a trade or a participle rather than a name."""
    return is_listed(reader, word) or is_participle(word, reader.words.language)


def is_make(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "Ein alter Golf", "une vieille Twingo": the name that its makers gave a thing."""
    last = reader.tokens[phrase.end - 1]
    # Hebrew has no article but "the".
    is_determined = phrase.has_article or reader.words.language == HEBREW
    if not is_determined or phrase.relation or last.classes or is_listed(reader, last.text):
        return False
    return last.is_capital or not reader.has_capitals


def may_be_people(reader: PhraseReader, word: str) -> bool:
    return is_listed(reader, word) and not word.endswith(NO_PEOPLE)
