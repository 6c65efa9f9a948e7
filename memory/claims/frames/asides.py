"""What a turn says beside what it tells: sentences that only suppose, and appointments that only a question names."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.details import find_day, find_time
from memory.claims.frames.phrases import PhraseReader
from memory.claims.frames.state import TurnClauses
from memory.claims.frames.status import has_unreal
from memory.claims.frames.triples import AskedEvent
from memory.claims.frames.words import HotWords

Span = tuple[int, int]
# Words between an event and its owner before it, and between it and its time behind it.
OWNED_WITHIN: Final = 3
TIMED_WITHIN: Final = 8
WITH_ARTICLE: Final = frozenset({"zum", "zur", "beim", "al", "alla", "allo", "ao", "à", "au"})
OWN: Final = ("i", "to me", "first", "be 1", "have 1", "my")
REFLEXIVE: Final = ["se", "n'"]


def find_supposed(turn: TurnClauses) -> tuple[Span, ...]:
    """The sentences all of whose verbs hold only if something else does, or are wished for."""
    found: list[Span] = []
    pairs = zip(turn.clauses, turn.reasons, strict=True)
    for _, group in groupby(pairs, key=lambda pair: pair[0].sentence):
        clauses = list(group)
        verbal = [reason for clause, reason in clauses if not clause.is_bare]
        # "If I live in Hull, do I pay less?" asks of what is only supposed.
        reasons = {"hypothetical", "question"} if is_condition(clauses[0][0]) else {"hypothetical"}
        if not verbal or not reasons.issuperset(verbal):
            continue
        if any(is_wished(clause, turn.words) for clause, _ in clauses):
            found.append((clauses[0][0].tokens[0].start, clauses[-1][0].tokens[-1].end))
    return tuple(found)


def is_wished(clause: HotClause, words: HotWords) -> bool:
    """A condition or a wish, and no plan: "I want to lose ten kilos" is a goal."""
    return is_condition(clause) or clause.says(words.phrases["wish"]) or has_unreal(clause, words)


def is_condition(clause: HotClause) -> bool:
    # "Pepe se n'è andato": he himself.
    is_reflexive = [token.text for token in clause.tokens[:2]] == REFLEXIVE
    return not is_reflexive and (clause.link == "if" or clause.tokens[0].has("if"))


def find_asked_events(turn: TurnClauses) -> tuple[AskedEvent, ...]:
    """Events of the person's that a question takes for granted, with their time."""
    found: list[AskedEvent] = []
    for _, group in groupby(zip(turn.clauses, turn.reasons, strict=True), key=lambda pair: pair[0].sentence):
        clauses = list(group)
        if any(reason == "question" or clause.is_asking for clause, reason in clauses):
            whole = HotClause([token for clause, _ in clauses for token in clause.tokens], "start")
            found += list_events(turn.make_reader(whole))[:1]
    return tuple(found)


def list_events(reader: PhraseReader) -> list[AskedEvent]:
    return [event for at, token in enumerate(reader.tokens) if token.has("event") for event in read_event(reader, at)]


def read_event(reader: PhraseReader, at: int) -> Iterator[AskedEvent]:
    tokens = reader.tokens
    start = find_start(reader, at)
    if start is None or not is_own(reader, start):
        return
    end = min(len(tokens), at + 1 + TIMED_WITHIN)
    days = (find_day(reader, place) for place in range(at + 1, end) if tokens[place].has("prep", "det", "of"))
    times = [one for one in (find_time(reader, at + 1, end), *days) if one is not None and one[1] < end]
    if times:
        first = min(times, key=lambda one: one[1])
        yield AskedEvent(reader.cut(at, at + 1), first[0], (tokens[start].start, tokens[first[2] - 1].end))


def find_start(reader: PhraseReader, at: int) -> int | None:
    """Where the words of an event begin: at whose it is, at its article, or behind a preposition that holds one."""
    for place in range(at - 1, max(-1, at - 1 - OWNED_WITHIN), -1):
        token = reader.tokens[place]
        if token.has("my", "det"):
            return place
        if token.text in WITH_ARTICLE:
            return place + 1
        if token.is_mark or token.has("prep", "adv", "conj", "verb"):
            return None
    return None


def is_own(reader: PhraseReader, start: int) -> bool:
    """By "my", or with the definite article where the person speaks of themselves: "the class I've got on Mondays"."""
    if reader.tokens[start].has("my"):
        return True
    is_definite = not reader.tokens[start].has("one")
    return is_definite and any(token.has(*OWN) for token in reader.tokens)
