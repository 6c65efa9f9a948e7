"""Reads one turn: its language, its clauses, what each tells, and what of it is kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from memory.claims.frames.asides import find_asked_events, find_supposed
from memory.claims.frames.beside import read_ages_beside, read_counted, read_introduced
from memory.claims.frames.calling import (
    find_calling,
    find_owned,
    find_thing_called,
    is_called_so,
    read_calling,
)
from memory.claims.frames.clauses import HotClause
from memory.claims.frames.corrections import CEASING, find_ceased, find_replaced
from memory.claims.frames.details import find_duration
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.gapping import cut_gapped
from memory.claims.frames.having import read_having
from memory.claims.frames.heads import HEAD_LAST
from memory.claims.frames.intents import find_intent
from memory.claims.frames.introducing import read_trades_beside
from memory.claims.frames.matching import find_frames
from memory.claims.frames.mentions import HotMention, Kind, MentionStack
from memory.claims.frames.naming import (
    find_span,
    read_apposed,
    read_called,
    read_favorites,
    read_inverted,
    read_presented,
)
from memory.claims.frames.negation import is_ended
from memory.claims.frames.objects import is_place
from memory.claims.frames.parsed import find_parsed
from memory.claims.frames.partings import ends_with_parting, find_courted, find_parted
from memory.claims.frames.phrases import PhraseReader
from memory.claims.frames.predicates import read_predicates
from memory.claims.frames.remembering import open_requests
from memory.claims.frames.retractions import find_changed, read_successor
from memory.claims.frames.settling import LastTurn, settle_turn
from memory.claims.frames.state import TurnClauses, TurnState, mask_text
from memory.claims.frames.status import find_drop
from memory.claims.frames.subjects import find_before, name_subject
from memory.claims.frames.telling import read_frames_of
from memory.claims.frames.triples import DroppedTriple, DropReason, HotReading, HotTriple
from memory.claims.frames.words import DEAD, HotWords, load_hot_words
from memory.claims.frames.workplaces import find_left_employer, read_new_place
from memory.claims.taxonomy import ANIMALS, DEPARTING, DETAILS, HAVING, PEOPLE, THINGS, find_gender
from memory.guard.spelling import fold_letters

NO_PIPELINES: Final[Mapping[str, str]] = {}
# Characters of a turn that are read, and earlier turns that resolve it.
READ: Final = 1000
LAST_TURNS: Final = 4
READ_OF_EARLIER: Final = 300
NOTHING_SPOKEN_OF: Final[tuple[HotMention, ...]] = ()
NOTHING_TOLD: Final[tuple[HotTriple, ...]] = ()
# Words of a clause that only says how long: "been there eleven years now".
LONGEST_AFTERTHOUGHT: Final = 8
LASTING: Final = frozenset(
    {"lives_in", "works_at", "works_as", "has", "owns", "married_to", "friend_of", "likes", "participated_in", "is"}
)


def read_framed(
    text: str, earlier: Sequence[str], language: str, pipelines: Mapping[str, str] = NO_PIPELINES
) -> HotReading:
    """``earlier`` are turns of the same person, oldest first; they resolve pronouns and are not read again.

    ``pipelines`` names a trained spaCy pipeline by language, whose parse is read as well.
    """
    spoken = mask_text(text[:READ])
    reading = read_in_language(opened := open_requests(spoken, language), earlier, language, pipelines)
    # A request that holds no fact is read as it stands: what it bids is in its own words.
    is_told = opened == spoken or reading.triples or reading.retracted
    return reading if is_told else read_in_language(spoken, earlier, language, pipelines)


def resolve_earlier(earlier: Sequence[str], words: HotWords) -> tuple[MentionStack, int]:
    """What the last turns told, and the number of triples before those of the very last one."""
    found, told, begun = NOTHING_SPOKEN_OF, NOTHING_TOLD, 0
    for turn in list(earlier)[-LAST_TURNS:]:
        begun = len(told)
        found, told = read_earlier(turn[:READ_OF_EARLIER], words.language, found, told)
    return MentionStack(list(found), list(told)), begun


@lru_cache(maxsize=1024)
def read_earlier(
    text: str, language: str, found: tuple[HotMention, ...], told: tuple[HotTriple, ...]
) -> tuple[tuple[HotMention, ...], tuple[HotTriple, ...]]:
    """Who was spoken of and what was told behind a turn, of what stood before it. Of a turn read twice, and where what
    has left the last four told nothing, it is the same."""
    words, stack = load_hot_words(language), MentionStack(list(found), list(told))
    for fact in read_clauses(cut_earlier(text, language), stack).facts:
        remember(fact, stack, words)
    return tuple(stack.found), tuple(stack.told)


@lru_cache(maxsize=256)
def cut_earlier(text: str, language: str) -> TurnClauses:
    """A turn resolves four more: cutting them anew took a quarter of the reading."""
    return cut_masked(mask_text(text), language)


@lru_cache(maxsize=256)
def cut_masked(masked: str, language: str) -> TurnClauses:
    """The clauses of a masked turn, kept since the next turns read it again."""
    return TurnClauses.of(masked, load_hot_words(language))


def read_in_language(masked: str, earlier: Sequence[str], language: str, pipelines: Mapping[str, str]) -> HotReading:
    words = load_hot_words(language)
    stack, begun = resolve_earlier(earlier, words)
    turn = cut_masked(masked, language)
    told = list(stack.told)
    stack.earlier = frozenset(one.text for one in stack.found)
    state = read_clauses(turn, stack)
    settle_turn(state, turn, told, LastTurn(told[begun:], earlier[-1] if earlier else ""))
    kept = tuple({one.key: make_triple(one) for one in reversed(state.facts)}.values())[::-1]
    if pipelines:
        taken = [one.key for one in (*kept, *state.retracted)] + [one.triple for one in state.dropped if one.triple]
        kept += tuple(find_parsed(turn.text, turn.clauses, turn.reasons, words, pipelines, taken))
    return HotReading(
        words.language,
        find_intent(turn.clauses, turn.reasons, kept, words, is_correction=bool(state.retracted)),
        kept,
        tuple({one.key: one for one in state.retracted}.values()),
        tuple(state.dropped),
        is_hedged="hedged" in turn.reasons,
        is_negated=state.has_denied,
        known=tuple(told),
        supposed=find_supposed(turn),
        asked=find_asked_events(turn),
        amendment=state.amendment,
    )


def read_clauses(turn: TurnClauses, stack: MentionStack) -> TurnState:
    state = TurnState(stack)
    for at, (clause, reason) in enumerate(zip(turn.clauses, turn.reasons, strict=True)):
        reader = turn.find_reader(at, [one.text for one in stack.found])
        beside = [*turn.clauses[max(0, at - 1) : at], *turn.clauses[at + 1 : at + 2]]
        state.facts += [] if state.is_played or clause.is_supposed else read_introduced(reader, clause, beside)
        read_clause(reader, clause, reason, state)
    return state


def read_clause(reader: PhraseReader, clause: HotClause, reason: DropReason | None, state: TurnState) -> None:
    is_linked = clause.link in {"conj", "but", "rel", "sub", "mark", ""} and bool(state.previous)
    if clause.link == "rel":
        latest = state.stack.find_latest()
        state.previous = (latest.text,) if latest else state.previous
    state.stack.add(find_courted(reader, clause))
    state.changed = find_changed(reader, clause) or state.changed
    state.is_played = state.is_played or clause.says(reader.words.phrases["play"])
    found = list(dict.fromkeys(find_facts(reader, clause, state, is_linked=is_linked)))
    kept: list[ClauseFact] = []
    for fact in found:
        if fact.is_ended and reason in {None, "over"}:
            state.retracted += end_fact(fact, reader, state.stack.told)
            state.has_denied = True
        elif fact.is_denied:
            state.has_denied = True
            deny_fact(state, fact, reason)
        elif why := find_drop(fact, clause, reason, reader.words, is_played=state.is_played or clause.is_supposed):
            drop(state, fact, why)
        else:
            kept.append(replace(fact, replaces=find_replaced(fact, reader)))
    if reason in {None, "over"} and not state.retracted:
        state.retracted += list_ended(reader, clause, state, has_told=bool(kept))
    kept += list(tell_duration(reader, kept, state))
    for fact in kept:
        remember(fact, state.stack, reader.words)
    state.facts += kept
    if reason is not None and not found:
        state.dropped.append(DroppedTriple(reason, reader.cut(0, len(reader.tokens))))
    if reason == "question":
        mention_places(reader, state.stack)
    state.previous = find_clause_subject(reader, state, kept or found)


def deny_fact(state: TurnState, fact: ClauseFact, reason: DropReason | None) -> None:
    """ "Turns out I'm not allergic to penicillin" ends that one is, where it is known."""
    known = [one for one in state.stack.told if one.key == make_triple(fact).key and not one.is_over]
    if known and reason is None:
        state.retracted.append(replace(known[-1], span=fact.span, is_over=True))
    else:
        drop(state, fact, "negated")


def list_ended(reader: PhraseReader, clause: HotClause, state: TurnState, *, has_told: bool) -> Iterable[HotTriple]:
    """What was told before and a clause says to be over, by a frame or by words that end anything."""
    ceased = find_ceased(reader, state.stack.told) if not has_told and says_ended(reader) else None
    return [replace(ceased, is_over=True)] if ceased is not None else find_parted(reader, clause, state.stack.told)


def mention_places(reader: PhraseReader, stack: MentionStack) -> None:
    """ "Is there a tram to Getafe? My niece lives there": a question tells no place, but names one."""
    for at, token in enumerate(reader.tokens[:-1]):
        behind = reader.tokens[at + 1]
        if token.has("prep") and not behind.has("det", "my") and (behind.is_capital or not reader.has_capitals):
            phrase = reader.read_phrase(at + 1, len(reader.tokens))
            if phrase is not None and not phrase.pronoun and is_place(reader, phrase, "lives_in"):
                stack.add(HotMention(phrase.head, "place"))


def says_ended(reader: PhraseReader) -> bool:
    return is_ended(reader) or any(one.frame.is_ending for one in find_frames(reader.tokens, reader.words))


def find_facts(reader: PhraseReader, clause: HotClause, state: TurnState, *, is_linked: bool) -> Iterable[ClauseFact]:
    whole, *others = cut_gapped(reader) or [reader]
    told = list(find_plain_facts(whole, clause, state, is_linked=is_linked))
    if others and all(one.is_presupposed for one in told):
        # "I live with my mum and my brother in Hull": what stands behind the joint belongs to the verb.
        whole, others = reader, []
        told = list(find_plain_facts(reader, clause, state, is_linked=is_linked))
    told += [one for other in others for one in find_plain_facts(other, clause, state, is_linked=False)]
    if clause.says(reader.words.phrases[DEAD]):
        # "Our cat Mog died yesterday" names a cat that they had.
        told = [replace(one, is_ended=True) if one.relation in ANIMALS else one for one in told]
    if ends_with_parting(reader):
        told = [replace(one, is_ended=True) if one.relation in DEPARTING else one for one in told]
    yield from told
    counted = list(read_counted(reader, told))
    yield from read_ages_beside(reader, [*told, *counted])
    yield from read_trades_beside(reader, told)
    yield from counted


def find_plain_facts(
    reader: PhraseReader, clause: HotClause, state: TurnState, *, is_linked: bool
) -> Iterable[ClauseFact]:
    if state.changed:
        yield from read_successor(reader, state.changed)
    yield from read_presented(reader)
    if (calling := find_calling(reader)) is not None:
        yield from call_last(reader, clause, state, calling)
    else:
        yield from read_called(reader, state.stack)
    inverted = list(read_inverted(reader, state.stack))
    yield from inverted
    if inverted:
        return
    if (further := name_further(reader, clause, state)) is not None:
        yield further
        return
    for fact in read_apposed(reader, state.stack):
        remember(fact, state.stack)
        yield fact
    yield from read_favorites(reader)
    frames = find_frames(reader.tokens, reader.words)
    told = list(read_frames_of(reader, state.stack, frames, state.previous, is_linked=is_linked))
    yield from told
    employer = find_left_employer(reader, state.retracted, state.stack.told)
    if employer is not None:
        yield from read_new_place(reader, employer)
    # A frame that finds nothing to tell leaves its words to the others: "I've been vegan for two years".
    found = frames if told else []
    yield from read_predicates(reader, state.stack, found, state.previous, is_linked=is_linked)
    yield from read_having(reader, state.stack, found, state.previous, is_linked=is_linked)


def call_last(reader: PhraseReader, clause: HotClause, state: TurnState, verb: int) -> list[ClauseFact]:
    """ "We have an old van that we call Gustave": whoever has Gustave has no van beside."""
    found = read_calling(reader, state.stack, clause, verb)
    if found and found[0].relation != "name":
        told = find_owned(state.stack.told)
        state.facts = [one for one in state.facts if not is_called_so(one, found[0], told)]
    return found


def name_further(reader: PhraseReader, clause: HotClause, state: TurnState) -> ClauseFact | None:
    """ "Two kids, Mila who is 6 and Jonah who just turned 3": Jonah is what Mila is."""
    names = [at for at, token in enumerate(reader.tokens) if not token.is_mark and not token.has("conj")]
    if clause.link != "conj" or not clause.is_bare or len(names) != 1 or not reader.is_sure_name_at(names[0]):
        return None
    kin = (one for one in reversed(state.facts) if one.relation in PEOPLE | ANIMALS)
    before = next(kin, None)
    if before is None:
        return None
    span = find_span(reader, names[0], names[0] + 1)
    return replace(before, object=reader.cut(names[0], names[0] + 1), span=span)


def find_told(fact: ClauseFact, told: Sequence[HotTriple]) -> HotTriple:
    """What has ended as it was told: "sold the boat" ends what somebody has, "left Ghent" where they live."""
    same = (one for one in reversed(told) if one.subject == fact.subject and one.object == fact.object)
    called = find_thing_called(fact.object, told)
    return next((one for one in same if one.relation in CEASING | THINGS), called or make_triple(fact))


def end_fact(fact: ClauseFact, reader: PhraseReader, told: Sequence[HotTriple]) -> list[HotTriple]:
    ended = find_told(fact, told)
    # "We left Jude at nursery", "ha lasciato la moglie": who is left is no place of work.
    return [] if is_somebody(ended, reader, told) else [replace(ended, span=fact.span, is_over=True)]


def is_somebody(ended: HotTriple, reader: PhraseReader, told: Sequence[HotTriple]) -> bool:
    if ended.relation not in {"works_at", "lives_in"}:
        return False
    noun = reader.words.nouns.get(fold_letters(ended.object), "")
    return noun in PEOPLE or any(one.object == ended.object and one.relation in PEOPLE | ANIMALS for one in told)


def tell_duration(reader: PhraseReader, facts: Sequence[ClauseFact], state: TurnState) -> Iterable[ClauseFact]:
    """For how long the main fact of a clause, or of the one before where it tells none, has been so."""
    found = find_duration(reader)
    told = facts or (state.facts if len(reader.tokens) <= LONGEST_AFTERTHOUGHT else ())
    if found is None and facts and state.waiting is not None:
        found = (state.waiting, 0, 1)
    # "Ça fait six ans que j'habite ici": how long stands before what.
    state.waiting = found[0] if found is not None and not told else None
    main = next((one for one in reversed(told) if one.relation in LASTING and not one.is_presupposed), None)
    if found is not None and main is not None and not any(one.relation == "duration" for one in facts):
        yield ClauseFact(main.object, "duration", found[0], find_span(reader, found[1], found[2]))


def find_clause_subject(reader: PhraseReader, state: TurnState, facts: Sequence[ClauseFact]) -> tuple[str, ...]:
    """Whom the next clause is about where it names nobody."""
    main = [one for one in facts if not one.is_presupposed and one.relation not in DETAILS]
    if main:
        first = main[0].relation
        return tuple(dict.fromkeys(one.subject for one in main if one.relation == first))
    verb = next(
        (
            at
            for at, token in enumerate(reader.tokens)
            if token.has("verb", "frame", "be 1", "be 3", "have 1", "have 3")
            and reader.words.nouns.get(token.plain) not in PEOPLE
        ),
        len(reader.tokens),
    )
    phrases = find_before(reader, verb)
    subject = name_subject(phrases, state.stack) if phrases else None
    return subject.names if subject is not None and subject.is_known else ()


def remember(fact: ClauseFact, stack: MentionStack, words: HotWords | None = None) -> None:
    stack.add_triple(make_triple(fact))
    if words is None or fact.relation not in HAVING:
        return
    spoken = fact.object.split()
    # "Un hermano mayor" is a brother, and "a pet rabbit" a rabbit.
    heads = reversed(spoken) if words.language in HEAD_LAST else spoken
    named = (words.nouns.get(fold_letters(word)) for word in heads)
    relation = next((one for one in named if one is not None), "")
    if relation:
        kind: Kind = "person" if relation in PEOPLE else "animal" if relation in ANIMALS else "thing"
        stack.add(HotMention(fact.object, kind, find_gender(relation), relation, is_noun=True, owner=fact.subject))


def drop(state: TurnState, fact: ClauseFact, reason: DropReason) -> None:
    state.dropped.append(DroppedTriple(reason, " ".join(fact.key), fact.key))


def make_triple(fact: ClauseFact) -> HotTriple:
    return HotTriple(fact.subject, fact.relation, fact.object, fact.span, fact.confidence)
