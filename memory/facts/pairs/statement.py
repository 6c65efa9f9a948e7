"""A statement as the judge of pairs takes it."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from memory.claims import Claim, read_claims
from memory.claims.claim import SPEAKER, ClaimTense
from memory.claims.statements import read_told_claims

# `unsure` goes to a person's review.
PairVerdict = Literal["merge", "keep_both", "contradiction", "unrelated", "unsure"]

# Characters of a statement that are read: the bank's are shorter than this.
READ: Final = 400


@dataclass(frozen=True, slots=True)
class PairStatement:
    """``subject`` is `you` for the person; ``replaces`` is an old value that the statement itself names."""

    statement: str
    subject: str = ""
    relation: str = ""
    object: str = ""
    polarity: bool = True
    tense: ClaimTense = "present"
    lang: str = ""
    replaces: str = ""


@lru_cache(maxsize=8192)
def read_statement(text: str) -> PairStatement:
    """What a person says of themselves, or what is said of "the user", as one statement."""
    text = text[:READ]
    claim = next(iter(read_told_claims(text) or read_claims(text)), None)
    return build_pair_statement(claim, text) if claim else PairStatement(text, SPEAKER)


def build_pair_statement(claim: Claim, text: str) -> PairStatement:
    return PairStatement(
        text,
        claim.subject,
        claim.relation,
        claim.object,
        claim.polarity,
        # Who puts right what they said means it to hold from now on.
        "new" if claim.is_correction else claim.tense,
        claim.lang,
        claim.replaces,
    )
