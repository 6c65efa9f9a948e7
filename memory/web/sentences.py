"""English sentences that code makes or rows keep, told in the language of whoever looks.

Pure: a sentence is found again by its form, the words between its places. What has no form stays as it was written.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext

PLACE: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class SentenceForm:
    """A sentence as what stands between its places. No pattern: of a long reason with two places one takes the square
    of its length."""

    sentence: str
    between: tuple[str, ...]
    places: tuple[str, ...]

    def read_parts(self, reason: str) -> dict[str, str] | None:
        """What fills the places, each as short as may be; None of another sentence."""
        first, *between = self.between
        if not reason.startswith(first) or (not self.places and reason != first):
            return None
        parts, start = {}, len(first)
        for number, (place, behind) in enumerate(zip(self.places, between, strict=True)):
            is_last = number == len(self.places) - 1
            # A place is never empty.
            end = len(reason) - len(behind) if is_last else reason.find(behind, start + 1)
            if end <= start or not reason.startswith(behind, end):
                return None
            parts[place], start = reason[start:end], end + len(behind)
        return parts


def compile_sentences(sentences: Iterable[str]) -> list[SentenceForm]:
    return [
        SentenceForm(sentence, tuple(PLACE.split(sentence)[::2]), tuple(PLACE.split(sentence)[1::2]))
        for sentence in sentences
    ]


def say_sentence(text: str, forms: Sequence[SentenceForm], worded: Mapping[str, Callable[[str], str]]) -> str | None:
    """``worded`` has the places that hold words of ours themselves. None of a text that is none of the sentences."""
    for form in forms:
        parts = form.read_parts(text)
        if parts is not None:
            said = {name: worded[name](part) if name in worded else part for name, part in parts.items()}
            return gettext(form.sentence).format(**said)
    return None
