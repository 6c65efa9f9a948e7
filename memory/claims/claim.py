"""What a clause claims."""

from dataclasses import dataclass
from typing import Literal

# The subject of what somebody says of themselves, in every language, as in the format of the gold sets.
SPEAKER = "you"

# `over` says that something has ended, `new` that it begins or replaces what was.
ClaimTense = Literal["present", "past", "over", "new"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a text holds true.

    ``statement`` is the person's own words as a sentence that can stand alone; claims of one clause group share it.
    ``span`` is its place in the text that was read.
    """

    subject: str
    relation: str
    object: str
    statement: str
    span: tuple[int, int]
    # The kind of opening that told it, where it was one of those; else empty.
    category: str = ""
    polarity: bool = True
    hedged: bool = False
    tense: ClaimTense = "present"
    time: str = ""
    lang: str = ""
    is_request: bool = False
    # Whether its words are so likely of the person's life that they need not sound like it in every ear.
    is_sure: bool = False
    # The value that this one takes the place of, where the words name it: "Tom instead of Priya".
    replaces: str = ""
    # Whether the person puts right what they said, rather than telling that it has changed.
    is_correction: bool = False
    # A sentence of the person's that claims nothing by itself, to be held against what is known.
    is_remark: bool = False
