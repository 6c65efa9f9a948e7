"""What a turn takes back: "not X but Y", "no longer", "I meant", a new value for what was told before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from knowledge_graph.hotmem.reading.clauses import HotClause
from knowledge_graph.hotmem.reading.details import find_duration, find_time, read_amount
from knowledge_graph.hotmem.reading.facts import ClauseFact
from knowledge_graph.hotmem.reading.numerals import read_number
from knowledge_graph.hotmem.reading.phrases import PhraseReader
from knowledge_graph.hotmem.reading.taxonomy import is_single
from knowledge_graph.hotmem.reading.triples import HotTriple
from knowledge_graph.hotmem.reading.words import HotWords

# Words of an answer that names a new value alone.
LONGEST_VALUE = 8


@dataclass(slots=True)
class HotChange:
    new: list[ClauseFact] = field(default_factory=list)
    retracted: list[HotTriple] = field(default_factory=list)


def is_correcting(clauses: Sequence[HotClause], words: HotWords) -> bool:
    return any(one.says(words.phrases["correct"]) for one in clauses)


def answers_no(clauses: Sequence[HotClause]) -> bool:
    """ "No, on Wednesday": a no and a value alone."""
    return bool(clauses) and clauses[0].tokens[0].has("answers no") and all(one.is_bare for one in clauses)


def find_replaced(fact: ClauseFact, reader: PhraseReader) -> str:
    """ "Brest, pas à Lorient": the old value behind the new one."""
    tokens = reader.tokens
    begun = next(
        (at for at, token in enumerate(tokens) if token.start >= fact.span[1] and token.has("not", "instead")), None
    )
    if (
        begun is None
        or begun < 1
        or not (tokens[begun - 1].is_mark or tokens[begun - 1].has("conj", "but") or tokens[begun].has("instead"))
    ):
        return ""
    return read_value(reader, begun + 1, fact.relation)


def read_value(reader: PhraseReader, at: int, relation: str) -> str:
    tokens = reader.tokens
    small = ("adv", "be 3", "clitic", "but", "it")
    skipped = small if relation == "time" else (*small, "prep", "of")
    while at < len(tokens) and (tokens[at].is_mark or tokens[at].has(*skipped)):
        at += 1
    if at >= len(tokens):
        return ""
    if relation == "time":
        found = find_time(reader, at, len(tokens)) or find_time(reader, max(0, at - 1), len(tokens))
        return found[0] if found else ""
    if relation in {"age", "quantity"}:
        number = read_number(tokens, at, len(tokens), reader.words.language)
        return number[0] if number else ""
    if relation == "duration":
        amount = read_amount(tokens, at, reader.words.language)
        return amount[0] if amount else ""
    phrase = reader.read_phrase(at, len(tokens))
    return phrase.head if phrase is not None and not phrase.pronoun else ""


def read_elliptic(reader: PhraseReader, told: Sequence[HotTriple], skip: int) -> HotChange:
    """ "Uy, a las once, perdón": a value for what the last turns told, whose kind it fits."""
    change = HotChange()
    if not told:
        return change
    found = find_time(reader, skip, len(reader.tokens))
    if found is not None and (known := find_last(told, "time")):
        put(change, known, found[0])
        return change
    duration = find_duration(reader)
    number = next(
        (
            (one, at)
            for at in range(skip, len(reader.tokens))
            if (one := read_number(reader.tokens, at, len(reader.tokens), reader.words.language)) is not None
        ),
        None,
    )
    if duration is None and number is not None:
        amount = read_amount(reader.tokens, number[1], reader.words.language)
        if amount is not None and (known := find_last(told, "duration")):
            put(change, known, amount[0])
            return change
        if known := find_last(told, "age") or find_last(told, "quantity"):
            put(change, known, number[0][0])
            return change
    for at in range(skip, len(reader.tokens)):
        if reader.tokens[at].is_mark or reader.tokens[at].has(
            "correcting", "adv", "not", "prep", "wh", "be 3", "clitic"
        ):
            continue
        value = read_value(reader, at, "")
        known = next((one for one in reversed(told) if fits_value(one, value, reader, at)), None)
        if value and known is not None:
            put(change, known, value)
        return change
    return change


def fits_value(known: HotTriple, value: str, reader: PhraseReader, at: int) -> bool:
    if known.relation in {"time", "age", "quantity", "duration", "has", "is", "likes", "dislikes"}:
        return False
    return bool(value) and value != known.object


def find_last(told: Sequence[HotTriple], relation: str) -> HotTriple | None:
    return next((one for one in reversed(told) if one.relation == relation), None)


def put(change: HotChange, known: HotTriple, value: str) -> None:
    if value and value != known.object:
        change.new.append(ClauseFact(known.subject, known.relation, value, (0, 0)))
        change.retracted.append(known)


def find_contradicted(fact: ClauseFact, told: Sequence[HotTriple]) -> HotTriple | None:
    """What was told before in the slot of a fact, where that holds one value."""
    if not is_single(fact.relation):
        return None
    return next(
        (
            one
            for one in reversed(told)
            if (one.subject, one.relation) == (fact.subject, fact.relation) and one.object != fact.object
        ),
        None,
    )
