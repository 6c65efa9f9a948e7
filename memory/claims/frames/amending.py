"""What a turn puts right of itself: "my son is called Tim, sorry, Tom"."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from memory.claims.frames.corrections import VERBAL, HotChange, find_behind_phrase, read_elliptic
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.phrases import PhraseReader, measure_phrase
from memory.claims.frames.state import TurnClauses, TurnState
from memory.claims.frames.triples import Amendment, HotTriple
from memory.claims.taxonomy import is_single

# Words behind "sorry" in which a value stands alone: what goes on longer tells something else.
LONGEST: Final = 5
# Clauses among which the value stands: "actually no, scratch that, it is Thursday".
REACH: Final = 4


def amend_facts(state: TurnState, turn: TurnClauses) -> None:
    """Puts the values in the facts of a turn that it goes on to correct."""
    facts = state.facts
    phrases = turn.words.phrases["correct"]
    readers = [turn.make_reader(clause) for clause in turn.clauses]
    for at, reader in enumerate(readers):
        place = find_correction(reader, phrases, is_first=at == 0)
        before = turn.text[: reader.tokens[place].start].casefold() if place is not None else ""
        earlier = [one for one in facts if one.object in before]
        if place is None or not earlier:
            continue
        later = [one for one in facts if one not in earlier]
        if later:
            # "Everybody calls me Lulu, actually my name is Ludmilla": a verb of its own tells something else.
            if not any(token.has(*VERBAL) for token in reader.tokens[place:]):
                replace_earlier(state, turn, earlier, later, reader.tokens[place].start)
            return
        asked = [clause.is_asking for clause in turn.clauses]
        for other in range(at, min(at + REACH, len(readers))):
            skip = find_behind_phrase(readers[other], phrases) if other == at else 0
            change = HotChange() if asked[other] else read_amended(readers[other], skip, earlier, before)
            if change.new:
                wrong = change.retracted[0].key
                state.facts = [change.new[0] if one.key == wrong else one for one in facts]
                state.amendment = note_amendment(change, turn, reader.tokens[place].start, is_own=True)
                return


def note_amendment(change: HotChange, turn: TurnClauses, start: int, *, is_own: bool = False) -> Amendment | None:
    """What was said and what is meant, as far as they differ, with the words up to where the correction ends."""
    said, meant = change.retracted[0].object.split(), change.new[0].object.split()
    while len(said) > 1 and len(meant) > 1 and said[0] == meant[0]:
        said, meant = said[1:], meant[1:]
    while len(said) > 1 and len(meant) > 1 and said[-1] == meant[-1]:
        said, meant = said[:-1], meant[:-1]
    end = change.new[0].span[1]
    for token in (one for clause in turn.clauses for one in clause.tokens if one.start >= end):
        if not (token.is_mark or token.has("correcting")):
            break
        end = token.end
    return Amendment(" ".join(said), " ".join(meant), start, end, is_own) if end > start else None


def find_first_correction(turn: TurnClauses) -> int:
    """Where the words begin by which a turn takes back what the turns before said."""
    correcting = (one for one in turn.clauses if one.says(turn.words.phrases["correct"]))
    return next(correcting, turn.clauses[0]).tokens[0].start


def find_correction(reader: PhraseReader, phrases: Sequence[str], *, is_first: bool) -> int | None:
    """Where "sorry" or "I mean" stands that is set off from what was said before it."""
    starts, end = list_starts(reader, is_first=is_first), len(reader.tokens)
    return next((at for at in starts if measure_phrase(reader, at, end, phrases)), None)


def list_starts(reader: PhraseReader, *, is_first: bool) -> Iterator[int]:
    tokens = reader.tokens
    for at, token in enumerate(tokens):
        if not token.is_mark and ((at == 0 and not is_first) or (at and tokens[at - 1].is_mark)):
            yield at


def replace_earlier(
    state: TurnState, turn: TurnClauses, earlier: Sequence[ClauseFact], later: Sequence[ClauseFact], start: int
) -> None:
    """ "In Ulm, quatsch, in Neu-Ulm": of what was read both before and behind the correction the latter is meant."""
    for wrong in earlier:
        meant = next((one for one in later if (one.subject, one.relation) == (wrong.subject, wrong.relation)), None)
        if meant is not None and is_single(wrong.relation):
            state.facts = [one for one in state.facts if one is not wrong]
            change = HotChange([meant], [HotTriple(*wrong.key, wrong.span)])
            state.amendment = note_amendment(change, turn, start, is_own=True)


def read_amended(reader: PhraseReader, skip: int, facts: Sequence[ClauseFact], before: str) -> HotChange:
    spoken = skip + sum(1 for _ in takewhile(lambda token: token.is_mark, reader.tokens[skip:]))
    end = next((at for at in range(spoken, len(reader.tokens)) if reader.tokens[at].is_mark), len(reader.tokens))
    if not 0 < end - spoken <= LONGEST or not is_led_alike(reader, skip, before):
        return HotChange()
    # "... no wait, hazelnuts, walnuts are fine": the value ends at the mark.
    within = replace(reader, tokens=reader.tokens[:end])
    return read_elliptic(within, [HotTriple(*one.key, one.span) for one in facts], spoken)


def is_led_alike(reader: PhraseReader, skip: int, before: str) -> bool:
    """ "I live in Leeds. Sorry for the late reply": a value stands behind the preposition of the one before it."""
    leading = [token.text for token in reader.tokens[skip:] if token.has("prep") and not token.has("correcting")]
    return set(leading) <= set(before.split())
