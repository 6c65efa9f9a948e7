"""What of the phrases behind a verb fills it: places, workplaces, partners; never for how long."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from memory.claims.frames.jobs import matches_job
from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import NounPhrase, PhraseReader
from memory.claims.frames.places import is_known_place, is_no_home
from memory.claims.frames.tokens import HotToken
from memory.claims.slots.kinds import is_deed
from memory.claims.taxonomy import CHILDREN, PEOPLE, SYMMETRIC, THINGS
from memory.language.hebrew import HEBREW
from memory.language.names import load_given_names

PLACES: Final = frozenset({"lives_in", "moved_from", "went_to", "born_in"})
DIGITS_OF_MONEY: Final = 3
# How German words for dwellings end, folded.
COMPOUND_DWELLINGS: Final = ("wohnung", "zimmer", "haushalfte", "siedlung", "viertel", "wg")
# Languages in which a workplace is "of" its trades.
OF_TRADES: Final = frozenset({"es", "fr", "it", "pt"})
# Behind these a name without an article is a place: "lavora a Londra".
OF_PLACES: Final = {"it": ("a", "ad"), "fr": ("à", "a"), "de": ("in",)}


def choose_objects(
    reader: PhraseReader, relation: str, phrases: Sequence[NounPhrase], *, is_bare: bool = False
) -> list[NounPhrase]:
    """``is_bare``: no preposition says how the verb is meant."""
    # "Corrí la San Silvestre, 58 minutos": how long, and no second race.
    phrases = [one for one in phrases if not (one.count and is_amount(reader, one))]
    if relation in PLACES:
        towns = [name_town(reader, one) for one in phrases]
        places = [one for one in towns if is_place(reader, one, relation)]
        # "Wohn in leipzig, zumindest stand das im vertrag": of more than one, small letters name only what is known.
        tells_names = reader.has_capitals or reader.words.language == HEBREW
        is_sure = tells_names or relation == "born_in"
        return [one for one in places if one is places[0] or is_sure or is_known_place(one.head)]
    if relation == "works_at":
        # "He dejado de fumar" leaves no employer.
        language = reader.words.language
        places = [one for one in phrases if one.is_named or one.has_article or not is_deed(one.head, language)]
        return list_workplaces(reader, places)
    if relation == "works_as":
        # "Fa la terza elementare": a class at school, and no work.
        return [one for one in phrases if is_work(reader, one) and (is_trade(reader, one) or not is_bare)]
    if relation in THINGS:
        return [name_make(reader, one) for one in phrases if is_made(reader, one)]
    if relation in SYMMETRIC:
        # "Married with two kids, Zoe and Max".
        phrases = list(takewhile(lambda one: relation != "married_to" or one.relation not in CHILDREN, phrases))
        # "Casado com a Teresa": Portuguese gives names an article.
        named = [name_called_so(reader, one, is_apposed=True) for one in phrases]
        pairs = zip(named, phrases, strict=True)
        named = [one for one, phrase in pairs if one is not phrase or phrase.relation or not is_kind(reader, phrase)]
        found = [one for one in named if not one.has_article or one.relation or one.is_named]
        # "On s'est mariés à Corfou".
        found = [one for one in found if not is_known_place(one.head) or one.head.split()[0] in load_given_names()]
        if relation == "married_to":
            # "Married to Anna, two girls: Mia and Zoe".
            return found[:1]
        # "נשואה לדן ואמא לשלושה": behind the joint stands what somebody is.
        return [one for one in found if one is found[0] or not one.relation or one.name]
    return [one for one in phrases if relation != "name" or not is_caller(reader, one)]


def is_caller(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "Me llama todos los domingos", "me llama mi hermana": when somebody rings, or who does, and no name."""
    return bool(phrase.owner) or any(token.has("time", "unit") for token in list_span_tokens(reader, phrase))


def is_work(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """Neither "lavoro da mio cognato" nor "bin fünfunddreißig geworden" tells what somebody does."""
    is_number = any(
        read_number(reader.tokens, at, phrase.end, reader.words.language) and not reader.tokens[at].has("det")
        for at in range(phrase.start, phrase.end)
    )
    is_somebody = bool(phrase.owner) and phrase.relation in PEOPLE
    is_other = any(token.has("time adj", "no occupation") for token in list_span_tokens(reader, phrase))
    return not (is_number or is_somebody or is_other)


def is_trade(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "Faccio il cuoco" and "became a nurse", neither "faccio la spesa" nor "became a father"."""
    is_listed = any(token.has("occupation") for token in list_span_tokens(reader, phrase))
    return is_listed or any(matches_job(word, reader.words.language) for word in phrase.head.split())


def is_kind(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "Mit einem Ghanaer", with a capital as names have, and not "avec un certain Wilfried"."""
    first, second = reader.tokens[phrase.start], reader.tokens[min(phrase.start + 1, phrase.end - 1)]
    return first.has("one") and not second.has("det")


def list_span_tokens(reader: PhraseReader, phrase: NounPhrase) -> Sequence[HotToken]:
    return reader.tokens[phrase.start : phrase.end]


def is_made(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "I drive a Skoda", and neither "I drive a van" nor "I drive Evri's"."""
    at = find_make(reader, phrase)
    return phrase.has_article and not phrase.relation and at < phrase.end and reader.tokens[at].is_capital


def name_make(reader: PhraseReader, phrase: NounPhrase) -> NounPhrase:
    start = find_make(reader, phrase)
    stop = reader.find_name_end(start, phrase.end)
    return replace(phrase, end=stop, head=reader.cut(start, stop)) if stop > start else phrase


def find_make(reader: PhraseReader, phrase: NounPhrase) -> int:
    """ "A 2006 Polo": the year is none of its name."""
    return phrase.start + 1 + reader.tokens[min(phrase.start + 1, phrase.end - 1)].text.isdigit()


def is_amount(reader: PhraseReader, phrase: NounPhrase) -> bool:
    return any(token.has("unit") for token in reader.tokens[phrase.start : phrase.end])


def name_called_so(reader: PhraseReader, phrase: NounPhrase, *, is_apposed: bool = False) -> NounPhrase:
    """ "A Dane called Lars", "un norvegese di nome Odd", "a start-up called Bloom": the name behind what it is.

    ``is_apposed``: also behind a mark alone, "a Dane, Lars".
    """
    end, start = len(reader.tokens), reader.skip_called(phrase.end, len(reader.tokens))
    has_one = reader.tokens[phrase.start].has("one")
    is_apposed = is_apposed and has_one and start + 1 < end and reader.tokens[start].text == ","
    if is_apposed and reader.is_sure_name_at(start + 1):
        start += 1
    stop = reader.find_name_end(start, end) if phrase.end < start < end else start
    if stop == start or (phrase.is_named and not is_apposed):
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
        if phrase.owner and phrase.relation in PEOPLE and not found:
            # "En lo de mi cuñado, una ferretería en Getxo": the town behind it is no employer.
            break
        if is_field(reader, phrase):
            continue
        behind = reader.tokens[found[-1].end : found[-1].end + 1] if found else ()
        if found and not any(token.has("conj") or token.text == "," for token in behind):
            break
        if found and is_one_trade(reader, found[-1], phrase):
            trade = reader.cut(found[-1].end, phrase.end)
            found[-1] = replace(found[-1], end=phrase.end, head=f"{found[-1].head} {trade}")
            continue
        phrase = name_called_so(reader, phrase)
        # "En el ayuntamiento de Lugo, en padrón", "alla Ducati, ufficio design": where in it.
        if found and reader.tokens[found[-1].end].is_mark and is_part_of_firm(reader, found[-1], phrase):
            break
        found.append(phrase)
    return found


def is_part_of_firm(reader: PhraseReader, firm: NounPhrase, other: NounPhrase) -> bool:
    is_bare = firm.is_named and reader.has_capitals and not (other.is_named or other.has_article or other.owner)
    return is_bare or reader.tokens[firm.end + 1].has("prep")


def is_one_trade(reader: PhraseReader, place: NounPhrase, other: NounPhrase) -> bool:
    """ "Un taller de chapa y pintura": what is bare belongs to what the workplace is of."""
    is_bare = not (other.has_article or other.owner or other.is_named or other.pronoun)
    is_joined = other.start == place.end + 1 and reader.tokens[place.end].has("conj")
    has_of = any(token.has("of") for token in list_span_tokens(reader, place))
    return reader.words.language in OF_TRADES and place.has_article and is_bare and is_joined and has_of


def is_place(reader: PhraseReader, phrase: NounPhrase, relation: str) -> bool:
    """Whether a phrase may be where somebody lives or was born: a name, and no dwelling, time, number or person."""
    if phrase.pronoun:
        return phrase.pronoun == "there"
    if phrase.head.isdigit():
        return relation == "born_in" and is_year(phrase.head)
    tokens = reader.tokens[phrase.start : phrase.end]
    # "The standup moved to ten".
    if read_number(reader.tokens, phrase.start, phrase.end, reader.words.language):
        return False
    if relation in {"lives_in", "moved_from"} and is_no_home(reader.cut(phrase.start, phrase.end)):
        return False
    # "In eine Zweizimmerwohnung nach Linden": German writes the two words as one, with a capital.
    is_compound = reader.words.language == "de" and any(one.plain.endswith(COMPOUND_DWELLINGS) for one in tokens)
    if (
        any(token.has("dwelling", "passing", "time", "unit", "event") for token in tokens)
        or is_compound
        or phrase.relation
        or phrase.owner
    ):
        return False
    if reader.has_capitals:
        # The M of "earn 6M" is none.
        return any(token.is_capital and len(token.text) > 1 for token in tokens)
    # "In a rented flat and pay 900": without capitals a verb looks like a name, but no street has so many numbers.
    if len(tokens) > 1 and tokens[-1].text.isdigit() and len(tokens[-1].text) >= DIGITS_OF_MONEY:
        return False
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
        or (phrase.relation in PEOPLE and not is_firm(reader, phrase))
        or any(token.has("time", "unit", "passing") for token in tokens)
        or (len(phrase.head.split()) == 1 and tokens[-1].has("field"))
        or all(token.has("field") for token in tokens)
        or (phrase.head.isdigit())
    )


def is_firm(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "At Clover Vets": a name before a noun of people, and nobody's."""
    tokens = reader.tokens[phrase.start : phrase.end]
    is_bare = not (phrase.owner or phrase.has_article or phrase.count) and len(tokens) > 1
    if not is_bare or tokens[0].plain in reader.words.nouns or tokens[0].classes or reader.words.language == "de":
        return False
    return (
        all(token.is_capital for token in tokens)
        if reader.has_capitals
        else reader.tokens[phrase.start - 1].text == "at"
    )


def is_year(spoken: str) -> bool:
    return spoken.isdigit() and len(spoken) == 4
