"""Tokenises text: words, identifiers whole and in parts, character bigrams of scripts without spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from memory.language.calendar import split_date
from memory.language.loader import collect_entries, list_codes, read_entries, read_sections

TokenKind = Literal["word", "code"]


class TextToken(NamedTuple):
    """A case-folded part of a text; a `code` is searched as it is, a `word` in its forms."""

    form: str
    kind: TokenKind


# Python's \w leaves out the vowel signs of Indic and South-East Asian scripts, which belong to their words.
_SIGNS: Final = "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e4e\u0eb0-\u0ece\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3"
_WORD: Final = re.compile(rf"[^\W_](?:[^\W_]|[{_SIGNS}])*(?:'(?:[^\W_]|[{_SIGNS}])+)*")
_BETWEEN: Final = re.compile(r"[,;!?()\[\]{}<>|\"“”„«»…*`^=~]+|\.\.+|(?<=\w)[:'](?=[^\w/\\]|$)")
_EDGES: Final = "'.:-_+&%$€£¥§°@/\\•·¿¡"
_THOUSANDS: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\w,])|(?<![\w.,])\d{1,3}(?:[.']\d{3})+(?![\w.'])")
_POSSESSIVE: Final = re.compile(r"'[sS]$")
_VERSION: Final = re.compile(r"[vV](\d+(?:\.\d+)+\S*)")
_ADDRESS: Final = re.compile(r"(?:[a-z][a-z0-9+.-]{0,30}+://|www\.)\S+", re.IGNORECASE)
_CAPITALS_INSIDE: Final = re.compile(r"[a-z][A-Z]")
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LETTERS_OR_DIGITS: Final = re.compile(r"\d+|[^\W\d_]+")
_SHARP: Final = re.compile(r"[A-Za-z](?:\+\+|#)")
_MARKS_OF_CODE: Final = re.compile(r"[\d_@\\.:+]|/.*/")

_IDEOGRAPHS: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNSPACED: Final = f"{_IDEOGRAPHS}\u3040-\u30ff\uac00-\ud7af\u0e00-\u0edf\u1000-\u109f\u1780-\u17d3"
_UNSPACED_RUN: Final = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_HAS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_IDEOGRAPH: Final = re.compile(f"[{_IDEOGRAPHS}]")

_CLITICS: Final = frozenset(collect_entries("language", "clitics"))
_NEGATIONS: Final = {
    section.removeprefix("negated "): entry
    for code in list_codes()
    for section in read_sections(code, "language")
    if section.startswith("negated ")
    for entry in read_entries(code, "language", section)
}
# English ones alone: those of other languages have always been terms of their own, and stored ones stay as they are.
_ORDINALS: Final = frozenset(read_entries(list_codes()[0], "numbers", "ordinal endings"))
_MOST_BOUNDARIES: Final = 3
LONGEST: Final = 200
_LONGEST_CACHED: Final = 48


def split_tokens(text: str) -> list[TextToken]:
    """The pieces of a cleaned text in order."""
    found: list[TextToken] = []
    for chunk in text.split():
        found.extend(_split_cached(chunk) if len(chunk) <= _LONGEST_CACHED else _split(chunk))
    return found


@lru_cache(maxsize=65_536)
def _split_cached(chunk: str) -> tuple[TextToken, ...]:
    return tuple(_split(chunk))


def _split(chunk: str) -> list[TextToken]:
    if chunk.isascii() and chunk.isalpha() and not _CAPITALS_INSIDE.search(chunk):
        return [TextToken(chunk.casefold()[:LONGEST], "word")]
    if _ADDRESS.match(chunk):
        return _split_address(chunk)
    chunk = _THOUSANDS.sub(lambda number: "".join(filter(str.isdigit, number[0])), chunk)
    found: list[TextToken] = []
    for part in _BETWEEN.split(chunk):
        if _SHARP.fullmatch(part):
            found.append(TextToken(part.casefold(), "code"))
        elif part:
            found.extend(_split_part(part))
    return found


def _split_address(chunk: str) -> list[TextToken]:
    whole = chunk.rstrip(".,;:!?'\")]}>").casefold()
    named = whole.split("://", 1)[-1]
    return [TextToken(named.rstrip("/")[:LONGEST], "code"), *_split_inside(named)]


def find_own_words(text: str) -> frozenset[str]:
    """The pieces of a cleaned text that stand in it by themselves: whole names of code, and words outside of them.

    "ERR_4521" holds no "err" of its own, and "per-partition" is not written "perpartition".
    """
    return frozenset(form for chunk in text.split() for form in _list_own(chunk))


def _list_own(chunk: str) -> Iterator[str]:
    if _ADDRESS.match(chunk):
        yield _split_address(chunk)[0].form
        return
    for part in _BETWEEN.split(chunk):
        if _SHARP.fullmatch(part):
            yield part.casefold()
        elif core := _strip_edges(part):
            is_code = _MARKS_OF_CODE.search(core) or part.startswith("#")
            yield from (one.form for one in _split_part(part)[:1] if is_code)
            words = () if is_code else _WORD.findall(core)
            # Of "exportWorker" the whole comes first and is the only one that stands there.
            yield from (
                one.form for word in words for one in _split_word(word)[: 1 if _CAPITALS_INSIDE.search(word) else None]
            )


def _strip_edges(part: str) -> str:
    return _POSSESSIVE.sub("", part.strip(_EDGES + "#"))


def _split_part(part: str) -> list[TextToken]:
    marked = part.startswith("#")
    core = _strip_edges(part)
    if not core:
        return []
    simple = _WORD.fullmatch(core) is not None
    whole: list[TextToken] = []
    if marked:
        whole.append(TextToken(f"#{core.casefold()}"[:LONGEST], "code"))
    if not simple:
        dates = split_date(core)
        if dates:
            return [*whole, TextToken(core, "code"), *(TextToken(form, "code") for form in dates)]
        if _MARKS_OF_CODE.search(core):
            whole.append(TextToken(core.casefold()[:LONGEST], "code"))
            if version := _VERSION.fullmatch(core):
                whole.append(TextToken(version[1].casefold()[:LONGEST], "code"))
        elif "-" in core:
            whole.append(TextToken(core.replace("-", "").casefold()[:LONGEST], "word"))
    return [*whole, *_split_inside(core)]


def _split_inside(core: str) -> list[TextToken]:
    found: list[TextToken] = []
    for word in _WORD.findall(core):
        if _HAS_UNSPACED.search(word):
            for run in _UNSPACED_RUN.findall(word):
                found.extend(_split_pairs(run) if _HAS_UNSPACED.match(run) else _split_word(run))
        else:
            found.extend(_split_word(word))
    return found


def _split_pairs(run: str) -> list[TextToken]:
    """Overlapping pairs, and single ideographs, which are often words by themselves."""
    pairs = [run[start : start + 2] for start in range(len(run) - 1)]
    singles = _IDEOGRAPH.findall(run) if pairs else [run]
    return [TextToken(form, "code") for form in (*pairs, *singles)]


def _split_word(word: str) -> list[TextToken]:
    if "'" in word:
        return _unify_apostrophes(word)
    folded = word.casefold()[:LONGEST]
    if word.isdigit():
        return [TextToken(_strip_number(folded), "code")]
    if any(char.isdigit() for char in word):
        return _split_letters_and_digits(folded)
    if word.isascii() and _CAPITALS_INSIDE.search(word):
        parts = [part.casefold() for part in _CAMEL.findall(word) if len(part) > 1]
        return [TextToken(folded, "word"), *(TextToken(part, "word") for part in parts if part != folded)]
    return [TextToken(folded, "word")]


def _unify_apostrophes(word: str) -> list[TextToken]:
    """`Anna's` is Anna, `don't` is do, `l'eau` is eau, `dell'arte` is dell and arte."""
    left, _, right = word.partition("'")
    tail = right.casefold()
    if tail in _CLITICS:
        return _split_word(left)
    if tail == "t" and left[-1:] in {"n", "N"}:
        return _split_word(_NEGATIONS.get(left.casefold(), left[:-1]) or left)
    if len(left) == 1 and left not in "oO":
        return _split_word(right)
    return [*_split_word(left), *_split_word(right)]


def _split_letters_and_digits(word: str) -> list[TextToken]:
    parts = _LETTERS_OR_DIGITS.findall(word)
    found = [TextToken(word, "code")]
    if len(parts) - 1 > _MOST_BOUNDARIES:
        return found
    for part in parts:
        if part.isdigit():
            found.append(TextToken(_strip_number(part), "code"))
        elif len(part) > 1 and part not in _ORDINALS:
            found.append(TextToken(part, "word"))
    return found


def _strip_number(digits: str) -> str:
    return digits.lstrip("0") or "0"
