"""What is carried from clause to clause of a turn, and the clauses themselves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from memory.claims.frames.ages import blank_ages
from memory.claims.frames.appositions import open_brackets, put_nouns_first
from memory.claims.frames.clauses import HotClause, cut_turn, mark_supposed
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.genitives import split_genitives
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.particles import take_apart
from memory.claims.frames.phrases import PhraseReader
from memory.claims.frames.status import find_reason, set_composed_aside
from memory.claims.frames.tokens import read_hot_tokens
from memory.claims.frames.triples import Amendment, DroppedTriple, DropReason, HotTriple
from memory.claims.frames.unmarked_questions import mark_questions
from memory.claims.frames.unwritten_marks import mark_bare_ages, mark_said_again
from memory.claims.frames.words import HotWords
from memory.claims.voices.others import mask_other_voices
from memory.guard.spelling import normalise_text


@dataclass(slots=True)
class TurnState:
    """What is carried from clause to clause."""

    stack: MentionStack
    previous: tuple[str, ...] = ()
    facts: list[ClauseFact] = field(default_factory=list)
    dropped: list[DroppedTriple] = field(default_factory=list)
    retracted: list[HotTriple] = field(default_factory=list)
    has_denied: bool = False
    waiting: str | None = None
    changed: str = ""
    # Of a part that is played not even names are the person's.
    is_played: bool = False
    amendment: Amendment | None = None


@dataclass(frozen=True, slots=True)
class TurnClauses:
    """A turn whose other voices are blanks, in clauses, each with why it tells nothing, if it does not."""

    text: str
    words: HotWords
    clauses: Sequence[HotClause]
    reasons: Sequence[DropReason | None]
    has_capitals: bool
    readers: dict[tuple[int, frozenset[str]], PhraseReader] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, masked: str, words: HotWords) -> "TurnClauses":
        tokens = mark_said_again(mark_bare_ages(read_hot_tokens(masked, words), words))
        clauses = cut_turn(take_apart(split_genitives(tokens, words), words), words)
        mark_supposed(clauses, words)
        reasons = [find_reason(clauses, at, words) for at in range(len(clauses))]
        reasons = set_composed_aside(clauses, reasons, words)
        return cls(masked, words, clauses, reasons, marks_names(clauses))

    def find_reader(self, at: int, names: Collection[str]) -> PhraseReader:
        """Of a clause by its place, for a turn that is read again; ``names`` are those spoken of before."""
        clause = self.clauses[at]
        own = frozenset(token.text for token in clause.tokens).intersection(names)
        if (at, own) not in self.readers:
            self.readers[at, own] = self.make_reader(clause, own)
        return self.readers[at, own]

    def make_reader(self, clause: HotClause, names: frozenset[str] = frozenset()) -> PhraseReader:
        return PhraseReader(self.text, clause.tokens, self.words, self.has_capitals, names)


def mask_text(text: str) -> str:
    own = mark_questions(mask_other_voices(normalise_text(text)).replace("’", "'"))
    return blank_ages(open_brackets(put_nouns_first(own)))


def marks_names(clauses: Sequence[HotClause]) -> bool:
    """Whether the turn writes capitals, so that a small letter says that a word is no name."""
    first = {clause.tokens[0].start for clause in clauses if clause.tokens}
    tokens = [token for clause in clauses for token in clause.tokens if not token.is_mark]
    if any(token.is_capital and token.start not in first for token in tokens):
        return True
    return bool(tokens) and tokens[0].is_capital
