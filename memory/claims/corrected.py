"""Reads a turn that puts a value right as the sentence that was meant.

"I'm allergic to penicillin. Sorry, to amoxicillin" tells of amoxicillin, and a turn of "sorry, to amoxicillin" alone
tells what the turn before it should have.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames.triples import Amendment
from memory.claims.relations import ABOUT
from memory.claims.slots.resolution import LAST_TURNS, READ_OF_TURN, SENTENCES

ENDS: Final = ".!?…"


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """``text`` as it was meant, and of an earlier turn's value ``said`` what is ``meant`` in its place."""

    text: str
    said: str = ""
    meant: str = ""
    # Whether the earlier value was wrong, rather than so until now.
    is_correction: bool = True

    def mark_claim(self, claim: Claim) -> Claim:
        """A claim of the value that takes the place of an earlier turn's, as its correction."""
        if not self.said or self.meant not in claim.statement.casefold():
            return claim
        is_told = claim.relation != ABOUT and self.meant in claim.object
        wrong = claim.object.replace(self.meant, self.said) if is_told else self.said
        return replace(claim, tense="new", replaces=wrong, is_correction=self.is_correction)


def correct_text(text: str, amendment: Amendment | None, previous: Sequence[str]) -> CorrectedText:
    """A text whose corrections are carried out, or as it stands where none is understood."""
    if amendment is None:
        return CorrectedText(text)
    words = text[amendment.start : amendment.end]
    spoken = find_last_words(words, amendment.meant)
    if spoken is None:
        return CorrectedText(text)
    meant, rest = words[slice(*spoken.span())], text[amendment.end :]
    if amendment.is_own:
        before = text[: amendment.start]
        wrong = find_last_words(before, amendment.said)
        if wrong is None:
            return CorrectedText(text)
        told = f"{before[: wrong.start()]}{meant}{before[wrong.end() :].rstrip(' ,;:-')}"
        return CorrectedText(join_sentences(told, rest))
    told = next((one for one in list_said(previous) if find_last_words(one, amendment.said)), "")
    wrong = find_last_words(told, amendment.said)
    if wrong is None or told.endswith("?"):
        return CorrectedText(text)
    put_right = f"{told[: wrong.start()]}{meant}{told[wrong.end() :]}"
    whole = join_sentences(text[: amendment.start], join_sentences(put_right, rest))
    return CorrectedText(whole, amendment.said, amendment.meant)


def list_said(previous: Sequence[str]) -> list[str]:
    """The sentences of the last turns, the latest first."""
    turns = [turn[:READ_OF_TURN] for turn in previous[-LAST_TURNS:]]
    return [sentence for turn in reversed(turns) for sentence in reversed(SENTENCES.split(turn))]


def find_last_words(text: str, words: str) -> re.Match[str] | None:
    found = list(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE))
    return found[-1] if found else None


def join_sentences(first: str, second: str) -> str:
    first, second = first.strip(), second.strip(" ,;:-")
    if not first or not second:
        return first or second
    return f"{first} {second}" if first[-1] in ENDS or second[0] in ENDS else f"{first}. {second}"
