"""The pool of candidates to rank: memories with the scores of each stage and their thread neighbours. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from math import exp, fsum, sqrt
from typing import NamedTuple
from uuid import UUID

from memory.language.exchanges import ASSISTANT_LINE, take_question
from memory.language.folding import find_capitals, fold_text
from memory.language.hebrew import has_hebrew
from memory.language.kin import find_relations
from memory.language.names import ASSISTANT_ROLES
from memory.language.query_cues import THE_USER
from memory.scoring import bank_quality, compute_cosine
from memory.tiers import Tier

# Of the smooth step from off to on the topic. How near the best candidate is, in its place, let proven ways that are
# worded differently sink: 9 of 17 scenarios right instead of 15.
TOPIC_STEEPNESS = 4.0
# Cues are looked for in the beginning of a memory: of a long document the rest says nothing of its kind.
MAX_CUE_CHARS = 1_000
# The subject of a text is among so many words; of fewer in Hebrew, which writes its particles onto the words.
SUBJECT_WORDS = 7
# Of so many values a standard score counts half, by n / (n + 10): neither mean nor spread of a few is well known. In a
# store of ten memories what is known of a memory weighs more, in one of thousands its words do.
SHRINKAGE = 10
# A spread below this is rounding, not a difference.
ROUNDING_SPREAD = 1e-9


# Of a confidence. With fragments ("New SIM.") lifted like statements of fact, the right memory came first less often in
# conversations in which something changes.
SURE = 0.65


class CandidateMemory(NamedTuple):
    """What ranking needs to know of a row. ``holds`` tells for each word group of the query whether it is there.

    A tuple: a search makes 150 of them, which takes .2 ms instead of the .9 of a dataclass that cannot be changed.
    """

    id: UUID
    text: str
    tier: str
    occurred_at: datetime
    speaker: str = ""
    thread_id: str = ""
    tags: tuple[str, ...] = ()
    importance: float = 0.7
    confidence: float = 0.7
    score: float = 0.5
    uses: int = 0
    worked: int = 0
    failed: int = 0
    partial: int = 0
    previous_id: UUID | None = None
    next_id: UUID | None = None
    holds: tuple[bool, ...] = ()
    is_dormant: bool = False
    # For the worker to embed it.
    is_waiting: bool = False
    # By the product, of what the person said in conversation.
    is_published: bool = False
    # An exchange of the person's own, or published of one.
    is_spoken: bool = False

    @property
    def quality(self) -> float:
        return bank_quality(self.importance, self.confidence)

    @property
    def is_statement(self) -> bool:
        """Kept as a fact about somebody, rather than as something said or done at a time."""
        return self.tier == Tier.MEMORY_BANK

    @property
    def is_sure_statement(self) -> bool:
        """A statement that says what of whom. Words kept without a relation are no more than a turn is."""
        return self.is_statement and self.confidence > SURE

    @property
    def stands_alone(self) -> bool:
        """Whether it says what it is about: in a thread it is "she" and "that" from the second turn on, unless what
        the person said and the answer to it are one memory."""
        return not self.thread_id or ASSISTANT_LINE in self.text

    @property
    def is_reply(self) -> bool:
        """Said by the assistant."""
        return self.speaker.casefold() in ASSISTANT_ROLES


@dataclass(slots=True)
class Candidate:
    """What the stages said of one memory. Ranks count from 1; None where a stage did not return it."""

    memory: CandidateMemory
    distance: float | None = None
    vector_rank: int | None = None
    text_score: float | None = None
    text_rank: int | None = None
    rrf: float = 0.0
    crowding: float = 0.0
    relevance: float = 0.0
    # How far its nearness stands out, in standard deviations.
    meaning: float = 0.0
    # How much nearer than the other turns it is to the question's tokens; None where that was not compared.
    token_score: float | None = None
    # How near it likely is, where it is not embedded yet.
    guessed: float | None = None
    # In another language than the question, without a word of it.
    is_foreign: bool = False

    @property
    def nearness(self) -> float | None:
        """Its cosine to the question. None for what was not among the nearest."""
        return self.guessed if self.distance is None else compute_cosine(self.distance)


@dataclass(eq=False)
class Pool:
    """All candidates of one search, with features that are relative to the others."""

    candidates: Sequence[Candidate]
    now: datetime
    # The word groups of the query, in the order of ``Memory.holds``.
    words: Sequence[tuple[str, ...]] = ()
    # Which memories others speak for, by reason, known before the search.
    advice: Mapping[str, Mapping[UUID, float]] = field(default_factory=dict)
    places: dict[UUID, int] = field(init=False)

    def __post_init__(self) -> None:
        self.places = {candidate.memory.id: place for place, candidate in enumerate(self.candidates)}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.candidates)

    def __len__(self) -> int:
        return len(self.candidates)

    @cached_property
    def memories(self) -> list[CandidateMemory]:
        return [candidate.memory for candidate in self.candidates]

    @cached_property
    def relevance(self) -> list[float]:
        return [candidate.relevance for candidate in self.candidates]

    @cached_property
    def previous(self) -> list[int | None]:
        """The place of the turn before each, where that is a candidate as well."""
        return [self.places.get(memory.previous_id) if memory.previous_id else None for memory in self.memories]

    @cached_property
    def following(self) -> list[int | None]:
        """The place of the turn after each, where that is a candidate as well."""
        return [self.places.get(memory.next_id) if memory.next_id else None for memory in self.memories]

    @property
    def share_of_kind(self) -> float:
        """How much it counts of which kind a memory is: wholly among ten, little among a hundred, whose words and
        meaning tell them apart well."""
        return min(1.0, 2 * SHRINKAGE / (SHRINKAGE + len(self)))

    @cached_property
    def on_topic(self) -> list[float]:
        """How far each candidate is on topic, 0..1; scales what else is known of a memory."""
        return [1 / (1 + exp(-TOPIC_STEEPNESS * relevance)) for relevance in self.relevance]

    @cached_property
    def not_off_topic(self) -> list[float]:
        """1 for whatever may be about the question, less only for what clearly is not: an answer in other words is not
        nearer than a wrong one in the same."""
        return [min(1.0, 2 * topical) for topical in self.on_topic]

    @cached_property
    def plain(self) -> list[str]:
        """The texts as the cues read them."""
        return [fold_text(memory.text[:MAX_CUE_CHARS]) for memory in self.memories]

    @cached_property
    def capitals(self) -> list[frozenset[str]]:
        """The words that each writes with a capital, as the cues read them; all that a person said without any."""
        return [find_capitals_said(memory.text[:MAX_CUE_CHARS]) for memory in self.memories]

    @cached_property
    def relations(self) -> list[frozenset[int]]:
        """The wives, neighbours and colleagues each speaks of."""
        return [find_relations(text) for text in self.plain]

    @cached_property
    def subjects(self) -> list[frozenset[int]]:
        """Those of them whom the text begins with: it is about the nephew, and not of something given to a nephew."""
        return [find_subjects(text) if known else known for text, known in zip(self.plain, self.relations, strict=True)]

    def each(self, value: Callable[[CandidateMemory], float]) -> list[float]:
        return [value(memory) for memory in self.memories]


def find_capitals_said(text: str) -> frozenset[str]:
    """Who writes "britta left early" has named Britta, whatever capitals the answer to it has."""
    said, found = take_question(text), find_capitals(text)
    return found | find_capitals(said.upper()) if said.islower() else found


@lru_cache(maxsize=16_384)
def find_subjects(bare: str) -> frozenset[int]:
    return find_relations(cut_before_user(take_beginning(bare)))


def cut_before_user(bare: str) -> str:
    """What stands before the user is named: "user has a brother" is about the user, "user's brother has" is not."""
    match = THE_USER.search(bare)
    return bare if match is None else bare[: match.start()]


def take_beginning(bare: str) -> str:
    words = bare.split(" ", SUBJECT_WORDS)
    return " ".join(words[: SUBJECT_WORDS - 2 if has_hebrew(bare) else SUBJECT_WORDS])


def standardise(values: Sequence[float]) -> list[float]:
    """Distance from the mean in standard deviations; all nought when the values do not differ.

    Of few values neither mean nor spread is well known, so their distances are shrunk.
    """
    if not values:
        return []
    mean = fsum(values) / len(values)
    spread = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    if spread < ROUNDING_SPREAD:
        return [0.0] * len(values)
    certainty = len(values) / (len(values) + SHRINKAGE)
    return [certainty * (value - mean) / spread for value in values]
