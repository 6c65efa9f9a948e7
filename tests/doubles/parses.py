"""Hand-annotated parses: a spaCy document where spaCy is installed, else words with the same attributes."""

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, eq=False)
class AnnotatedToken:
    """A word as `spacy.tokens.Token` shows it."""

    i: int
    idx: int
    text: str
    lemma_: str
    dep_: str
    pos_: str
    head: "AnnotatedToken" = field(init=False)
    children: list["AnnotatedToken"] = field(default_factory=list)

    @property
    def lower_(self) -> str:
        return self.text.lower()


def annotate_parse(rows: Sequence[str]) -> Iterable[Any]:
    """Each row is a word, its part of speech, its label, the place of its head and, where it is another, its lemma."""
    cells = [row.split() for row in rows]
    words = [cell[0] for cell in cells]
    lemmas = [cell[4] if len(cell) > 4 else cell[0].lower() for cell in cells]
    heads = [int(cell[3]) for cell in cells]
    tags, deps = [cell[1] for cell in cells], [cell[2] for cell in cells]
    try:
        doc, vocab = importlib.import_module("spacy.tokens").Doc, importlib.import_module("spacy").blank("en").vocab
    except ImportError:
        return link_tokens(words, heads, deps, tags, lemmas)
    parsed: Iterable[Any] = doc(vocab, words=words, heads=heads, deps=deps, pos=tags, lemmas=lemmas)
    return parsed


def link_tokens(
    words: Sequence[str], heads: Sequence[int], deps: Sequence[str], tags: Sequence[str], lemmas: Sequence[str]
) -> list[AnnotatedToken]:
    found: list[AnnotatedToken] = []
    begun = 0
    for at, word in enumerate(words):
        found.append(AnnotatedToken(at, begun, word, lemmas[at], deps[at], tags[at]))
        begun += len(word) + 1
    for token, head in zip(found, heads, strict=True):
        token.head = found[head]
        if found[head] is not token:
            found[head].children.append(token)
    return found
