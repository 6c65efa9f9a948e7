"""Tells words that name a matter from verbs, adverbs and adjectives, by what stands around them. Pure.

No word is listed here. Evidence is what the language data knows of the neighbours (articles, possessives, pronouns,
auxiliaries), how the words of the language end, and its capitals.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from knowledge_graph.extraction.concepts import LONGEST_READ, ExtractedConcept, extract_concepts, is_filler
from knowledge_graph.extraction.keys import build_word_key
from memory.claims.frames.words import LANGUAGES, load_hot_words
from memory.claims.frames.words import SUBJECT as FRAMES
from memory.language.concepts import SUBJECT as CONCEPTS
from memory.language.concepts import find_english_name
from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import BEFORE_A_TIME, HEBREW, is_hebrew, list_hebrew_readings
from memory.language.loader import list_codes, read_entries, read_sections
from memory.language.names import capitalises_nouns, load_given_names
from memory.language.splitting import find_own_words, split_tokens
from memory.language.stems import detect_languages, stem_word
from memory.language.stopwords import load_fillers, load_stop_words
from memory.language.vocabulary import load_plain_technologies

# Fitted by a logistic regression on the half `dev` of tests/knowledge_graph/topic_labels.txt.
WEIGHTS: Final[Mapping[str, float]] = {
    "after article": 2.66,
    "after auxiliary": -0.65,
    "after preposition": 0.87,
    "after subject": -0.5,
    "article inside": 0.36,
    "before article": -1.8,
    "before auxiliary": 0.53,
    "before preposition": 0.29,
    "capital": 1.29,
    "capital noun": 1.63,
    "ending": 0.28,
    "ends": 0.45,
    "grammar": -1.5,
    "meaning": 0.03,
    "opens": 0.04,
    "particle inside": 0.91,
    "small noun": -1.62,
    "verb": -1.02,
}
BIAS: Final = -0.4
# On that half 0 would find 73 % of the matters, -0.1 finds 76 % and lets a tenth more noise pass.
LEAST: Final = -0.1
ENDINGS: Final = (4, 3, 2, 1)
GUARD: Final = "guard"
REQUEST: Final = "request"
# Listed words that an ending must have to be evidence, and how far a single ending may go.
FEWEST: Final = 3
FURTHEST: Final = 3.0
SMOOTHING: Final = 1.0

_WORD: Final = re.compile(r"[^\W\d_]++(?:'(?=[^\W\d_]))?+|\d++|[.!?\n]")
_CAPITALS: Final = re.compile(r"\b[A-Z]{2,}\b")
_SUBJECTS: Final = frozenset({"i", "he", "she", "they", "it", "thou", "there"})
_DETERMINERS: Final = frozenset({"det", "my", "his"})
_AUXILIARIES: Final = frozenset({"modal", "be 1", "be 3", "have 1", "have 3"})
_VERBAL: Final = frozenset({"verb", "frame", "participle"}) | _AUXILIARIES
_GRAMMAR: Final = frozenset({"adv", "degree", "conj", "prep", "not", "sub", "wh", "also", "time adj"})


@dataclass(frozen=True, slots=True)
class WrittenWord:
    """A word as it stands in a text; ``opens`` a sentence, where a capital says nothing."""

    form: str
    is_capital: bool
    opens: bool


def select_topics(text: str) -> frozenset[str]:
    """The keys of those concepts of a text that name a matter; of a pair both words must."""
    concepts = extract_concepts(text)
    words = split_words(text[:LONGEST_READ])
    language = detect_language(text)
    scores: dict[str, float] = {}
    for place, word in enumerate(words):
        scores[word.form] = max(scores.get(word.form, -math.inf), score_word(words, place, language))
    named = {one.label for one in concepts if " " not in one.label and is_topic(one, scores)}
    return frozenset(one.key for one in concepts if all(part in named for part in one.label.split()))


def select_parts(text: str) -> frozenset[str]:
    """The keys of those concepts of a text that nobody wrote there as a word: parts of names of code ("err" of
    "ERR_4521"), what joining two words makes ("perpartition"), and orders of a program ("CREATE INDEX")."""
    cleaned = normalise_text(text[:LONGEST_READ])
    shouted = {word.casefold() for word in _CAPITALS.findall(cleaned)}
    words = {one.label: one.key for one in extract_concepts(text) if " " not in one.label}
    orders = {label for label in shouted & words.keys() if words[label] in load_order_keys()}
    own = find_own_words(cleaned) - orders
    return frozenset(one.key for one in extract_concepts(text) if not own.issuperset(one.label.split()))


@cache
def load_order_keys() -> frozenset[str]:
    """The concepts that requests to an assistant begin with, in every language ("create …", "fix this", "schreib mir").

    Read off the lists of requests that the guard and the frames have anyway.
    """
    first, *others = list_codes()
    found = {key for key in read_order_keys(first) if not is_known(key)}
    for language in others:
        # "Baja" is an order, and its stem begins no English word that is known to mean something else.
        own = (key for key in read_order_keys(language) if find_english_name(stem_word(key, first)) is None)
        found |= {key for key in own if not is_known(key)}
    return frozenset(found)


def read_order_keys(language: str) -> Iterator[str]:
    """Without those whose key is another word: "show" is kept under "exhibition", which orders nothing."""
    dropped = load_stop_words(language) | load_fillers((language,))
    for subject in (FRAMES, GUARD):
        for phrase in read_entries(language, subject, REQUEST):
            words = (piece for piece in split_tokens(normalise_text(phrase)) if not is_filler(piece, dropped))
            if (first := next(words, None)) is None:
                continue
            key = build_word_key(first, language, is_sure=True)
            forms = list_hebrew_readings(first.form) if is_hebrew(first.form) else stem_word(first.form, language)
            if key == first.form or key in {form.rpartition(":")[2] for form in forms}:
                yield key


def is_topic(concept: ExtractedConcept, scores: Mapping[str, float]) -> bool:
    # What no word of the text stands for is an identifier, "err_4521", and always meant.
    return scores.get(concept.label, 1.0) > LEAST or is_known(strip_accents(concept.label))


def detect_language(text: str) -> str:
    cleaned = normalise_text(text[:LONGEST_READ])
    forms = {piece.form for piece in split_tokens(cleaned) if piece.kind == "word"}
    if any(is_hebrew(form) for form in forms):
        return HEBREW
    language = detect_languages(cleaned, forms)[0][0]
    return language if language in LANGUAGES else LANGUAGES[0]


def split_words(text: str) -> list[WrittenWord]:
    found, opens = [], True
    for word in _WORD.findall(normalise_text(text)):
        if word in ".!?\n":
            opens = True
            continue
        found.append(WrittenWord(word.casefold(), word[:1].isupper(), opens))
        opens = False
    return found


def score_word(words: Sequence[WrittenWord], place: int, language: str) -> float:
    return BIAS + sum(WEIGHTS.get(name, 0.0) * value for name, value in read_evidence(words, place, language).items())


def read_evidence(words: Sequence[WrittenWord], place: int, language: str) -> dict[str, float]:
    """What speaks for and against a word naming a matter, by name."""
    known, word = load_hot_words(language), words[place]
    before = words[place - 1] if place else None
    after = words[place + 1] if place + 1 < len(words) else None
    behind = known.classify(before.form) if before and not word.opens else frozenset()
    ahead = known.classify(after.form) if after and not after.opens else frozenset()
    found = read_own_evidence(word, language) | {
        "after article": bool(behind & _DETERMINERS),
        "after preposition": "prep" in behind,
        "after number": bool(before and before.form.isdigit()),
        "after subject": bool(behind & _SUBJECTS),
        "after auxiliary": bool(behind & (_VERBAL | {"not", "to"})),
        "before auxiliary": bool(ahead & _AUXILIARIES),
        "before article": bool(ahead & _DETERMINERS),
        "before preposition": "prep" in ahead,
        "ends": after is None or after.opens,
    }
    return {name: float(value) for name, value in found.items() if value}


def read_own_evidence(word: WrittenWord, language: str) -> dict[str, float]:
    form, has_capital = word.form, word.is_capital and not word.opens
    own, writes_nouns_large = load_hot_words(language).classify(form), capitalises_nouns(language)
    return {
        "ending": weigh_ending(form, language),
        "meaning": is_meaning(form, language),
        "verb": bool(own & _VERBAL),
        "grammar": bool(own & _GRAMMAR) or form in load_fillers((language,)),
        "opens": word.opens,
        "capital noun": writes_nouns_large and has_capital,
        "small noun": writes_nouns_large and not word.is_capital,
        "capital": not writes_nouns_large and has_capital,
        "article inside": is_hebrew(form) and form.startswith("ה"),
        "particle inside": has_particle(form, language),
    }


def is_known(bare: str) -> bool:
    """Whether it is a name by itself, of a tool or of somebody."""
    return bare in load_plain_technologies() or bare in load_given_names()


@lru_cache(maxsize=32_768)
def weigh_ending(form: str, language: str) -> float:
    """How much oftener nouns of a language end like this word than its verbs and adverbs do, as a logarithm."""
    nouns, others = load_endings(language)
    for length in ENDINGS:
        ending = form[-length:]
        if len(form) > length and nouns[ending] + others[ending] >= FEWEST:
            ratio = (nouns[ending] + SMOOTHING) / max(1, nouns[""]) * max(1, others[""]) / (others[ending] + SMOOTHING)
            return max(-FURTHEST, min(FURTHEST, math.log(ratio)))
    return 0.0


@cache
def load_endings(language: str) -> tuple[Counter[str], Counter[str]]:
    """How often each ending occurs in the words of meanings, and in those of verbs and adverbs."""
    meanings = read_sections(language, CONCEPTS)
    nouns = {word.casefold() for meaning in meanings for word in read_entries(language, CONCEPTS, meaning)}
    classes = load_hot_words(language).classes.items()
    others = {word for word, named in classes if named & (_VERBAL | {"adv"}) and " " not in word} - nouns
    return count_endings(nouns), count_endings(others)


def count_endings(words: Iterable[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for word in words:
        found[""] += 1
        found.update(word[-length:] for length in ENDINGS if len(word) > length)
    return found


@lru_cache(maxsize=32_768)
def is_meaning(form: str, language: str) -> bool:
    """Whether one of the known meanings of the language is named by the word, in whatever form."""
    # A word in Latin letters within Hebrew is read as English.
    latin = "en" if language == HEBREW else language
    forms = list_hebrew_readings(form) if is_hebrew(form) else stem_word(form, latin)
    return find_english_name(forms) is not None


@lru_cache(maxsize=32_768)
def has_particle(form: str, language: str) -> bool:
    """Whether a preposition or an article is written onto a Hebrew word whose rest is known to be a word."""
    rest = form[1:]
    return is_hebrew(form) and form[0] in BEFORE_A_TIME and len(rest) > 1 and is_meaning(rest, language)
