"""What two readings have in common and where they part."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from memory.facts.pairs.lexicon import list_slots
from memory.facts.pairs.reading import PairReading
from memory.facts.pairs.words import PairWord, find_shared_words

SHORT: Final = 4
HALF: Final = 0.5

Words = tuple[PairWord, ...]


@dataclass(frozen=True)
class Comparison:
    """Two readings and what they share. ``cosine`` is None where one has no vector."""

    a: PairReading
    b: PairReading
    cosine: float | None

    @cached_property
    def shared(self) -> Words:
        return find_shared_words(self.a.words, self.b.words)

    @cached_property
    def told(self) -> Words:
        """What both say beside words that only name a slot, unless neither says more."""
        found = tuple(word for word in self.shared if not word.is_marker)
        is_bare = all(word.is_marker for word in (*self.a.words, *self.b.words))
        return self.shared if is_bare else found

    @cached_property
    def is_one_point(self) -> bool:
        """Whether they say of one thing one and the same, so that a denial of one denies the other."""
        owned = {word.key for word in (*self.a.owned, *self.b.owned)}
        is_more = any(word.key not in owned for word in self.told)
        return bool(self.told) and (self.coverage == 1 or (self.coverage >= HALF and is_more))

    @cached_property
    def only_a(self) -> Words:
        return find_unmet(self.a, self.b)

    @cached_property
    def only_b(self) -> Words:
        return find_unmet(self.b, self.a)

    @cached_property
    def shared_slots(self) -> frozenset[str]:
        return self.a.slots & self.b.slots

    @cached_property
    def single_slots(self) -> frozenset[str]:
        return self.shared_slots & list_slots("single")

    @cached_property
    def axis_conflict(self) -> bool:
        return any(self.a.axes[axis].isdisjoint(self.b.axes[axis]) for axis in self.a.axes.keys() & self.b.axes.keys())

    @cached_property
    def axis_match(self) -> bool:
        return any(self.a.axes[axis] & self.b.axes[axis] for axis in self.a.axes.keys() & self.b.axes.keys())

    @cached_property
    def are_contexts_apart(self) -> bool:
        a, b = self.a, self.b
        if a.leading and b.leading and a.leading[0] == b.leading[0] and a.leading != b.leading:
            return True
        return bool(a.contexts and b.contexts) and a.contexts.isdisjoint(b.contexts)

    @cached_property
    def are_persons_apart(self) -> bool:
        a, b = self.a, self.b
        if a.kin and b.kin:
            return a.kin.isdisjoint(b.kin)
        names = (a.names | {a.opening_name} - {""}, b.names | {b.opening_name} - {""})
        if (a.kin | b.kin) == {"partner"} and "partner" in self.shared_slots:
            return False
        has_capitals = a.has_capitals and b.has_capitals
        if (
            has_capitals
            and a.roles != b.roles
            and not (a.roles <= b.slots | b.people and b.roles <= a.slots | a.people)
        ):
            return True
        if a.kin or b.kin:
            return names[0].isdisjoint(names[1]) and (a.kin or b.kin).isdisjoint(b.people if a.kin else a.people)
        if a.opening_name and b.opening_name:
            return a.opening_name not in b.said and b.opening_name not in a.said
        if a.opening_name or b.opening_name:
            named, other = (a, b) if a.opening_name else (b, a)
            return named.opening_name not in other.said and other.is_of_user
        return False

    @cached_property
    def coverage(self) -> float:
        """Which part of the shorter statement the other one says as well."""
        size = min(len(self.a.words), len(self.b.words))
        met = min(len(self.a.words) - len(self.only_a), len(self.b.words) - len(self.only_b))
        return met / size if size else 0.0

    @cached_property
    def is_related(self) -> bool:
        a, b = self.a, self.b
        if self.shared_slots or self.axis_match or self.axis_conflict:
            return True
        if (a.slots | a.weak_slots) & (b.slots | b.weak_slots):
            return True
        if a.domains and b.domains:
            return not a.domains.isdisjoint(b.domains)
        return False

    @cached_property
    def is_one_frame(self) -> bool:
        """Whether both have a verb in common: the person does the same with something else."""
        return not self.a.verbs.isdisjoint(self.b.verbs)

    @cached_property
    def are_values_alike(self) -> bool:
        """Whether what is left on both sides is of one kind: names on both, or on neither."""
        if not self.single_slots & list_slots("named"):
            return True
        if self.single_slots <= list_slots("only named") and self.a.has_capitals and self.b.has_capitals:
            return self.have_other_names
        return any(word.is_name for word in self.only_a) == any(word.is_name for word in self.only_b)

    @cached_property
    def share_a_name(self) -> bool:
        return not self.a.names.isdisjoint(self.b.names)

    @cached_property
    def are_both_habits(self) -> bool:
        """What the person does on one day of the week and on another."""
        return all(side.verbs and any(kind == "weekday" for kind, _ in side.values) for side in (self.a, self.b))

    @cached_property
    def is_about_one_thing(self) -> bool:
        """ "The user's bike ..." twice: two facts about one thing."""
        a, b = self.a, self.b
        if a.opening_name and a.opening_name == b.opening_name:
            return True
        return any(one.meets(other) for one in a.owned for other in b.owned)

    @cached_property
    def is_one_attribute(self) -> bool:
        """ "The user's car is a Skoda", "... a Mazda": one thing of the person with two names."""
        a, b = self.a, self.b
        if not self.is_about_one_thing or not self.have_other_names or a.kin:
            return False
        return all("copula" in side.tags and len(side.words) <= SHORT for side in (a, b))

    @cached_property
    def is_of_others(self) -> bool:
        """Two notes on days and times, neither of them about the person."""
        a, b = self.a, self.b
        kinds = {kind for kind, _ in a.values} & {kind for kind, _ in b.values}
        return not (a.is_of_user or b.is_of_user or self.shared_slots) and bool(kinds)

    @cached_property
    def is_substitution(self) -> bool:
        """Whether one word stands in the place of another: "speaks Finnish", "speaks Swahili"."""
        one, two = (tuple(word for word in side.words if not word.is_chance) for side in (self.a, self.b))
        if len(one) != len(two):
            return False
        return sum(not first.meets(second) for first, second in zip(one, two, strict=True)) == 1

    @cached_property
    def is_exchanged(self) -> bool:
        """ "Prefers tea to coffee", "prefers coffee to tea"."""
        one, two = (tuple(word.key for word in side.words) for side in (self.a, self.b))
        is_choice = self.a.is_choice and self.b.is_choice
        return is_choice and one != two and sorted(one) == sorted(two) and not self.a.values

    @cached_property
    def has_owner_left(self) -> bool:
        """Whether one is about a thing of the person that the other does not name: "the user's cat is old"."""
        left = {word.key for word in (*self.only_a, *self.only_b) if not word.is_marker}
        return any(word.key in left for word in (*self.a.owned, *self.b.owned))

    @cached_property
    def have_other_names(self) -> bool:
        return any(word.is_name for word in self.only_a) and any(word.is_name for word in self.only_b)


def find_unmet(one: PairReading, other: PairReading) -> Words:
    """The words of a statement that the other one does not say, apart from those that only name a slot of both."""
    shared = one.slots & other.slots
    found = tuple(
        word
        for word in one.words
        if not any(word.meets(known) for known in other.words) and not (word.is_marker and word.slots & shared)
    )
    if stands_for(found, other.words):
        return tuple(word for word in found if not word.is_name)
    return tuple(word for word in found if not stands_for(other.words, (word,)))


def stands_for(words: Words, others: Words) -> bool:
    """Whether one of the others is made of the first letters of names: "NHS"."""
    initials = "".join(word.key[0] for word in words if word.is_name)
    return any(word.is_name and 2 <= len(word.key) <= 6 and initials.startswith(word.key) for word in others)
