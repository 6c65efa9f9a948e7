"""A dose that is told and asked about in one breath: "she upped the Cipralex to 15, is that a lot?"."""

from collections.abc import Iterator, Sequence

from memory.claims.health.moved_doses import find_moved_dose
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch
from memory.language.folding import fold_text
from memory.language.intents import OPENS_ASKING


def find_told_dose(raw: str, language: str, known: Sequence[KnownSlot]) -> Iterator[SlotMatch]:
    """The dose that moves before the question, which stands behind the last comma."""
    told = "" if OPENS_ASKING.search(fold_text(raw)) else raw.rpartition(",")[0]
    moved = find_moved_dose(told, language, known) if told else None
    if moved is not None:
        yield moved
