"""A statement on its way to a fact: what was said, as a claim or as a sentence tells it, and how it reached us."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.claims.claim import SPEAKER, Claim, ClaimTense
from memory.facts.pairs import PairStatement
from memory.inference.base import Vector
from memory.models.facts import KEY_CHARS, STATEMENT_CHARS
from memory.tiers import Trust


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A statement that may become a fact. ``vector`` is None while there is no embedder."""

    statement: str
    occurred_at: datetime
    confidence: float
    subject: str = SPEAKER
    relation: str = ""
    object: str = ""
    category: str = ""
    lang: str = ""
    polarity: bool = True
    tense: ClaimTense = "present"
    replaces: str = ""
    is_correction: bool = False
    # Says nothing lasting by itself: recorded only where it ends or replaces what is known.
    is_remark: bool = False
    # All that a turn tells: it ends nothing by itself, as any of its parts may speak of something else.
    is_turn: bool = False
    # Nothing is embedded for it, and somebody waits: it is compared with its own slot alone.
    is_quick: bool = False
    # The turn it was told in, where it is known.
    turn: str = ""
    trust: Trust = Trust.USER
    vector: Vector | None = None
    model: str = ""

    @classmethod
    def from_claim(cls, claim: Claim, statement: str, **values: Any) -> "FactDraft":
        return cls(
            statement=statement[:STATEMENT_CHARS],
            subject=claim.subject[:KEY_CHARS],
            relation=claim.relation,
            object=claim.object[:KEY_CHARS],
            lang=claim.lang,
            polarity=claim.polarity,
            tense=claim.tense,
            replaces=claim.replaces,
            is_correction=claim.is_correction,
            is_remark=claim.is_remark,
            **values,
        )

    @classmethod
    def from_pair(cls, read: PairStatement, **values: Any) -> "FactDraft":
        return cls(
            statement=read.statement[:STATEMENT_CHARS],
            subject=(read.subject or SPEAKER)[:KEY_CHARS],
            relation=read.relation,
            object=read.object[:KEY_CHARS],
            lang=read.lang,
            polarity=read.polarity,
            tense=read.tense,
            replaces=read.replaces,
            **values,
        )
