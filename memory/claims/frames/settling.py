"""What a turn puts in the place of what was told, or of what it told itself: once all of its clauses are read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.frames.amending import LONGEST, amend_facts, find_first_correction, note_amendment
from memory.claims.frames.clauses import HotClause
from memory.claims.frames.corrections import (
    NAMES,
    HotChange,
    answers_no,
    begins_with_no,
    find_behind_phrase,
    find_contradicted,
    is_correcting,
    read_elliptic,
    read_respelt,
    read_value,
    says_only_that,
)
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.naming import find_span
from memory.claims.frames.partings import RETIRES, find_successor
from memory.claims.frames.phrases import PhraseReader
from memory.claims.frames.relocating import is_over_behind, settle_places
from memory.claims.frames.retractions import (
    align_told,
    find_contrasted,
    find_exchanged,
    find_unsaid,
    is_of_known_event,
    join_sentences,
)
from memory.claims.frames.state import TurnClauses, TurnState, mask_text
from memory.claims.frames.triples import HotTriple
from memory.claims.taxonomy import DEPARTING, HAVING, PARTNERS, is_single

# Of which a value of the same kind is no other matter.
OF_A_KIND: Final = frozenset({"time", "birthday", "age", "quantity", "duration", "born_in"})


@dataclass(frozen=True, slots=True)
class LastTurn:
    """What the person's last turn told, and its text: only of that "sorry, Wednesday" is a correction."""

    told: Sequence[HotTriple] = ()
    text: str = ""


def settle_turn(state: TurnState, turn: TurnClauses, told: Sequence[HotTriple], last: LastTurn) -> None:
    """Settle what a turn takes the place of: what its facts deny, correct or end of earlier ones."""
    correcting = is_correcting(turn.clauses, turn.words) or (bool(told) and answers_no(turn.clauses))
    denies = correcting or (bool(told) and begins_with_no(turn.clauses))
    is_now = any(token.has("now") for clause in turn.clauses for token in clause.tokens)
    for fact in list(state.facts):
        if fact.replaces and fact.replaces != fact.object:
            is_over = is_over_behind(turn, fact)
            state.retracted.append(HotTriple(fact.subject, fact.relation, fact.replaces, fact.span, is_over=is_over))
        elif is_changing(fact, turn, state, is_now=denies or is_now) and (known := find_contradicted(fact, told)):
            state.retracted.append(replace(known, is_over=not denies))
    settle_places(state, turn, told)
    denied = [HotTriple(*one.triple) for one in state.dropped if one.reason == "negated" and one.triple is not None]
    for old in denied:
        # "He doesn't live in Hull, he lives in Hessle".
        if any((fact.subject, fact.relation) == old.key[:2] and is_single(fact.relation) for fact in state.facts):
            state.retracted.append(old)
    ended = [one for one in state.retracted if one.is_over and is_single(one.relation)]
    former = next(iter([*reversed(denied), *reversed(ended)]), None)
    if former is not None and (former.subject == SPEAKER or former.relation not in PARTNERS):
        # "Hoy lo pusimos a dormir a Firulais" names no other cat.
        parting = (*turn.words.phrases["parting"], *turn.words.phrases[RETIRES])
        for clause in (one for one in turn.clauses if takes_up_denial(one) and not one.says(parting)):
            take_new_value(turn.make_reader(clause), former, state)
    name_successors(state, turn)
    unsaid = [one for said in join_sentences(turn.clauses) for one in find_unsaid(turn.make_reader(said), said, told)]
    state.retracted += unsaid if not state.facts else ()
    put_right(state, turn, told, last, is_correcting=correcting)
    state.retracted = [align_told(one, told) for one in state.retracted]


def put_right(
    state: TurnState, turn: TurnClauses, told: Sequence[HotTriple], last: LastTurn, *, is_correcting: bool
) -> None:
    """Puts a value in the place of one that was told before, or in this turn, by words that fill no slot."""
    # "No wait" denies nothing.
    phrases = turn.words.phrases["correct"]
    state.retracted = [one for one in state.retracted if not any(f" {one.object} " in phrase for phrase in phrases)]
    if state.retracted:
        return
    if not told or state.facts:
        if is_correcting:
            amend_facts(state, turn)
        return
    change = find_respelt(turn, told)
    change = find_change(turn, last) if is_correcting and not change.new else change
    state.facts += change.new
    state.retracted += change.retracted
    if change.new and is_correcting:
        state.amendment = note_amendment(change, turn, find_first_correction(turn))


def name_successors(state: TurnState, turn: TurnClauses) -> None:
    """Who comes in the place of somebody whom the turn parts with, where no verb says so."""
    told = {one.relation for one in state.facts}
    for parted in [one for one in state.retracted if one.is_over and one.relation in DEPARTING - told]:
        found = (find_successor(turn.make_reader(clause), clause, parted) for clause in turn.clauses)
        state.facts += [one for one in found if one is not None][:1]


def is_changing(fact: ClauseFact, turn: TurnClauses, state: TurnState, *, is_now: bool) -> bool:
    """Whether what a fact tells takes the place of what was told in its slot a few turns ago."""
    if is_now or (state.changed and fact.relation == state.changed):
        return True
    return all(is_of_known_event(fact, turn.make_reader(clause)) for clause in turn.clauses)


def take_new_value(reader: PhraseReader, old: HotTriple, state: TurnState) -> None:
    """The value that a clause puts in the place of one that was denied or has ended."""
    if old.relation in HAVING and next((one.has("det") for one in reader.tokens if not one.is_mark), False):
        # "No tengo animales, el gato es de la vecina": of the cat something is told, and it is not the person's.
        return
    value = read_value(reader, find_value_start(reader), old.relation)
    if value and value != old.object and not any(one.relation == old.relation for one in state.facts):
        span = find_span(reader, 0, len(reader.tokens))
        state.facts.append(ClauseFact(old.subject, old.relation, value, span))
        state.retracted.append(old)


def find_value_start(reader: PhraseReader) -> int:
    """Behind "but" within a clause: "nicht mehr Herr Quandt sondern Frau Ilkan"."""
    inner = (at + 1 for at, token in enumerate(reader.tokens) if at and token.has("but"))
    return next(inner, 0)


def takes_up_denial(clause: HotClause) -> bool:
    """ "... but Thursday", "it's Thursday", "se llama Casilda": the value behind one that was denied."""
    words = [token for token in clause.tokens if not token.is_mark]
    if clause.is_asking or words[0].has("asks first"):
        return False
    inner = next((at for at, token in enumerate(words) if at and token.has("but")), 0)
    if inner:
        return not any(token.has("not", "be 3", "have 3", "frame") for token in words[inner + 1 :])
    if any(token.has("not") for token in words):
        return False
    if clause.is_bare:
        return clause.link == "but" or any(token.has("now") for token in words[:1])
    return any(token.has("be 3", "named") for token in words[:3]) and not any(
        token.has("my", "i") for token in words[:2]
    )


def find_respelt(turn: TurnClauses, told: Sequence[HotTriple]) -> HotChange:
    """ "It's Mopsie with an i e", "Noam, not Noa": a name that is nearly one that was told, or stands against it."""
    contrasted = (find_contrasted(turn.make_reader(one), told) for one in join_sentences(turn.clauses))
    plain = [one for one, why in zip(turn.clauses, turn.reasons, strict=True) if why is None]
    exchanged = (find_exchanged(turn.make_reader(one), one, told) for one in plain)
    respelt = (read_respelt(turn.make_reader(clause), told) for clause in turn.clauses)
    return next((change for change in (*contrasted, *exchanged, *respelt) if change.new), HotChange())


def count_words(reader: PhraseReader) -> int:
    return sum(not (token.is_mark or token.has("correcting")) for token in reader.tokens)


def find_change(turn: TurnClauses, last: LastTurn) -> HotChange:
    """The value that a brief correction changes: "I said Truro but I meant Taunton", "no, Hull"."""
    # "Sorry, what happened on Monday?" asks.
    clauses = [clause for clause in turn.clauses if not clause.is_asking]
    phrases = turn.words.phrases
    # Across clauses: "that" of "scratch that it's amoxicillin" stands in the next.
    spoken = " ".join(one.text.strip() for one in clauses)
    is_meant = any(phrase in f" {spoken} " for phrase in phrases["mean"])
    readers = [turn.make_reader(clause) for clause in clauses]
    for reader in readers:
        # "I said Truro but I meant Taunton".
        behind = find_behind_phrase(reader, phrases["correct"])
        is_verbless = not any(token.has("verb", "frame") for token in reader.tokens[behind:])
        if 0 < behind < len(reader.tokens) and (is_meant or is_verbless):
            change = read_elliptic(reader, last.told, behind)
            if change.new and is_correction(change, reader, last, is_meant=is_meant):
                return change
    for clause, reader in zip(clauses, readers, strict=True):
        tokens = reader.tokens
        skip = sum(1 for token in tokens if token.has("correcting")) if tokens[0].has("correcting") else 0
        # What goes on longer tells something else.
        is_brief = count_words(reader) <= LONGEST and (clause.is_bare or opens_with_it(reader, skip))
        if not is_brief or says_only_that(reader, phrases["correct"]):
            continue
        change = read_elliptic(reader, last.told, skip)
        if change.new and is_correction(change, reader, last, is_meant=is_meant):
            return change
    return HotChange()


def opens_with_it(reader: PhraseReader, skip: int) -> bool:
    """ "It's amoxicillin"."""
    return any(token.has("be 3", "named") for token in reader.tokens[skip : skip + 3])


def is_correction(change: HotChange, reader: PhraseReader, last: LastTurn, *, is_meant: bool) -> bool:
    """Whether an apology is more: a value of a kind with the one before it, behind the same preposition, or "I meant".

    "I work at Aviva" and then "oh no, Arsenal lost again" tells of no employer.
    """
    new = change.new[0]
    # "Pardon, Noah": a name alone for a name.
    is_name = new.relation in NAMES and " " not in new.object and count_words(reader) == 1
    if is_meant or is_name or new.relation in OF_A_KIND:
        return True
    before = [token for token in reader.tokens if token.end <= new.span[0] and not token.has("det")][-1:]
    return any(token.has("prep") and token.text in mask_text(last.text).casefold().split() for token in before)
