"""What somebody is said to be: a name, an age, an occupation, a lasting quality, somebody's somebody."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memory.claims.frames.details import find_day, find_time
from memory.claims.frames.facts import SURE, UNSURE, ClauseFact
from memory.claims.frames.matching import FrameMatch
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.naming import find_favorite, find_names, find_owner, find_span, rename, tell_name
from memory.claims.frames.negation import is_denied, is_ended
from memory.claims.frames.numerals import counts_us, read_number
from memory.claims.frames.phrases import SPEAKER, NounPhrase, PhraseReader
from memory.claims.frames.predicate_kinds import (
    ALIVE,
    HEAD_LAST,
    PredicatePlace,
    classify_predicate,
    is_alive,
    is_name_phrase,
    is_occupation,
)
from memory.claims.frames.qualities import is_make
from memory.claims.frames.subjects import HotSubject, find_subject
from memory.claims.frames.workplaces import tell_workplace
from memory.claims.relations import fits_relation
from memory.claims.slots.matching import find_drug
from memory.claims.taxonomy import ATTRIBUTES, NOUNS, PEOPLE
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

REFLEXIVE: Final = {"fr": ("me", "m'", "se", "s'"), "it": ("mi", "ti", "si", "ci")}
# What is over where it is told in the past.
PASSED: Final = frozenset({"works_as", "is"})
MAKES: Final = frozenset({"car", "motorbike", "bike", "boat", "guitar"})


def read_predicates(
    reader: PhraseReader,
    stack: MentionStack,
    frames: Sequence[FrameMatch],
    previous: tuple[str, ...],
    *,
    is_linked: bool,
) -> Iterator[ClauseFact]:
    """What "to be" tells: "I'm a baker", "my sister is Anna", "my birthday is in May"."""
    tokens = reader.tokens
    for verb, token in enumerate(tokens):
        if not token.has("be 1", "be 3") or token.has("genitive") or any(0 <= one.start - verb <= 3 for one in frames):
            continue
        if any(find_favorite(reader, at) is not None for at in range(verb)):
            return
        if verb and tells_nobody(reader, verb):
            return
        is_third = token.has("be 3") and not token.has("be 1")
        subject = find_subject(reader, (verb, verb + 1), stack, previous, is_third=is_third, is_linked=is_linked)
        if subject is None and reader.words.drops_subjects:
            # Nobody: yet an event that was spoken of may be meant.
            subject = HotSubject((), is_elided=True)
        if subject is None:
            continue
        start = verb + 1
        behind = [one for one in subject.phrases if one.start > verb]
        if behind:
            start = behind[-1].end
        while (
            start < len(tokens)
            and tokens[start].has("adv", "clitic", "not", "degree", "ended")
            and not tokens[start].has("det")
        ):
            start += 1
        if start < len(tokens):
            place = PredicatePlace(verb, start, subject, is_denied(tokens, verb, start, reader), is_ended(reader))
            yield from read_predicate(reader, stack, place)
        return


def tells_nobody(reader: PhraseReader, verb: int) -> bool:
    """ "Ho due gatte, una è sorda": nobody says which. "Je me suis payé un vélo" tells what somebody did."""
    before = reader.tokens[verb - 1]
    return before.has("one") or before.text in REFLEXIVE.get(reader.words.language, ())


def read_predicate(reader: PhraseReader, stack: MentionStack, place: PredicatePlace) -> Iterator[ClauseFact]:
    """What stands behind one verb: an attribute, a time, an age, an owner, or else phrases."""
    owner = next((one for one in place.subject.phrases if one.relation and one.relation not in ALIVE), None)
    owned = place.subject.phrases[-1] if place.subject.phrases else None
    if owner is not None and owner.relation in {*ATTRIBUTES, "name"} and not place.is_denied:
        yield from tell_attribute(reader, stack, owner, place)
        return
    if place.subject.is_elided and (of_event := tell_time_of_event(reader, stack, place)):
        yield of_event
        return
    if owned is not None and not place.subject.is_speaker and (at_time := tell_time(reader, owned, place)):
        yield at_time
        return
    tokens = reader.tokens
    number = read_number(tokens, place.start, len(tokens), reader.words.language)
    # "My son is seven and diabetic". Elsewhere an age is something one has, and "somos tres" counts people.
    if number is not None and reader.words.language in HEAD_LAST:
        if not (tokens[place.verb].has("was") or counts_us(tokens, number[1])):
            yield from tell_age(reader, stack, place, number)
        if number[1] + 1 < len(tokens) and tokens[number[1]].has("conj"):
            yield from tell_phrases(reader, stack, replace(place, start=number[1] + 1))
        return
    mine = place.start + (tokens[place.start].has("to whom") and place.start + 1 < len(tokens))
    is_last = mine + 1 >= len(tokens) or tokens[mine + 1].is_mark or tokens[mine + 1].has("conj", "adv")
    if is_last and tokens[mine].has("mine") and owned is not None and not place.is_denied:
        yield ClauseFact(SPEAKER, "owns", owned.head, find_span(reader, owned.start, place.start + 1))
        return
    yield from tell_phrases(reader, stack, place)


def tell_phrases(reader: PhraseReader, stack: MentionStack, place: PredicatePlace) -> Iterator[ClauseFact]:
    is_naming = False
    for phrase in list_predicates(reader, place.start):
        is_more = is_name_phrase(reader, phrase) or (place.subject.is_speaker and is_occupation(reader, phrase))
        if is_naming and not is_more:
            return
        told = list(tell_phrase(reader, stack, place, phrase))
        yield from told
        if any(one.relation == "works_as" and not one.is_denied for one in told):
            yield from tell_workplace(reader, place.subject.names, phrase.end)
        is_naming = is_naming or any(one.relation in NOUNS for one in told)


def list_predicates(reader: PhraseReader, at: int) -> Iterator[NounPhrase]:
    """The phrases of a predicate; adjectives with their complement: "allergic to nuts"."""
    tokens, end = reader.tokens, len(reader.tokens)
    while at < end:
        while at < end and tokens[at].has("degree", "adv", "clitic"):
            at += 1
        if at < end - 2 and tokens[at].has("prep") and tokens[end - 1].has("complement"):
            # "Gegen Nüsse allergisch".
            yield NounPhrase(at, end, reader.cut(at, end))
            return
        if at >= end or (tokens[at].has("prep", "sub", "rel", "that", "wh") and not tokens[at].has("det")):
            return
        phrase = reader.read_phrase(at, end)
        if phrase is None or phrase.pronoun:
            return
        if (
            phrase.end < end
            and tokens[phrase.end - 1].has("complement")
            and tokens[phrase.end].has("prep", "of", "to whom")
        ):
            yield from complete_adjective(reader, phrase)
            return
        yield phrase
        at = phrase.end
        if at >= end or not (tokens[at].has("conj") or tokens[at].text == ","):
            return
        at += 1
        while at < end and tokens[at].has("conj"):
            at += 1
        if at + 1 < end and tokens[at].has("adv", "also") and tokens[at + 1].has("not"):
            # "Meine Frau ist Veganerin, also keine Eier".
            return


def complete_adjective(reader: PhraseReader, phrase: NounPhrase) -> Iterator[NounPhrase]:
    at, tokens = phrase.end, reader.tokens
    lead = reader.cut(phrase.end - 1, at + 1)
    # "Allergique aux noix et au pollen": the preposition in another form.
    alike = {tokens[at].text, *read_entries(reader.words.language, "frames", "complement link")}
    for other in reader.read_list(at + 1, len(tokens), frozenset(alike)):
        if other.pronoun:
            continue
        if other.start == at + 1:
            spoken = reader.cut(phrase.end - 1, other.end)
        elif tokens[other.start - 1].text in alike:
            spoken = f"{reader.cut(phrase.end - 1, phrase.end)} {reader.cut(other.start - 1, other.end)}"
        else:
            spoken = f"{lead} {other.head}"
        yield NounPhrase(phrase.start, other.end, spoken)


def tell_phrase(
    reader: PhraseReader, stack: MentionStack, place: PredicatePlace, phrase: NounPhrase
) -> Iterator[ClauseFact]:
    """What one phrase behind "is" tells: a name, who somebody is to the person, a make, or a quality."""
    subject = place.subject
    owned = subject.phrases[-1] if subject.phrases else None
    if owned is not None and owned.relation and owned.owner and not owned.name and is_name_phrase(reader, phrase):
        # "My girls are twins, Matilda and Romy": what they are is no name.
        for fact in tell_name(reader, stack, owned, phrase.name or phrase.head):
            yield replace(fact, is_denied=place.is_denied, is_ended=place.is_ended, is_presupposed=False)
        return
    if phrase.owner and phrase.relation and not subject.is_speaker and owned is not None and not owned.relation:
        if owned.is_named or stack.find(subject.names[0]) or phrase.relation in PEOPLE:
            for fact in (one for name in subject.names for one in tell_name(reader, stack, phrase, name)):
                yield replace(fact, is_denied=place.is_denied, is_ended=place.is_ended, is_presupposed=False)
        return
    # "La moto es una Vespa": with the definite article one's own.
    is_own = owned is not None and (bool(owned.owner) or (owned.start == 0 and owned.has_article))
    if owned is not None and is_own and owned.relation in MAKES and is_make(reader, phrase):
        for fact in tell_name(reader, stack, owned, phrase.head):
            yield replace(fact, is_denied=place.is_denied, is_ended=place.is_ended, is_presupposed=False)
        return
    relation, spoken = classify_predicate(reader, stack, place, phrase)
    if relation in PASSED and reader.tokens[place.verb].has("was"):
        # "He was a welder": no more.
        return
    for name in subject.names if relation else ():
        confidence = UNSURE if relation == "is" else SURE
        span = find_span(reader, phrase.start, phrase.end)
        yield ClauseFact(name, relation, spoken, span, confidence, place.is_denied, place.is_ended)


def tell_age(
    reader: PhraseReader, stack: MentionStack, place: PredicatePlace, number: tuple[str, int]
) -> Iterator[ClauseFact]:
    tokens = reader.tokens
    digits, end = number
    unit = tokens[end] if end < len(tokens) else None
    if unit is not None and not (unit.is_mark or unit.has("age unit", "conj", "adv", "month", "prep", "sub", "and")):
        return
    if (unit is not None and unit.has("prep") and not unit.has("of")) or int(digits) > 120:
        return
    if reader.words.language == "en" and unit is not None and unit.has("age unit") and not is_old(reader, end + 1):
        return
    months = f"{digits} {unit.text}" if unit is not None and unit.has("month") else digits
    # "The parking spot at my office is 17": a number alone is no age of a thing.
    is_counted = unit is not None and unit.has("age unit", "month")
    if place.is_denied or not (is_counted or is_alive(place.subject, stack)):
        return
    for name in place.subject.names:
        yield ClauseFact(name, "age", months, find_span(reader, place.verb, end))


def is_old(reader: PhraseReader, at: int) -> bool:
    """ "We've been together nine years" tells no age."""
    return at < len(reader.tokens) and reader.tokens[at].text in {"old", "of", "young"}


def tell_time(reader: PhraseReader, owned: NounPhrase, place: PredicatePlace) -> ClauseFact | None:
    is_noun_of_event = any(token.has("event") for token in reader.tokens[owned.start : owned.end])
    found = find_time(reader, place.start, len(reader.tokens))
    found = found or (find_day(reader, place.start) if is_noun_of_event else None)
    if found is None or found[1] - place.start > 2 or owned.relation in ALIVE or owned.pronoun == "i":
        return None
    is_event = owned.has_article or owned.owner or owned.pronoun or reader.tokens[owned.start].has("event")
    if not is_event or find_drug(subject := place.subject.names[-1]):
        return None
    return ClauseFact(subject, "time", found[0], find_span(reader, owned.start, found[2]), is_denied=place.is_denied)


def tell_time_of_event(reader: PhraseReader, stack: MentionStack, place: PredicatePlace) -> ClauseFact | None:
    """ "No es el martes": what was spoken of last that has a time."""
    event = next((one for one in reversed(stack.found) if one.kind == "event"), None)
    found = find_time(reader, place.start, len(reader.tokens)) if event is not None else None
    if event is None or found is None or found[1] - place.start > 2:
        return None
    return ClauseFact(event.text, "time", found[0], find_span(reader, place.verb, found[2]), is_denied=place.is_denied)


def tell_attribute(
    reader: PhraseReader, stack: MentionStack, owner: NounPhrase, place: PredicatePlace
) -> Iterator[ClauseFact]:
    """The value of what the person has one of: "my birthday is on 3 May", "my email is ..."."""
    who = find_owner(owner, stack)
    if who is None:
        return
    span = find_span(reader, owner.start, len(reader.tokens))
    if owner.relation == "name":
        yield from tell_name_of(reader, stack, who, list(find_names(reader, place.start, len(reader.tokens))))
        return
    if owner.relation == "birthday":
        if found := find_time(reader, place.start, len(reader.tokens)):
            yield ClauseFact(who, owner.relation, found[0], span)
        return
    if owner.relation in {"phone_number", "email", "address"}:
        start = place.start
        while start < len(reader.tokens) - 1 and reader.tokens[start].has("det"):
            start += 1
        value = reader.cut(start, len(reader.tokens)).strip(" ,")
        written = reader.text[reader.tokens[start].start :].split()[0].strip(".,;!?").casefold()
        value = written if "@" in written else value
        if value and fits_relation(owner.relation, value):
            yield ClauseFact(who, owner.relation, value, span)
        return
    for phrase in list_predicates(reader, place.start):
        if phrase.head:
            yield ClauseFact(who, owner.relation, phrase.head, span, SURE)


def tell_name_of(reader: PhraseReader, stack: MentionStack, who: str, names: list[str]) -> Iterator[ClauseFact]:
    """ "My sister's name is Anna" names the sister, not a thing of hers."""
    if who == SPEAKER:
        for name in names[:1]:
            yield ClauseFact(SPEAKER, "name", name, find_span(reader, 0, len(reader.tokens)))
        return
    relation = next((reader.words.nouns[one] for one in [fold_letters(who)] if one in reader.words.nouns), "")
    for name in names:
        if relation:
            yield ClauseFact(SPEAKER, relation, name, find_span(reader, 0, len(reader.tokens)))
        else:
            yield from rename(reader, stack, who, [name])
