"""Cuts text into sentences, in whatever language it is. Nothing is lost: the pieces are the text."""

import re
from functools import cache

from memory.language.loader import collect_entries

# A full stop before a small letter ends an abbreviation ("approx. five"), not a sentence. Chinese and Japanese ones
# need no space after them.
SENTENCE_END = re.compile(
    r"(?<=[.!?…।؟])[\"'”’»)\]]*\s+(?![a-zß-öø-ÿа-яα-ω])|(?<=[。！？])[」』”）]*\s*(?=\S)|\n+(?=[-*•·▪\d])|\n{2,}"
)
# What a sentence of a document ends with; a heading ends with none of them.
ENDS = (".", "!", "?", "…", "。", "！", "？")
LAST_WORD = re.compile(r"(?<![^\W_])[^\W_]++(?=\.$)")
FIRST_WORD = re.compile(r"\A\s*+([^\W\d_]++)")
# "No. 5", a numbered item, dots that lead to a page number: what follows belongs to it.
SHORTEST = 6
# Letters around a full stop that tell whether it ends a sentence.
AROUND = 24


def split_sentences(text: str) -> list[str]:
    sentences: list[str] = []
    start = 0
    for gap in SENTENCE_END.finditer(text):
        # Closing quotation marks go with the sentence they close.
        end = gap.start() + len(gap[0].rstrip())
        if end - start < SHORTEST or is_abbreviated(text, gap.start(), gap.end()):
            continue
        sentences.append(text[start:end].strip())
        start = end
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def is_abbreviated(text: str, dot: int, rest: int) -> bool:
    """Whether the full stop before ``dot`` belongs to a title, an initial or a day: Dr. Levi, J. Cohen, 11. Oktober."""
    word = LAST_WORD.search(text[max(0, dot - AROUND) : dot])
    if word is None:
        return False
    if word[0].isdigit():
        following = FIRST_WORD.match(text[rest : rest + AROUND])
        return len(word[0]) <= 2 and following is not None and following[1].casefold() in load_months()
    # Small letters are words: "me" is a title in French and none at the end of an English sentence.
    return not word[0].islower() and (len(word[0]) == 1 or word[0].casefold() in load_titles())


@cache
def load_titles() -> frozenset[str]:
    return frozenset(title.casefold() for title in collect_entries("claims", "title"))


@cache
def load_months() -> frozenset[str]:
    return frozenset(
        name.casefold() for number in range(1, 13) for name in collect_entries("periods", f"month {number}")
    )
