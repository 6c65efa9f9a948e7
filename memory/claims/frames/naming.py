"""What is told by a noun that names a relation: "my sister Anna", "my dog is called Rex", "mi color favorito"."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memory.claims.frames.facts import ClauseFact
from memory.claims.frames.matching import complete_dish
from memory.claims.frames.mentions import MentionStack
from memory.claims.frames.negation import is_denied, is_ended
from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import SPEAKER, THIRD, NounPhrase, PhraseReader
from memory.claims.frames.places import is_known_place
from memory.claims.frames.subjects import find_before, mention_phrase
from memory.claims.frames.words import load_favorites
from memory.claims.taxonomy import ANIMALS, FAVORITE
from memory.guard.spelling import fold_letters
from memory.language.names import load_possible_names

# "Seeing someone new, she's called Irit": what a pronoun says of a partner.
LOVERS: Final = {"she": "girlfriend", "he": "boyfriend"}
# Whose friend of the other sex they love, by how "his" and "her" begin, in languages of one word for both.
LOVES: Final = {
    "de": (("girlfriend", "sein", frozenset({"freundin"})), ("boyfriend", "ihr", frozenset({"freund", "freundes"}))),
    "he": (("girlfriend", "שלו", frozenset({"חברה"})), ("boyfriend", "שלה", frozenset({"חבר"}))),
}
MOST_PRESENTED: Final = 3
# Whom one meets and names with an article: "der Zahnarzt Dr. Wolff".
MET: Final = frozenset({"colleague", "neighbor", "dentist", "hairdresser", "vet", "landlord"})
# Words between a favourite and its verb.
REACH_OF_VALUE: Final = 4
OWN_CLITICS: Final = frozenset({"me", "m'", "mi"})


def read_apposed(reader: PhraseReader, stack: MentionStack) -> Iterator[ClauseFact]:
    """Every noun of the clause with its name beside it, whatever the clause says of it."""
    at, end = 0, len(reader.tokens)
    spoken: list[NounPhrase] = []
    while at < end:
        if not reader.tokens[at].has("my", "his", "det") and reader.tokens[at].plain not in reader.words.nouns:
            at += 1
            continue
        phrase = reader.read_phrase(at, end)
        if phrase is None or not phrase.relation:
            at += 1
            continue
        counted = list_counted(reader, phrase) if phrase.owner else []
        if counted:
            # "With our two kids, Lucas, 12, and Chloe, 8".
            for name in counted:
                yield from tell_name(reader, stack, phrase, name)
        elif phrase.name and (phrase.owner or is_own_pet(reader, phrase)):
            yield from tell_name(reader, stack, phrase, phrase.name)
            yield from name_each_beside(reader, stack, phrase)
        elif phrase.owner and (name := find_name_before(reader, phrase)):
            yield from tell_name(reader, stack, phrase, name)
        spoken.append(phrase)
        at = max(phrase.end, at + 1)
    for phrase in spoken:
        mention_phrase(phrase, stack)


def is_own_pet(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "The dog, Alfie, is nine", "die Kollegin Petra": with the definite article one's own."""
    is_definite = phrase.has_article and not reader.tokens[phrase.start].has("one")
    # "The dog shelter", typed without capitals: English puts nouns side by side.
    is_sure = reader.words.language != "en" or reader.has_capitals or reader.is_sure_name_at(phrase.end - 1)
    is_near = phrase.relation in ANIMALS or (phrase.relation in MET and is_met(reader, phrase))
    return is_definite and is_near and not phrase.count and is_sure


def is_met(reader: PhraseReader, phrase: NounPhrase) -> bool:
    """ "Mit den Nachbarn Hessisch", "l'anesthésie du dentiste pareil": neither is anybody's name."""
    names = phrase.name.split()
    is_known = bool(names) and (
        fold_letters(names[0]) in load_possible_names() or reader.tokens[phrase.end - 1].has("title")
    )
    return reader.words.language != "en" and is_known


def find_name_before(reader: PhraseReader, phrase: NounPhrase) -> str:
    """ "Priya, my boss, ...": the name stands before its noun, between marks."""
    tokens, comma = reader.tokens, phrase.start - 1
    is_closed = phrase.end >= len(tokens) or tokens[phrase.end].is_mark
    if comma < 1 or tokens[comma].text != "," or not is_closed:
        return ""
    start = next((at for at in range(max(0, comma - 3), comma) if reader.find_name_end(at, comma) == comma), comma)
    return reader.cut(start, comma) if start < comma and tokens[start].is_capital and start == 0 else ""


def name_each_beside(reader: PhraseReader, stack: MentionStack, phrase: NounPhrase) -> Iterator[ClauseFact]:
    """ "Our dogs, Biscuit and Mabel"."""
    at, end = phrase.end, len(reader.tokens)
    while at < end - 1 and (reader.tokens[at].has("conj") or reader.tokens[at].text == ","):
        stop = reader.find_name_end(at + 1, end)
        if stop == at + 1 or not reader.is_sure_name_at(at + 1):
            return
        yield from tell_name(reader, stack, phrase, reader.cut(at + 1, stop))
        at = stop


def tell_name(reader: PhraseReader, stack: MentionStack, phrase: NounPhrase, name: str) -> Iterator[ClauseFact]:
    owner = find_owner(phrase, stack)
    relation = phrase.relation
    if owner is None or not name:
        return
    if relation == "friend":
        relation = find_love(reader, phrase) or "friend_of"
    span = (reader.tokens[phrase.start].start, reader.tokens[max(phrase.end, phrase.start + 1) - 1].end)
    yield ClauseFact(owner, relation, name, span, is_presupposed=True)


def find_love(reader: PhraseReader, phrase: NounPhrase) -> str:
    """ "Zu seiner Freundin Mireille": of him a woman friend, of her a man, is no mere friend where one word is both."""
    spoken = [token.plain for token in reader.tokens[phrase.start : phrase.end]]
    for relation, owner, nouns in LOVES.get(reader.words.language, ()):
        if any(word.startswith(owner) for word in spoken) and not nouns.isdisjoint(spoken):
            return relation
    return ""


def find_owner(phrase: NounPhrase, stack: MentionStack) -> str | None:
    if phrase.owner == THIRD:
        found = stack.resolve("any")
        return found.text if found else None
    return phrase.owner or SPEAKER


def read_called(reader: PhraseReader, stack: MentionStack) -> Iterator[ClauseFact]:
    """ "My cats are called Pepe and Nuvola", "el perro se llama Curro", "she's called Gudule"."""
    tokens, end = reader.tokens, len(reader.tokens)
    at = next((place for place, token in enumerate(tokens) if token.has("named") and place), None)
    if at is None:
        at = 0 if tokens and tokens[0].has("named") else None
    if at is None:
        return
    # "She's got a parrot called Clementine" is read with what she has.
    has_other = any(token.has("have 3") and not token.has("have 1") for token in tokens[:at])
    has_got = any(token.has("got") and tokens[place].has("be 3") for place, token in enumerate(tokens[1:at]))
    if tokens[at].has("called") and (has_other or has_got):
        return
    groups = find_before(reader, at) or find_whom(reader, at)
    # "I'm married to a Dane called Lars" names the Dane.
    if groups and any(token.has("prep", "det") for token in tokens[groups[-1].end : at]):
        return
    start = at
    while start < end and tokens[start].has("named", "adv", "clitic", "called", "be 3", "be 1", "she", "he", "it", "i"):
        start += 1
    phrases = list(find_names(reader, start, end))
    if not phrases:
        return
    if is_denied(tokens, at, start, reader):
        for fact in name_called(reader, stack, groups[-1] if groups else None, phrases):
            yield replace(fact, is_denied=True, is_presupposed=False)
        return
    is_own = any(token.has("to me") for token in tokens[at:start]) and not groups
    if is_own or tokens[at].has("named 1") or (at and tokens[at - 1].text in OWN_CLITICS):
        yield ClauseFact(SPEAKER, "name", phrases[0], find_span(reader, at, end))
        return
    yield from name_called(reader, stack, groups[-1] if groups else None, phrases)


def read_presented(reader: PhraseReader) -> Iterator[ClauseFact]:
    """ "Bronagh here", "hier ist Wiebke", "aqui é a Dandara": nothing else stands in the clause."""
    places = [at for at, token in enumerate(reader.tokens) if not (token.is_mark or token.has("greets", "be 3", "det"))]
    if len(places) < 2 or len(places) > MOST_PRESENTED:
        return
    here = next((at for at in (places[0], places[-1]) if reader.tokens[at].has("presents")), None)
    if here is None:
        return
    named = [at for at in places if at != here]
    # "Paris ici" is no name, and neither is "cold here".
    if any(not reader.is_sure_name_at(at) or reader.tokens[at].classes for at in named):
        return
    spoken = reader.cut(named[0], named[-1] + 1)
    if named[-1] - named[0] == len(named) - 1 and not is_known_place(spoken):
        yield ClauseFact(SPEAKER, "name", spoken, find_span(reader, named[0], named[-1] + 1))


def find_whom(reader: PhraseReader, end: int) -> tuple[NounPhrase, ...]:
    """ "לכלב שלי קוראים רקסי": who is called so stands in the dative."""
    if not end or not reader.tokens[0].has("to whom"):
        return ()
    phrase = reader.read_phrase(1, end)
    return (phrase,) if phrase is not None and phrase.relation else ()


def read_inverted(reader: PhraseReader, stack: MentionStack) -> Iterator[ClauseFact]:
    """ "È Katia la mia parrucchiera", "c'est Léa ma nièce": the name stands before its noun."""
    tokens, end = reader.tokens, len(reader.tokens)
    verb = next((at for at, token in enumerate(tokens) if token.has("be 3")), end)
    start = verb + 1
    while start < end and tokens[start].has("adv", "not", "ended"):
        start += 1
    stop = reader.find_name_end(start, end) if start < end else start
    if stop == start or stop >= end or not reader.is_sure_name_at(start):
        return
    owned = reader.read_phrase(stop, end)
    if owned is not None and owned.relation and owned.owner and not owned.name:
        denied, ended = is_denied(tokens, verb, start, reader), is_ended(reader)
        for fact in tell_name(reader, stack, owned, reader.cut(start, stop)):
            yield replace(fact, is_denied=denied, is_ended=ended, is_presupposed=False)


def name_called(
    reader: PhraseReader, stack: MentionStack, subject: NounPhrase | None, names: list[str]
) -> Iterator[ClauseFact]:
    if subject is not None and subject.pronoun == "i":
        yield ClauseFact(SPEAKER, "name", names[0], find_span(reader, 0, len(reader.tokens)))
    elif subject is None or subject.pronoun:
        latest = stack.found[-1] if stack.found and stack.found[-1].is_noun and subject is None else None
        found = latest or (stack.resolve(subject.pronoun) if subject is not None else None) or stack.resolve("any")
        yield from rename(reader, stack, found.text if found else "", names, subject.pronoun if subject else "")
    elif subject.relation and (subject.owner or subject.has_article or subject.relation in ANIMALS):
        for name in names:
            yield from tell_name(reader, stack, subject, name)


def find_names(reader: PhraseReader, at: int, end: int) -> Iterator[str]:
    while at < end:
        if reader.tokens[at].has("det") and at + 1 < end:
            at += 1
            if reader.tokens[at].plain in reader.words.nouns:
                # "Der Kater heißt Mogli und der Hund Balu".
                return
        stop = reader.find_name_end(at, end)
        # "My therapist is Dr. Ode, Thursdays at five" names one.
        is_hour = reader.tokens[at].has("time") and stop < end and reader.tokens[stop].has("prep", "clock")
        if stop == at or is_hour:
            return
        yield reader.cut(at, stop)
        at = stop
        if at >= end or not (reader.tokens[at].has("conj") or reader.tokens[at].text == ","):
            return
        at += 1
        while at < end and reader.tokens[at].has("conj"):
            at += 1


def list_counted(reader: PhraseReader, phrase: NounPhrase) -> list[str]:
    """ "Two girls: Mia (4) and Zoe (7)": as many names as there are, each with its age or without."""
    tokens, end = reader.tokens, len(reader.tokens)
    found, at = [phrase.name] if phrase.name else [], phrase.end
    if not found:
        at += at < end and tokens[at].is_mark
        stop = reader.find_name_end(at, end) if at < end else at
        found, at = [reader.cut(at, stop)] if stop > at else [], stop
    while found:
        at = skip_age(reader, at)
        first = at
        while at < end and (tokens[at].has("conj") or tokens[at].text == ","):
            at += 1
        stop = reader.find_name_end(at, end) if first < at < end else at
        if stop == at:
            break
        found.append(reader.cut(at, stop))
        at = stop
    return found if phrase.count.isdigit() and len(found) == int(phrase.count) > 1 else []


def skip_age(reader: PhraseReader, at: int) -> int:
    """Behind "(4)", ", 4,", "de cinq ans" and "6 ans"."""
    tokens, end = reader.tokens, len(reader.tokens)
    is_led = at < end - 1 and (tokens[at].is_mark or tokens[at].has("of"))
    # "Lucas, de 12 años".
    at += is_led and tokens[at].is_mark and at < end - 2 and tokens[at + 1].has("of")
    number = read_number(tokens, at + is_led, end, reader.words.language) if at < end else None
    behind = tokens[number[1]] if number is not None and number[1] < end else None
    is_closed = behind is None or behind.is_mark or behind.has("age unit", "conj")
    if number is None or not (is_led or is_closed):
        return at
    stop = number[1] + (number[1] < end and tokens[number[1]].has("age unit"))
    return stop + (stop < end and tokens[stop].is_mark and tokens[stop].text != ",")


def rename(
    reader: PhraseReader, stack: MentionStack, subject: str, names: list[str], pronoun: str = ""
) -> Iterator[ClauseFact]:
    """A name for what was spoken of: in its own relation, if it is somebody's or a thing of the person's."""
    mention = stack.find(subject) if subject else None
    span = find_span(reader, 0, len(reader.tokens))
    if mention is None:
        return
    for name in names:
        if mention.relation and mention.is_noun:
            relation = LOVERS.get(pronoun, mention.relation) if mention.relation == "partner" else mention.relation
            yield ClauseFact(mention.owner or SPEAKER, relation, name, span)
        elif mention.is_noun:
            yield ClauseFact(subject, "name", name, span)


def find_span(reader: PhraseReader, at: int, end: int) -> tuple[int, int]:
    last = len(reader.tokens)
    return reader.tokens[min(at, last - 1)].start, reader.tokens[min(max(end, 1), last) - 1].end


def read_favorites(reader: PhraseReader) -> Iterator[ClauseFact]:
    """ "My favourite colour is teal and my favourite food curry"."""
    tokens, end = reader.tokens, len(reader.tokens)
    at = 0
    while at < end:
        found = find_favorite(reader, at)
        if found is None:
            at += 1
            continue
        relation, noun_end, owner = found
        start = noun_end
        while start < end and (
            tokens[start].has("be 3", "adv", "named", "it", "called")
            or tokens[start].text in {",", ":", "c'", "ce", "d'"}
        ):
            start += 1
        values = []
        if start < end and tokens[start].has("prep"):
            # "My favourite place on earth is Skye".
            verbs = range(start, min(start + REACH_OF_VALUE, end - 1))
            start = next((at + 1 for at in verbs if tokens[at].has("be 3") and not tokens[at].has("det")), start)
        for phrase in reader.read_list(start, end):
            if find_favorite(reader, phrase.start) is not None:
                break
            values.append(phrase)
        for phrase in values:
            if not phrase.pronoun and phrase.head:
                yield ClauseFact(owner, relation, complete_dish(reader, phrase).head, find_span(reader, at, phrase.end))
        if not values and (before := find_subject_before(reader, at)):
            # "Teal is my favourite colour".
            yield ClauseFact(owner, relation, before, find_span(reader, 0, noun_end))
        at = max(noun_end, values[-1].end if values else 0)


def find_subject_before(reader: PhraseReader, at: int) -> str:
    link = at - 1
    while link > 0 and reader.tokens[link].has("adv", "det", "clitic"):
        link -= 1
    if link < 1 or not reader.tokens[link].has("be 3"):
        return ""
    groups = find_before(reader, link)
    return groups[-1].head if groups and not groups[-1].pronoun else ""


def find_favorite(reader: PhraseReader, at: int) -> tuple[str, int, str] | None:
    """The relation of a favourite whose phrase begins at a place, where it ends, and whose it is."""
    tokens = reader.tokens
    if not (tokens[at].has("my", "his", "favorite") or find_compound(reader, at) or is_favorite_noun(reader, at)):
        return None
    place = at
    favorites = load_favorites(reader.words.language)
    is_favorite = False
    noun = ""
    last = at
    owner = SPEAKER
    while place < min(at + 6, len(tokens)):
        token = tokens[place]
        if (compound := find_compound(reader, place)) is not None:
            return compound, place + 1, owner
        if token.has("favorite"):
            is_favorite, last = True, place + 1
        elif not noun and place + 1 < len(tokens) and (two := f"{token.plain} {tokens[place + 1].plain}") in favorites:
            noun, last, place = favorites[two], place + 2, place + 1
        elif not noun and token.plain in favorites:
            noun, last = favorites[token.plain], place + 1
        elif token.has("my behind") and is_favorite:
            last = place + 1
        elif (token.has("my", "his") and place == at) or (token.has("of", "det", "adv") and place > at):
            pass
        else:
            break
        place += 1
    return (noun, last, owner) if is_favorite and noun else None


def is_favorite_noun(reader: PhraseReader, at: int) -> bool:
    """ "הצבע האהוב עליי": the noun stands first, and whose favourite it is last."""
    behind = reader.tokens[at + 1 : at + 4]
    if reader.tokens[at].plain not in load_favorites(reader.words.language):
        return False
    return any(one.has("favorite") for one in behind) and any(one.has("my behind") for one in behind)


def find_compound(reader: PhraseReader, at: int) -> str | None:
    """ "Lieblingsfarbe": the favourite and its noun in one word."""
    plain = reader.tokens[at].plain
    if not plain.startswith("lieblings") or len(plain) < 11:
        return None
    known = load_favorites("de")
    rest = plain.removeprefix("lieblings").removeprefix("-")
    return known.get(rest) or f"{FAVORITE}{rest}"
