"""What is told beside a clause's verb or without any: a name at a meeting, an age behind a name, who is counted off."""

from collections.abc import Iterator, Sequence
from typing import Final

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.naming import find_span, list_counted
from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import SPEAKER, PhraseReader
from memory.claims.frames.tokens import HotToken
from memory.claims.taxonomy import ANIMALS, CHILDREN, PEOPLE

# Of who speaks, a number behind a mark is an age from here on: "Ottavia, 3" is something else.
YOUNGEST, OLDEST = 6, 120
OF_TRADE: Final = frozenset({(SPEAKER, "works_as"), (SPEAKER, "is")})
MOST_OF_NAME: Final = 3
# Words of a clause that says no more than "pleased to meet you".
MOST_OF_GREETING: Final = 5


def read_introduced(reader: PhraseReader, clause: HotClause, beside: Sequence[HotClause]) -> Iterator[ClauseFact]:
    """ "Piacere, Ottavia", "Ottavia, piacere": the name of who speaks, alone beside what one says at a meeting."""
    phrases = reader.words.phrases["introduces"]
    is_met = any(one.says(phrases) and len(one.text.split()) <= MOST_OF_GREETING for one in beside)
    named = [at for at, token in enumerate(reader.tokens) if not token.is_mark]
    if not (clause.is_bare and is_met) or not 0 < len(named) <= MOST_OF_NAME:
        return
    if reader.find_name_end(named[0], len(reader.tokens)) > named[-1] and reader.is_sure_name_at(named[0]):
        spoken = reader.cut(named[0], named[-1] + 1)
        yield ClauseFact(SPEAKER, "name", spoken, find_span(reader, named[0], named[-1] + 1))


BEHIND_AGE: Final = ("age unit", "conj", "verb", "frame", "be 3", "have 3")


def read_ages_beside(reader: PhraseReader, told: Sequence[ClauseFact]) -> Iterator[ClauseFact]:
    """ "Moi c'est Bastien, 41 ans", "my son Leo (9)", "Inès 6 ans et Sami 3 ans": a number behind somebody's name."""
    tokens, end = reader.tokens, len(reader.tokens)
    named = {one.object: one.subject if one.relation == "name" else one.object for one in told if is_naming(one)}
    # "I'm a retired teacher, 71".
    named |= {one.object: SPEAKER for one in told if (one.subject, one.relation) in OF_TRADE}
    aged = {one.subject for one in told if one.relation == "age"}
    for at in range(1, end):
        number = read_number(tokens, at, end, reader.words.language)
        if number is None or not 0 < int(number[0]) <= OLDEST:
            continue
        behind = tokens[number[1]] if number[1] < end else None
        last = at - tokens[at - 1].is_mark
        starts = range(max(0, last - MOST_OF_NAME), last)
        who = next((named[name] for start in starts if (name := reader.cut(start, last)) in named), "")
        is_closed = behind is None or behind.is_mark or behind.has(*BEHIND_AGE) or is_third_person(reader, behind)
        is_told = who != SPEAKER or (tokens[at - 1].is_mark and int(number[0]) >= YOUNGEST)
        if who and who not in aged and is_closed and is_told:
            yield ClauseFact(who, "age", number[0], find_span(reader, at, number[1]))


def is_third_person(reader: PhraseReader, token: HotToken) -> bool:
    """ "Mein Bruder Leon 14 nervt": a small word that ends as German verbs do, and is no noun that is known."""
    is_verb = token.text.endswith("t") and not token.is_capital and not token.classes
    return reader.words.language == "de" and is_verb and token.plain not in reader.words.nouns


def is_naming(fact: ClauseFact) -> bool:
    is_kin = fact.relation in PEOPLE | ANIMALS and not (fact.is_denied or fact.is_ended)
    return is_kin or (fact.relation == "name" and fact.subject == SPEAKER)


def read_counted(reader: PhraseReader, told: Sequence[ClauseFact]) -> Iterator[ClauseFact]:
    """ "We live out past Mull, two kids, four ferrets": children and animals that are counted off behind a mark."""
    tokens, end = reader.tokens, len(reader.tokens)
    if not any(token.has("i", "my", "first", "be 1", "have 1") for token in tokens):
        return
    known = {one.object for one in told}
    for at in range(1, end):
        if not (tokens[at - 1].is_mark or tokens[at - 1].has("conj")):
            continue
        phrase = reader.read_phrase(at, end)
        is_counted = phrase is not None and phrase.start == at and phrase.count.isdigit() and not phrase.owner
        if phrase is None or not is_counted or phrase.relation not in CHILDREN | ANIMALS or phrase.head in known:
            continue
        if phrase.end < end and not (tokens[phrase.end].is_mark or tokens[phrase.end].has("conj")):
            continue
        span = find_span(reader, at, phrase.end)
        if named := list_counted(reader, phrase):
            yield from (ClauseFact(SPEAKER, phrase.relation, name, span) for name in named)
            continue
        yield ClauseFact(SPEAKER, "has", phrase.head, span)
        yield ClauseFact(phrase.head, "quantity", phrase.count, span)
