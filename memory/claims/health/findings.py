"""What somebody who heals finds: "the doctor says my mum has diabetes" tells of the mother what a diagnosis would."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from memory.claims.clauses.cutting import cut_clauses
from memory.claims.health.counsel import has_healer, load_counsel_words
from memory.claims.health.doses import put_known
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch
from memory.claims.slots.resolution import read_slots
from memory.guard.annotation import Sentence, find_entries
from memory.guard.spelling import fold_letters
from memory.language.loader import collect_entries

LIMITING: Final = frozenset({"has_condition", "allergic_to", "intolerant_to"})
# Words before who heals, and between them and their verb: "well, my new doctor now says".
BEFORE: Final = 4
BETWEEN: Final = 2


def read_found_slots(
    sentence: Sentence, languages: frozenset[str] | None, known: Sequence[KnownSlot] = ()
) -> list[SlotMatch]:
    """All slots of a sentence; what a healer finds is read without the words that say that they do."""
    slots = read_slots(sentence.raw, languages, known)
    found = blank_finding(sentence)
    limiting = [one for one in read_slots(found, languages, known) if one.relation in LIMITING] if found else []
    return put_known(slots, limiting)


def is_found(slot: SlotMatch, sentence: Sentence) -> bool:
    """ "His wife has diabetes" is of nobody of the person's."""
    owned = (fold_letters(before) for before, word in pairwise(sentence.words) if word == slot.subject)
    return slot.relation in LIMITING and has_healer(sentence) and list_theirs().isdisjoint(owned)


def blank_finding(sentence: Sentence) -> str:
    """The sentence with blanks for "the doctor says that"; empty where it begins otherwise."""
    entries = find_entries(sentence.words, load_counsel_words())
    healers = [span for kind, _, span in entries if kind == "healer" and span[0] < BEFORE]
    says = [span for kind, _, span in entries if kind == "finding"]
    ends = [after for at, after in says for _, last in healers if 0 <= at - last <= BETWEEN]
    if not ends:
        return ""
    stop = cut_clauses(sentence).ends[max(ends) - 1]
    return " " * stop + sentence.raw[stop:]


@cache
def list_theirs() -> frozenset[str]:
    return frozenset(map(fold_letters, collect_entries("slots", "their")))
