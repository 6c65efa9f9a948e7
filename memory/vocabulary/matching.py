"""Which terms a text speaks of, by their aliases: whole words, words that go on, phrases, and meanings that the
languages share. What the text only rules out ("I don't want a refund") is none of its terms. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.claims.topics import LANGUAGE, find_spoken, find_topic_words, read_small_words
from memory.guard.annotation import Span, find_entries
from memory.guard.lexicon import FOREIGN, WORD, Lexicon, LexiconEntry, build_entries
from memory.guard.spelling import normalise_text
from memory.language.concepts import list_terms
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.loader import list_codes, read_entries
from memory.language.stems import LANGUAGES, stem_word
from memory.vocabulary.terms import ControlledVocabulary, Term, TermKind

SUBJECT: Final = "labels"
DISCLAIMS: Final = "disclaims"
# Characters read: a message opens with what it is about.
READ_CHARS: Final = 2_000
# Words after a phrase that rules out, up to which it reaches: "I am not here for another one of your refunds".
RULED_OUT_WORDS: Final = 4
LEAST_VOTES: Final = 3
SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class TermMatches:
    """The spans of words of each term that is meant, and the terms that are only ruled out."""

    spans: Mapping[str, tuple[Span, ...]]
    ruled_out: frozenset[str]


@dataclass(frozen=True, slots=True)
class TermWords:
    """What finds the terms of one vocabulary: phrases, and stems of meanings."""

    lexicon: Lexicon
    meanings: Mapping[str, frozenset[str]]
    # Terms by the everyday topic that stands for them.
    life: Mapping[str, frozenset[str]]


@lru_cache(maxsize=64)
def build_term_words(vocabulary: ControlledVocabulary, kind: TermKind) -> TermWords:
    meanings: dict[str, set[str]] = defaultdict(set)
    life: dict[str, set[str]] = defaultdict(set)
    for term in vocabulary.by_kind[kind]:
        for meaning in term.meanings:
            for stem in list_terms(meaning):
                meanings[stem].add(term.name)
        for topic in term.life:
            life[topic].add(term.name)
    lexicon = Lexicon(read_small_words(), read_disclaimers(), read_aliases(vocabulary.by_kind[kind]))
    return TermWords(
        lexicon,
        {stem: frozenset(names) for stem, names in meanings.items()},
        {topic: frozenset(names) for topic, names in life.items()},
    )


def read_disclaimers() -> Iterator[LexiconEntry]:
    for language in list_codes():
        yield from build_entries(DISCLAIMS, language, read_entries(language, SUBJECT, DISCLAIMS))


def read_aliases(terms: Iterable[Term]) -> Iterator[LexiconEntry]:
    for term in terms:
        for language, aliases in term.aliases.items():
            yield from build_entries(f"term {term.name}", language or FOREIGN, aliases)


def find_terms(text: str, vocabulary: ControlledVocabulary, kind: TermKind = TermKind.TOPIC) -> TermMatches:
    known = build_term_words(vocabulary, kind)
    read = text[:READ_CHARS]
    words = tuple(WORD.findall(normalise_text(read).casefold()))
    entries = find_entries(words, known.lexicon)
    spoken = find_spoken(entries, SHARE, LEAST_VOTES)
    spans: dict[str, dict[Span, None]] = defaultdict(dict)
    disclaimed: list[Span] = []
    for found, language, span in entries:
        if found == LANGUAGE or (spoken is not None and language not in spoken):
            continue
        if found == DISCLAIMS:
            disclaimed.append(span)
        else:
            spans[found.removeprefix("term ")][span] = None
    for place, word in enumerate(words):
        for name in find_meant_terms(word, spoken, known):
            spans[name][place, place + 1] = None
    add_life(spans, read, known)
    return rule_out(spans, disclaimed)


def find_meant_terms(word: str, spoken: frozenset[str] | None, known: TermWords) -> frozenset[str]:
    if is_hebrew(word):
        forms = list_hebrew_readings(word)
    else:
        languages = [code for code in LANGUAGES if spoken is None or code in spoken]
        forms = tuple(form for code in languages for form in stem_word(word, code))
    return frozenset(name for form in forms for name in known.meanings.get(form, ()))


def add_life(spans: dict[str, dict[Span, None]], text: str, known: TermWords) -> None:
    if known.life:
        found = find_topic_words(text)
        for topic in found.topics & known.life.keys():
            for name in known.life[topic]:
                spans[name].update(dict.fromkeys(found.spans[topic]))


def rule_out(spans: Mapping[str, dict[Span, None]], disclaimed: Iterable[Span]) -> TermMatches:
    reach = [(end, end + RULED_OUT_WORDS) for _, end in disclaimed]
    kept = {
        name: tuple(span for span in found if not any(begin <= span[0] < end for begin, end in reach))
        for name, found in spans.items()
    }
    meant = {name: found for name, found in kept.items() if found}
    return TermMatches(meant, frozenset(spans.keys() - meant.keys()))
