"""Whether a later statement of the same person replaces or ends an earlier one."""

from typing import Final

from memory.facts.pairs.comparison import Comparison
from memory.facts.pairs.lexicon import list_slots
from memory.facts.pairs.reading import PairReading, PairWord
from memory.facts.pairs.values import conflict

# What says that a statement is not about how things are from now on.
PASSING: Final = frozenset({"plan", "temporary", "c plan", "c temporary", "c frame"})
# People and animals: what is told to have left or died is told of them by name.
LEAVING: Final = frozenset(
    {"boss", "dentist", "doctor", "therapist", "vet", "hairdresser", "landlord", "dog", "cat", "pet", "partner"}
)
HALF: Final = 0.5


def is_replaced(both: Comparison) -> bool:
    old, new = both.a, both.b
    if both.are_persons_apart or (new.tags & PASSING and not is_ending(new)) or is_ending(old) or old.time == "plan":
        return False
    if (old.contexts ^ new.contexts) & {"second", "project", "private", "work"}:
        return False
    return ends_old(both) or changes_slot(both) or names_old(both)


def is_ending(reading: PairReading) -> bool:
    return bool(reading.tags & {"ended", "c over", "over"})


def is_changing(reading: PairReading) -> bool:
    return bool(reading.tags & {"c change", "new"}) or is_ending(reading)


def ends_old(both: Comparison) -> bool:
    """ "I no longer have a car", "Argo has died": what the old one says is said to be over."""
    old, new = both.a, both.b
    if not is_ending(new) and new.polarity:
        return False
    told = [word for word in both.shared if not word.is_marker]
    if is_ending(new) and told and (old.slots & LEAVING or both.coverage >= HALF or both.shared_slots):
        return True
    return bool(find_slots_of_value(both)) and is_ending(new)


def changes_slot(both: Comparison) -> bool:
    """ "We moved to York": the same slot has another value, and the words say that something changes."""
    old, new = both.a, both.b
    slots = find_slots_of_value(both)
    if not slots or not is_changing(new):
        return False
    if old.relation and old.relation in new.slots:
        return True
    return has_value(both, new) or conflict(old.values, new.values)


def names_old(both: Comparison) -> bool:
    """ "I report to Tom instead of Priya": the new statement names what it replaces."""
    old, new = both.a, both.b
    if new.replaces and any(part in old.folded for part in new.replaces.split() if len(part) > 2):
        return True
    told = [word for word in both.shared if not word.is_marker and (word.is_name or not word.slots)]
    return "instead" in new.tags and bool(told)


def find_slots_of_value(both: Comparison) -> frozenset[str]:
    return both.shared_slots & (list_slots("single") | list_slots("replaced"))


def has_value(both: Comparison, new: PairReading) -> bool:
    """Whether the new statement tells a value: a name, or a word of the slot itself."""
    return any(is_value(word, both.shared_slots) for word in both.only_b) or bool(new.values - both.a.values)


def is_value(word: PairWord, slots: frozenset[str]) -> bool:
    return word.is_name or (bool(word.slots & slots) and not word.is_marker)
