"""The claims of what the sentences of a turn take for granted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.dates.appointments import overlaps
from memory.claims.frames.languages import find_turn_languages
from memory.claims.presupposed.going_on import drop_misread, tell_next
from memory.claims.presupposed.kinds import (
    MAKES,
    NAMED,
    PERSON,
    PETS,
    SUBJECT,
    fold_apart,
    load_makes,
    load_names,
    load_phrases,
    normalise,
)
from memory.claims.presupposed.people import is_being, name_being, tell_being
from memory.claims.presupposed.phrases import OwnNoun, SpokenSentence
from memory.claims.presupposed.places import tell_place, tell_roles, tell_shifts
from memory.claims.presupposed.pretending import find_opinion, is_closed, is_fiction, is_for_whom, is_supposed, is_work
from memory.claims.presupposed.reactions import tell_reaction
from memory.claims.presupposed.systems import HAS, SYSTEMS, tell_made_with, tell_systems
from memory.claims.presupposed.things import tell_thing
from memory.claims.relations import ABOUT
from memory.claims.taxonomy import DEPARTING
from memory.guard import find_order
from memory.guard.annotation import AnnotatedText
from memory.guard.spelling import fold_letters
from memory.language.kinds import list_kinds
from memory.language.loader import SHARED, list_codes, read_entries

# Characters of a turn that is read so: what goes on longer was written elsewhere as often as not.
LONGEST: Final = 600
# What is had simply, of which a claim around it tells more.
SLIGHT: Final = frozenset({"has", "hobby"})
OWNERS: Final = ("claims", "frames")
# What is known by its name alone, without the noun: a Yaris, a clarinet.
NAMING_KINDS: Final = frozenset({"instrument", *chain.from_iterable(MAKES.values())})


def find_presupposed(text: str, whole: AnnotatedText, previous: Sequence[str]) -> tuple[Claim, ...]:
    """What possessive phrases take for granted. The other voices of ``text`` are blanks."""
    if len(text) > LONGEST or load_owners().search(fold_apart(text)) is None:
        return ()
    likely = find_turn_languages(text, previous)
    spoken = [one for one in likely if whole.languages is None or one in whole.languages] or list(likely[:1])
    for language in spoken[:2]:
        if is_fiction(text, language):
            return ()
        if found := tuple(read_sentences(text, whole, language)):
            return found
    return ()


@cache
def load_owners() -> re.Pattern[str]:
    """Any word by which something is the person's own, any title, any name of a system or a phone: most turns have
    none."""
    mine = {one for code in list_codes() for subject in OWNERS for one in read_entries(code, subject, "my")}
    mine |= {one for code in list_codes() for one in read_entries(code, SUBJECT, "me as")}
    mine |= {one for code in list_codes() for one in read_entries(code, "frames", "title")}
    mine |= {one for code in list_codes() for one in read_entries(code, SUBJECT, "shift") if "*" not in one}
    mine |= {one for kind in SYSTEMS for led in ("", NAMED) for one in read_entries(SHARED, SUBJECT, led + kind)}
    mine |= load_makes()
    words = "|".join(re.escape(fold_letters(one)) for one in sorted(mine, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)|שלי|שלנו|[א-ת]{{2,}}י(?!\w)")


def read_sentences(text: str, whole: AnnotatedText, language: str) -> Iterator[Claim]:
    place, is_text, before = 0, False, None
    for sentence in whole.own_sentences:
        place = max(place, text.find(sentence.raw[:12], place))
        is_order = is_work(sentence.raw, language)
        # What stands behind an order for a text may be the text.
        is_over = not sentence.is_question and load_phrases(language, "lost").search(fold_letters(sentence.raw))
        if not is_text and not is_over and not is_supposed(sentence):
            spoken = SpokenSentence.of(sentence.raw, language)
            own = place + find_opinion(sentence)
            told = [one for one in read_sentence(text, spoken, place, is_order=is_order) if one.span[0] < own]
            if told and is_closed(sentence.raw):
                continue
            yield from (one for one in told if find_order(one.statement) is None)
            beings = [(spoken, noun) for noun in spoken.own_nouns if is_being(noun)]
            if before is not None and not beings:
                yield from tell_next(*before, spoken, place)
            before = beings[-1] if beings and not is_order else None
        is_text = is_text or is_order


def read_sentence(text: str, spoken: SpokenSentence, place: int, *, is_order: bool) -> Iterator[Claim]:
    if not is_order:
        yield from tell_systems(spoken, place)
    yield from tell_roles(spoken, place)
    yield from tell_shifts(spoken, place)
    for noun in spoken.own_nouns:
        told = list(tell_noun(spoken, noun, place))
        if (
            is_order
            and told
            and not any(is_for_whom(spoken, noun, at) for at in (noun.start, find_start(spoken, told, place)))
        ):
            continue
        yield from told
        if noun.kinds[0].startswith(PERSON):
            yield from tell_reaction(text, spoken, noun, name_being(spoken, noun), place)


def find_start(spoken: SpokenSentence, told: Sequence[Claim], place: int) -> int:
    begun = min(one.span[0] for one in told) - place
    return next((at for at, one in enumerate(spoken.tokens) if one.end > begun), 0)


def tell_noun(spoken: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    placed = list(tell_place(spoken, noun, place))
    yield from placed
    if is_being(noun):
        told = list(tell_being(spoken, noun, place))
        yield from told
        if not told and noun.kinds[0] in PETS:
            yield from tell_thing(spoken, noun, place)
    elif not placed:
        yield from tell_thing(spoken, noun, place)
        if "uses" in noun.kinds:
            yield from tell_made_with(spoken, noun, place)


def add_presupposed(found: Sequence[Claim], presupposed: tuple[Claim, ...]) -> list[Claim]:
    """With what is taken for granted and neither told in so many words nor part of what is asked to be remembered."""
    asked = [one for one in found if one.is_request]
    presupposed = tuple(one for one in presupposed if not any(overlaps(other, one) for other in asked))
    using = {one.object for one in presupposed if one.relation == "uses"}
    # "I'm on Arch": nobody takes it.
    found = drop_misread([one for one in found if not (one.relation == "takes" and one.object in using)], presupposed)
    found = [one for one in found if is_worded(one) or not any(names_same(one, other) for other in presupposed)]
    things = [one for one in presupposed if one.relation == HAS and names_kind(one.object)]
    found = [name_thing(one, things) for one in found]
    return [
        *found,
        *(one for one in presupposed if not any(says_as_well(other, one) or succeeds(other, one) for other in found)),
    ]


def succeeds(claim: Claim, presupposed: Claim) -> bool:
    """ "My boss Karen left, Mohammed is in charge now" takes nobody called Karen for granted."""
    is_one = (claim.subject, claim.relation) == (presupposed.subject, presupposed.relation)
    is_other = set(claim.object.split()).isdisjoint(presupposed.object.split())
    return is_one and is_other and claim.relation in DEPARTING and overlaps(claim, presupposed)


def name_thing(claim: Claim, things: Sequence[Claim]) -> Claim:
    """With the one of these things that it says the person has: by "my Yaris passed its MOT" whoever asks for the car
    finds it."""
    if claim.subject != SPEAKER or claim.is_request or claim.is_remark or claim.hedged or claim.tense != "present":
        return claim
    named = {one.object for one in things if holds_words(claim, one)}
    # "Mein Twingo ist durch den TÜV" was read as a twingo that is called "durch".
    is_open = claim.relation == ABOUT or claim.relation in named
    if not claim.polarity or not is_open or len(named) != 1:
        return claim
    return replace(claim, relation=HAS, object=named.pop())


def names_kind(thing: str) -> bool:
    """Whether it is called by its make, or is an instrument: "my car is red" says of no car which it is."""
    words = thing.split()
    return not list_kinds(thing).isdisjoint(NAMING_KINDS) or any(normalise(word) in load_names() for word in words)


def is_worded(claim: Claim) -> bool:
    """Of "my dentist, Dr. Patel, says ..." a clause ends before the name."""
    return claim.object in claim.statement.casefold()


def names_same(one: Claim, other: Claim) -> bool:
    return (one.subject, one.relation, one.object) == (other.subject, other.relation, other.object)


def says_as_well(told: Claim, presupposed: Claim) -> bool:
    if told.relation == presupposed.relation and told.subject == presupposed.subject:
        # "He's changed my warfarin to apixaban".
        if presupposed.object and presupposed.object == told.replaces:
            return True
        return told.object == presupposed.object or (bool(presupposed.object) and presupposed.object in told.object)
    # "My ramipril went up to 10 mg", "is my flight to Oslo still at 9?".
    is_time = (presupposed.subject, presupposed.relation) == (SPEAKER, ABOUT) and overlaps(told, presupposed)
    if presupposed.relation == ABOUT and presupposed.subject != SPEAKER:
        said = presupposed.statement.rpartition(": ")[2].rstrip(".").casefold()
        return said in told.statement.casefold()
    if is_time or (presupposed.relation == "takes" and told.subject == presupposed.object):
        return True
    # "My ficus is losing leaves" has told of the ficus.
    is_slight = presupposed.relation in (SLIGHT if told.relation == ABOUT else SLIGHT | {"uses"})
    return is_slight and holds_words(told, presupposed)


def holds_words(told: Claim, presupposed: Claim) -> bool:
    return presupposed.statement.rstrip(".").casefold() in told.statement.casefold()
