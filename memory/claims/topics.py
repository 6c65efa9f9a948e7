"""Which topics of everyday life a text touches: food, travel, animals, and by what words a constraint is told.

The words stand in each language's `topics.txt`; meanings that the languages share are named once, in the list of the
folder `shared`. A text is read in the languages that its words speak for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from memory.guard.annotation import SMALL_WORD, Span, find_entries
from memory.guard.lexicon import FOREIGN, WORD, Lexicon, LexiconEntry, build_entries
from memory.guard.spelling import normalise_text
from memory.guard.words import list_kinds
from memory.language.concepts import list_terms
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.loader import SHARED, list_codes, read_entries, read_sections
from memory.language.stems import LANGUAGES, stem_word

SUBJECT: Final = "topics"
NUMBERS: Final = "numbers"
KIND: Final = "kind "
# Topics of what somebody eats or drinks.
CONSUMED: Final = frozenset({"food", "drink"})
SHARED_WORDS: Final = "word "
STRUCTURE: Final = frozenset({"cannot", "doing", "without", "ban", "no ban", "lack", "more"})
# Between two words: what stands behind it belongs to another clause.
CLAUSE: Final = re.compile(r"[,;:.!?…\n]")
# Small words, which tell the language of a text.
LANGUAGE: Final = "language"
# A request opens with what it is about and closes with what it asks; a statement is shorter than this.
READ: Final = 1_000
# Of the likeliest language's votes. A line too many in a context costs less than a constraint that is not known, so
# more languages count than elsewhere.
SHARE: Final = 0.4
# Two small words: the "a" of "suggest a dinner recipe" is one of French and Portuguese as well.
LEAST_VOTES: Final = 2 * SMALL_WORD


@dataclass(frozen=True, slots=True)
class TopicWords:
    """``spans`` are the places of the words of each kind, ``breaks`` where a clause begins, ``size`` where all ends."""

    spans: Mapping[str, tuple[Span, ...]]
    topics: frozenset[str]
    breaks: frozenset[int] = frozenset()
    size: int = 0

    def ends_clause(self, place: int) -> bool:
        return place >= self.size or place in self.breaks

    def breaks_between(self, start: int, end: int) -> bool:
        return any(start <= place <= end for place in self.breaks)


def cut_middle(text: str) -> str:
    return text if len(text) <= READ else f"{text[: READ // 2]} {text[-READ // 2 :]}"


def read_words(text: str) -> tuple[str, ...]:
    """The words of a text, as the places of `find_topic_words` count them."""
    return tuple(WORD.findall(normalise_text(cut_middle(text)).casefold()))


@lru_cache(maxsize=8192)
def find_topic_words(text: str) -> TopicWords:
    # A bank is read whole for each context: of 300 statements 40 ms when first read, below one from then on.
    read = normalise_text(cut_middle(text)).casefold()
    found = list(WORD.finditer(read))
    words = tuple(one.group() for one in found)
    entries = find_entries(words, load_topic_words())
    spoken, own = find_spoken(entries, SHARE, LEAST_VOTES), find_spoken(entries, 1.0)
    # "Para las dos" is two of them in Spanish, and in French, which a short text may be as well, a back.
    small = find_small_words(words, own)
    entries = [one for one in entries if own is None or one[1] in own or not small.issuperset(range(*one[2]))]
    spans: dict[str, dict[Span, None]] = {}
    for kind, language, span in entries:
        # Small words must be of the text's own language: Italian "mai" is never, German "Mai" a month.
        meant = own if kind in STRUCTURE else spoken
        if meant is None or language in meant:
            spans.setdefault(kind, {})[span] = None
    for place, word in enumerate(words):
        for topic in find_meant_topics(word, own if place in small else spoken):
            spans.setdefault(topic, {})[place, place + 1] = None
    breaks = {at for at, (one, after) in enumerate(pairwise(found), 1) if CLAUSE.search(read, one.end(), after.start())}
    if found and CLAUSE.search(read, found[-1].end()):
        breaks.add(len(words))
    places = {kind: tuple(known) for kind, known in spans.items()}
    return TopicWords(places, list_topics() & spans.keys(), frozenset(breaks), len(words))


def find_small_words(words: Sequence[str], languages: frozenset[str] | None) -> frozenset[int]:
    """The places of numerals in these languages, which mean nothing else there."""
    known = frozenset().union(*map(load_numerals, languages - {FOREIGN})) if languages else frozenset()
    return frozenset(place for place, word in enumerate(words) if word in known)


@cache
def load_numerals(language: str) -> frozenset[str]:
    return frozenset(
        word for section in read_sections(language, NUMBERS) for word in read_entries(language, NUMBERS, section)
    )


def find_spoken(entries: list[tuple[str, str, Span]], share: float, least: int = 1) -> frozenset[str] | None:
    """The languages with at least this share of the likeliest one's votes; None when that has too few."""
    votes = Counter({language: 0 for _, language, _ in entries if language != FOREIGN})
    for kind, language, _ in set(entries):
        if language != FOREIGN:
            votes[language] += SMALL_WORD if kind == LANGUAGE else 1
    most = max(votes.values(), default=0)
    if most < least:
        return None
    return frozenset({language for language, count in votes.items() if count >= share * most} | {FOREIGN})


@cache
def list_topics() -> frozenset[str]:
    """The topics, those of the constraints themselves left out."""
    return frozenset(
        name.removeprefix(SHARED_WORDS)
        for code in (SHARED, *list_codes())
        for name in read_sections(code, SUBJECT)
        if not name.startswith(KIND) and name not in STRUCTURE
    )


@cache
def load_topic_words() -> Lexicon:
    return Lexicon(read_topic_entries())


def read_topic_entries() -> Iterator[LexiconEntry]:
    yield from read_small_words()
    for language in list_codes():
        for section in read_sections(language, SUBJECT):
            yield from build_entries(section, language, read_entries(language, SUBJECT, section))
    for section in read_sections(SHARED, SUBJECT):
        if section.startswith((KIND, SHARED_WORDS)):
            texts = read_entries(SHARED, SUBJECT, section)
            yield from build_entries(section.removeprefix(SHARED_WORDS), FOREIGN, texts)


def read_small_words() -> Iterator[LexiconEntry]:
    """The words that tell the language of a text."""
    for kind, language, texts in list_kinds():
        if kind == LANGUAGE:
            yield from build_entries(LANGUAGE, language, texts)
    for language in list_codes():
        # Of a language that the guard has no words of, they stand among those of claims.
        for subject in ("claims", "questions"):
            yield from build_entries(LANGUAGE, language, read_entries(language, subject, LANGUAGE))


@cache
def load_topic_meanings() -> dict[str, frozenset[str]]:
    """The topics of each term of a meaning that has any, in all languages."""
    found: dict[str, set[str]] = {}
    for section in read_sections(SHARED, SUBJECT):
        if not section.startswith((KIND, SHARED_WORDS)):
            for meaning in read_entries(SHARED, SUBJECT, section):
                for term in list_terms(meaning):
                    found.setdefault(term, set()).add(section)
    return {term: frozenset(topics) for term, topics in found.items()}


@lru_cache(maxsize=16_384)
def find_meant_topics(word: str, spoken: frozenset[str] | None) -> frozenset[str]:
    known = load_topic_meanings()
    if is_hebrew(word):
        forms = list_hebrew_readings(word)
    else:
        languages = [code for code in LANGUAGES if spoken is None or code in spoken]
        forms = tuple(form for code in languages for form in stem_word(word, code))
    return frozenset(topic for form in forms for topic in known.get(form, ()))
