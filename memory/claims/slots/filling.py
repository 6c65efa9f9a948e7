"""Gives the claims of a statement the slots that its words fill, each with the smallest clause that can stand alone."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim, ClaimTense
from memory.claims.clauses.building import LONGEST, tell_tense, word_statement
from memory.claims.clauses.cutting import ClauseTokens
from memory.claims.frames.partings import tells_end_of_work
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT, WORDED
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import SlotMatch, overlaps
from memory.claims.slots.nouns import is_person_or_animal, names_kin
from memory.claims.slots.resolution import SEES, find_care
from memory.claims.subjects import PRONOUN, STRANGERS, find_people_of
from memory.claims.succession import find_told
from memory.claims.taxonomy import DEPARTING, KIN, PARTNERS
from memory.guard.annotation import Sentence
from memory.language.stems import DEFAULT_LANGUAGE

# Openings that say of a statement what no slot does.
OF_THEIR_OWN: Final = frozenset(
    {"style", "goal", "learning", "project", "struggles_with", "interest", "values", "skill"}
)
# What a clause tells of somebody for good, whatever is joined to it.
APART: Final = frozenset({"born_in", "nationality", "native_language"})


def fill_claims(
    claims: Sequence[Claim],
    sentence: Sentence,
    tokens: ClauseTokens,
    slots: Sequence[SlotMatch],
    place: int,
    known: Sequence[KnownSlot] = (),
    before: str = "",
) -> Iterable[Claim]:
    """The claims of one statement by its slots, or as they are where it fills none."""
    first = claims[0]
    ahead = f"{before} " if first.subject == PRONOUN and before else ""
    telling = "" if ahead else before
    low, high = first.span[0] - place, first.span[1] - place
    inside = [slot for slot in slots if low <= slot.object_span[0] < high]
    if not inside or (first.relation in OF_THEIR_OWN and not first.is_request):
        yield from (end_told(claim, known) for claim in claims)
        return
    inside = add_apart(inside, claims, sentence)
    pieces = [piece for segment in tokens.segments for piece in segment]
    for number, slot in enumerate(inside):
        after = inside[number + 1] if number + 1 < len(inside) else None
        start, end = find_piece(sentence, tokens, pieces, slot, after, (low, high))
        worded = word_slot(sentence, tokens, slot, (start, end), telling, find_owner(slot, known))
        statement = first.statement if first.is_request else worded
        is_changed = slot.replaces or is_new(sentence, first, start, end)
        tense: ClaimTense = "new" if is_changed else "present"
        yield replace(
            first,
            subject=choose_subject(slot, first),
            relation=slot.relation,
            object=slot.object,
            # What a word of its own says to be the person's needs no sentence before it.
            statement=("" if slot.subject == SPEAKER and slot.is_explicit else ahead) + (statement or first.statement),
            category=find_slot_people(sentence, slot, first),
            tense="over" if slot.is_over else tense,
            polarity=not slot.is_over and not slot.is_denied,
            replaces=slot.replaces,
            is_correction=slot.is_correction,
        )


def add_apart(slots: list[SlotMatch], claims: Sequence[Claim], sentence: Sentence) -> list[SlotMatch]:
    """With what claims tell beside the slots: of "I'm from Cork and I'm 34" the age is not all."""
    apart = [told for claim in claims if (told := make_slot_apart(claim, sentence, slots)) is not None]
    return sorted([*apart, *slots], key=lambda one: one.object_span) if apart else slots


def make_slot_apart(claim: Claim, sentence: Sentence, slots: Sequence[SlotMatch]) -> SlotMatch | None:
    """The slot of a claim whose value no slot of its clauses holds; of one that names no relation, none."""
    at = sentence.raw.casefold().find(claim.object)
    # "My sister Mia doesn't work at Aldi" tells more than her name.
    is_denied = not claim.polarity and claim.tense == "present" and claim.relation not in WORDED
    is_told = claim.relation in APART and claim.polarity
    if not claim.object or not (is_told or is_denied) or at < 0 or any(one.relation == claim.relation for one in slots):
        return None
    span = at, at + len(claim.object)
    if any(overlaps(span, one.object_span) for one in slots):
        return None
    told = SlotMatch(claim.relation, claim.subject, claim.object, at, span[1], is_explicit=True, object_span=span)
    return replace(told, is_denied=is_denied)


def find_owner(dose: SlotMatch, known: Sequence[KnownSlot]) -> str:
    """Whose the medicine is whose dose is told: a dose without an owner would be the person's."""
    takers = (one.subject for one in reversed(known) if (one.relation, one.object) == ("takes", dose.subject))
    return next(takers, SPEAKER)


def word_slot(
    sentence: Sentence,
    tokens: ClauseTokens,
    slot: SlotMatch,
    within: tuple[int, int],
    before: str,
    owner: str = SPEAKER,
) -> str:
    """The clause of a slot, from where it says whose it is: "mi hermana se llama Ana y vive en Lugo"."""
    statement = word_statement(sentence, tokens, *within)
    is_told_apart = slot.weight < FRAMED and slot.is_third
    whole = word_statement(sentence, tokens, 0, within[1])
    if slot.is_shared and len(whole) <= LONGEST:
        return whole
    if slot.subject == SPEAKER and is_person_or_animal(slot.relation) and slot.object in whole.casefold():
        # "Mog, my old tabby, sleeps in the sink": the name stands before the clause that tells who it is, and of "Dr
        # Lohse has left, I'm with Herr Tiedemann now" who he is before his name.
        is_told = slot.object in statement.casefold() and not (slot.relation in DEPARTING and slot.weight >= FRAMED)
        return statement if is_told or len(whole) > LONGEST else whole
    if slot.subject == SPEAKER or is_told_apart or not statement:
        return statement
    if slot.relation == "takes_dose" and slot.subject not in whole.casefold():
        # The sentence before it would tell the dose that was.
        named = slot.subject if owner == SPEAKER else f"{owner}, {slot.subject}"
        return f"{named[:1].upper()}{named[1:]}: {statement}"
    is_moved = slot.relation == "time" and bool(slot.replaces) and slot.replaces in before.casefold()
    is_told = slot.subject in before.casefold() and len(before) + len(statement) < LONGEST
    if is_moved and is_told and slot.subject not in whole.casefold():
        # Nor is the new hour told with the old one.
        return f"{slot.subject[:1].upper()}{slot.subject[1:]}: {statement}"
    told = (one for one in (statement, whole, f"{before} {statement}") if slot.subject in one.casefold())
    return next((one for one in told if len(one) <= LONGEST), statement)


def choose_subject(slot: SlotMatch, first: Claim) -> str:
    """ "My brother started at Bosch": a verb without a subject of its own is of whom the clause is about."""
    if slot.weight >= FRAMED:
        return slot.subject
    is_own = slot.subject != SPEAKER or slot.is_explicit or first.subject in {SPEAKER, PRONOUN}
    return slot.subject if is_own or is_person_or_animal(slot.relation) else first.subject


def find_slot_people(sentence: Sentence, slot: SlotMatch, first: Claim) -> str:
    subject = choose_subject(slot, first)
    # "Mein Nachbar ist Pilot": nobody's business here, whoever reads it.
    if subject != SPEAKER and sentence.has(MARK + "noun neighbor"):
        return STRANGERS
    return find_people_of(subject, slot.relation, first.category)


def end_told(claim: Claim, known: Sequence[KnownSlot]) -> Claim:
    """ "Pettifer has left the company" ends what was told of Pettifer, in the slot it was told in."""
    if claim.relation == SEES:
        return replace(claim, relation=find_care(known))
    if claim.tense != "over" or claim.relation not in {ABOUT, "owns", "has", "takes"}:
        return claim
    told = find_told(claim.statement, [one for one in known if may_be_of(one, claim, known)])
    is_of_kin = names_kin(claim.statement, claim.lang or DEFAULT_LANGUAGE)
    if told is None or (told.relation in PARTNERS and is_of_kin):
        return claim
    is_partner_still = told.relation in PARTNERS and tells_end_of_work(claim.statement, claim.lang)
    if told.relation in KIN - PARTNERS or is_partner_still:
        # "Hania left the cage open": kin stay kin whatever they leave, and who retires leaves no wife.
        return replace(claim, tense="present", polarity=True)
    return replace(claim, subject=told.subject, relation=told.relation, object=told.object, polarity=False)


def may_be_of(told: KnownSlot, claim: Claim, known: Sequence[KnownSlot]) -> bool:
    """Of what two have in common each one's end is their own: "papa est passé à l'insuline, il ne prend plus de
    metformine" ends none of the person's, nor "I stopped the metformin" his."""
    both = {one.subject for one in known if (one.relation, one.object) == (told.relation, told.object)}
    return len(both) < 2 or (told.subject == SPEAKER) == (claim.subject == SPEAKER)


def is_new(sentence: Sentence, first: Claim, start: int, end: int) -> bool:
    return first.tense == "new" == tell_tense(sentence, start, end)


def find_piece(
    sentence: Sentence,
    tokens: ClauseTokens,
    pieces: Sequence[tuple[int, int]],
    slot: SlotMatch,
    after: SlotMatch | None,
    within: tuple[int, int],
) -> tuple[int, int]:
    """From which word to which the clause of a slot goes: up to that of the next one."""
    low = next(at for at, end in enumerate(tokens.ends) if end > within[0])
    high = tokens.count_before(within[1])
    place = tokens.find_word(slot.object_span[0])
    start = max((first for first, last in pieces if first <= place), default=low)
    begun = sum(1 for at in tokens.starts if at <= slot.start) - 1
    start = min(start, max((first for first, last in pieces if first <= max(begun, 0)), default=low))
    end = high
    if after is not None:
        following = sum(1 for at in tokens.starts if at <= max(after.start, slot.object_span[1])) - 1
        cuts = [piece for piece in pieces if place < piece[0] <= following]
        # "I'm vegetarian and live in Leeds": what shares its subject with the next clause stays with it.
        end = min((first for first, last in cuts if names_subject(sentence, first, last)), default=high)
    if start > low and not names_subject(sentence, start, end):
        start = low
    elif start > low and sentence.has_at(start, MARK + "joint"):
        start += 1
    return max(start, low), max(end, start + 1)


def names_subject(sentence: Sentence, start: int, end: int) -> bool:
    kinds = (MARK + "i", MARK + "self", MARK + "my", "me", "kin", MARK + "nouns", MARK + "verb ending")
    return any(start <= at < end for at, _ in sentence.spans(*kinds))


def holds_more(claims: Sequence[Claim], moved: SlotMatch, place: int) -> bool:
    """Whether claims are more than the words around a value whose slot is known: "it's on Thursdays now"."""
    is_beside = all(claim.relation == ABOUT for claim in claims)
    covers = any(claim.span[0] - place <= moved.object_span[0] < claim.span[1] - place for claim in claims)
    return bool(claims) and (covers or not is_beside)
