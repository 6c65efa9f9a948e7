"""The claims of one sentence: what its clauses tell, and what its words fill that no clause tells.

`reader` decides which sentences are read at all and what of the claims is believed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory.claims.claim import Claim
from memory.claims.clauses.building import LONGEST, build_claim, find_language, word_statement
from memory.claims.clauses.completion import complete_clause
from memory.claims.clauses.cutting import ClauseTokens, cut_clauses
from memory.claims.clauses.general import find_general_claim
from memory.claims.clauses.grouping import ClauseGroup, find_wish, group_clauses
from memory.claims.clauses.rejection import find_statement_end, has_within
from memory.claims.dates.agenda import name_occasion, tells_only_time
from memory.claims.health.asked_doses import find_told_dose
from memory.claims.health.denials import find_denied
from memory.claims.health.doses import put_known
from memory.claims.health.findings import is_found, read_found_slots
from memory.claims.health.moved_doses import put_moved_dose
from memory.claims.lexicon import MARK
from memory.claims.slots.claiming import claim_moved, claim_slot, claim_uncovered, find_whose, is_of_stranger
from memory.claims.slots.denied import deny_behind
from memory.claims.slots.filling import fill_claims, holds_more
from memory.claims.slots.fitting import fit_claim
from memory.claims.slots.framed import join_slots
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch, overlaps
from memory.claims.slots.resolution import VALUED
from memory.claims.slots.sharing import share_slots
from memory.claims.succession import (
    find_moved,
    find_new_number,
    find_renamed,
    follow_known,
    is_no_event,
    settle_language,
    tells_part,
)
from memory.claims.voices.suppositions import put_ahead
from memory.guard import find_refusal
from memory.guard.annotation import AnnotatedText, Sentence


def read_sentence(
    sentence: Sentence,
    whole: AnnotatedText,
    mentions: frozenset[str],
    place: int,
    slots: Sequence[SlotMatch] = (),
    known: Sequence[KnownSlot] = (),
    before: str = "",
) -> Iterable[Claim]:
    """``slots`` is what the words of the sentence fill, ``before`` the sentence whose subject a pronoun may mean."""
    tokens, language = cut_clauses(sentence), find_language(whole) or "en"
    told = read_clauses(sentence, tokens, whole, mentions, place)
    moved = find_moved(sentence.raw, language, known) or find_renamed(sentence.raw, language, known)
    told_of = {one.subject for one in known if one.relation in VALUED}
    moved = moved or next((slot for slot in slots if slot.relation in VALUED and slot.subject in told_of), None)
    if moved is not None:
        if tells_only_time(sentence.raw, language):
            # "A partir de ahora a las tres y cuarto, los miércoles" is no manner of answering, and a quarter no job.
            told, slots = [], [slot for slot in slots if slot.relation == moved.relation]
        told = [claims for claims in told if holds_more(claims, moved, place)]
        # "Wouldn't Fridays be better?" moves nothing.
        is_asked = sentence.is_question and {moved.relation, *(slot.relation for slot in slots)} == {"time"}
        told = told if told or is_asked else [[claim_moved(sentence, moved, tokens, place, language)]]
    own = [slot for slot in slots if not is_of_stranger(slot, sentence, tokens) or is_found(slot, sentence)]
    if not any(told) and (own or not slots):
        told = [[claim] for slot in own if (claim := claim_slot(sentence, slot, tokens, place, language, before))]
    if told:
        told += [[claim] for slot in slots if (claim := claim_uncovered(sentence, slot, told, tokens, place, language))]
    for claims in filter(None, told):
        has_capitals = sentence.raw[:1].isupper()
        filled = fill_claims(claims, sentence, tokens, slots, place, known, before)
        filled = (complete_clause(one, sentence, tokens, place, language, known) for one in filled)
        fitted = (fit_claim(put_ahead(one, sentence), has_capitals=has_capitals) for one in filled)
        yield from filter(None, fitted)


def read_clauses(
    sentence: Sentence, tokens: ClauseTokens, whole: AnnotatedText, mentions: frozenset[str], place: int
) -> list[list[Claim]]:
    """The claims of each group of clauses, first of the clauses before them, or of all where no group claims any."""
    groups = group_clauses(sentence, tokens, whole, mentions)
    told = [claims for group in groups if (claims := list(read_group(sentence, tokens, group, whole, place)))]
    end = groups[0].start if told else len(sentence.words)
    if not sentence.is_question and end > 0:
        told.insert(0, list(read_general(sentence, tokens, end, whole, mentions, place)))
        if not any(told) and (end := find_wish(sentence, tokens)) < len(sentence.words):
            told = [list(read_general(sentence, tokens, end, whole, mentions, place))]
    return told


def find_sentence_slots(
    sentence: Sentence, whole: AnnotatedText, known: Sequence[KnownSlot], framed: Sequence[SlotMatch] = ()
) -> list[SlotMatch]:
    """The slots that the words of a sentence fill, each with the value that was told before if it takes its place."""
    raw, language, tokens = sentence.raw, find_language(whole) or "en", cut_clauses(sentence)
    read = deny_behind(join_slots(read_found_slots(sentence, whole.languages, known), framed), sentence, tokens)
    owned = [find_whose(slot, sentence, tokens, known) for slot in read]
    told = share_slots(owned, raw, whole.languages, language, known)
    named = (settle_language(name_occasion(slot, raw, language), raw, language, known) for slot in told)
    told = [slot for slot in named if slot is not None]
    slots = [follow_known(slot, raw, language, known) for slot in told if not is_no_event(slot, language, known)]
    if sentence.is_question:
        # "Can we talk about Wednesday's meeting instead?" moves nothing.
        return [*slots, *find_told_dose(raw, language, known)]
    numbers = find_new_number(raw, language)
    slots = put_known(slots, [*find_denied(raw, language, known), *numbers])
    if (dosed := put_moved_dose(slots, raw, language, known)) is not None:
        return dosed
    moved = find_moved(raw, language, known) or find_renamed(raw, language, known)
    if moved is None:
        return slots
    # What reads the same value without what it takes the place of says less.
    key = moved.subject, moved.relation, moved.object
    slots = [slot for slot in slots if slot.replaces or (slot.subject, slot.relation, slot.object) != key]
    slots = [slot for slot in slots if slot.replaces or not tells_part(slot, moved)]
    return slots if any(overlaps(slot.object_span, moved.object_span) for slot in slots) else [*slots, moved]


def read_group(
    sentence: Sentence, tokens: ClauseTokens, group: ClauseGroup, whole: AnnotatedText, place: int
) -> Iterable[Claim]:
    if (end := find_statement_end(sentence, group)) is None:
        return
    start = group.openings[0].start
    statement = word_statement(sentence, tokens, start, end)
    if len(statement) > LONGEST or not statement:
        return
    span = (place + tokens.starts[start], place + tokens.ends[end - 1])
    for opening in group.openings:
        claim = build_claim(sentence, tokens, opening, end, statement, span, whole)
        # "I live in Leeds and remember that I'm allergic": the request stands within the sentence.
        is_request = has_within(sentence, group.start, start, MARK + "remember")
        yield replace(claim, is_request=is_request) if is_request else claim


def read_general(
    sentence: Sentence,
    tokens: ClauseTokens,
    end: int,
    whole: AnnotatedText,
    mentions: frozenset[str],
    place: int,
) -> Iterable[Claim]:
    """What the clauses before the first group tell, or all of them, where they tell something of the person."""
    opening = find_general_claim(sentence, 0, end, mentions)
    if opening is None:
        return
    statement = word_statement(sentence, tokens, opening.start, end)
    if len(statement) <= LONGEST and statement and find_refusal(statement) is None:
        span = (place + tokens.starts[opening.start], place + tokens.ends[end - 1])
        yield build_claim(sentence, tokens, opening, end, statement, span, whole)
