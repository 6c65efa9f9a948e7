"""What is only asked or not known: of "she asked me if I live in Hull" and "no sé si soy alérgica" nothing is so.

Nor is it denied: "I don't know" says nothing of the allergy behind it. What somebody should do, nobody does yet: "Dave
says I should quit and become a DJ" makes neither of the two one.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.slots.matching import join_entries
from memory.claims.voices.suppositions import LASTING
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters

# Words between the verb and what it leads to: "preguntou à minha irmã se", "I asked him back then if".
BETWEEN: Final = r"(?:\s+[^\s,;:.!?]+){0,3}?"
# Where the question ends and the sentence goes on: "I don't know if it's nuts, but I have asthma".
GOES_ON: Final = re.compile(r"[,;:]")


def drop_asked(claims: Sequence[Claim], sentence: Sentence, languages: tuple[str, ...]) -> list[Claim]:
    """The claims without those whose value stands only in a question that is reported."""
    asked = cut_asked(sentence.raw, languages)
    if not asked:
        return list(claims)
    said, inside = fold_letters(sentence.raw.replace(asked, " ")), fold_letters(asked)
    values = ((one, [value for value in (one.object, one.subject) if value != SPEAKER]) for one in claims)
    return [one for one, spoken in values if not any(is_only_in(value, inside, said) for value in spoken)]


def drop_advised(claims: Sequence[Claim], sentence: Sentence, languages: tuple[str, ...]) -> list[Claim]:
    """Without what somebody should do, unless it lasts whatever is done: "I should take my metformin"."""
    advised = load_advised(languages).search(sentence.raw)
    if advised is None:
        return list(claims)
    said, inside = fold_letters(sentence.raw.replace(advised[0], " ")), fold_letters(advised[0])
    return [one for one in claims if one.relation in LASTING or not is_only_in(one.object, inside, said)]


@cache
def load_advised(languages: tuple[str, ...]) -> re.Pattern[str]:
    """From "I should" to the next mark or the reason for it: "... because I live in Hull", "... but I like it here"."""
    begun = "|".join(join_entries(code, "advised") for code in languages) or "(?!)"
    kinds = ("sub", "but", "rel")
    ends = "|".join(join_entries(code, kind, "frames") for code in languages for kind in kinds) or "(?!)"
    return re.compile(rf"(?<!\w)(?:{begun})(?:\s+(?!(?:{ends})(?!\w))[^\s,;:.!?]+){{1,30}}", re.IGNORECASE)


def is_only_in(value: str, asked: str, said: str) -> bool:
    """Of "kids, quantity: 2" the two stand in other words, and the kids in the question."""
    folded = fold_letters(value)
    return bool(folded) and folded not in said and (folded in asked or asked.strip() in folded)


def cut_asked(raw: str, languages: tuple[str, ...]) -> str:
    """The words from "whether" to the next mark; none where nothing is asked so."""
    found = load_asking(languages).search(raw)
    if found is None:
        return ""
    end = GOES_ON.search(raw, found.end())
    return raw[found.start(found.lastgroup or 0) : end.start() if end else len(raw)]


@cache
def load_asking(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A word that always asks, or "if" behind a verb of asking or not knowing."""
    patterns = ["(?!)"]
    for code in languages:
        asks, conditions = join_entries(code, "asks whether"), join_entries(code, "whether if")
        # In Hebrew "and" may be written onto either.
        before = r"(?<!\w)ו?" if code == "he" else r"(?<!\w)"
        patterns += [
            rf"{before}(?:{asks}){BETWEEN}\s+(?P<{code}_if>(?:{conditions}))(?!\w)",
            rf"{before}(?P<{code}_whether>{join_entries(code, 'whether')})(?!\w)",
        ]
    return re.compile("|".join(patterns), re.IGNORECASE)
