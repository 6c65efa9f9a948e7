"""What the verbs of a clause tell: where somebody lives and works, what they like, own, did."""

from collections.abc import Iterator, Sequence
from typing import Final

from memory.claims.frames.details import find_time, read_amount
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.having import is_passing
from memory.claims.frames.jobs import matches_job
from memory.claims.frames.matching import FrameMatch, complete_dish, find_objects, read_things, skip_cleft
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.naming import find_names, find_span
from memory.claims.frames.negation import is_denied, is_ended
from memory.claims.frames.numerals import read_number
from memory.claims.frames.objects import choose_objects
from memory.claims.frames.participles import is_participle
from memory.claims.frames.phrases import SPEAKER, NounPhrase, PhraseReader
from memory.claims.frames.places import is_known_place
from memory.claims.frames.subjects import HotSubject, find_before, find_subject, name_phrase
from memory.claims.taxonomy import ANIMALS, PEOPLE, SYMMETRIC

TASTES: Final = {"likes": "dislikes"}
EVENTS: Final = frozenset({"duration", "time"})
REACH_CALLED: Final = 4
OLDEST: Final = 120
# What the giver does, and whoever is given something has.
GIVEN: Final = "given"


def read_frames_of(
    reader: PhraseReader,
    stack: MentionStack,
    frames: Sequence[FrameMatch],
    previous: tuple[str, ...],
    *,
    is_linked: bool,
) -> Iterator[ClauseFact]:
    for match in frames:
        if match.frame.is_dative:
            yield from read_dative(reader, stack, match)
            continue
        subject = find_frame_subject(reader, stack, match, frames, previous, is_linked=is_linked)
        if subject is None:
            continue
        if match.frame.relation in EVENTS:
            # "Étienne a eu le poste, il commence le 1er": who begins is no event.
            if not (match.frame.relation == "time" and means_somebody(subject, stack)):
                yield from tell_event(reader, match, subject)
            continue
        if match.frame.relation == "age":
            subject = find_named_before(reader, stack, match, subject) if is_linked else subject
            # "Mora em Olinda faz cinco anos".
            if reader.tokens[match.start].has("since") and any(one.start < match.start for one in frames):
                continue
            yield from tell_turning(reader, match, subject)
            continue
        if match.frame.relation == "friends":
            yield from tell_friends(reader, match, subject)
            continue
        if not is_known_enough(subject, match):
            continue
        yield from tell_objects(reader, stack, match, subject)


def find_frame_subject(
    reader: PhraseReader,
    stack: MentionStack,
    match: FrameMatch,
    frames: Sequence[FrameMatch],
    previous: tuple[str, ...],
    *,
    is_linked: bool,
) -> HotSubject | None:
    if goes_on_after_mark(reader, match) or match.frame.relation == "name":
        # "Todo el mundo me dice Benja": whoever calls them so, the name is theirs.
        return HotSubject((SPEAKER,), is_elided=True)
    is_third = match.frame.is_third or is_helped_by_third(reader, match.start)
    verb = (match.start, match.end)
    subject = find_subject(reader, verb, stack, previous, is_third=is_third, is_linked=is_linked)
    # "I'm a therapist, married to Cathal": the form is the speaker's too.
    is_again = previous in {(), (SPEAKER,)} and is_other_form(match, frames)
    return None if subject is not None and subject.is_elided and is_again else subject


def is_other_form(match: FrameMatch, frames: Sequence[FrameMatch]) -> bool:
    """Whether the words that are matched as somebody else's are the speaker's as well."""
    place = (match.start, match.end, match.frame.relation)
    own = ((one.start, one.end, one.frame.relation) for one in frames if not one.frame.is_third)
    return match.frame.is_third and place in own


def goes_on_after_mark(reader: PhraseReader, match: FrameMatch) -> bool:
    """ "I'm a therapist over in Derry, married to Cathal": what goes on behind a mark is of who speaks."""
    tokens, is_own = reader.tokens[: match.start], reader.tokens[match.start].has("first")
    return bool(tokens) and tokens[-1].is_mark and is_own and any(token.has("i") for token in tokens)


def is_helped_by_third(reader: PhraseReader, at: int) -> bool:
    """ "..., è sposata con Odd", "está casada con Juan": a participle is of whoever its verb is of.

    "Rita ha trovato lavoro in": so is the noun behind one that looks like "I work".
    """
    near = reader.tokens[max(0, at - 2) : at]
    helping = [one for one in near if one.has("be 3", "have 3") and not one.has("be 1", "have 1")]
    is_beside = bool(helping) and helping[-1] is near[-1]
    return is_beside or (bool(helping) and is_participle(near[-1].text, reader.words.language))


def find_named_before(reader: PhraseReader, stack: MentionStack, match: FrameMatch, subject: HotSubject) -> HotSubject:
    """ "יש לנו כלב בשם בוץ, בן 4": whoever was named last is that old."""
    latest = stack.told[-1] if stack.told else None
    has_person = match.frame.is_third or reader.words.language == "he"
    is_first = all(token.is_mark for token in reader.tokens[: match.start])
    if latest is None or not (has_person and is_first and subject.is_elided):
        return subject
    return HotSubject((latest.object,)) if latest.relation in PEOPLE | ANIMALS else subject


def is_known_enough(subject: HotSubject, match: FrameMatch) -> bool:
    """A name that nobody told of may live somewhere; "the meeting" may not."""
    if subject.is_known:
        return True
    phrase = subject.phrases[-1] if subject.phrases else None
    if phrase is None or phrase.has_article or phrase.count:
        return False
    is_single = len(phrase.head.split()) == 1 and phrase.start == 0
    return (
        is_single
        and match.frame.is_third
        and match.frame.relation in {"lives_in", "works_at", "works_as", "married_to", "born_in"}
    )


def tell_objects(
    reader: PhraseReader, stack: MentionStack, match: FrameMatch, subject: HotSubject
) -> Iterator[ClauseFact]:
    taken = {one.start for one in subject.phrases}
    phrases = [one for one in find_objects(match, reader) if one.start not in taken]
    relation = choose_relation(reader, match, phrases)
    if relation in SYMMETRIC and not phrases:
        if len(subject.names) > 1:
            yield from tell_friends(reader, match, subject)
            return
        phrases = find_companion(reader, match.end) if subject.is_speaker else []
    ended = match.frame.is_ending or is_ended(reader)
    start = min((one.start for one in phrases), default=match.end)
    denied = is_frame_denied(reader, match, start)
    for phrase in choose_objects(reader, relation, phrases, is_bare=not match.frame.prepositions):
        spoken = word_object(reader, stack, relation, phrase)
        if not spoken or (
            relation == "works_at" and match.frame.is_ending and not may_be_left(reader, stack, match, phrase)
        ):
            continue
        meant = relation
        if denied and relation in TASTES and not ended:
            meant = TASTES[relation]
        is_no = denied and meant == relation
        for name in subject.names:
            if name != spoken:
                span = find_span(reader, min(match.start, phrase.start), max(match.end, phrase.end))
                yield ClauseFact(name, meant, spoken, span, is_denied=is_no, is_ended=ended)
        if relation == "owns" and phrase.relation and not denied and not ended:
            yield from tell_called(reader, subject, phrase)
        if not denied:
            yield from tell_details(reader, relation, spoken, phrase)


def tell_details(reader: PhraseReader, relation: str, spoken: str, phrase: NounPhrase) -> Iterator[ClauseFact]:
    """How many somebody owns, and when they took part."""
    if phrase.count and relation == "owns":
        yield ClauseFact(spoken, "quantity", phrase.count, find_span(reader, phrase.start, phrase.end))
    if relation == "participated_in" and (found := find_time(reader, 0, len(reader.tokens))):
        yield ClauseFact(spoken, "time", found[0], find_span(reader, phrase.start, phrase.end))


def find_companion(reader: PhraseReader, at: int) -> list[NounPhrase]:
    """ "We got hitched in 2014, me and Declan": who else is meant by "we" stands behind."""
    tokens, end = reader.tokens, len(reader.tokens)
    joint = next((place for place in range(at + 1, end - 1) if tokens[place].has("conj")), 0)
    if not joint or not tokens[joint - 1].has("i"):
        return []
    phrase = reader.read_phrase(joint + 1, end)
    return [phrase] if phrase is not None and (phrase.is_named or phrase.relation) and phrase.end == end else []


def may_be_left(reader: PhraseReader, stack: MentionStack, match: FrameMatch, phrase: NounPhrase) -> bool:
    """ "I quit whisky" leaves no employer: one has a capital, or was told before."""
    if match.frame.prepositions or any(one.relation == "works_at" and one.object == phrase.head for one in stack.told):
        return True
    if not (reader.has_capitals or "I " in reader.text):
        return not phrase.has_article
    return any(token.is_capital for token in reader.tokens[phrase.start : phrase.end])


def tell_called(reader: PhraseReader, subject: HotSubject, phrase: NounPhrase) -> Iterator[ClauseFact]:
    """ "I own a bakery in Ludlow called The Crusty Cob"."""
    tokens = reader.tokens
    for at in range(phrase.end, min(phrase.end + REACH_CALLED, len(tokens) - 1)):
        if tokens[at].has("called"):
            for name in find_names(reader, at + 1, len(tokens)):
                for owner in subject.names:
                    yield ClauseFact(owner, phrase.relation, name, find_span(reader, phrase.start, len(tokens)))
            return


def choose_relation(reader: PhraseReader, match: FrameMatch, phrases: Sequence[NounPhrase]) -> str:
    is_at = match.frame.relation == "works_as" and any(is_employer(reader, one) for one in phrases[:1])
    return "works_at" if is_at else match.frame.relation


def is_employer(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "Lavoro da Zara" beside "lavoro da cameriere"."""
    is_from = phrase.start > 0 and reader.tokens[phrase.start - 1].text == "da"
    return is_from and phrase.is_named and not matches_job(phrase.head, reader.words.language)


def word_object(reader: PhraseReader, stack: MentionStack, relation: str, phrase: NounPhrase) -> str:
    if phrase.pronoun:
        if phrase.pronoun == "there" and relation in {"lives_in", "works_at", "went_to"}:
            found = stack.resolve("there")
            return found.text if found else ""
        return ""
    if relation == "works_as" and read_number(reader.tokens, phrase.start, phrase.end, reader.words.language):
        return ""
    if relation in SYMMETRIC:
        return name_phrase(phrase, stack) or ""
    if phrase.name and (phrase.owner == SPEAKER or relation == "works_at"):
        # "Bei der Firma Holz Huber".
        return phrase.name
    return drop_where(reader, phrase) if relation == "works_at" else phrase.head


def drop_where(reader: PhraseReader, phrase: NounPhrase) -> str:
    """ "Un chiringuito de Cádiz": of one workplace of many the town says only where it is."""
    tokens = reader.tokens[phrase.start : phrase.end]
    link = next((at for at, token in enumerate(tokens) if at > 1 and token.has("of")), None)
    if link is None or not tokens[0].has("one") or link + 1 >= len(tokens):
        return phrase.head
    is_town = tokens[link + 1].is_capital or is_known_place(tokens[link + 1].text)
    return reader.cut(phrase.start + 1, phrase.start + link) if is_town else phrase.head


def means_somebody(subject: HotSubject, stack: MentionStack) -> bool:
    """Whether a pronoun, or no word, means who was spoken of."""
    meant = stack.find(subject.names[-1]) if subject.names else None
    is_unnamed = all(one.pronoun for one in subject.phrases)
    return is_unnamed and meant is not None and meant.kind in {"person", "animal"}


def tell_event(reader: PhraseReader, match: FrameMatch, subject: HotSubject) -> Iterator[ClauseFact]:
    """ "The film lasted almost three hours", "the meeting starts at ten"."""
    phrase = subject.phrases[-1] if subject.phrases else None
    if (
        phrase is None
        or phrase.pronoun == "i"
        or phrase.relation in PEOPLE
        or is_frame_denied(reader, match, match.end)
    ):
        return
    head = subject.names[-1]
    if match.frame.relation == "time":
        found = find_time(reader, match.end, len(reader.tokens))
        if found is not None and found[1] - match.end <= 4:
            yield ClauseFact(head, "time", found[0], find_span(reader, phrase.start, found[2]))
        return
    for at in range(match.end, len(reader.tokens)):
        amount = read_amount(reader.tokens, at, reader.words.language)
        if amount is not None:
            yield ClauseFact(head, "duration", amount[0], find_span(reader, phrase.start, amount[1]))
            return


def tell_friends(reader: PhraseReader, match: FrameMatch, subject: HotSubject) -> Iterator[ClauseFact]:
    """ "Aled and Tasha are friends"."""
    names = subject.names
    if len(names) == 2 and not is_frame_denied(reader, match, match.end):
        relation = match.frame.relation if match.frame.relation in SYMMETRIC else "friend_of"
        # "Ana and Rui got divorced".
        ended = match.frame.is_ending or is_ended(reader)
        yield ClauseFact(names[0], relation, names[1], find_span(reader, 0, match.end), is_ended=ended)


def read_dative(reader: PhraseReader, stack: MentionStack, match: FrameMatch) -> Iterator[ClauseFact]:
    """ "A mi madre le gusta el mar": who likes stands in the dative, what is liked is the subject."""
    tokens = reader.tokens
    names = find_dative(reader, stack, match)
    if not names:
        return
    at = match.end
    while at < len(tokens) and tokens[at].has("adv", "degree", "to me", "not", "clitic", "to whom"):
        at += 1
    at = skip_cleft(tokens, at)
    things = read_things(reader, at, len(tokens)) if at < len(tokens) else ()
    phrases = [complete_dish(reader, one) for one in things if is_liked(one)]
    if match.frame.relation == GIVEN:
        # "Me ha regalado una bici" and not "me regalaron la idea".
        phrases = [one for one in phrases if tokens[one.start].has("one") and not is_passing(reader, one)]
    elif not phrases:
        phrases = [one for one in find_before(reader, match.start) if not one.pronoun]
    relation = "owns" if match.frame.relation == GIVEN else match.frame.relation
    denied = is_denied(tokens, match.start, match.start, reader)
    ended = is_ended(reader)
    meant = TASTES.get(relation, relation) if denied and not ended else relation
    is_no = denied and meant == relation
    for phrase in phrases:
        for name in names:
            span = find_span(reader, 0, phrase.end)
            yield ClauseFact(name, meant, phrase.head, span, is_denied=is_no, is_ended=ended)
    if phrases:
        yield from read_gapped(reader, stack, phrases[-1].end, meant)


def is_liked(phrase: NounPhrase) -> bool:
    return not phrase.pronoun and not (phrase.owner and phrase.relation in PEOPLE)


def read_gapped(reader: PhraseReader, stack: MentionStack, at: int, relation: str) -> Iterator[ClauseFact]:
    """ "... y a mi padre el monte"."""
    tokens = reader.tokens
    while at < len(tokens) and (tokens[at].is_mark or tokens[at].has("conj")):
        at += 1
    if at >= len(tokens) or not tokens[at].has("to whom"):
        return
    who = reader.read_phrase(at + 1, len(tokens))
    name = name_phrase(who, stack) if who is not None and (who.relation or who.is_named) else None
    if who is None or name is None:
        return
    for phrase in read_things(reader, who.end, len(tokens)):
        yield ClauseFact(name, relation, phrase.head, find_span(reader, at, phrase.end))


def find_dative(reader: PhraseReader, stack: MentionStack, match: FrameMatch) -> tuple[str, ...]:
    tokens = reader.tokens
    near = [*tokens[max(0, match.start - 3) : match.start], *tokens[match.end : match.end + 2]]
    for at in range(len(tokens)):
        if tokens[at].has("to whom"):
            stop = match.start if at < match.start else len(tokens)
            group = [name_phrase(one, stack) for one in reader.read_list(at + 1, stop) if is_somebody(one)]
            named = tuple(one for one in group if one)
            if named:
                return named
    if any(token.has("to me") for token in near):
        return (SPEAKER,)
    if any(token.has("to them") for token in near):
        found = stack.resolve("any")
        return (found.text,) if found else ()
    if reader.words.language == "de" and match.end < len(tokens):
        behind = reader.read_phrase(match.end, len(tokens))
        if behind is not None and behind.owner and behind.relation in PEOPLE:
            name = name_phrase(behind, stack)
            return (name,) if name else ()
    before = find_before(reader, match.start) if reader.words.language == "de" else ()
    names = [name_phrase(one, stack) for one in before if one.relation in PEOPLE]
    return tuple(one for one in names if one)


def tell_turning(reader: PhraseReader, match: FrameMatch, subject: HotSubject) -> Iterator[ClauseFact]:
    """ "Turned fifty two on Sunday", "ho compiuto quarantun anni"."""
    tokens = reader.tokens
    at = match.end
    while at < len(tokens) and tokens[at].has("approx", "adv", "det"):
        at += 1
    number = read_number(tokens, at, len(tokens), reader.words.language)
    if number is not None and number[1] < len(tokens) - 1 and tokens[number[1]].has("time"):
        # "Wird am 9 Oktober 18": the day stands before the age.
        number = read_number(tokens, number[1] + 1, len(tokens), reader.words.language) or number
    if number is None and reader.words.language == "de":
        before = (read_number(tokens, place, match.start, "de") for place in range(match.start))
        number = next((one for one in before if one is not None), None)
    # "Cumplo años el 29 de febrero", "faço anos a 3 de maio".
    if at < len(tokens) and tokens[at].has("age unit") and (day := find_time(reader, at, len(tokens))) is not None:
        for name in subject.names if any(part.isdigit() for part in day[0].split()) else ():
            yield ClauseFact(name, "birthday", day[0], find_span(reader, match.start, day[2]))
        return
    if number is None or int(number[0]) > OLDEST:
        return
    behind = tokens[number[1]] if number[1] < len(tokens) else None
    if behind is None or behind.is_mark or behind.has("age unit", "time link", "time", "conj", "frame", "adv", "prep"):
        # "Mia ist gestern 10 geworden": the number stands before the verb.
        span = find_span(reader, min(match.start, number[1] - 1), max(match.end, number[1]))
        for name in subject.names:
            yield ClauseFact(name, "age", number[0], span)


def is_frame_denied(reader: PhraseReader, match: FrameMatch, start: int) -> bool:
    """A denial that is a word of the frame itself denies nothing: "can't stand"."""
    own = set(match.frame.words)
    tokens = reader.tokens
    if any(token.has("not") and token.text in own for token in tokens[match.start : match.end]):
        return False
    return is_denied(tokens, match.start, start, reader)


def is_somebody(phrase: NounPhrase) -> bool:
    return bool(phrase.relation in PEOPLE or phrase.is_named or phrase.name or phrase.pronoun in {"he", "she"})
