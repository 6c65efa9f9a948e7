"""A request to remember as the clause that it holds: "can you remember that I like jazz?" tells that "I like jazz".

Pure. What is set aside leaves blanks, so that places in the text stay what they are.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from memory.claims.frames.words import SUBJECT, load_hot_words
from memory.language.hebrew import HEBREW_THAT
from memory.language.loader import read_entries

# Words that may stand before the request, as in `memory.claims.requests`: "please", a name.
FURTHEST: Final = 2
CLAUSE: Final = re.compile(r"[^,;:.!?…\n]+")
ENDS: Final = re.compile(r"[.!?…\n]")
# What a clause opens with behind the English "that", which also points: "can you remember that film I like?".
OPENINGS: Final = ("i", "my", "his", "he", "she", "they", "it", "there", "det")
VERBS: Final = frozenset({"frame", "first", "named", "verb", "be 1", "have 1"})


def open_requests(text: str, language: str) -> str:
    """``text`` with each request that a "that" follows turned into its clause; as long as it was."""
    requests, asked = load_requests(language)
    for found in list(requests.finditer(text)) if requests else ():
        opened = text[: found.start()] + " " * len(found[0]) + text[found.end() :]
        if asked and asked.search(found[0]):
            opened = end_plainly(opened, found.end())
        text = put_verb_second(opened, found.end()) if language == "de" else opened
    return text


@cache
def load_requests(language: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None]:
    """What opens a request, with its "that", and what of it is put as a question."""
    asks = read_entries(language, "claims", "remember ask")
    thats = read_entries(language, SUBJECT, "that")
    if not asks or not thats:
        return None, None
    that = "|".join(
        re.escape(one) + (r"(?=\w)" if one == HEBREW_THAT or one.endswith("'") else r"(?!\w)\s+") for one in thats
    )
    if language == "en":
        opens = [one for kind in OPENINGS for one in read_entries(language, SUBJECT, kind)]
        that += rf"(?=(?:{join_phrases(opens)})(?!\w)|(?-i:[A-Z]))"
    before = rf"(?:\A|(?<=[.!?…\n]))[^\S\n]*¿?(?:[^\W\d_]{{1,20}},?\s+){{0,{FURTHEST}}}?"
    either = join_phrases([*read_entries(language, "claims", "remember"), *asks])
    opening = re.compile(rf"{before}(?:{either})(?!\w)[\s,:]{{0,3}}(?:{that})", re.IGNORECASE)
    return opening, re.compile(rf"(?<!\w)(?:{join_phrases(asks)})(?!\w)", re.IGNORECASE)


def join_phrases(phrases: Sequence[str]) -> str:
    """The longest first; lists write "don t" and "peux tu" for what texts write with a mark."""
    ordered = sorted(set(phrases), key=lambda one: (-len(one), one))
    return "|".join(r"[\s'-]".join(map(re.escape, re.split(r"[\s'-]+", one))) for one in ordered)


def end_plainly(text: str, at: int) -> str:
    """The text with a full stop behind a request that is put as a question: "can you remember ...?"."""
    end = ENDS.search(text, at)
    return f"{text[: end.start()]}.{text[end.end() :]}" if end and end[0] == "?" else text


def put_verb_second(text: str, at: int) -> str:
    """ "Ich zwei Katzen habe" as the sentence it would be: the same words on the same stretch of the text."""
    clause = CLAUSE.match(text, at)
    spoken = clause[0].split() if clause else []
    words = load_hot_words("de")
    kinds = [words.classify(word.casefold()) for word in spoken]
    if clause is None or not kinds or "i" not in kinds[0]:
        return text
    start = 1
    for place in range(2, len(spoken)):
        # A verb closes its clause at the end, and before a joint: "dass ich in Ulm wohne und zwei Katzen habe".
        if kinds[place] & VERBS and (place + 1 == len(spoken) or "conj" in kinds[place + 1]):
            spoken.insert(start, spoken.pop(place))
            start = place + 2
    blanks = len(clause[0]) - len(clause[0].lstrip())
    return text[:at] + (" " * blanks + " ".join(spoken)).ljust(len(clause[0])) + text[clause.end() :]
