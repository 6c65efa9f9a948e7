"""Whether a later statement of the same person replaces or ends an earlier one."""

from typing import Final

from memory.claims import is_single_valued
from memory.claims.claim import SPEAKER
from memory.claims.relations import ABOUT, REQUEST
from memory.facts.pairs.comparison import Comparison
from memory.facts.pairs.lexicon import list_all_slots, list_slots
from memory.facts.pairs.reading import PairReading
from memory.facts.pairs.values import conflict
from memory.facts.pairs.words import PairWord, strip_mark
from memory.language.concepts import find_english_name
from memory.language.hebrew import is_hebrew

# What says that a statement is not about how things are from now on.
PASSING: Final = frozenset({"plan", "temporary", "c plan", "c temporary", "c frame"})
# People and animals: what is told to have left or died is told of them by name.
LEAVING: Final = frozenset(
    {"boss", "dentist", "doctor", "therapist", "vet", "hairdresser", "landlord", "dog", "cat", "pet", "partner"}
)
MEDICINE: Final = frozenset({"medication", "dose"})
# Relations that name no slot.
OPEN: Final = frozenset({"", ABOUT, REQUEST, "is", "has"})
MOST: Final = 0.75
HALF: Final = 0.5
# Letters of a stem by which a word of the claim is known again.
LEAST_STEM: Final = 4


def is_replaced(both: Comparison) -> bool:
    old, new = both.a, both.b
    is_passing = "plan" in new.tags or (new.tags & PASSING and not is_ending(new))
    if is_passing:
        return False
    if names_replaced(both):
        return True
    if both.are_persons_apart or is_of_unknown(both) or is_ending(old):
        return False
    if (old.contexts ^ new.contexts) & {"second", "project", "private", "work"}:
        return False
    if both.axis_conflict and old.polarity and new.polarity:
        return True
    return ends_old(both) or has_other_value(both) or changes_slot(both) or names_old(both)


def is_of_unknown(both: Comparison) -> bool:
    """Whether the new statement is about somebody or something that the old one does not know."""
    subject = both.b.subject
    if subject in {"", SPEAKER} or subject == both.a.subject or subject in list_all_slots():
        return False
    if both.b.opening_name != subject and is_changing(both.b) and both.shared_slots:
        # "Have changed to Dr. Imhof": the new value itself.
        return False
    return not any(word in both.a.folded for word in subject.split())


def is_rival(both: Comparison) -> bool:
    """Whether two plain statements of one person cannot both hold: the claims name one slot, or the words one point.

    A remark without such a slot replaces nothing: in use hundreds of unrelated statements meet each one that does.
    """
    old, new = both.a, both.b
    if {old.subject, new.subject} - {""} and old.subject != new.subject and old.subject and new.subject:
        return False
    if old.claimed == new.claimed and new.claimed not in OPEN:
        return True
    if old.axes.keys() & new.axes.keys():
        return True
    return bool(both.told) and both.coverage >= MOST


def is_ending(reading: PairReading) -> bool:
    return bool(reading.tags & {"ended", "closed", "c over", "over"})


def is_changing(reading: PairReading) -> bool:
    return bool(reading.tags & {"c change", "changed", "new"}) or is_ending(reading)


def ends_old(both: Comparison) -> bool:
    """ "I no longer have a car", "Argo has died": what the old one says is said to be over."""
    old, new = both.a, both.b
    if not is_ending(new) and new.polarity:
        return False
    told = [word for word in both.shared if is_proper(word, old)]
    names = {word.key for word in (*old.words, *new.words) if word.is_name}
    if is_ordered_by(both):
        return False
    if is_ending(new) and any(word.key in names for word in both.shared) and not old.kin:
        return True
    if is_ending(new) and told and (old.slots & LEAVING or both.coverage >= HALF or both.shared_slots):
        return True
    is_whole = not any(is_proper(word, new) for word in both.only_b)
    return bool(both.shared_slots & list_slots("things")) and is_whole and is_ending(new)


def is_ordered_by(both: Comparison) -> bool:
    """Whether the old statement tells what a doctor ordered, which outlasts the doctor: "Dr Khelifi put me on..."."""
    return bool(both.a.slots & MEDICINE) and not both.b.slots & MEDICINE


def has_other_value(both: Comparison) -> bool:
    """By the relation that the reader of claims gave both, where it holds one value."""
    old, new = both.a, both.b
    is_kept = new.relation in both.shared_slots or new.claimed.startswith("favorite_")
    is_one = (
        (old.subject, old.claimed) == (new.subject, new.claimed)
        and is_single_valued(new.claimed)
        and is_kept
        and old.polarity
        and new.polarity
    )
    return is_one and bool(old.told and new.told) and old.told.isdisjoint(new.told) and not new.tags & PASSING


def changes_slot(both: Comparison) -> bool:
    """ "We moved to York": the same slot has another value, and the words say that something changes."""
    old, new = both.a, both.b
    named = old.named_slots & new.named_slots & list_slots("replaced")
    weak = old.slots & new.weak_slots if has_value(both, new) else frozenset()
    slots = (both.shared_slots or weak) & list_slots("single") | named
    # "Have changed to Dr. Imhof" is no dentist: of all whom it may mean it is the family doctor by far most often.
    if slots == {"practice"} and (old.slots & LEAVING - {"doctor"} or new.slots & LEAVING or is_ordered_by(both)):
        return False
    doses = {"dose"} <= {kind for kind, _ in old.values} & {kind for kind, _ in new.values}
    if doses and is_changing(new) and conflict(old.values, new.values):
        return True
    if not slots or not is_changing(new):
        return False
    if old.relation == new.relation and old.relation in slots & list_slots("single"):
        return True
    if conflict(old.values, new.values) or (not both.only_b and slots & new.named_slots):
        return True
    return any(is_proper(word, new) for word in both.only_b) if is_ending(new) else has_value(both, new)


def names_old(both: Comparison) -> bool:
    """ "I report to Tom instead of Priya": the new statement names what it replaces."""
    old, new = both.a, both.b
    if new.replaces and any(part in old.folded for part in new.replaces.split() if len(part) > 2):
        return True
    told = {word.key for word in old.words if is_proper(word, old)}
    replaced = {word.key for word in new.replaced_words}
    return bool(replaced & told) or ("renamed" in new.tags and bool(told & {word.key for word in new.words}))


def names_replaced(both: Comparison) -> bool:
    """ "Scrap paralegal", "Jannis out": whoever it is about, the words say that what was named is no more."""
    old, new = both.a, both.b
    named = [
        word
        for word in old.words
        if is_distinctive(word, both) and any(word.meets(other) for other in new.replaced_words)
    ]
    return bool(named) and is_changing(new)


def is_distinctive(word: PairWord, both: Comparison) -> bool:
    """A name, were it with a capital in one of the two alone, or a word of what the claim is about."""
    if word.is_name or any(other.is_name and word.key == other.key for other in both.b.words):
        return True
    stems = [strip_mark(form) for form in word.forms if len(form) >= LEAST_STEM]
    return not word.is_marker and any(told.startswith(stem) for told in both.a.told for stem in stems)


def is_proper(word: PairWord, reading: PairReading) -> bool:
    """A name or another word that says which one; without capitals, one that the claim has for its object."""
    if word.is_name:
        return True
    is_plain = word.key in reading.told or any(is_hebrew(form) for form in word.forms)
    return is_plain and not word.is_marker and find_english_name(word.forms) is None


def has_value(both: Comparison, new: PairReading) -> bool:
    """Whether the new statement tells a value: a name, or a word of the slot itself."""
    return any(is_value(word, both.shared_slots) for word in both.only_b)


def is_value(word: PairWord, slots: frozenset[str]) -> bool:
    return word.is_name or (bool(word.slots & slots) and not word.is_marker)
