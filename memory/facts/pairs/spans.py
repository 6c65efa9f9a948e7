"""The known phrases of a sentence, and what places they cover."""

from collections.abc import Iterator, Sequence
from typing import Final

from memory.claims.lexicon import MARK as CLAIM
from memory.facts.pairs.lexicon import MARK
from memory.guard.annotation import Sentence, Span

OWNERS: Final = (MARK + "user", MARK + "of you before", MARK + "of you behind", CLAIM + "i")


class SentenceSpans:
    """Where the phrases of each kind stand; one that lies within another of its kind is left out."""

    def __init__(self, sentence: Sentence, languages: tuple[str, ...]) -> None:
        self.sentence = sentence
        self.languages = languages
        self.words = sentence.words
        self.by_kind = {
            kind: drop_inner(sentence.spans(kind)) for kind in sentence.spans_by_kind if kind[:2] in {MARK, CLAIM}
        }

    def has(self, *kinds: str) -> bool:
        return any(kind in self.by_kind for kind in kinds)

    def of(self, *kinds: str) -> list[Span]:
        return [span for kind in kinds for span in self.by_kind.get(kind, ())]

    def list_kinds(self, *marks: str) -> list[str]:
        """The kinds that begin with one of the marks."""
        return [kind for kind in self.by_kind if kind.startswith(marks)]

    def iterate(self, *marks: str) -> Iterator[tuple[str, Span]]:
        return ((kind, span) for kind in self.list_kinds(*marks) for span in self.by_kind[kind])

    def list_places(self, *kinds: str) -> frozenset[int]:
        return frozenset(at for start, end in self.of(*kinds) for at in range(start, end))

    def covers(self, place: int) -> bool:
        return any(start <= place < end for spans in self.by_kind.values() for start, end in spans)


def is_within(one: Span, whole: Span) -> bool:
    return whole[0] <= one[0] and one[1] <= whole[1]


def overlaps(one: Span, other: Span, gap: int = 0) -> bool:
    """Whether they share a place, or stand no further apart than the gap."""
    return one[0] < other[1] + gap and other[0] < one[1] + gap


def drop_inner(spans: Sequence[Span]) -> list[Span]:
    """ "Not allowed" is one word, and holds no "allowed"."""
    return [one for one in spans if not any(other != one and is_within(one, other) for other in spans)]
