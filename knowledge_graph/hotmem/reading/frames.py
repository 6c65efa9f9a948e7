"""Which frames of verbs a clause holds, and what fills them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from knowledge_graph.hotmem.reading.clauses import is_verb
from knowledge_graph.hotmem.reading.numerals import read_number
from knowledge_graph.hotmem.reading.phrases import NounPhrase, PhraseReader
from knowledge_graph.hotmem.reading.tokens import HotToken
from knowledge_graph.hotmem.reading.words import Frame, HotWords
from memory.guard.spelling import fold_letters

# Adverbs, denials and clitics that may stand between two words of a frame.
TASTES: Final = frozenset({"likes", "dislikes"})
OF_DISHES: Final = {
    "it": ("al", "allo", "alla", "all'", "ai", "agli", "alle"),
    "fr": ("au", "aux", "à"),
    "es": ("con", "al"),
}
YEAR_DIGITS: Final = 4
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
    if word.endswith("*"):
        return token.text.startswith(word[:-1]) or token.plain.startswith(word[:-1])
    return token.text == word or (
        token.plain == token.text and fold_letters(word) == token.plain and word not in ACCENTED
    )


# Words that are others without their accents.
ACCENTED: Final = frozenset({"è", "à", "él", "où", "là"})


def find_objects(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    if match.frame.prepositions:
        return find_behind_preposition(match, reader)
    found = find_direct(match, reader)
    return [complete_dish(reader, one) for one in found] if match.frame.relation in TASTES else found


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
    tokens, end = reader.tokens, len(reader.tokens)
    found: list[NounPhrase] = []
    ranges = [range(match.end, end)]
    if reader.words.language in VERB_LAST:
        ranges.append(range(match.start))
    for places in ranges:
        stop = places.stop
        for at in places:
            if at > match.end and places.start and (tokens[at].has("but", "sub") or (found and tokens[at].has("not"))):
                break
            if tokens[at].text not in match.frame.prepositions:
                # "Trabaja en el Hospital de Cruces": what somebody works as stands next to the verb.
                if match.frame.relation == "works_as" and at >= match.end and tokens[at].has("prep"):
                    break
                continue
            year = read_year(reader, at + 1, stop) if match.frame.relation == "born_in" else None
            more = [year] if year else list(reader.read_list(at + 1, stop, match.frame.prepositions))
            found += more
            # "In Leeds in 1972", "in a flat in Leeds": of these each is looked at.
            if found and match.frame.relation not in {"born_in", "lives_in"}:
                return found
    return found


def read_year(reader: PhraseReader, at: int, end: int) -> NounPhrase | None:
    while at < end and reader.tokens[at].has("det", "year"):
        at += 1
    number = read_number(reader.tokens, at, end, reader.words.language)
    if number is None or len(number[0]) != YEAR_DIGITS:
        return None
    return NounPhrase(at, number[1], number[0])


def find_direct(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    tokens, end = reader.tokens, len(reader.tokens)
    at = match.end
    while at < end and (
        tokens[at].has("adv", "clitic", "approx", "not", "degree") or (is_inverted(tokens, at, reader))
    ):
        if reader.words.language != "de" and tokens[at].has("he", "she", "it") and not tokens[at].has("clitic"):
            break
        at += 1
    found = list(read_things(reader, at, end)) if at < end else []
    if found or reader.words.language not in VERB_LAST:
        return found
    return find_before_verb(match, reader)


def is_inverted(tokens: Sequence[HotToken], at: int, reader: PhraseReader) -> bool:
    return reader.words.language in VERB_LAST and tokens[at].has("i", "he", "she") and at > 0


def find_before_verb(match: FrameMatch, reader: PhraseReader) -> list[NounPhrase]:
    """ "Ich hab mir ein Kajak gekauft": between the finite verb and the participle."""
    start = next(
        (at + 1 for at in range(match.start) if reader.tokens[at].has("have 1", "have 3", "be 1", "be 3", "verb")), 0
    )
    at = start
    best: list[NounPhrase] = []
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


def read_things(reader: PhraseReader, at: int, end: int) -> Iterator[NounPhrase]:
    """Phrases, and what people do: "leer novelas", "playing the piano"."""
    tokens = reader.tokens
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
        if at >= end or not (tokens[at].has("conj") or tokens[at].text == ","):
            return
        while at < end and (tokens[at].has("conj", "also") or tokens[at].text == ","):
            at += 1
        if at < end and tokens[at].has("prep", "adv", "not", "i", "clitic"):
            return


def is_infinitive(reader: PhraseReader, at: int) -> bool:
    token = reader.tokens[at]
    language = reader.words.language
    if language == "de" or len(token.text) < 2 or token.is_mark:
        return False
    return token.text.endswith(INFINITIVES[language]) and not token.has("det", "my", "he", "prep", "adv", "noun")


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
