"""What a turn takes back of what was told before, by naming its value rather than by filling its slot.

"Scrap that thing about Pellow and Sons", "Synnøve, not Sunniva", "changed trainers, it's Keila now": what was told says
which slot is meant, so no verb needs a frame for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from memory.claims.frames.clauses import HotClause
from memory.claims.frames.corrections import NAMES, HotChange, put
from memory.claims.frames.details import find_time
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.naming import find_names, find_span
from memory.claims.frames.phrases import SPEAKER, PhraseReader
from memory.claims.frames.triples import HotTriple
from memory.claims.taxonomy import PARTNERS, PEOPLE, REPLACEABLE, THINGS, is_single
from memory.guard.spelling import fold_letters

# What is called by a part of its name: "Sparkasse Lippstadt" is "die Sparkasse".
CUT_SHORT: Final = NAMES | {"works_at", "lives_in"}
SHORTEST_PART: Final = 3
# Who and what is changed for another; kin and animals are not.
CHANGEABLE: Final = THINGS | REPLACEABLE
TOGETHER: Final = PARTNERS | {"friend_of"}
# What is exchanged for another "from one to the other".
EXCHANGED: Final = frozenset({"works_at", "time", "doctor", "dentist", "therapist", "vet", "hairdresser", "coach"})
FROM: Final = ("of", "prep")
TO: Final = ("prep", "to", "to whom")
# Words between the old value and the preposition of the new one.
NEAR: Final = 2
# Words between the beginning of a clause and "it is".
REACH: Final = 4
OPENING: Final = ("adv", "now", "it", "he", "she", "conj", "but", "clitic")


def names_value(spoken: frozenset[str], one: HotTriple, reader: PhraseReader) -> bool:
    """Whether words name what was told, of an employer or a person by a part that nothing else has."""
    parts = fold_letters(one.object).split()
    if spoken.issuperset(parts):
        return bool(parts)
    if one.relation not in CUT_SHORT:
        return False
    own = [part for part in parts if len(part) >= SHORTEST_PART and not reader.words.classify(part)]
    return any(part in spoken for part in own)


def align_told(ended: HotTriple, told: Sequence[HotTriple]) -> HotTriple:
    """The value as it was told, where the turn names it with fewer words or more: "bei der Sparkasse nicht mehr"."""
    words = set(ended.object.split())
    for one in reversed(told):
        if (one.subject, one.relation) == (ended.subject, ended.relation):
            known = set(one.object.split())
            if known == words:
                return ended
            if words and (known <= words or words <= known):
                return replace(ended, object=one.object)
    # "נפרדתי מאסף": whoever is left was told of as a friend or a partner.
    if ended.is_over and ended.relation in TOGETHER:
        same = (one for one in reversed(told) if (one.subject, one.object) == (ended.subject, ended.object))
        return next((replace(ended, relation=one.relation) for one in same if one.relation in TOGETHER), ended)
    return ended


def find_unsaid(reader: PhraseReader, clause: HotClause, told: Sequence[HotTriple]) -> Iterator[HotTriple]:
    """ "Scrap that thing about Pellow and Sons": what is named never was so."""
    if not clause.says(reader.words.phrases["unsay"]):
        return
    spoken = frozenset(token.plain for token in reader.tokens)
    for one in dict.fromkeys(told):
        if names_value(spoken, one, reader):
            yield HotTriple(one.subject, one.relation, one.object, find_span(reader, 0, len(reader.tokens)))


def find_contrasted(reader: PhraseReader, told: Sequence[HotTriple]) -> HotChange:
    """ "It's Synnøve not Sunniva", "not Friday, Thursday": a value beside the one that was told and is denied."""
    change = HotChange()
    for one in dict.fromkeys(reversed(told)):
        parts = fold_letters(one.object).split()
        place = find_words(reader, parts) if is_single(one.relation) else None
        denial = find_denial(reader, place) if place is not None else None
        if place is None or denial is None:
            continue
        value = read_run(reader, one.relation, 0, denial, is_last=True)
        value = value or read_run(reader, one.relation, place + len(parts), len(reader.tokens), is_last=False)
        if value:
            put(change, one, value)
            return change
    return change


def find_exchanged(reader: PhraseReader, clause: HotClause, told: Sequence[HotTriple]) -> HotChange:
    """ "I've gone from Lidl to Aldi", "von Bosch zu Siemens": from what was told to what holds now.

    A home is left in other words: who goes from one town to another travels.
    """
    change, tokens, end = HotChange(), reader.tokens, len(reader.tokens)
    if any(token.has("not") for token in tokens) or clause.says(reader.words.phrases["ahead"]):
        return change
    for one in dict.fromkeys(reversed(told)):
        parts = fold_letters(one.object).split()
        place = find_words(reader, parts) if one.relation in EXCHANGED else None
        if not place or not tokens[place - 1].has(*FROM):
            continue
        behind = place + len(parts)
        link = next((at for at in range(behind, min(behind + NEAR, end - 1)) if tokens[at].has(*TO)), None)
        value = read_other(reader, one.relation, link + 1) if link is not None else ""
        if value:
            put(change, one, value)
            return change
    return change


def read_other(reader: PhraseReader, relation: str, start: int) -> str:
    if relation == "time":
        found = find_time(reader, start, len(reader.tokens))
        return found[0] if found else ""
    phrase = reader.read_phrase(start, len(reader.tokens))
    is_value = phrase is not None and not phrase.pronoun and not phrase.relation and not phrase.count
    return phrase.head if phrase is not None and is_value else ""


def join_sentences(clauses: Sequence[HotClause]) -> Iterator[HotClause]:
    """Sentence by sentence: "Benno, nicht Bruno" stands in two clauses."""
    for _, group in groupby(clauses, key=lambda one: one.sentence):
        yield HotClause([token for one in group for token in one.tokens], "start")


def find_words(reader: PhraseReader, parts: Sequence[str]) -> int | None:
    plain = [token.plain for token in reader.tokens]
    size = len(parts)
    return next((at for at in range(len(plain) - size + 1) if size and plain[at : at + size] == list(parts)), None)


def find_denial(reader: PhraseReader, place: int) -> int | None:
    """The "not" before a value, with an article or a preposition between them at most."""
    at = place - 1
    while at >= 0 and reader.tokens[at].has("det", "prep") and not reader.tokens[at].has("not"):
        at -= 1
    return at if at >= 0 and reader.tokens[at].has("not") else None


def read_run(reader: PhraseReader, relation: str, start: int, end: int, *, is_last: bool) -> str:
    """A name between two places, the nearest to the denial; of an event a time."""
    if relation == "time":
        found = find_time(reader, start, end)
        return found[0] if found else ""
    if relation not in NAMES:
        return ""
    run: list[int] = []
    for at in reversed(range(start, end)) if is_last else range(start, end):
        token = reader.tokens[at]
        if not token.is_mark and not token.classes and token.plain.isalpha():
            run.append(at)
        elif run:
            break
    return reader.cut(min(run), max(run) + 1) if run else ""


def is_of_known_event(fact: ClauseFact, reader: PhraseReader) -> bool:
    """ "It's Friday": a time whose event only the turns before name."""
    spoken = {token.plain for token in reader.tokens}
    return fact.relation == "time" and not spoken & set(fold_letters(fact.subject).split())


def find_changed(reader: PhraseReader, clause: HotClause) -> str:
    """The relation whose value a clause says to be another: "I've changed dentists", "we've a new vet"."""
    if not clause.says(reader.words.phrases["changed"]):
        return ""
    named = (reader.words.nouns.get(token.text) or reader.words.nouns.get(token.plain) for token in reader.tokens)
    return next((one for one in named if one in CHANGEABLE), "")


def read_successor(reader: PhraseReader, relation: str) -> Iterator[ClauseFact]:
    """ "... it's Keila now": who takes the place of what the clause before said to have changed."""
    tokens, end = reader.tokens, len(reader.tokens)
    opening = [at for at in range(min(REACH, end)) if not tokens[at].is_mark]
    verb = next((at for at in opening if tokens[at].has("be 3", "named") and not tokens[at].has("det")), None)
    if verb is None or relation not in PEOPLE or any(not tokens[at].has(*OPENING) for at in opening if at < verb):
        return
    start = verb + 1
    while start < end and tokens[start].has("adv", "now", "det", "clitic") and not reader.is_sure_name_at(start):
        start += 1
    if start >= end or not (reader.is_sure_name_at(start) or tokens[start].has("title")):
        return
    name = next(iter(find_names(reader, start, end)), "")
    if name:
        yield ClauseFact(SPEAKER, relation, name, find_span(reader, verb, end))
