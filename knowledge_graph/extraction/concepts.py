"""Extracts concepts: topical words and word pairs, each with one key across languages. Pure."""

from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from knowledge_graph.extraction.keys import build_word_key
from memory.language.folding import fold_name, normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, strip_hebrew_article
from memory.language.periods import find_month_term
from memory.language.splitting import TextToken, split_tokens
from memory.language.stems import detect_languages
from memory.language.stopwords import load_fillers
from memory.language.vocabulary import load_plain_technologies

LONGEST_READ: Final = 4_000
MOST_WORDS: Final = 16
MOST_PAIRS: Final = 8
LONGEST_KEY: Final = 80
SHORTEST: Final = 3
SHORTEST_HEBREW: Final = 2


class ExtractedConcept(NamedTuple):
    """``key`` unifies spellings, forms and languages; ``label`` is how the text wrote it."""

    key: str
    label: str


# Cached: a question is read by the search, the advice, the insights and again when its outcome is learned.
@lru_cache(maxsize=4_096)
def extract_concepts(text: str) -> tuple[ExtractedConcept, ...]:
    """The concepts of a text, with labels to show."""
    found = split_tokens(normalise_text(text[:LONGEST_READ]))
    forms = {piece.form for piece in found if piece.kind == "word"}
    languages, grammar = detect_languages(text[:LONGEST_READ], forms)
    dropped = grammar | load_fillers(languages)
    row = [
        None if is_filler(piece, dropped) else build_concept(piece, languages[0], is_sure=bool(grammar))
        for piece in found
    ]
    words: dict[str, str] = {}
    for one in row:
        if one is not None and len(words) < MOST_WORDS:
            words.setdefault(one.key, one.label)
    pairs: dict[str, str] = {}
    for first, second in pairwise(row):
        if first is None or second is None or len(pairs) == MOST_PAIRS:
            continue
        # A name of code is followed by its own parts, "err_4521" by "err": that is no pair of anything.
        if first.key == second.key or second.label in first.label:
            continue
        joined = fold_name(f"{first.label} {second.label}")
        key = load_plain_technologies().get(joined) or f"{first.key} {second.key}"
        if len(key) <= LONGEST_KEY:
            pairs.setdefault(key, f"{first.label} {second.label}")
    return tuple(ExtractedConcept(key, label) for key, label in {**words, **pairs}.items())


def is_filler(piece: TextToken, dropped: frozenset[str]) -> bool:
    bare = strip_accents(piece.form)
    return bare in dropped or strip_hebrew_article(bare) in dropped


def build_concept(piece: TextToken, language: str, *, is_sure: bool) -> ExtractedConcept | None:
    """The concept of one piece of a text; None for numbers, dates and what is too short to mean something."""
    form = piece.form
    bare = strip_accents(form)
    if not any(letter.isalpha() for letter in bare) or len(bare) > LONGEST_KEY:
        return None
    # A date says when and not what about.
    if find_month_term(form, (language,)):
        return None
    key = build_word_key(piece, language, is_sure=is_sure)
    is_known = key in load_plain_technologies()
    shortest = SHORTEST_HEBREW if is_hebrew(form) else SHORTEST
    return ExtractedConcept(key, form) if is_known or len(bare) >= shortest else None


def select_problem_keys(keys: Collection[str]) -> list[str]:
    """The concepts that make a problem: the single words, in one order."""
    return sorted({key for key in keys if " " not in key})
