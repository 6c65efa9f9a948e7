"""What of the phrases behind a verb fills it: places, workplaces, partners; never for how long."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import NounPhrase, PhraseReader
from memory.claims.frames.places import is_known_place
from memory.claims.frames.tokens import HotToken
from memory.claims.taxonomy import PEOPLE, THINGS
from memory.language.names import load_given_names

PLACES: Final = frozenset({"lives_in", "moved_from", "went_to", "born_in"})
SYMMETRIC: Final = frozenset({"friend_of", "married_to"})
# Behind these a name without an article is a place: "lavora a Londra".
OF_PLACES: Final = {"it": ("a", "ad"), "fr": ("à", "a"), "de": ("in",)}


def choose_objects(reader: PhraseReader, relation: str, phrases: Sequence[NounPhrase]) -> list[NounPhrase]:
    # "Corrí la San Silvestre, 58 minutos": how long, and no second race.
    phrases = [one for one in phrases if not (one.count and is_amount(reader, one))]
    if relation in PLACES:
        towns = [name_town(reader, one) for one in phrases]
        return [one for one in towns if is_place(reader, one, relation)]
    if relation == "works_at":
        return list_workplaces(reader, phrases)
    if relation == "works_as":
        # "Fa la terza elementare": a class at school, and no work.
        return [
            one for one in phrases if not any(token.has("time adj", "no occupation") for token in span_of(reader, one))
        ]
    if relation in THINGS:
        return [name_make(reader, one) for one in phrases if is_made(reader, one)]
    if relation in SYMMETRIC:
        # "Casado com a Teresa": Portuguese gives names an article.
        named = [name_called_so(reader, one) for one in phrases]
        found = [one for one in named if not one.has_article or one.relation or one.is_named]
        # "On s'est mariés à Corfou".
        found = [one for one in found if not is_known_place(one.head) or one.head.split()[0] in load_given_names()]
        # "נשואה לדן ואמא לשלושה": behind the joint stands what somebody is.
        return [one for one in found if one is found[0] or not one.relation or one.name]
    return list(phrases)


def span_of(reader: PhraseReader, phrase: NounPhrase) -> Sequence[HotToken]:
    return reader.tokens[phrase.start : phrase.end]


def is_made(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "I drive a Skoda", and neither "I drive a van" nor "I drive Evri's"."""
    at = phrase.start + 1
    return phrase.has_article and not phrase.relation and at < phrase.end and reader.tokens[at].is_capital


def name_make(reader: PhraseReader, phrase: NounPhrase) -> NounPhrase:
    stop = reader.find_name_end(phrase.start + 1, phrase.end)
    return replace(phrase, end=stop, head=reader.cut(phrase.start + 1, stop)) if stop > phrase.start + 1 else phrase


def is_amount(reader: PhraseReader, phrase: NounPhrase) -> bool:
    return any(token.has("unit") for token in reader.tokens[phrase.start : phrase.end])


def name_called_so(reader: PhraseReader, phrase: NounPhrase) -> NounPhrase:
    """ "A Dane called Lars", "un norvegese di nome Odd", "a start-up called Bloom": the name behind what it is."""
    start = reader.skip_called(phrase.end, len(reader.tokens))
    stop = reader.find_name_end(start, len(reader.tokens)) if phrase.end < start < len(reader.tokens) else start
    if stop == start or phrase.is_named:
        return phrase
    return replace(phrase, end=stop, head=reader.cut(start, stop), name=reader.cut(start, stop), is_named=True)


def name_town(reader: PhraseReader, phrase: NounPhrase) -> NounPhrase:
    """ "The Ghent place": where a dwelling is that goes by its town."""
    last = phrase.end - 1
    if last - phrase.start < 1 or not reader.tokens[last].has("dwelling") or not reader.tokens[last - 1].is_capital:
        return phrase
    start = last - 1
    while start > phrase.start and reader.tokens[start - 1].is_capital:
        start -= 1
    return replace(phrase, end=last, head=reader.cut(start, last))


def list_workplaces(reader: PhraseReader, phrases: Sequence[NounPhrase]) -> list[NounPhrase]:
    """The first workplace and those joined to it: behind it stands where it is."""
    found: list[NounPhrase] = []
    for phrase in phrases:
        if is_field(reader, phrase):
            continue
        behind = reader.tokens[found[-1].end : found[-1].end + 1] if found else ()
        if found and not any(token.has("conj") or token.text == "," for token in behind):
            break
        phrase = name_called_so(reader, phrase)
        # "En el ayuntamiento de Lugo, en padrón": the second preposition tells where in it.
        if found and reader.tokens[found[-1].end].is_mark and reader.tokens[found[-1].end + 1].has("prep"):
            break
        found.append(phrase)
    return found


def is_place(reader: PhraseReader, phrase: NounPhrase, relation: str) -> bool:
    if phrase.pronoun:
        return phrase.pronoun == "there"
    if phrase.head.isdigit():
        return relation == "born_in" and is_year(phrase.head)
    tokens = reader.tokens[phrase.start : phrase.end]
    # "The standup moved to ten".
    if read_number(reader.tokens, phrase.start, phrase.end, reader.words.language):
        return False
    if (
        any(token.has("dwelling", "passing", "time", "unit", "event") for token in tokens)
        or phrase.relation
        or phrase.owner
    ):
        return False
    if reader.has_capitals:
        return any(token.is_capital for token in tokens)
    is_named_so = len(tokens) > 1 and phrase.start + 2 == phrase.end and tokens[0].has("place article")
    return not phrase.has_article or is_named_so or is_known_place(phrase.head)


def is_field(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "In marketing" is no workplace; neither is "with my brother" or "at night"."""
    tokens = reader.tokens[phrase.start : phrase.end]
    preposition = reader.tokens[phrase.start - 1].text if phrase.start else ""
    is_bare = not phrase.has_article and not phrase.owner
    if is_bare and (preposition in OF_PLACES.get(reader.words.language, ()) or is_known_place(phrase.head)):
        return True
    return bool(
        phrase.pronoun
        or phrase.relation in PEOPLE
        or any(token.has("time", "unit", "passing") for token in tokens)
        or (len(phrase.head.split()) == 1 and tokens[-1].has("field"))
        or (phrase.head.isdigit())
    )


def is_year(spoken: str) -> bool:
    return spoken.isdigit() and len(spoken) == 4
