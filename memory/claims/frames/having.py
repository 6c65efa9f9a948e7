"""What somebody has: things, relatives, animals, appointments; how many, and when."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from memory.claims.frames.details import find_time
from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.heads import HEAD_LAST
from memory.claims.frames.matching import FrameMatch
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.naming import find_names, find_span, list_counted
from memory.claims.frames.negation import is_denied, is_ended
from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import NounPhrase, PhraseReader
from memory.claims.frames.subjects import HotSubject, find_subject
from memory.claims.frames.tokens import MOST_TOKENS, HotToken
from memory.claims.taxonomy import ANIMALS, PEOPLE
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries
from memory.language.names import load_given_names

# Words between a thing and its time: "an appointment with the doctor on Monday".
REACH: Final = 3
REACH_OF_EVENT: Final = 7
# "Non ce l'ho più": what is had stands before.
OBJECT_CLITICS: Final = frozenset({"l'", "lo", "li", "les"})
# Languages in which one has years.
HAVE_YEARS: Final = frozenset({"es", "fr", "it", "pt"})
OLDEST: Final = 120
# What stands behind a definite article is had somewhere, and not owned: "ho ancora la sabbia nelle scarpe".
DEFINITE: Final = {
    "en": ("the",),
    "es": ("el", "la", "los", "las"),
    "fr": ("le", "la", "les", "l'"),
    "it": ("il", "lo", "la", "i", "gli", "le", "l'"),
    "pt": ("o", "a", "os", "as"),
    "de": ("der", "die", "das", "den"),
}
# How nouns of several end where one of them needs an article: "we have humour" tells of no thing.
PLURALS: Final = {"en": ("s", "n", "ren"), "de": ("e", "en", "er", "n", "s", "eln")}
ILLNESSES: Final = (
    *("itis", "itide", "ite", "ose", "osis", "osi", "osia", "emia", "emie", "amie", "ism", "ismo", "pathy", "algia"),
    *("algie", "toleranz", "allergie", "allergia", "phobie", "phobia", "fobia", "syndrom", "syndrome", "schwache"),
)
# What a participle of German begins with, where it does not begin with "ge" or hold it behind these.
INSEPARABLE: Final = ("ver", "be", "er", "ent", "zer", "miss", "emp", "uber", "unter", "wider")
SEPARABLE: Final = (
    *("an", "auf", "aus", "ab", "bei", "ein", "mit", "nach", "vor", "zu", "um", "weg", "zuruck", "her", "hin", "los"),
    *("fest", "durch", "heim", "dazu", "kennen"),
)
BEGUN: Final = (*INSEPARABLE, *(f"{particle}ge" for particle in SEPARABLE))
# The word behind a comma.
NEXT_WORD: Final = re.compile(r"\s?,\s?([^\W_]+)")
# Languages in which a participle follows "have" directly, so that a thing needs an article or a number.
NEEDS_ARTICLE: Final = frozenset({"fr", "it"})


def read_having(
    reader: PhraseReader,
    stack: MentionStack,
    frames: Sequence[FrameMatch],
    previous: tuple[str, ...],
    *,
    is_linked: bool,
) -> Iterator[ClauseFact]:
    """What "to have" tells of somebody who is known: "I have two cats", "meine Schwester hat eine Tochter"."""
    tokens = reader.tokens
    for verb, token in enumerate(tokens):
        if not token.has("have 1", "have 3") or token.has("genitive"):
            continue
        if verb and tokens[verb - 1].text in OBJECT_CLITICS:
            return
        is_third = token.has("have 3") and not token.has("have 1")
        subject = find_subject(reader, (verb, verb + 1), stack, previous, is_third=is_third, is_linked=is_linked)
        if subject is None or not subject.is_known:
            return
        start = verb + 1
        behind = [one for one in subject.phrases if one.start > verb]
        start = behind[-1].end if behind else start
        while (
            start < len(tokens)
            and tokens[start].has("adv", "clitic", "got", "approx", "not")
            and not tokens[start].has("det")
        ):
            start += 1
        if is_fronted(reader, verb, start):
            yield from tell_things(reader, subject, 0, 0, end=verb)
            return
        if start >= len(tokens) or any(verb <= one.start <= start for one in frames) or is_auxiliary(reader, start):
            return
        yield from tell_things(reader, subject, verb, start)
        return


def is_fronted(reader: PhraseReader, verb: int, start: int) -> bool:
    """ "Den Wohnwagen haben wir nicht mehr": German puts what is had first."""
    is_last = all(token.is_mark or token.has("not", "adv", "ended") for token in reader.tokens[start:])
    phrase = reader.read_phrase(0, verb) if reader.words.language == "de" and verb and is_last else None
    return phrase is not None and not phrase.pronoun and phrase.end == verb


def is_auxiliary(reader: PhraseReader, start: int) -> bool:
    """Whether "have" only helps another verb."""
    token = reader.tokens[start]
    language = reader.words.language
    if language == "de":
        # "Haben uns den Bus gekauft, einen alten T4": the clause ends at its mark.
        comma = next((at for at, one in enumerate(reader.tokens[start:], start) if one.text == ","), len(reader.tokens))
        last = next((one for one in reversed(reader.tokens[:comma]) if not one.is_mark), token)
        is_participle = is_german_participle(last, has_capitals=reader.has_capitals)
        # "Oma hat immer gesagt": alone behind its verb a noun would have a capital.
        is_alone = last is token
        return is_participle and reader.has_capitals if is_alone else is_participle or last.has("frame", "verb")
    if language == "en":
        return token.text.endswith("ed") or token.has("participle", "to", "frame")
    if language in NEEDS_ARTICLE:
        has_number = read_number(reader.tokens, start, len(reader.tokens), language) is not None
        is_thing = token.has("det", "my", "of", "article", "not", "condition", "event")
        return not (is_thing or has_number)
    return token.has("that", "participle")


def is_german_participle(token: HotToken, *, has_capitals: bool) -> bool:
    """ "Verdreht", "angefangen", "operiert"; without capitals "besen" looks like one, and "ge" has to do."""
    if token.is_capital or not token.plain.endswith(("t", "en")):
        return False
    is_begun = token.plain.startswith(BEGUN) or token.plain.endswith("iert")
    return token.plain.startswith("ge") or (has_capitals and is_begun)


def tell_things(
    reader: PhraseReader, subject: HotSubject, verb: int, start: int, end: int = MOST_TOKENS
) -> Iterator[ClauseFact]:
    """What somebody has, each thing with its name or number: "two dogs, Biscuit and Mabel", "a son of seven"."""
    tokens = reader.tokens
    denied = is_denied(tokens, verb, start, reader) or (
        end < len(tokens) and any(one.has("not") for one in tokens[end:])
    )
    ended = is_ended(reader)
    years = read_years(reader, subject, verb, start)
    if years is not None:
        yield from () if denied else years[0]
        start = years[1]
    start = skip_to_thing(reader, start)
    phrases = list(reader.read_list(start, min(end, len(tokens))))
    for place, phrase in enumerate(phrases):
        # "Cero paciencia": none of it.
        if phrase.pronoun or phrase.count == "0" or is_passing(reader, phrase):
            continue
        is_listed = place > 0 and phrases[0].count and phrase.is_named and not phrase.has_article
        if is_listed or (not (denied or ended) and is_no_thing(reader, phrase)):
            continue
        if phrase.relation == "birthday" and (day := find_time(reader, 0, len(tokens))) and not denied:
            yield from (
                ClauseFact(owner, "birthday", day[0], find_span(reader, 0, phrase.end)) for owner in subject.names
            )
            return
        # "A brother called Sam and two cats, Milo and Otis": behind another noun the names are of that.
        further = list(takewhile(lambda one: not one.relation, phrases[place + 1 :]))
        names = [] if denied else list_names(reader, phrase, further)
        if names:
            for name in names:
                for owner in subject.names:
                    relation = "friend_of" if phrase.relation == "friend" else phrase.relation
                    yield ClauseFact(owner, relation, name, find_span(reader, verb, phrase.end))
            yield from tell_each_age(reader, subject, phrase)
            return
        yield from tell_thing(reader, subject, phrase, verb, is_denied=denied, is_ended=ended)


def read_years(reader: PhraseReader, subject: HotSubject, verb: int, start: int) -> tuple[list[ClauseFact], int] | None:
    """An age, where that is something one has, and where what else one has begins."""
    tokens = reader.tokens
    number = read_number(tokens, start, len(tokens), reader.words.language)
    if number is not None and is_bare_age(reader, subject, verb, number):
        span = find_span(reader, verb, number[1])
        return [ClauseFact(name, "age", number[0], span) for name in subject.names], len(tokens)
    if number is None or number[1] >= len(tokens) or not tokens[number[1]].has("age unit", "month"):
        return None
    spoken = f"{number[0]} {tokens[number[1]].text}" if tokens[number[1]].has("month") else number[0]
    span = find_span(reader, verb, number[1] + 1)
    after = number[1] + 1
    goes_on = after + 1 < len(tokens) and tokens[after].has("conj")
    return [ClauseFact(name, "age", spoken, span) for name in subject.names], after + 1 if goes_on else len(tokens)


def is_bare_age(reader: PhraseReader, subject: HotSubject, verb: int, number: tuple[str, int]) -> bool:
    """ "¡Vega ya tiene 7!": years alone, of somebody by name."""
    is_last = all(token.is_mark for token in reader.tokens[number[1] :])
    is_named = bool(subject.phrases) and all(one.is_named and not one.relation for one in subject.phrases)
    says_already = any(token.has("got") for token in reader.tokens[: verb + 2])
    is_year = number[0].isdigit() and 0 < int(number[0]) <= OLDEST
    return is_last and is_named and says_already and is_year and reader.words.language in HAVE_YEARS


def skip_to_thing(reader: PhraseReader, start: int) -> int:
    """Behind partitives and the time that stands before a thing: "domani alle tre il dentista"."""
    tokens = reader.tokens
    while start + 1 < len(tokens) and tokens[start].has("of") and not tokens[start].has("det"):
        start += 1
    is_at = 0 < start < len(tokens) and tokens[start - 1].has("clock") and not tokens[start - 1].has("det")
    hour = read_number(tokens, start, len(tokens), reader.words.language) if is_at else None
    if hour is not None and hour[1] < len(tokens):
        # "Montags hab ich um sieben Pilates".
        return hour[1]
    before = find_time(reader, 0, len(tokens))
    return before[2] if before is not None and start <= before[1] <= start + 1 else start


def list_names(reader: PhraseReader, phrase: NounPhrase, others: Sequence[NounPhrase]) -> list[str]:
    """ "Two dogs, Biscuit and Mabel", "a cat called Rex"."""
    if not phrase.relation:
        return []
    if phrase.relation in PEOPLE | ANIMALS and (counted := list_counted(reader, phrase)):
        return counted
    if phrase.name:
        found = [phrase.name, *(one.head for one in others if one.is_named)]
        return found if len(found) > 1 or may_be_one_of(reader, phrase) else []
    if phrase.relation not in PEOPLE | ANIMALS and not reader.tokens[min(phrase.end, len(reader.tokens) - 1)].has(
        "called"
    ):
        return []
    at = phrase.end + reader.measure_called(phrase.end, len(reader.tokens))
    while at < len(reader.tokens) and (
        reader.tokens[at].has("called", "named", "clitic", "rel") or reader.tokens[at].text in {",", ":", "(", "-", "—"}
    ):
        at += 1
    if at > phrase.end and at + 1 < len(reader.tokens) and reader.tokens[at].has("name article"):
        at += 1
    if at == phrase.end or at >= len(reader.tokens):
        return []
    found = list(find_names(reader, at, len(reader.tokens)))
    is_called = reader.tokens[at - 1].has("called") or reader.measure_called(phrase.end, len(reader.tokens)) > 0
    # "שני כלבים, רקס ומוקה": as many as there are.
    is_counted_off = len(found) > 1 and phrase.count == str(len(found))
    if not (reader.is_sure_name_at(at) or is_called or is_counted_off or is_set_off(reader, at)):
        return []
    return found if len(found) > 1 or may_be_one_of(reader, phrase) else []


def is_set_off(reader: PhraseReader, at: int) -> bool:
    """ "A puppy, biscuit, who hates the cold": without capitals a word alone between a noun and what is told of it."""
    token = reader.tokens[at]
    is_alone = at == len(reader.tokens) - 1 and reader.tokens[at - 1].text == "," and not token.classes
    behind = NEXT_WORD.match(reader.text, token.end)
    is_told_of = behind is not None and "rel" in reader.words.classify(behind[1].casefold())
    return is_alone and is_told_of and not reader.has_capitals and token.plain not in reader.words.nouns


def may_be_one_of(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """Whether one name alone names some of several: "two kids, Wren who is 5", and not "sete gatos, SETE"."""
    if not phrase.count.isdigit() or int(phrase.count) < 2:
        return True
    tokens = reader.tokens
    mark = next((at for at in range(phrase.start, min(phrase.end + 1, len(tokens))) if tokens[at].is_mark), None)
    return mark is not None and read_number(tokens, mark + 1, len(tokens), reader.words.language) is None


def tell_thing(
    reader: PhraseReader, subject: HotSubject, phrase: NounPhrase, verb: int, *, is_denied: bool, is_ended: bool
) -> Iterator[ClauseFact]:
    is_compound = ends_in_time(reader, phrase)
    if is_compound:
        start = phrase.end - len(phrase.head.split())
        phrase = replace(phrase, end=phrase.end + 1, head=reader.cut(start, phrase.end + 1))
    span = find_span(reader, verb, phrase.end)
    spoken = complete_noun(reader, phrase)
    if spoken in subject.names:
        # "Tiene dos perros" of nobody who was spoken of.
        return
    for owner in subject.names:
        yield ClauseFact(owner, "has", spoken, span, is_denied=is_denied, is_ended=is_ended)
    if is_denied or is_ended:
        return
    if phrase.count:
        yield ClauseFact(phrase.head, "quantity", phrase.count, span)
    found = find_time(reader, phrase.end, len(reader.tokens)) or find_time(reader, 0, phrase.start)
    is_event = is_compound or any(token.has("event") for token in reader.tokens[phrase.start : phrase.end])
    if found is not None and found[1] - phrase.end <= (REACH_OF_EVENT if is_event else REACH):
        yield ClauseFact(phrase.head, "time", found[0], span)


def ends_in_time(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "A parents' evening": what is of people and ends in a part of the day is one thing, "a friend Monday" two."""
    at = phrase.end
    if phrase.relation not in PEOPLE or not reader.tokens[phrase.start].has("one") or at >= len(reader.tokens):
        return False
    weekdays = read_entries(reader.words.language, "slots", "weekday")
    return (
        reader.words.language in HEAD_LAST and reader.tokens[at].has("time") and reader.tokens[at].text not in weekdays
    )


def tell_each_age(reader: PhraseReader, subject: HotSubject, kin: NounPhrase) -> Iterator[ClauseFact]:
    """ "Jade de cinq ans et Lou de deux": each name with its years behind it, the unit once."""
    tokens, end = reader.tokens, len(reader.tokens)
    counted = False
    for at in range(kin.start + 1, end - 2):
        number = read_number(tokens, at + 2, end, reader.words.language) if tokens[at + 1].has("of") else None
        if number is None or not reader.is_name_at(at) or int(number[0]) > OLDEST:
            continue
        counted = counted or (number[1] < end and tokens[number[1]].has("age unit"))
        if counted:
            name = reader.cut(at, at + 1)
            yield ClauseFact(name, "age", number[0], find_span(reader, at, number[1]))
            joint = at - 1 - tokens[at - 1].has("name article")
            if tokens[joint].has("conj"):
                for owner in subject.names:
                    yield ClauseFact(owner, kin.relation, name, find_span(reader, at, at + 1))


def complete_noun(reader: PhraseReader, phrase: NounPhrase) -> str:
    """ "Alergia al polen": what it is against belongs to it."""
    tokens, end = reader.tokens, phrase.end
    if end + 1 >= len(tokens) or not tokens[end - 1].has("complement") or not tokens[end].has("prep", "of", "to whom"):
        return phrase.head
    other = reader.read_phrase(end + 1, len(tokens))
    return reader.cut(end - 1, other.end) if other is not None and not other.pronoun else phrase.head


def is_no_thing(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """What nobody is told to have: "toutes ses dents", "il sale nelle orecchie", "wir haben Humor", a name alone."""
    tokens = reader.tokens[phrase.start : phrase.end]
    if phrase.relation or any(token.has("event", "condition", "complement") for token in tokens) or is_illness(phrase):
        return False
    if phrase.owner or (phrase.is_named and tokens[0].plain in load_given_names()):
        return True
    is_bare = not phrase.has_article and not phrase.count and len(tokens) == 1
    endings = PLURALS.get(reader.words.language)
    is_mass = is_bare and endings is not None and not tokens[0].plain.endswith(endings)
    definite = DEFINITE.get(reader.words.language, ())
    is_definite = any(token.has("the") or token.text in definite for token in tokens[:1])
    is_somewhere = phrase.end < len(reader.tokens) and reader.tokens[phrase.end].has("prep")
    return is_mass or (is_definite and is_somewhere)


def is_illness(phrase: NounPhrase) -> bool:
    return any(fold_letters(word).endswith(ILLNESSES) for word in phrase.head.split())


def is_passing(reader: PhraseReader, phrase: NounPhrase) -> bool:
    if phrase.relation:
        return False
    return any(token.has("passing", "vague", "unit", "wh") for token in reader.tokens[phrase.start : phrase.end])
