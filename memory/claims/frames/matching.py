"""Which frames of verbs a clause holds, and what fills them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from memory.claims.frames.clauses import AS, is_verb
from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import TAKEN_UP, NounPhrase, PhraseReader, is_afterthought
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import Frame, HotWords
from memory.claims.taxonomy import SYMMETRIC
from memory.guard.spelling import fold_letters

TASTES: Final = frozenset({"likes", "dislikes"})
OF_DISHES: Final = {
    "it": ("al", "allo", "alla", "all'", "ai", "agli", "alle"),
    "fr": ("au", "aux", "à"),
    "es": ("con", "al"),
    "pt": ("com",),
}
# How the verbs begin behind which what is liked less follows, in whatever language.
PREFERRING: Final = ("pref", "préf")
YEAR_DIGITS: Final = 4
SHORT_YEAR_DIGITS: Final = 2
# Adverbs, denials and clitics that may stand between two words of a frame.
MOST_BETWEEN: Final = 3
BETWEEN: Final = ("adv", "not", "clitic", "i", "ended")
# Objects that stand before a verb at the end of its clause.
VERB_LAST: Final = frozenset({"de"})
INFINITIVES: Final = {
    "en": ("ing",),
    "es": ("ar", "er", "ir", "arme", "irme"),
    "fr": ("er", "ir", "re"),
    "de": ("en",),
    "it": ("are", "ere", "ire", "armi"),
    "pt": ("ar", "er", "ir"),
}
FINITE: Final = ("have 1", "have 3", "be 1", "be 3", "verb")
MOTION: Final = frozenset(
    {"going", "ir", "salir", "aller", "andare", "uscire", "travelling", "traveling", "viajar", "voyager", "viaggiare"}
    | {"walking", "caminar", "pasear", "jugar", "jouer", "giocare", "playing", "listening", "camminare", "to"}
)


@dataclass(frozen=True, slots=True)
class FrameMatch:
    frame: Frame
    start: int
    end: int


def find_frames(tokens: Sequence[HotToken], words: HotWords) -> list[FrameMatch]:
    """All frames of a clause; at one place only the longest."""
    found: list[FrameMatch] = []
    for at, token in enumerate(tokens):
        frames = words.frames.get(token.text) or words.frames.get(token.plain) or ()
        longest = 0
        for frame in frames:
            if len(frame.words) < longest or (len(frame.words) == 1 and not is_verb(tokens, at)):
                continue
            # "The Kona drives like new": behind a verb it compares.
            if token.text == "like" and at and tokens[at - 1].has("verb") and not tokens[at - 1].has("modal", "i"):
                continue
            end = match_words(tokens, at, frame.words)
            if end is not None:
                longest = len(frame.words)
                found.append(FrameMatch(frame, at, end))
    return found


def match_words(tokens: Sequence[HotToken], at: int, words: Sequence[str]) -> int | None:
    place = at
    for number, word in enumerate(words):
        skipped = 0
        while number and place < len(tokens) and not is_form(tokens[place], word):
            if skipped >= MOST_BETWEEN or not tokens[place].has(*BETWEEN):
                return None
            place, skipped = place + 1, skipped + 1
        if place >= len(tokens) or not is_form(tokens[place], word):
            return None
        place += 1
    return place


def is_form(token: HotToken, word: str) -> bool:
    if token.text in CONTRACTED.get(word, ()):
        return True
    if word.endswith("*"):
        return token.text.startswith(word[:-1]) or token.plain.startswith(word[:-1])
    return token.text == word or (
        token.plain == token.text and fold_letters(word) == token.plain and word not in ACCENTED
    )


# What a word of a frame becomes beside its neighbour: "passionné d'astronomie", "I've lived".
CONTRACTED: Final = {
    "de": ("d'", "du", "des", "del"),
    "di": ("d'", "del", "della", "dello", "dei", "delle", "degli", "dell'"),
    "have": ("'ve",),
    "am": ("'m",),
}
# Words that are others without their accents.
ACCENTED: Final = frozenset({"è", "à", "él", "où", "là"})


def find_objects(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    if match.frame.relation == "works_as" and match.frame.prepositions:
        return find_occupation(match, reader)
    if match.frame.prepositions:
        return find_behind_preposition(match, reader)
    found = find_direct(match, reader)
    # "Je préfère le thé au café": behind it stands what is liked less.
    is_dish = match.frame.relation in TASTES and not match.frame.words[0].startswith(PREFERRING)
    return [complete_dish(reader, one) for one in found] if is_dish else found


def complete_dish(reader: PhraseReader, phrase: NounPhrase) -> NounPhrase:
    """ "Gelato al pistacchio", "tarte aux pommes": what it is made with belongs to a taste."""
    tokens, end = reader.tokens, phrase.end
    prepositions = OF_DISHES.get(reader.words.language, ())
    if phrase.pronoun or end + 1 >= len(tokens) or tokens[end].text not in prepositions or phrase.relation:
        return phrase
    start = end + 1 + (tokens[end + 1].has("det") and end + 2 < len(tokens))
    if tokens[start].classes or tokens[start].is_mark or tokens[start].is_capital:
        return phrase
    behind = reader.tokens[start]
    head = f"{phrase.head} {reader.cut(end, start + 1)}"
    return replace(phrase, end=start + 1, head=head) if behind.text.isalpha() else phrase


def find_behind_preposition(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    """The objects that a preposition of the frame leads: "in Leeds" of "I live with Tom in Leeds"."""
    tokens, end = reader.tokens, len(reader.tokens)
    found: list[NounPhrase] = []
    ranges = [range(match.end, end)]
    if reader.words.language in VERB_LAST:
        ranges.append(range(match.start))
    for places in ranges:
        stop = places.stop
        for at in places:
            if at == match.end and at + 1 < stop and tokens[at].has("frame") and not tokens[at].has("prep", "adv"):
                # "Been married to": the preposition is of the verb that stands before it.
                break
            is_cut = tokens[at].has("but", "sub") and tokens[at].text not in AS
            # "Me separé y comparto la custodia de Vera": behind a joint another verb begins.
            is_cut = is_cut or (match.frame.relation in SYMMETRIC and tokens[at].has("conj"))
            # "Born in Malta, grew up in Hull": another thing that lasts.
            is_next = found and match.frame.relation == "born_in" and tokens[at].has("lasting", "verb")
            if at > match.end and places.start and (is_cut or is_next or (found and tokens[at].has("not"))):
                break
            if tokens[at].text not in match.frame.prepositions:
                continue
            year = read_year(reader, at + 1, stop) if match.frame.relation == "born_in" else None
            more = [year] if year else list(reader.read_list(at + 1, stop, match.frame.prepositions))
            found += more
            # "In Leeds in 1972", "in a flat in Leeds": of these each is looked at.
            if found and match.frame.relation not in {"born_in", "lives_in", "works_at"}:
                return found
    return found or find_there(match, reader)


def find_occupation(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    """Behind "as" wherever it stands; another preposition only next to the verb: "trabaja en el Hospital de Cruces"."""
    tokens, end = reader.tokens, len(reader.tokens)
    places = [*range(match.end, end), *(range(match.start) if reader.words.language in VERB_LAST else ())]
    is_near = True
    for at in places[: end - 1]:
        is_as = tokens[at].text in AS
        if at + 1 < end and tokens[at].text in match.frame.prepositions and (is_as or is_near):
            # "Trabajo de noche", "lavoro da otto anni".
            is_when = tokens[at + 1].has("time", "unit", "field") or read_number(
                tokens, at + 1, end, reader.words.language
            )
            if not is_when:
                return list(reader.read_list(at + 1, end, match.frame.prepositions))
        elif tokens[at].has("prep") and not is_as:
            is_near = False
    return []


def find_there(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    """ "My niece lives there", "mon frère y travaille": the place without its preposition."""
    tokens = reader.tokens
    near = [*range(match.end, min(match.end + 2, len(tokens))), *range(max(0, match.start - 4), match.start)]
    return [NounPhrase(at, at + 1, tokens[at].text, pronoun="there") for at in near if tokens[at].has("there")][:1]


def read_year(reader: PhraseReader, at: int, end: int) -> NounPhrase | None:
    while at < end and reader.tokens[at].has("det", "year"):
        at += 1
    number = read_number(reader.tokens, at, end, reader.words.language)
    if number is None or len(number[0]) not in {YEAR_DIGITS, SHORT_YEAR_DIGITS}:
        return None
    behind = reader.tokens[number[1]] if number[1] < end else None
    if (
        len(number[0]) == SHORT_YEAR_DIGITS
        and behind is not None
        and not (behind.is_mark or behind.has("conj", *FINITE))
    ):
        # "Born on 12 March".
        return None
    return NounPhrase(at, number[1], complete_year(number[0]))


def complete_year(digits: str) -> str:
    """ "In '84", "en el 71": the last year that ends so."""
    if len(digits) == YEAR_DIGITS:
        return digits
    this_year = datetime.now(UTC).year
    return str(this_year - (this_year - int(digits)) % 100)


def find_direct(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    tokens, end = reader.tokens, len(reader.tokens)
    at = match.end
    while at < end and (
        tokens[at].has("clitic", "approx", "not")
        # "Conduzco un Seat", and "me gusta un poco el jazz".
        or (tokens[at].has("adv", "degree") and not (tokens[at].has("one") and not goes_on_with_degree(tokens, at + 1)))
        or is_inverted(tokens, at, reader)
    ):
        if reader.words.language != "de" and tokens[at].has("he", "she", "it") and not tokens[at].has("clitic"):
            break
        at += 1
    at = skip_cleft(tokens, at)
    found = list(read_things(reader, at, end)) if at < end else []
    if not found and match.frame.relation in TASTES:
        found = find_topic(match, reader)
    if found or reader.words.language not in VERB_LAST:
        return found
    return find_before_verb(match, reader)


def goes_on_with_degree(tokens: Sequence[HotToken], at: int) -> bool:
    return at < len(tokens) and tokens[at].has("adv", "degree")


def find_topic(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    """ "Le café j'aime pas", "marzipan I can't abide": what is liked stands before who likes it."""
    tokens = reader.tokens
    subject = max((at for at in range(1, match.start) if tokens[at].has("i")), default=0)
    taken = next((at for at in range(max(1, match.start - 1), match.end) if tokens[at].text in TAKEN_UP), 0)
    if not subject and taken and not match.frame.is_third:
        # "I finocchi li detesto", "el cilantro no lo soporto": what is liked is taken up by a pronoun.
        subject = min(taken, match.start)
    first = skip_joint(tokens, subject)
    phrase = reader.read_phrase(first, subject) if subject else None
    if phrase is None or phrase.pronoun or tokens[first].has("prep") or is_time_phrase(reader, phrase):
        return []
    # "El cilantro no lo soporto", "il caffè proprio non lo reggo".
    between = tokens[phrase.end : subject]
    return [phrase] if all(token.is_mark or token.has("not", "adv", "clitic", "degree") for token in between) else []


def skip_joint(tokens: Sequence[HotToken], end: int) -> int:
    """ "..., aber Kaffee kann ich nicht ausstehen", "moi le jazz j'adore": where what is named first begins."""
    return next((at for at in range(end) if not (tokens[at].is_mark or tokens[at].has("but", "conj", "i"))), 0)


def skip_cleft(tokens: Sequence[HotToken], at: int) -> int:
    """ "What I love most is ...", "lo que más me gusta es ...", "ce que je préfère c'est ..."."""
    place = at
    while place < len(tokens) and tokens[place].has("it", "adv", "degree") and not tokens[place].has("det"):
        place += 1
    is_link = place + 1 < len(tokens) and tokens[place].has("be 3") and not tokens[place + 1].has("not", "adv")
    return place + 1 if is_link else at


def is_inverted(tokens: Sequence[HotToken], at: int, reader: PhraseReader) -> bool:
    return reader.words.language in VERB_LAST and tokens[at].has("i", "he", "she") and at > 0


def find_before_verb(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    """ "Ich hab mir ein Kajak gekauft": between the finite verb and the participle."""
    start = next(
        (at + 1 for at in range(match.start) if reader.tokens[at].has("have 1", "have 3", "be 1", "be 3", "verb")), 0
    )
    at = start
    best: list[NounPhrase] = find_fronted(match, reader, start - 1)
    while at < match.start:
        token = reader.tokens[at]
        if token.has("prep"):
            phrase = reader.read_phrase(at + 1, match.start)
            at = max(at + 1, phrase.end if phrase else 0)
            continue
        found = [one for one in read_things(reader, at, match.start) if not one.pronoun]
        if found and not any(token.has("time", "unit") for token in reader.tokens[found[0].start : found[0].end]):
            best = found
            at = found[-1].end
        else:
            at += 1
    return best


def find_fronted(match: FrameMatch, reader: PhraseReader, finite: int) -> list[NounPhrase]:
    """ "Das Motorrad hab ich verkauft": what stands before the finite verb, whose subject is the pronoun behind it."""
    behind = reader.tokens[finite + 1] if 0 < finite < match.start - 1 else None
    first = skip_joint(reader.tokens, finite)
    if behind is None or not behind.has("i", "he", "she") or reader.tokens[first].has("prep"):
        return []
    phrase = reader.read_phrase(first, finite)
    is_thing = phrase is not None and not phrase.pronoun and phrase.end == finite
    return [phrase] if phrase is not None and is_thing and not is_time_phrase(reader, phrase) else []


def is_time_phrase(reader: PhraseReader, phrase: NounPhrase) -> bool:
    return any(token.has("time", "unit") for token in reader.tokens[phrase.start : phrase.end])


def read_things(reader: PhraseReader, at: int, end: int) -> Iterator[NounPhrase]:
    """Phrases, and what people do: "leer novelas", "playing the piano"."""
    tokens = reader.tokens
    # "Gosta de samba e de forró".
    lead = tokens[at - 1].text if at and tokens[at - 1].has("of") else ""
    while at < end:
        if tokens[at].text in {"to", "zu"} and at + 1 < end:
            at += 1
        if is_infinitive(reader, at):
            stop = find_end_of_doing(reader, at, end)
            yield NounPhrase(at, stop, reader.cut(at, stop))
            at = stop
        else:
            phrase = reader.read_phrase(at, end)
            if phrase is None:
                return
            yield phrase
            at = phrase.end
        if at >= end or not (tokens[at].has("conj") or tokens[at].text == ",") or is_afterthought(tokens, at, end):
            return
        while at < end and (tokens[at].has("conj", "also") or tokens[at].text in {",", lead}):
            at += 1
        # "I fumetti e le acciughe": an article that is a pronoun elsewhere.
        if at < end and tokens[at].has("prep", "adv", "not", "i", "clitic") and not tokens[at].has("det"):
            return


def is_infinitive(reader: PhraseReader, at: int) -> bool:
    token = reader.tokens[at]
    language = reader.words.language
    if language == "de" or len(token.text) < 2 or token.is_mark:
        return False
    return token.text.endswith(INFINITIVES.get(language, "\n")) and not token.has(
        "det", "my", "he", "prep", "adv", "noun"
    )


def find_end_of_doing(reader: PhraseReader, at: int, end: int) -> int:
    place = at + 1
    tokens = reader.tokens
    if (place < end and tokens[place].has("det", "my")) or (
        place < end and tokens[at].text in MOTION and tokens[place].has("prep")
    ):
        place += 1
        if place < end and tokens[place].has("det", "my"):
            place += 1
    phrase = reader.read_phrase(place, end) if place < end else None
    if phrase is None or phrase.pronoun:
        return at + 1
    return phrase.end
