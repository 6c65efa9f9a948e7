"""A text as the rules read it, sentence by sentence."""

from dataclasses import dataclass
from typing import Final

from memory.claims.claim import Claim
from memory.claims.judgement.telling import Passage
from memory.claims.slots.known import KnownSlot
from memory.guard.annotation import AnnotatedText, Sentence

# Characters behind a sentence that laughter at it keeps: "... in my inbox! haha".
BEHIND: Final = 3


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """A sentence with the claims of its clauses. ``is_request``: they are what the person asks to be remembered.

    ``is_open``: the sentence is the person's own, and neither a secret nor an order. ``is_partial``: of an order, or
    of words in another voice, only a stretch may be.
    """

    sentence: Sentence
    place: int
    claims: tuple[Claim, ...] = ()
    is_request: bool = False
    is_open: bool = True
    is_partial: bool = False
    # What it says holds only if something else does, or is wished for.
    is_supposed: bool = False

    @property
    def is_own(self) -> bool:
        return (self.is_open or self.is_partial) and not (self.is_request or self.is_supposed)


@dataclass(frozen=True, slots=True)
class TurnReading:
    """A text as the rules read it, before it is asked how likely its words are the person's life."""

    whole: AnnotatedText
    sentences: tuple[SentenceReading, ...] = ()
    is_masked: bool = False
    # Where the person laughs.
    laughs: tuple[int, ...] = ()
    # What questions take for granted.
    asked: tuple[Claim, ...] = ()
    # What becomes of appointments.
    arranged: tuple[Claim, ...] = ()
    # What possessive phrases take for granted.
    presupposed: tuple[Claim, ...] = ()
    # What the turns before told.
    known: tuple[KnownSlot, ...] = ()

    def laughs_in(self, one: SentenceReading) -> bool:
        """In or right behind the sentence, or before the only one: "haha I live in my inbox"."""
        end = one.place + len(one.sentence.raw) + BEHIND
        before = (self.whole.text[at : one.place] for at in self.laughs if at < one.place and len(self.sentences) == 1)
        return any(one.place <= at <= end for at in self.laughs) or any(not text.strip() for text in before)

    def list_passages(self) -> list[Passage]:
        return [Passage((one.sentence,), self.is_masked) for one in self.sentences]
