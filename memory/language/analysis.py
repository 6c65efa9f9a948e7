"""From text to the terms that are stored and the groups that are searched for."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from memory.language.concepts import find_alternatives, translate_to_english
from memory.language.folding import normalise_text, strip_accents
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.kinds import find_kind_terms, list_kind_terms
from memory.language.periods import find_month_term
from memory.language.splitting import TextToken, split_tokens
from memory.language.stems import LANGUAGES, detect_languages, stem_word
from memory.language.stopwords import load_own_script_stop_words

LONGEST_TEXT: Final = 65_536
LONGEST_QUERY: Final = 2_000
MOST_GROUPS: Final = 64


def extract_terms(text: str) -> list[str]:
    """The analysed tokens of a document in order, with repetition."""
    return [term for forms in extract_positioned_terms(text) for term in forms]


def list_stems(text: str) -> frozenset[str]:
    """Without their languages: an order is often too short to tell its own."""
    return frozenset(term.rpartition(":")[2] for term in extract_terms(text))


def extract_positioned_terms(text: str) -> list[tuple[str, ...]]:
    """One tuple of terms for each word of a document, stop words left out unless there is nothing else."""
    found, languages, _ = _list_content(normalise_text(text[:LONGEST_TEXT])[:LONGEST_TEXT])
    return [(*_list_forms(piece, languages), *find_kind_terms(strip_accents(piece.form), languages)) for piece in found]


def build_query_groups(text: str) -> list[tuple[str, ...]]:
    """One group of alternative terms for each distinct word of a query; empty when it holds no word.

    A query is too short to tell its language, so each word is looked for under the stem of every language. A
    document is indexed under the stem of its own. Words of the same meaning stand with it, of other languages too;
    where nothing tells the language and English knows no such word, it may be a word of any other.
    """
    found, languages, is_certain = _list_content(normalise_text(text[:LONGEST_QUERY])[:LONGEST_QUERY])
    groups: dict[tuple[str, ...], dict[str, None]] = {}
    for piece in found:
        # `dog` and `dogs` are one word to the likely language, whatever the others make of them.
        key = _list_forms(piece, languages)
        if key not in groups and len(groups) == MOST_GROUPS:
            break
        forms = _list_forms(piece, LANGUAGES)
        same = find_alternatives(key) or (() if is_certain else find_alternatives(forms))
        groups.setdefault(key, {}).update(dict.fromkeys((*forms, *same, *list_kind_terms(key))))
    return [tuple(forms) for forms in groups.values()]


def gloss_in_english(text: str) -> str:
    """Known English translations of a Hebrew text's words; empty for any other text.

    Embedding models without Hebrew map all such text to nearly the same vector.
    """
    text = normalise_text(text[:LONGEST_TEXT])
    if text.isascii():
        return ""
    words = (
        translate_to_english(list_hebrew_readings(piece.form))
        for piece in _list_content(text)[0]
        if is_hebrew(piece.form)
    )
    return " ".join(dict.fromkeys(word for word in words if word))


def _list_content(text: str) -> tuple[list[TextToken], tuple[str, ...], bool]:
    """The pieces that carry content, the likely languages, and whether anything told these languages."""
    found = split_tokens(text)
    languages, dropped = detect_languages(text, {piece.form for piece in found if piece.kind == "word"})
    content = [piece for piece in found if piece.kind == "code" or not _is_stop_word(piece.form, dropped)]
    return content or found, languages, bool(dropped)


def _is_stop_word(form: str, dropped: frozenset[str]) -> bool:
    if form.isascii():
        return form in dropped
    return form in load_own_script_stop_words() or strip_accents(form) in dropped


@lru_cache(maxsize=131_072)
def _list_forms(piece: TextToken, languages: tuple[str, ...]) -> tuple[str, ...]:
    form, kind = piece
    if kind == "code":
        return (form,)
    bare = strip_accents(form)
    month = find_month_term(form, languages)
    named = (month,) if month else ()
    if is_hebrew(form):
        return (*list_hebrew_readings(form), *named)
    if not ("a" <= bare[:1] <= "z"):
        return (bare, *named)
    return (*dict.fromkeys(stem for language in languages for stem in stem_word(form, language)), *named)
