"""Hand-annotated parses: spaCy's own documents, for which no trained pipeline is needed."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab


@cache
def load_vocabulary() -> Vocab:
    return spacy.blank("en").vocab


def annotate_parse(rows: Sequence[str]) -> Iterable[Any]:
    """Each row is a word, its part of speech, its label, the place of its head and, where it is another, its lemma."""
    cells = [row.split() for row in rows]
    return Doc(
        load_vocabulary(),
        words=[cell[0] for cell in cells],
        pos=[cell[1] for cell in cells],
        deps=[cell[2] for cell in cells],
        heads=[int(cell[3]) for cell in cells],
        lemmas=[cell[4] if len(cell) > 4 else cell[0].lower() for cell in cells],
    )
