"""Clauses without the verb of the one before: "I live in Hull, my parents in York", "soy celíaca y él diabético".

Each is read as if the verb stood in it, so whatever a verb can tell it tells of the others too.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory.claims.frames.matching import find_frames
from memory.claims.frames.phrases import SPEAKER, NounPhrase, PhraseReader
from memory.claims.taxonomy import ANIMALS, PEOPLE

VERBAL: Final = ("be 1", "be 3", "have 1", "have 3", "named")
# What stands behind a subject that has a verb of its own, or is none.
GAPLESS: Final = (*VERBAL, "verb", "frame", "modal", *("conj", "rel", "that", "adv", "also", "clitic", "not", "called"))


def cut_gapped(reader: PhraseReader) -> list[PhraseReader]:
    """The clause up to the first gap, and each gapped clause with the verb put in; empty where there is no gap."""
    gaps = list(find_gaps(reader))
    verb = find_verb(reader, gaps[0][0]) if gaps else None
    if verb is None:
        return []
    ends = [joint for joint, _ in gaps[1:]] + [len(reader.tokens)]
    found = [replace(reader, tokens=reader.tokens[: gaps[0][0]])]
    for (_, who), end in zip(gaps, ends, strict=True):
        tokens = [*reader.tokens[who.start : who.end], *reader.tokens[verb[0] : verb[1]], *reader.tokens[who.end : end]]
        found.append(replace(reader, tokens=tokens))
    return found


def find_gaps(reader: PhraseReader) -> Iterator[tuple[int, NounPhrase]]:
    """Each joint behind which kin of the person stand before more words, none of them a verb."""
    tokens, end = reader.tokens, len(reader.tokens)
    for joint in range(1, end - 1):
        if not (tokens[joint].is_mark or tokens[joint].has("conj", "but")) or tokens[joint - 1].has("conj"):
            continue
        start = joint + 1 + tokens[joint + 1].has("conj", "but")
        who = reader.read_phrase(start, end) if start < end else None
        if who is None or who.relation not in PEOPLE | ANIMALS or not (who.owner == SPEAKER or is_pet(who)):
            continue
        # "Meine Mutter ist Polin und mein Vater Türke": what looks like his name is what he is.
        is_told = who.end >= end and any(token.has("named", "be 1", "be 3") for token in tokens[:joint])
        who = replace(who, end=find_noun_end(reader, replace(who, name="") if is_told else who))
        behind = tokens[who.end : who.end + 2]
        if behind and not behind[0].is_mark and not any(token.has(*GAPLESS) for token in behind):
            yield joint, who


def is_pet(who: NounPhrase) -> bool:
    """ "Unser Kater heißt Mogli und der Hund Balu"."""
    return who.relation in ANIMALS and who.has_article


def find_noun_end(reader: PhraseReader, who: NounPhrase) -> int:
    """Of "mi marido diabético" the noun: what goes on with it may be what is said of him."""
    ends = range(who.start + 1, who.end + 1)
    return who.end if who.name else next((at for at in ends if reader.cut(who.start, at).endswith(who.noun)), who.end)


def find_verb(reader: PhraseReader, end: int) -> tuple[int, int] | None:
    tokens = reader.tokens[:end]
    match = next(iter(find_frames(tokens, reader.words)), None)
    if match is not None and not match.frame.is_dative:
        return match.start, match.end
    at = next((at for at, token in enumerate(tokens) if token.has(*VERBAL) and not token.has("genitive")), None)
    return (at, at + 1) if at is not None and match is None else None
