"""Which relations the words of a turn name, by the words that its facts are read by: "dónde trabajo" asks `works_at`.

Frames of verbs, nouns of relations and of favourites stand in each language's `frames.txt`. Pure.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from memory.claims.frames.matching import find_frames
from memory.claims.frames.particles import take_apart
from memory.claims.frames.tokens import HotToken, read_hot_tokens
from memory.claims.frames.words import (
    LANGUAGES,
    HotWords,
    load_favorites,
    load_hot_words,
    load_relation_nouns,
)
from memory.claims.questions import read_question
from memory.guard.spelling import normalise_text
from memory.language.folding import WORD
from memory.language.loader import collect_entries, read_entries, read_sections

READ: Final = 500
SUBJECT: Final = "bullets"
ASKS: Final = "asks "


@lru_cache(maxsize=512)
def find_named_relations(text: str, lang: str) -> frozenset[str]:
    """Relations that the turn names by a verb or a noun of them, or by words that only questions have."""
    found = set(find_asked(text, lang))
    if lang in LANGUAGES:
        words = load_hot_words(lang)
        tokens = take_apart(read_hot_tokens(normalise_text(text[:READ]), words), words)
        found |= {match.frame.relation for match in find_frames(tokens, words)} | find_nouns(tokens, words)
    return frozenset(found)


def find_asked(text: str, lang: str) -> Iterator[str]:
    said = f" {' '.join(WORD.findall(text[:READ].casefold().replace('’', chr(39))))} "
    for section in read_sections(lang, SUBJECT):
        if section.startswith(ASKS) and any(f" {cue} " in said for cue in read_entries(lang, SUBJECT, section)):
            yield section.removeprefix(ASKS)


def has_question_word(text: str, lang: str) -> bool:
    """Whether any word of the turn asks: speech has no marks, and French asks at the end."""
    words = WORD.findall(text[:READ].casefold())
    return not frozenset(read_entries(lang, SUBJECT, "question words")).isdisjoint(words)


def may_ask(text: str) -> bool:
    """Whether a turn may want something told: before it is read, in any language, and rather once too often."""
    words = WORD.findall(text[:READ].casefold())
    return "?" in text or not list_question_words().isdisjoint(words) or read_question(text).is_question


@lru_cache(maxsize=1)
def list_question_words() -> frozenset[str]:
    return frozenset(collect_entries(SUBJECT, "question words"))


def find_nouns(tokens: list[HotToken], words: HotWords) -> set[str]:
    nouns, favorites = load_relation_nouns(words.language), load_favorites(words.language)
    prefers = any(token.has("favorite") for token in tokens)
    found: set[str] = set()
    for at, token in enumerate(tokens):
        pair = f"{token.plain} {tokens[at + 1].plain}" if at + 1 < len(tokens) else ""
        # Of "בן הזוג" the first word alone would be a son.
        for part in (pair,) if pair in nouns else (token.plain, pair):
            found |= {nouns[part]} if part in nouns else set()
            # "Welches Team mag ich" and "mein Lieblingsteam" name a favourite; a team by itself may be any.
            found |= {favorites[part]} if part in favorites else set()
        found |= find_compound_favorite(token.plain, favorites)
    if prefers:
        found.add("likes")
    return found


def find_compound_favorite(word: str, favorites: dict[str, str]) -> set[str]:
    """ "Lieblingsfarbe": the word that says that it is one, and the noun, in one."""
    # The beginning first: hardly any word has one, and every noun was held against each word in 40 % of a turn's time.
    if not word.startswith(list_favorite_starts()):
        return set()
    return {relation for noun, relation in favorites.items() if word.endswith(noun) and word != noun}


@lru_cache(maxsize=1)
def list_favorite_starts() -> tuple[str, ...]:
    return tuple(start.rstrip("*") for start in collect_entries("frames", "favorite") if len(start) > 3)
