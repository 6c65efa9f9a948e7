"""What somebody adds to their name in one breath: "I'm Sam, 42, plumber from Hull", "soy Marta, enfermera en Vigo"."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.jobs import matches_job
from memory.claims.frames.naming import find_span
from memory.claims.frames.numerals import read_number
from memory.claims.frames.objects import is_place
from memory.claims.frames.phrases import SPEAKER, PhraseReader
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import SUBJECT
from memory.language.loader import read_entries

# Sections of the prepositions behind a trade, and what each tells.
PLACED: Final = {"trade in": "lives_in", "trade from": "born_in", "trade at": "works_at"}
LONGEST_TRADE: Final = 4
MOST_OF_NAME: Final = 3
ENDS: Final = ("verb", "frame", "be 1", "be 3", "was", "have 1", "have 3", "modal", "i", "my", "not")
INNER: Final = ("conj", "but", "prep", "of")


def read_trades_beside(reader: PhraseReader, told: Sequence[ClauseFact]) -> Iterator[ClauseFact]:
    """The trade, the employer, the home and the origin between marks behind the name of who speaks."""
    name = next((one.object for one in told if (one.subject, one.relation) == (SPEAKER, "name")), "")
    if name and not any(one.relation == "works_as" for one in told):
        start = find_name_end(reader, name)
        yield from read_pieces(reader, start) if start else ()


def presents_self(tokens: Sequence[HotToken]) -> bool:
    """ "Hi, I'm ...", "moi c'est Nadia", but "lui et moi on est brouillés" of two."""
    said = {token.text for token in tokens}
    return ("moi" in said and "on" not in said) or any(token.has("greets") for token in tokens)


def find_name_end(reader: PhraseReader, name: str) -> int:
    """Where the mark behind the name stands; 0 where none does."""
    tokens = reader.tokens
    marks = (at for at in range(1, len(tokens)) if tokens[at].text in {",", "("})
    starts = ((at, start) for at in marks for start in range(max(0, at - MOST_OF_NAME), at))
    return next((at for at, start in starts if reader.cut(start, at) == name), 0)


def read_pieces(reader: PhraseReader, at: int) -> Iterator[ClauseFact]:
    tokens, end = reader.tokens, len(reader.tokens)
    while at < end:
        start = at + 1
        at = next((place for place in range(start, end) if tokens[place].is_mark), end)
        if any(token.has(*ENDS) and not token.has("prep", "occupation", "det") for token in tokens[start:at]):
            return
        yield from read_piece(reader, start, at)


def read_piece(reader: PhraseReader, start: int, end: int) -> Iterator[ClauseFact]:
    tokens = reader.tokens
    while start < end and tokens[start].has("det", "conj"):
        start += 1
    if start >= end or read_number(tokens, start, end, reader.words.language) is not None:
        return
    stop = next((at for at in range(start, end) if tokens[at].has(*INNER)), end)
    if stop > start:
        if stop - start > LONGEST_TRADE or not names_trade(tokens[start:stop], reader.words.language):
            return
        yield ClauseFact(SPEAKER, "works_as", reader.cut(start, stop), find_span(reader, start, stop))
    for at in range(stop, end - 1):
        relation = load_placed(reader.words.language).get(tokens[at].text)
        phrase = reader.read_phrase(at + 1, end) if relation else None
        if relation is None or phrase is None or phrase.pronoun or phrase.relation:
            continue
        if relation == "works_at" or is_place(reader, phrase, "lives_in"):
            yield ClauseFact(SPEAKER, relation, phrase.head, find_span(reader, at, phrase.end))


def names_trade(tokens: Sequence[HotToken], language: str) -> bool:
    return any(token.has("occupation") or matches_job(token.text, language) for token in tokens)


@cache
def load_placed(language: str) -> dict[str, str]:
    return {word: relation for section, relation in PLACED.items() for word in read_entries(language, SUBJECT, section)}
