"""Reads one turn: its language, its clauses, what each tells, and what of it is kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from knowledge_graph.hotmem.reading.claimed import read_claimed_turn
from knowledge_graph.hotmem.reading.clauses import HotClause, cut_turn
from knowledge_graph.hotmem.reading.corrections import (
    HotChange,
    answers_no,
    find_contradicted,
    find_replaced,
    is_correcting,
    read_elliptic,
    read_value,
)
from knowledge_graph.hotmem.reading.details import find_duration
from knowledge_graph.hotmem.reading.facts import ClauseFact
from knowledge_graph.hotmem.reading.frames import find_frames
from knowledge_graph.hotmem.reading.having import read_having
from knowledge_graph.hotmem.reading.intents import find_intent
from knowledge_graph.hotmem.reading.languages import find_turn_languages
from knowledge_graph.hotmem.reading.mentions import HotMention, Kind, MentionStack
from knowledge_graph.hotmem.reading.naming import find_span, read_apposed, read_called, read_favorites
from knowledge_graph.hotmem.reading.phrases import PhraseReader
from knowledge_graph.hotmem.reading.predicates import read_new_employer, read_predicates
from knowledge_graph.hotmem.reading.status import find_reason
from knowledge_graph.hotmem.reading.subjects import find_before, name_subject
from knowledge_graph.hotmem.reading.taxonomy import ANIMALS, DETAILS, PEOPLE, find_gender, is_single
from knowledge_graph.hotmem.reading.telling import read_frames_of
from knowledge_graph.hotmem.reading.tokens import read_hot_tokens
from knowledge_graph.hotmem.reading.triples import DroppedTriple, DropReason, HotReading, HotTriple
from knowledge_graph.hotmem.reading.words import LANGUAGES, HotWords, load_hot_words
from memory.claims.voices import mask_other_voices
from memory.guard.spelling import fold_letters, normalise_text

# Characters of a turn that are read, and earlier turns that resolve it.
READ: Final = 1000
LAST_TURNS: Final = 4
READ_OF_EARLIER: Final = 300
# Words of a clause that only says how long: "been there eleven years now".
LONGEST_AFTERTHOUGHT: Final = 8
LASTING: Final = frozenset(
    {"lives_in", "works_at", "works_as", "has", "owns", "married_to", "friend_of", "likes", "participated_in", "is"}
)


@dataclass(slots=True)
class TurnState:
    """What is carried from clause to clause."""

    stack: MentionStack
    previous: tuple[str, ...] = ()
    facts: list[ClauseFact] = field(default_factory=list)
    dropped: list[DroppedTriple] = field(default_factory=list)
    retracted: list[HotTriple] = field(default_factory=list)
    has_denied: bool = False
    waiting: str | None = None


def read_turn(text: str, earlier: Sequence[str] = (), lang: str | None = None) -> HotReading:
    """``earlier`` are turns of the same person, oldest first; they resolve pronouns and are not read again."""
    languages = (lang,) if lang else find_turn_languages(text, earlier)
    readings = [read_turn_in(text, earlier, language) for language in languages]
    # The one that tells most; of equal ones the likeliest, which is first.
    return max(readings, key=lambda one: len(one.triples) + len(one.retracted))


def read_turn_in(text: str, earlier: Sequence[str], language: str) -> HotReading:
    if language not in LANGUAGES:
        return read_claimed_turn(text, earlier, language)
    words = load_hot_words(language)
    stack = MentionStack()
    for turn in list(earlier)[-LAST_TURNS:]:
        for fact in read_clauses(turn[:READ_OF_EARLIER], words, stack).facts:
            remember(fact, stack, words)
    return read_in_language(text[:READ], words, stack)


def read_in_language(text: str, words: HotWords, stack: MentionStack) -> HotReading:
    told = list(stack.told)
    masked = mask_text(text)
    clauses = cut_turn(read_hot_tokens(masked, words), words)
    reasons = [find_reason(clauses, at, words) for at in range(len(clauses))]
    state = read_clauses(text, words, stack, clauses, reasons)
    correct(state, masked, clauses, words, told)
    kept = tuple({one.key: make_triple(one) for one in reversed(state.facts)}.values())[::-1]
    return HotReading(
        words.language,
        find_intent(clauses, reasons, kept, words, is_correction=bool(state.retracted), has_denied=state.has_denied),
        kept,
        tuple({one.key: one for one in state.retracted}.values()),
        tuple(state.dropped),
        is_hedged="hedged" in reasons,
        is_negated=state.has_denied,
    )


def mask_text(text: str) -> str:
    return mask_other_voices(normalise_text(text)).replace("’", "'")


def read_clauses(
    text: str,
    words: HotWords,
    stack: MentionStack,
    clauses: Sequence[HotClause] | None = None,
    reasons: Sequence[DropReason | None] = (),
) -> TurnState:
    masked = mask_text(text)
    if clauses is None:
        clauses = cut_turn(read_hot_tokens(masked, words), words)
        reasons = [find_reason(clauses, at, words) for at in range(len(clauses))]
    has_capitals = marks_names(masked, clauses, words)
    state = TurnState(stack)
    sentence = -1
    for at, clause in enumerate(clauses):
        if clause.sentence != sentence:
            sentence = clause.sentence
            state.previous = () if not state.previous else state.previous
        names = frozenset(one.text for one in stack.found)
        reader = PhraseReader(masked, clause.tokens, words, has_capitals, names)
        read_clause(reader, clause, reasons[at], state)
    return state


def marks_names(text: str, clauses: Sequence[HotClause], words: HotWords) -> bool:
    """Whether the turn writes capitals, so that a small letter says that a word is no name."""
    first = {clause.tokens[0].start for clause in clauses if clause.tokens}
    tokens = [token for clause in clauses for token in clause.tokens if not token.is_mark]
    if any(token.is_capital and token.start not in first for token in tokens):
        return True
    return bool(tokens) and tokens[0].is_capital and words.language == "de"


def read_clause(reader: PhraseReader, clause: HotClause, reason: DropReason | None, state: TurnState) -> None:
    is_linked = clause.link in {"conj", "but", "rel", "sub", "mark", ""} and bool(state.previous)
    if clause.link == "rel":
        latest = state.stack.resolve("any")
        state.previous = (latest.text,) if latest else state.previous
    found = list(dict.fromkeys(find_facts(reader, clause, state, is_linked=is_linked)))
    kept: list[ClauseFact] = []
    for fact in found:
        if fact.is_ended and reason in {None, "over"}:
            state.retracted.append(replace(find_told(fact, state.stack.told), is_over=True))
            state.has_denied = True
        elif fact.is_denied:
            state.has_denied = True
            drop(state, fact, "negated")
        elif reason is not None and not fact.is_presupposed:
            drop(state, fact, reason)
        else:
            kept.append(replace(fact, replaces=find_replaced(fact, reader)))
    kept += list(tell_duration(reader, kept, state))
    for fact in kept:
        remember(fact, state.stack, reader.words)
    state.facts += drop_doubles(kept)
    if reason is not None and not found:
        state.dropped.append(DroppedTriple(reason, reader.cut(0, len(reader.tokens))))
    state.previous = find_clause_subject(reader, state, kept or found)


def find_facts(reader: PhraseReader, clause: HotClause, state: TurnState, *, is_linked: bool) -> Iterable[ClauseFact]:
    yield from read_called(reader, state.stack)
    for fact in read_apposed(reader, state.stack):
        remember(fact, state.stack)
        yield fact
    yield from read_favorites(reader, state.stack)
    frames = find_frames(reader.tokens, reader.words)
    told = list(read_frames_of(reader, state.stack, frames, state.previous, is_linked=is_linked))
    yield from told
    if any(one.relation == "works_at" for one in state.retracted):
        yield from read_new_employer(reader)
    # A frame that finds nothing to tell leaves its words to the others: "I've been vegan for two years".
    found = frames if told else []
    yield from read_predicates(reader, state.stack, found, state.previous, is_linked=is_linked)
    yield from read_having(reader, state.stack, found, state.previous, is_linked=is_linked)


def find_told(fact: ClauseFact, told: Sequence[HotTriple]) -> HotTriple:
    """What has ended in the words it was told in: "sold the boat" ends what somebody has."""
    same = (one for one in reversed(told) if one.subject == fact.subject and one.object == fact.object)
    return next((one for one in same if {one.relation, fact.relation} <= {"has", "owns"}), make_triple(fact))


def drop_doubles(facts: Sequence[ClauseFact]) -> list[ClauseFact]:
    """Without what a name beside it says better: "has a dog" where the dog is named."""
    named = {(one.subject, one.relation) for one in facts}
    del named
    return list(facts)


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
        ),
        len(reader.tokens),
    )
    phrases = find_before(reader, verb)
    subject = name_subject(phrases, reader, state.stack) if phrases else None
    return subject.names if subject is not None and subject.is_known else ()


def correct(
    state: TurnState, masked: str, clauses: Sequence[HotClause], words: HotWords, told: Sequence[HotTriple]
) -> None:
    correcting = is_correcting(clauses, words) or (bool(told) and answers_no(clauses))
    for fact in list(state.facts):
        if fact.replaces and fact.replaces != fact.object:
            state.retracted.append(HotTriple(fact.subject, fact.relation, fact.replaces, fact.span))
        elif correcting and (known := find_contradicted(fact, told)) is not None:
            state.retracted.append(known)
    denied = [one for one in state.dropped if one.reason == "negated" and one.triple is not None]
    for one in denied:
        # "He doesn't live in Hull, he lives in Hessle".
        if one.triple is not None and any(
            (fact.subject, fact.relation) == one.triple[:2] and is_single(fact.relation) for fact in state.facts
        ):
            state.retracted.append(HotTriple(*one.triple))
    for clause in clauses:
        if not denied or not takes_up_denial(clause):
            continue
        reader = PhraseReader(masked, clause.tokens, words, marks_names(masked, clauses, words))
        old = denied[-1].triple
        value = read_value(reader, 0, old[1]) if old is not None else ""
        if old is not None and value and value != old[2] and not any(one.relation == old[1] for one in state.facts):
            state.facts.append(ClauseFact(old[0], old[1], value, find_span(reader, 0, len(clause.tokens))))
            state.retracted.append(HotTriple(*old))
    if correcting and not state.facts and not state.retracted:
        change = find_change(clauses, masked, words, told)
        state.facts += change.new
        state.retracted += change.retracted


def takes_up_denial(clause: HotClause) -> bool:
    """ "... but Thursday", "it's Thursday": the value behind one that was denied."""
    words = [token for token in clause.tokens if not token.is_mark]
    if any(token.has("not") for token in words):
        return False
    if clause.is_bare:
        return clause.link == "but"
    return any(token.has("be 3") for token in words[:2]) and not any(token.has("my", "i") for token in words[:2])


def find_change(clauses: Sequence[HotClause], masked: str, words: HotWords, told: Sequence[HotTriple]) -> HotChange:
    for clause in clauses:
        reader = PhraseReader(masked, clause.tokens, words, marks_names(masked, clauses, words))
        skip = sum(1 for token in clause.tokens if token.has("correcting")) if clause.tokens[0].has("correcting") else 0
        change = read_elliptic(reader, told, skip)
        if change.new:
            return change
    return HotChange()


def remember(fact: ClauseFact, stack: MentionStack, words: HotWords | None = None) -> None:
    stack.add_triple(make_triple(fact))
    if words is None or fact.relation not in {"owns", "has"}:
        return
    named = (words.nouns.get(fold_letters(word)) for word in reversed(fact.object.split()))
    relation = next((one for one in named if one is not None), "")
    if relation:
        kind: Kind = "person" if relation in PEOPLE else "animal" if relation in ANIMALS else "thing"
        stack.add(HotMention(fact.object, kind, find_gender(relation), relation, is_noun=True, owner=fact.subject))


def drop(state: TurnState, fact: ClauseFact, reason: DropReason) -> None:
    state.dropped.append(DroppedTriple(reason, " ".join(fact.key), fact.key))


def make_triple(fact: ClauseFact) -> HotTriple:
    return HotTriple(fact.subject, fact.relation, fact.object, fact.span, fact.confidence)
