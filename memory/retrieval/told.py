"""What the person's statements in a search say, as far as it tells which of two answers a question about now. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import pstdev
from typing import Final
from uuid import UUID

from memory.facts.pairs.reading import PairReading, measure_overlap, read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.facts.pairs.values import conflict
from memory.facts.pairs.voice import (
    IMAGINED,
    OF_SELF,
    OF_STRANGERS,
    READ,
    ToldVoice,
    cut_questions,
    hear_voice,
)
from memory.facts.pairs.words import find_shared_words

# Differences of cosine are told in spreads of the statements compared, as the scales of two models have nothing in
# common: weights learned with one embedder ordered as well with another. Less than this is no spread.
LEAST_SPREAD: Final = 0.02
SCALE: Final = 4.0
LARGEST_GAP: Final = 8.0
# In a store of so few times of speaking the later is likelier meant.
FEW_TIMES: Final = 3


@dataclass(frozen=True)
class ToldStatement:
    """One of the best of a search that the person said, or that the product published of what they said.

    ``share`` is what the ranking gave it for being a statement of the person's, beside what it says.
    """

    text: str
    said_at: datetime
    total: float
    cosine: float | None
    share: float
    is_published: bool = False
    is_superseded: bool = False
    # Whether a fact of the relation that is asked for stands behind it.
    tells_asked: bool = False
    # Whether another is known to hold in its place.
    has_ended: bool = False
    # The facts it tells, and those of which it likely took the place, by what waits in the review.
    facts: frozenset[UUID] = frozenset()
    doubts: frozenset[UUID] = frozenset()

    @cached_property
    def told(self) -> str:
        return cut_questions(self.text)

    @cached_property
    def reading(self) -> PairReading:
        return read_pair_statement(PairStatement(self.told or self.text[:READ]))

    @property
    def asks(self) -> bool:
        return not self.told

    @property
    def voice(self) -> ToldVoice:
        return hear_voice(self.told or self.text[:READ])


@dataclass(frozen=True)
class ToldStatements:
    """The statements that are compared, with the question that they are compared for."""

    question: str
    statements: Sequence[ToldStatement]

    @cached_property
    def asked(self) -> PairReading:
        return read_pair_statement(PairStatement(self.question[:READ]))

    @cached_property
    def mean(self) -> float:
        known = [one.cosine for one in self.statements if one.cosine is not None]
        return sum(known) / len(known) if known else 0.0

    @cached_property
    def spread(self) -> float:
        return max(LEAST_SPREAD, pstdev([self.find_cosine(one) for one in self.statements] or [0.0]))

    @cached_property
    def last(self) -> datetime | None:
        return max((one.said_at for one in self.statements if not one.asks), default=None)

    @cached_property
    def times(self) -> int:
        return len({one.said_at for one in self.statements})

    def find_cosine(self, one: ToldStatement) -> float:
        return self.mean if one.cosine is None else one.cosine

    def compare(self, older: ToldStatement, newer: ToldStatement) -> list[float]:
        """One number for each of ``SIGNS``, in their order."""
        pair = ToldPair(self, older, newer)
        return [float(sign(pair)) for sign in SIGNS.values()]


@dataclass(frozen=True)
class ToldPair:
    """Two statements of which one was said later."""

    among: ToldStatements
    older: ToldStatement
    newer: ToldStatement

    @property
    def a(self) -> PairReading:
        return self.older.reading

    @property
    def b(self) -> PairReading:
        return self.newer.reading

    @cached_property
    def differ(self) -> bool:
        return conflict(self.a.values, self.b.values)

    @property
    def doubts(self) -> bool:
        """Whether the later one was taken for what likely took the place of the earlier one when it was told."""
        return not self.newer.doubts.isdisjoint(self.older.facts)

    @property
    def is_of_one_matter(self) -> bool:
        """Whether the two share anything that they say.

        That a value differs says nothing: Tuesdays are quiet, and the helper comes on Thursdays.
        """
        return self.doubts or self.shares_words or bool(self.a.values & self.b.values)

    @cached_property
    def shares_words(self) -> bool:
        return bool(self.a.names & self.b.names or self.a.slots & self.b.slots or self.measure_shared())

    def is_of_others(self, reading: PairReading) -> bool:
        asked = self.among.asked
        return bool(reading.kin - asked.kin - asked.people)

    def measure_gap(self, gap: float) -> float:
        return max(-LARGEST_GAP, min(LARGEST_GAP, gap)) / SCALE

    def measure_shared(self) -> float:
        return measure_overlap(self.a, self.b)

    def measure_asked(self, reading: PairReading) -> float:
        words = self.among.asked.words
        return len(find_shared_words(words, reading.words)) / max(1, len(words))


SIGNS: Final[Mapping[str, Callable[[ToldPair], float]]] = {
    "total": lambda pair: pair.measure_gap(pair.newer.total - pair.older.total),
    "share": lambda pair: pair.measure_gap(pair.newer.share - pair.older.share),
    "nearer": lambda pair: (
        (pair.among.find_cosine(pair.newer) - pair.among.find_cosine(pair.older)) / pair.among.spread / SCALE
    ),
    "near": lambda pair: (pair.among.find_cosine(pair.newer) - pair.among.mean) / pair.among.spread / SCALE,
    "newer asks": lambda pair: pair.newer.asks,
    "older asks": lambda pair: pair.older.asks,
    "newer changes": lambda pair: pair.b.tells_change,
    "newer changes its matter": lambda pair: pair.b.tells_change and pair.shares_words,
    "newer ends": lambda pair: pair.b.tells_end,
    "older ends": lambda pair: pair.a.tells_end,
    "newer passes": lambda pair: pair.b.is_passing,
    "older passes": lambda pair: pair.a.is_passing,
    "newer of others": lambda pair: pair.is_of_others(pair.b),
    "older of others": lambda pair: pair.is_of_others(pair.a),
    "values differ": lambda pair: pair.differ,
    "values differ by a change": lambda pair: pair.differ and pair.b.tells_change,
    "values shared": lambda pair: bool(pair.a.values & pair.b.values),
    "newer in slot": lambda pair: bool(pair.b.slots & pair.among.asked.slots),
    "older in slot": lambda pair: bool(pair.a.slots & pair.among.asked.slots),
    "older holds question": lambda pair: pair.measure_asked(pair.a),
    "older superseded": lambda pair: pair.older.is_superseded,
    "newer superseded": lambda pair: pair.newer.is_superseded,
    "newer published": lambda pair: pair.newer.is_published,
    "newer is last": lambda pair: pair.newer.said_at == pair.among.last,
    "words shared": ToldPair.measure_shared,
    "second": lambda pair: "second" in pair.a.tags | pair.b.tags,
    "newer names": lambda pair: any(word.is_name for word in pair.b.words),
    "new name": lambda pair: bool(pair.b.names - pair.a.names),
    "old name": lambda pair: bool(pair.b.names & pair.a.names),
    "newer says nothing": lambda pair: not (pair.b.words or pair.b.values),
    "few": lambda pair: pair.among.times <= FEW_TIMES,
    "newer tells": lambda pair: pair.newer.voice.telling,
    "newer of self": lambda pair: not pair.newer.voice.kinds.isdisjoint(OF_SELF),
    "newer of strangers": lambda pair: not pair.newer.voice.kinds.isdisjoint(OF_STRANGERS),
    "newer imagined": lambda pair: not pair.newer.voice.kinds.isdisjoint(IMAGINED),
    "newer doubts older": lambda pair: pair.doubts,
    "newer tells asked": lambda pair: pair.newer.tells_asked,
}
