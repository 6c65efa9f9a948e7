"""A sentence as each reader of few words takes it, and what each of them is."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import word_whole
from memory.claims.dates.agenda import order_languages
from memory.claims.readings import SentenceReading, TurnReading
from memory.claims.slots.known import KnownSlot
from memory.guard.annotation import Sentence


@dataclass(frozen=True, slots=True)
class BriefSentence:
    """``place`` is where it begins in ``text``, all of its turn; ``likely`` are the languages it is probably in.

    ``before`` is the sentence that it follows, and ``known`` what the turns before told.
    """

    sentence: Sentence
    place: int
    text: str
    likely: Collection[str] | None
    known: Sequence[KnownSlot]
    before: SentenceReading | None = None

    @classmethod
    def of(cls, one: SentenceReading, reading: TurnReading) -> "BriefSentence":
        whole, at = reading.whole, reading.sentences.index(one)
        before = reading.sentences[at - 1] if at else None
        return cls(one.sentence, one.place, whole.text, whole.languages, reading.known, before)

    @property
    def raw(self) -> str:
        return self.sentence.raw

    @property
    def languages(self) -> list[str]:
        """All languages, the likely ones first."""
        return order_languages(self.likely)

    @property
    def ends_asking(self) -> bool:
        return self.raw.rstrip().endswith("?")

    def make_claim(
        self, relation: str, value: str, language: str, *, subject: str = SPEAKER, within: tuple[int, int] | None = None
    ) -> Claim:
        """A sure claim in the words of the whole sentence; ``within`` is where in it its own words stand."""
        start, end = within or (0, len(self.raw))
        span, whole = (self.place + start, self.place + end), word_whole(self.sentence)
        return Claim(subject, relation, value, whole, span, lang=language, is_sure=True)


# Gives the claims of a sentence back with those that it finds, and without those that they stand in place of.
BriefReader = Callable[[Sequence[Claim], BriefSentence], Sequence[Claim]]
