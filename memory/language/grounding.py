"""Whether a text that a language model wrote says what its sources say. Pure: words in, truth values out.

A model leaves out a number or adds a reason as fluently as it copies; whoever stores its words asks here first.
"""

import re
from collections.abc import Sequence
from typing import Final

WORD = re.compile(r"[^\W_]{3,}")
# What must not be changed by a letter: numbers, paths, addresses, identifiers, names in the middle of a sentence.
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
TOKEN = re.compile(r"[\w./\\:@#-]+")
MARK_OF_CODE = re.compile(r"\w\d|\d\w|[/\\_@#]|[a-z][A-Z]")
NAME = re.compile(r"(?<=[\w,;)] )[A-ZÀ-ÖØ-Þ][\w'-]{2,}")
# Names in a text at most, and their share in its words.
FEW_NAMES: Final = 3
MOST_NAMES: Final = 0.25
# Letters at the beginning that two forms of a word share.
STEM: Final = 4
# Of the words of a rewording, those that its sources have. Turned sentences need words of their own.
LEAST_SHARED: Final = 0.6


def find_particulars(text: str) -> set[str]:
    """The numbers, identifiers and names of a text, folded."""
    names = NAME.findall(text)
    if len(names) > max(FEW_NAMES, MOST_NAMES * len(WORD.findall(text))):
        # Nouns have capitals as well, as in German: none of them tells a name.
        names = []
    # Cut first and looked at then: one pattern for both took two seconds for a page of "5.5.5.".
    codes = [token for token in TOKEN.findall(text) if MARK_OF_CODE.search(token)]
    found = [*NUMBER.findall(text), *codes, *names]
    return {one.casefold().strip(".,:;-") for one in found} - {""}


def keeps_particulars(sources: Sequence[str], text: str) -> bool:
    """Whether every number, identifier and name of the sources stands in the text."""
    said = text.casefold()
    return all(one in said for source in sources for one in find_particulars(source))


def adds_nothing(sources: Sequence[str], text: str) -> bool:
    """Whether the text has no particulars of its own, and mostly the words of its sources."""
    told = " ".join(sources).casefold()
    if any(one not in told for one in find_particulars(text)):
        return False
    known = {word[:STEM] for word in WORD.findall(told)}
    words = [word[:STEM] for word in WORD.findall(text.casefold())]
    return bool(words) and sum(word in known for word in words) >= LEAST_SHARED * len(words)


def is_quoted(quote: str, source: str) -> bool:
    """Whether the words stand in the source in this order, whatever the line breaks and quotation marks."""
    return bool(WORD.search(quote)) and fold_quote(quote) in fold_quote(source)


def fold_quote(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))
