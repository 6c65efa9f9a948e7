"""Where somebody works, told without a verb of working: "a nurse at the Royal", "I'm at Aldi now"."""

from collections.abc import Iterator, Sequence

from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.naming import find_span
from memory.claims.frames.phrases import SPEAKER, NounPhrase, PhraseReader
from memory.claims.frames.triples import HotTriple
from memory.claims.taxonomy import PEOPLE


def tell_workplace(reader: PhraseReader, names: Sequence[str], at: int) -> Iterator[ClauseFact]:
    """ "A nurse at the Royal", "project manager en una startup": where an occupation is followed."""
    tokens, end = reader.tokens, len(reader.tokens)
    while at < end and tokens[at].has("adv"):
        at += 1
    if at + 1 >= end or not tokens[at].has("work prep", "work place"):
        return
    phrase = reader.read_phrase(at + 1, end)
    if phrase is None or phrase.pronoun or is_no_workplace(reader, phrase):
        return
    if tokens[at].has("work prep", "with article") or phrase.has_article:
        for name in names:
            yield ClauseFact(name, "works_at", phrase.name or phrase.head, find_span(reader, at, phrase.end))


def read_new_place(reader: PhraseReader, left: HotTriple) -> Iterator[ClauseFact]:
    """ "I've left Tesco, I'm at Aldi": behind an employer or a town that was left, where somebody is is the next."""
    tokens = reader.tokens
    who = left.subject
    start = find_new_start(reader, left)
    for at in range(start, min(start + 4, len(tokens) - 1)):
        phrase = reader.read_phrase(at + 1, len(tokens)) if tokens[at].has("work prep", "work place") else None
        if phrase is not None and not phrase.pronoun and not is_no_workplace(reader, phrase):
            verb = start - 1
            yield ClauseFact(who, left.relation, phrase.head, find_span(reader, verb, phrase.end))
            return


def find_new_start(reader: PhraseReader, left: HotTriple) -> int:
    """Behind the verb of being, or behind "now" where what was left stands before it in the same clause."""
    tokens = reader.tokens
    person = "be 1" if left.subject == SPEAKER else "be 3"
    denial = next((at for at, token in enumerate(tokens) if token.has("not")), None)
    if denial is not None:
        # "Ya no estoy en Seur, ahora reparto para Glovo", "ya no vivo en Bilbao, estoy en Gijón".
        begins = (at + 1 for at in range(denial + 2, len(tokens)) if tokens[at].has("now", person, "stays"))
        return next(begins, len(tokens))
    return next((at + 1 for at, token in enumerate(tokens) if token.has(person, "stays")), len(tokens))


def is_no_workplace(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """Whether a phrase names a field, a place, a time or somebody, and so no employer."""
    tokens = reader.tokens[phrase.start : phrase.end]
    return phrase.relation in PEOPLE or any(
        token.has("field", "dwelling", "time", "unit", "passing") for token in tokens
    )


def find_left_employer(
    reader: PhraseReader, retracted: Sequence[HotTriple], told: Sequence[HotTriple]
) -> HotTriple | None:
    """An employer that was left, or where "now" says that somebody is elsewhere: "jetzt bin ich bei Bosch"."""
    employers = [one for one in retracted if one.relation in {"works_at", "lives_in"}]
    if not employers and any(token.has("now") for token in reader.tokens):
        employers = [one for one in told if one.relation == "works_at"]
    return employers[-1] if employers else None
