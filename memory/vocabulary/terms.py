"""Terms of a vocabulary, as values. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property


class TermKind(StrEnum):
    """What a term says of a message. ``ENTITY_TYPE`` names a kind of thing a message mentions."""

    TOPIC = "topic"
    CATEGORY = "category"
    MESSAGE_TYPE = "message_type"
    ENTITY_TYPE = "entity_type"


class TermState(StrEnum):
    ACTIVE = "active"
    # Given to nothing any more. What was labelled with it stays found by it, and by what took its place.
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Term:
    """``aliases`` are words by which rules know the term, by language ("" for any); ``meanings`` names of the English
    list of concepts, which count in every language. ``life``, ``relations``, ``cues``, ``intents`` and ``topics`` name
    what else is evidence; only the presets have them."""

    kind: TermKind
    name: str
    means: str = ""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    meanings: tuple[str, ...] = ()
    life: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()
    intents: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    # When what it labels is important: "told" whenever it is told, "events" where a topic and a category both say so.
    matters: str = ""
    # What is given where nothing else fits; at most one of a kind.
    is_fallback: bool = False
    state: TermState = TermState.ACTIVE
    replaced_by: str = ""


@dataclass(frozen=True)
class ControlledVocabulary:
    """``version`` 0 is a preset that nobody has changed. Compared by what it is: caches hold across readings."""

    preset: str
    version: int
    terms: tuple[Term, ...]

    def __hash__(self) -> int:
        return hash((self.preset, self.version, tuple((term.kind, term.name, term.state) for term in self.terms)))

    @cached_property
    def by_kind(self) -> Mapping[TermKind, tuple[Term, ...]]:
        """The terms that may be given, in their order: where two fit alike, the first."""
        active = [term for term in self.terms if term.state is TermState.ACTIVE]
        return {kind: tuple(term for term in active if term.kind is kind) for kind in TermKind}

    def list_names(self, kind: TermKind) -> tuple[str, ...]:
        return tuple(term.name for term in self.by_kind[kind])

    def find_term(self, kind: TermKind, name: str) -> Term | None:
        return next((term for term in self.terms if term.kind is kind and term.name == name), None)

    def find_fallback(self, kind: TermKind) -> str:
        return next((term.name for term in self.by_kind[kind] if term.is_fallback), "")

    def widen(self, kind: TermKind, names: Iterable[str]) -> frozenset[str]:
        """The names with the retired ones that they took the place of: what was labelled before is found as well."""
        wanted = set(names)
        for _ in self.terms:
            older = {term.name for term in self.terms if term.kind is kind and term.replaced_by in wanted} - wanted
            if not older:
                break
            wanted |= older
        return frozenset(wanted)
