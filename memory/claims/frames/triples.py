"""What a turn tells, as triples: subject, relation, object, each in its canonical form."""

from dataclasses import dataclass
from typing import Literal

Intent = Literal[
    "FACT_STATEMENT",
    "MULTIPLE_FACTS",
    "QUESTION_WITH_FACT",
    "PURE_QUESTION",
    "CORRECTION",
    "REACTION",
    "HYPOTHETICAL",
    "INSTRUCTION",
]
# Why something that looks like a fact is none, or none to keep.
DropReason = Literal[
    "hedged",
    "negated",
    "question",
    "hypothetical",
    "quoted",
    "passing",
    "over",
    "no_relation",
    "unresolved",
    "unlikely",
]


@dataclass(frozen=True, slots=True)
class HotTriple:
    """``span`` is its place in the text of the turn; ``confidence`` how sure the reading is, from 0 to 1.

    ``is_over`` of what is taken back: it held until now, rather than never.
    """

    subject: str
    relation: str
    object: str
    span: tuple[int, int] = (0, 0)
    confidence: float = 0.9
    is_over: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        return self.subject, self.relation, self.object


@dataclass(frozen=True, slots=True)
class DroppedTriple:
    """What was read and not kept. ``triple`` is empty where the words were set aside before they were read."""

    reason: DropReason
    text: str
    triple: tuple[str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class AskedEvent:
    """ "My flight to Oslo on the 5th": its noun, its time, and the place of all its words."""

    noun: str
    time: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Amendment:
    """A value that a turn puts right: what was said, what is meant, and the place of the words that say so.

    ``is_own``: it was said in the same turn.
    """

    said: str
    meant: str
    start: int
    end: int
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class HotReading:
    """``retracted`` is what the person declares false; what has merely changed is among ``triples`` alone."""

    lang: str
    intent: Intent
    triples: tuple[HotTriple, ...] = ()
    retracted: tuple[HotTriple, ...] = ()
    dropped: tuple[DroppedTriple, ...] = ()
    is_hedged: bool = False
    is_negated: bool = False
    # What the turns before told.
    known: tuple[HotTriple, ...] = ()
    # Where sentences only suppose, and what of the person's a question takes for granted.
    supposed: tuple[tuple[int, int], ...] = ()
    asked: tuple[AskedEvent, ...] = ()
    amendment: Amendment | None = None
