"""Where somebody is now who has left what was told before: "I'm in York now, no longer in Leeds".

Neither half needs a verb of living or working: what was told says which slot is meant, and who is elsewhere now.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.naming import find_span
from memory.claims.frames.negation import says_ended
from memory.claims.frames.objects import is_place
from memory.claims.frames.phrases import SPEAKER, NounPhrase, PhraseReader
from memory.claims.frames.retractions import find_denial, find_words, join_sentences
from memory.claims.frames.state import TurnClauses, TurnState
from memory.claims.frames.triples import HotTriple
from memory.claims.frames.workplaces import is_no_workplace
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

PLACES: Final = frozenset({"lives_in", "works_at"})
# Words from the verb of being, or from "now", to the preposition of where somebody is.
REACH: Final = 3


@dataclass(frozen=True, slots=True)
class LeftPlace:
    """A place that was told before, and the words of the turn between whose marks it is said to be left."""

    known: HotTriple
    start: int
    end: int


def settle_places(state: TurnState, turn: TurnClauses, told: Sequence[HotTriple]) -> None:
    """What a turn says to be left is over, and where somebody is instead takes its place."""
    if not all(reason in {None, "over"} for reason in turn.reasons):
        return
    for sentence in join_sentences(turn.clauses):
        reader = turn.make_reader(sentence)
        left = find_left(reader, told)
        if left is None:
            continue
        slot = left.known.key[:2]
        state.retracted = [one for one in state.retracted if one.key != left.known.key]
        state.retracted.append(
            HotTriple(*left.known.key, find_span(reader, 0, len(reader.tokens)), left.known.confidence, is_over=True)
        )
        if not any(fact.key[:2] == slot for fact in state.facts):
            state.facts += find_instead(reader, left)


def find_left(reader: PhraseReader, told: Sequence[HotTriple]) -> LeftPlace | None:
    for one in dict.fromkeys(reversed(told)):
        parts = fold_letters(one.object).split()
        place = find_words(reader, parts) if one.relation in PLACES else None
        if place is None:
            continue
        start = max((at + 1 for at in range(place) if reader.tokens[at].is_mark), default=0)
        behind = place + len(parts)
        end = next((at for at in range(behind, len(reader.tokens)) if reader.tokens[at].is_mark), len(reader.tokens))
        if says_left(reader, start, place, end):
            return LeftPlace(one, start, end)
    return None


def says_left(reader: PhraseReader, start: int, place: int, end: int) -> bool:
    """Whether the words between marks say that it is over: "no longer in Leeds", "now ..., not in Leeds"."""
    if says_over(reader, start, end):
        return True
    denial = find_denial(reader, place)
    return denial is not None and denial >= start > 0 and any(token.has("now") for token in reader.tokens[:start])


def says_over(reader: PhraseReader, start: int, end: int) -> bool:
    language, tokens = reader.words.language, reader.tokens[start:end]
    spoken = " ".join([*(token.plain for token in tokens), ""])
    is_aside = any(
        spoken.startswith(f"{fold_letters(one)} ") for one in read_entries(language, "frames", "ended aside")
    )
    return is_aside or says_ended(tokens, language)


def is_over_behind(turn: TurnClauses, fact: ClauseFact) -> bool:
    """Whether what a fact replaces is said to be over, and not never to have been: "in Ulm, nicht mehr in Graz"."""
    for sentence in join_sentences(turn.clauses):
        tokens = sentence.tokens
        marks = (at + 1 for at, token in enumerate(tokens) if token.is_mark and token.start >= fact.span[1])
        if any(says_over(turn.make_reader(sentence), at, len(tokens)) for at in marks):
            return True
    return False


def find_instead(reader: PhraseReader, left: LeftPlace) -> list[ClauseFact]:
    """Behind a preposition of place near "I am" or "now", outside of the words that tell what was left."""
    tokens, relation = reader.tokens, left.known.relation
    person = ("be 1", "stays") if left.known.subject == SPEAKER else ("be 3", "stays")
    for verb, token in enumerate(tokens):
        if left.start <= verb < left.end or not token.has("now", *person):
            continue
        for at in range(verb + 1, min(verb + 1 + REACH, len(tokens) - 1)):
            if left.start <= at < left.end or tokens[at].is_mark:
                break
            is_led = tokens[at].has("work place") or (relation == "works_at" and tokens[at].has("work prep"))
            phrase = reader.read_phrase(at + 1, len(tokens)) if is_led else None
            if phrase is not None and is_new_place(reader, phrase, left):
                span = find_span(reader, verb, phrase.end)
                return [ClauseFact(left.known.subject, relation, phrase.head, span)]
    return []


def is_new_place(reader: PhraseReader, phrase: NounPhrase, left: LeftPlace) -> bool:
    if phrase.pronoun or phrase.head == left.known.object or is_no_workplace(reader, phrase):
        return False
    return left.known.relation == "works_at" or is_place(reader, phrase, "lives_in")
