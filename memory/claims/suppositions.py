"""What holds only if something else does: "if it gets too hot, we move to my aunt's" tells no new home."""

from collections.abc import Sequence
from functools import cache
from itertools import islice
from typing import Final

from memory.claims.claim import Claim
from memory.claims.relations import ABOUT
from memory.guard.annotation import Sentence
from memory.guard.lexicon import WORD
from memory.language.loader import read_entries

# "If I eat nuts, my throat closes" tells what lasts all the same.
LASTING: Final = frozenset({"allergic_to", "has_condition", "takes", "diet", ABOUT})
# "If you must know, I live in Leeds": put to whoever listens, a condition is a manner of speaking.
ADDRESSED_WITHIN: Final = 4


def drop_supposed(claims: Sequence[Claim], sentence: Sentence, languages: Sequence[str]) -> list[Claim]:
    if not any(claim.relation not in LASTING for claim in claims) or not opens_with_condition(sentence, languages):
        return list(claims)
    return [claim for claim in claims if claim.relation in LASTING]


def opens_with_condition(sentence: Sentence, languages: Sequence[str]) -> bool:
    """Of the raw words, as "si" is "if" in Spanish and "sí," is "yes"."""
    conditions, joints = collect_words(tuple(languages), "if"), collect_words(tuple(languages), "before if")
    for match in islice(WORD.finditer(sentence.raw), 2):
        word = match.group().casefold()
        if word in conditions:
            is_answer = sentence.raw[match.end() : match.end() + 1] == ","
            return not is_answer and not any(start < ADDRESSED_WITHIN for start, _ in sentence.spans("you"))
        if word not in joints:
            return False
    return False


@cache
def collect_words(languages: tuple[str, ...], section: str) -> frozenset[str]:
    return frozenset(word for code in languages for word in read_entries(code, "language", section))
