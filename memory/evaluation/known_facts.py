"""Compares the facts known of a person with those a file says that they told: what holds at the end, what is over by
then, and what was never theirs, as a wish or somebody else's."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from memory.access.scope import user_scope
from memory.claims.claim import SPEAKER
from memory.evaluation.answers import fold_case, holds_any
from memory.models import EndUser, Fact


@dataclass(frozen=True, slots=True)
class ExpectedFact:
    """``about`` is "you" for the person, else a name; one of ``values`` must stand in the fact's triple."""

    about: str
    values: Sequence[str]
    what: str


@dataclass(frozen=True, slots=True)
class ExpectedFacts:
    holding: Sequence[ExpectedFact] = ()
    over: Sequence[ExpectedFact] = ()
    never: Sequence[ExpectedFact] = ()


@dataclass(slots=True)
class KnownFigures:
    """Each with how many were expected, and how many came out so. A sentence kept without a relation does not count."""

    known: list[int] = field(default_factory=lambda: [0, 0])
    ended: list[int] = field(default_factory=lambda: [0, 0])
    kept_out: list[int] = field(default_factory=lambda: [0, 0])
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        for name in NAMES if any(self.known) else ():
            expected, came_out = getattr(self, name)
            yield name.replace("_", " "), f"{came_out} of {expected} ({came_out / max(1, expected):.3f})"

    def as_json(self) -> dict[str, list[int]]:
        return {name: getattr(self, name) for name in NAMES if any(self.known)}

    def count(self, name: str, one: ExpectedFact, *, is_right: bool) -> None:
        figures: list[int] = getattr(self, name)
        figures[0] += 1
        figures[1] += is_right
        if not is_right:
            self.misses.append(f"not {name.replace('_', ' ')}: {one.about}: {one.what}")


NAMES: Final = ("known", "ended", "kept_out")


def read_expected(record: Mapping[str, Any]) -> ExpectedFacts:
    """Of ``facts``, ``gone`` and ``never`` of a record, each a list of ``about``, ``holds`` and ``what``."""
    return ExpectedFacts(*(tuple(map(read_fact, record.get(name, ()))) for name in ("facts", "gone", "never")))


def read_fact(one: Mapping[str, Any]) -> ExpectedFact:
    return ExpectedFact(one.get("about") or SPEAKER, one["holds"], one.get("what", ""))


def compare_facts(user: EndUser, expected: ExpectedFacts, figures: KnownFigures) -> None:
    with user_scope(user):
        facts = list(Fact.objects.for_user(user).active().defer("vector"))
    positive = [fact for fact in facts if fact.polarity]
    for one in expected.holding:
        figures.count("known", one, is_right=any(tells(fact, one) for fact in facts))
    for one in expected.over:
        figures.count("ended", one, is_right=not any(tells(fact, one) for fact in positive))
    for one in expected.never:
        own = (fact for fact in positive if fact.subject_key == SPEAKER)
        figures.count("kept_out", one, is_right=not any(tells(fact, one) for fact in own))


def tells(fact: Fact, one: ExpectedFact) -> bool:
    triple = f"{fact.subject} {fact.relation} {fact.object}".replace("_", " ")
    if not holds_any(triple, one.values):
        return False
    if one.about == SPEAKER:
        return fact.subject_key == SPEAKER
    return fold_case(one.about) in fold_case(f"{triple} {fact.statement}")
