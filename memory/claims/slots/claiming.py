"""Claims of what fills a slot for sure, in clauses that no opening knows."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import LONGEST, list_order_words, tell_tense, word_statement
from memory.claims.clauses.cutting import ClauseTokens, find_heads
from memory.claims.clauses.general import NOT_PLAIN, PLANNED, is_plain, stands_apart
from memory.claims.constraints import ANYTHING, STYLE, find_constraint
from memory.claims.health.diets import is_eaten_again, is_intolerance
from memory.claims.health.findings import LIMITING, is_found
from memory.claims.health.prescriptions import is_prescribed
from memory.claims.lexicon import MARK
from memory.claims.relations import UNSURE, WORDED
from memory.claims.slots.filling import word_slot
from memory.claims.slots.framed import FRAMED, INTRODUCED
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch
from memory.claims.slots.nouns import NAMED, is_person_or_animal
from memory.claims.slots.sharing import SHARED
from memory.claims.subjects import PRONOUN, find_kin_before, find_name_before, find_subject_of_is
from memory.claims.taxonomy import ANIMALS, PARTNERS
from memory.claims.voices.suppositions import is_of_calendar
from memory.guard import judge_write
from memory.guard.annotation import Sentence

# What "is" says of its subject.
PREDICATED: Final = frozenset({"allergic_to", "intolerant_to", "has_condition", "diet", "is", "works_as", "religion"})
# What is told of whoever is named before it.
OF_NAMED: Final = PREDICATED | SHARED | {"has", "owns", "drives", "age", "birthday"}
# "Citalopram wurde auf 10 mg reduziert" is no plan either.
NO_PLAN: Final = frozenset({"age", "takes_dose"})
# Where somebody has moved to, and what they have begun.
SETTLED: Final = frozenset({"lives_in", "works_at", "works_as", "school"}) | ANIMALS
# What a clause with a date must not hold: by a word of plans it is as sure.
DATED_APART: Final = tuple(kind for kind in NOT_PLAIN if kind != MARK + "plan")
WORD: Final = re.compile(r"[^\W_]+")
# Words between "my" and a noun: "my old neighbour".
MOST_ADJECTIVES: Final = 1
SURE_OF_OTHERS: Final = frozenset(
    {"school", "works_at", "lives_in", "works_as", "age", "birthday", "allergic_to", "has_condition", "diet", "car"}
)


def find_whose(slot: SlotMatch, sentence: Sentence, tokens: ClauseTokens, known: Sequence[KnownSlot] = ()) -> SlotMatch:
    """ "My neighbour Tom is diabetic and allergic to bees": what is joined to what somebody else is, is theirs.

    A template that names no subject took it for the person's own in every language. ``known`` was told before.
    """
    if slot.subject == SPEAKER and slot.relation in OF_NAMED and (named := find_named(slot, sentence, tokens, known)):
        return replace(slot, subject=named)
    is_done = slot.relation == "takes" or (slot.is_over and slot.relation in {"works_at", "lives_in"})
    if slot.subject != SPEAKER or not (is_done or slot.relation in PREDICATED):
        return slot
    place = tokens.find_word(slot.object_span[0])
    if is_done:
        # "My sister came off sertraline", "my brother has left Tesco"; "my doctor stopped it" is of the person.
        return replace(slot, subject=find_kin_before(sentence, place) or SPEAKER)
    return replace(slot, subject=find_subject_of_is(sentence, place) or SPEAKER)


def find_named(slot: SlotMatch, sentence: Sentence, tokens: ClauseTokens, known: Sequence[KnownSlot]) -> str:
    """Who does what a slot tells, where a name opens its clause and nothing before it speaks of the person:
    "Carlos ha encontrado trabajo en", "la Bia tem alergia a"."""
    first = tokens.find_word(slot.start)
    pieces = (piece for segment in tokens.segments for piece in segment)
    piece = next((one for one in pieces if one[0] <= first < one[1]), None)
    if piece is None:
        return ""
    head = find_heads(sentence, *piece)
    own = sentence.spans(MARK + "i", MARK + "i am", MARK + "self", MARK + "my", MARK + "have", "me")
    if any(head <= at < first for at, _ in own):
        return ""
    told = frozenset(one.object for one in known if is_person_or_animal(one.relation))
    return find_name_before(sentence, head, first, told)


def is_of_stranger(slot: SlotMatch, sentence: Sentence, tokens: ClauseTokens) -> bool:
    """What strangers are and do is nobody's business here: "the neighbour lives in Leeds", "the nurse is 34".

    "My manager" is none, and "Grace works as a nurse" names one only in what she does.
    """
    first, last = slot.object_span
    near = sentence.spans(MARK + "noun neighbor")
    others = (span for span in sentence.spans("stranger") if span in near or not is_owned(sentence, span))
    return any(not first <= tokens.starts[at] < last for at, _ in (*near, *others))


def is_owned(sentence: Sentence, span: tuple[int, int]) -> bool:
    """Whether "my" stands before it, or behind it as in Hebrew."""
    return sentence.has_before(span[0], MOST_ADJECTIVES, MARK + "my") or sentence.has_at(span[1], MARK + "my")


def claim_slot(
    sentence: Sentence, slot: SlotMatch, tokens: ClauseTokens, place: int, language: str, before: str = ""
) -> Claim | None:
    """A clause that no opening knows, but that fills a slot for sure: "my account's with Northbank, the app is bad"."""
    # "J'ai la dalle": what the person has and likes is often said in passing; of others it is told.
    is_sure = slot.relation not in UNSURE or (slot.weight >= FRAMED and slot.subject != SPEAKER)
    is_told_of = is_sure and (slot.weight >= FRAMED or is_person_slot(slot))
    # "They took me off the amlodipine".
    is_resumed = is_eaten_again(slot.relation, slot.object, sentence.raw)
    # "Jodie can't have dairy" forbids the assistant nothing.
    is_food = is_resumed or is_intolerance(slot.relation, slot.object)
    is_finding = is_found(slot, sentence)
    is_known = is_told_of or is_resumed or is_finding or is_prescribed(slot.relation, slot.object)
    # "Ich glaub ich bin gegen Haselnüsse allergisch" waits for the doctor.
    is_guessed = slot.relation in PREDICATED and sentence.has(MARK + "hedge")
    if asks_for(sentence, slot) or slot.weight == 0 or is_guessed or not is_known:
        return None
    piece = find_stretch(tokens, slot)
    # "Trueno se nos fue anoche" is no passing matter.
    is_parted = slot.is_over and slot.weight >= FRAMED and slot.relation in ANIMALS | PARTNERS
    # "A Clara fez 9 anos ontem": who had a birthday yesterday is that old today.
    is_told = is_parted or is_finding or slot.weight == NAMED or (slot.weight >= FRAMED and slot.relation in NO_PLAN)
    is_told = is_told or is_resumed or (piece is not None and is_settled(sentence, slot, piece, language))
    if piece is not None and not (is_told or is_plain(sentence, *piece)):
        # "I'm a teacher and tomorrow there's a meeting": what passes stands behind the joint.
        piece = next((one for one in find_clauses(tokens, slot) if is_plain(sentence, *one)), None)
    if piece is None:
        return None
    piece = skip_joint(sentence, piece), find_limited_end(sentence, tokens, piece[1])
    statement = word_slot(sentence, tokens, slot, piece, before)
    tense = tell_tense(sentence, *piece)
    # "Ich bin gerade nach Bonn gezogen" holds tomorrow, whatever "gerade" sounds like.
    is_sure = is_parted or is_finding or is_food or has_begun(sentence, slot, piece)
    # "J'ai de l'hypertension" is not being hyper.
    is_meant = is_sure or slot.relation in LIMITING or slot.relation not in UNSURE | WORDED
    if not statement or len(statement) > LONGEST or is_refused(statement, is_sure=is_meant):
        return None
    span = (place + tokens.starts[piece[0]], place + tokens.ends[piece[1] - 1])
    return Claim(slot.subject, slot.relation, slot.object, statement, span, lang=language, tense=tense, is_sure=is_sure)


def asks_for(sentence: Sentence, slot: SlotMatch) -> bool:
    """ "Ich bin Timo 19 Azubi in Rostock, kannst du mir helfen?": who presents themselves asks nothing by that."""
    return sentence.is_question and not is_introduced(slot)


def is_introduced(slot: SlotMatch) -> bool:
    """What frames read of who says their name, for which they leave out what is asked."""
    is_beside = slot.relation in INTRODUCED and slot.is_explicit
    return slot.weight >= FRAMED and slot.subject == SPEAKER and (is_beside or slot.relation == "name")


def skip_joint(sentence: Sentence, piece: tuple[int, int]) -> int:
    """ "Der Arzt sagt, dass meine Mutter Diabetes hat": what she has begins behind the "dass"."""
    is_behind = sentence.words[piece[0]] in list_order_words("verb behind")
    return piece[0] + (is_behind and piece[0] + 1 < piece[1])


def has_begun(sentence: Sentence, slot: SlotMatch, piece: tuple[int, int]) -> bool:
    """ "Started at Aldi this week" goes on; "I might start at Aldi this week" is a plan."""
    is_settled = slot.weight >= FRAMED and slot.relation in SETTLED and tell_tense(sentence, *piece) == "new"
    return is_settled and not stands_apart(sentence, *piece, *PLANNED)


def is_settled(sentence: Sentence, slot: SlotMatch, piece: tuple[int, int], language: str) -> bool:
    return has_begun(sentence, slot, piece) or is_dated(sentence, slot, piece, language)


def is_dated(sentence: Sentence, slot: SlotMatch, piece: tuple[int, int], language: str) -> bool:
    """ "Our wedding is on 19 June next year", "I have an interview on 8 June": what is to come is as sure."""
    is_event = slot.relation == "time" and slot.weight >= FRAMED and slot.subject not in {SPEAKER, PRONOUN}
    has_day = any(is_of_calendar(word, language) for word in WORD.findall(slot.object))
    return is_event and has_day and not stands_apart(sentence, *piece, *DATED_APART)


def is_refused(statement: str, *, is_sure: bool) -> bool:
    """Of what is surely meant only what a rule knows: secrets and orders, and no suspicion."""
    judged = judge_write(statement)
    return (judged.refusal if is_sure else judged.objection) is not None


def find_stretch(tokens: ClauseTokens, slot: SlotMatch) -> tuple[int, int] | None:
    """The words between marks that hold a slot, from where its words begin."""
    stretches = [(segment[0][0], segment[-1][1]) for segment in tokens.segments]
    held = (one for one in stretches if tokens.starts[one[0]] <= slot.object_span[0] < tokens.ends[one[1] - 1])
    piece = next(held, None)
    if piece is None or slot.weight < FRAMED:
        return piece
    begun = (first for first, last in stretches if slot.start < tokens.ends[last - 1])
    return min(next(begun, piece[0]), piece[0]), piece[1]


def find_limited_end(sentence: Sentence, tokens: ClauseTokens, end: int) -> int:
    """ "Papa a fait un infarctus, du coup régime sans sel": the limit that follows, of nobody else, is part of it."""
    behind = next(((one[0][0], one[-1][1]) for one in tokens.segments if one[0][0] == end), None)
    if behind is None or any(behind[0] <= at < behind[1] for at, _ in sentence.spans("me", MARK + "i", MARK + "my")):
        return end
    limited = find_constraint(sentence.raw[tokens.starts[behind[0]] : tokens.ends[behind[1] - 1]])
    return behind[1] if limited - {STYLE, ANYTHING} else end


def find_clauses(tokens: ClauseTokens, slot: SlotMatch) -> list[tuple[int, int]]:
    """The clause between joints that holds a slot that a frame reads of the person, from its verb on."""
    if slot.weight < FRAMED or slot.subject != SPEAKER:
        return []
    pieces = [piece for segment in tokens.segments for piece in segment]
    begun, told = slot.start, slot.object_span[0]
    return [one for one in pieces if tokens.starts[one[0]] <= begun and told < tokens.ends[one[1] - 1]]


def claim_uncovered(
    sentence: Sentence,
    slot: SlotMatch,
    told: Sequence[Sequence[Claim]],
    tokens: ClauseTokens,
    place: int,
    language: str,
) -> Claim | None:
    """A slot of the person beside the clauses that claim something: "I'm twenty-nine and work at the bank"."""
    at = place + slot.object_span[0]
    # "I'm 34 and I live in Hull", "Frau Kurz ist in Rente, jetzt ist Herr Lang mein Chef".
    is_framed = slot.weight >= FRAMED and slot.relation not in UNSURE
    # "... pero todo el mundo me dice Conchi": others say it, of the person alone.
    is_own = slot.is_explicit or is_framed or slot.relation == "nickname"
    if (
        slot.subject != SPEAKER
        or not is_own
        or any(claim.span[0] <= at < claim.span[1] for claims in told for claim in claims)
    ):
        return None
    return claim_slot(sentence, slot, tokens, place, language)


def is_person_slot(slot: SlotMatch) -> bool:
    return bool(slot.object) and (slot.subject == SPEAKER or slot.relation in SURE_OF_OTHERS)


def claim_moved(sentence: Sentence, moved: SlotMatch, tokens: ClauseTokens, place: int, language: str) -> Claim:
    """A value without its slot says what it is of: "Bisoprolol: no, it's 2.5 mg"."""
    words = word_statement(sentence, tokens, 0, len(sentence.words))
    named = words if moved.subject in {SPEAKER} or moved.subject in words.casefold() else f"{moved.subject}: {words}"
    span = (place, place + len(sentence.raw))
    return Claim(moved.subject, moved.relation, moved.object, f"{named[:1].upper()}{named[1:]}", span, lang=language)
