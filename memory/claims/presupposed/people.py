"""Who is the person's own, by name and age: "my wife Dana, she's turning 40", "mein Kater Miso"."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.presupposed.kinds import (
    PERSON,
    PETS,
    find_animal_relation,
    fold_apart,
    list_forms,
    load_phrases,
    load_said,
)
from memory.claims.presupposed.kinds import SUBJECT as WORDS
from memory.claims.presupposed.phrases import HEAD_LAST, SMALL, OwnNoun, SpokenSentence
from memory.claims.presupposed.telling import claim_words
from memory.claims.presupposed.third_persons import tell_third
from memory.claims.slots.lovers import find_lover
from memory.claims.slots.templates import join_numbers
from memory.claims.taxonomy import GROUPS
from memory.guard.spelling import fold_letters
from memory.language.concepts import is_vocabulary
from memory.language.hebrew import BEFORE_A_NAME, HEBREW
from memory.language.loader import read_entries
from memory.language.names import capitalises_nouns, load_given_names

LONGEST_NAME: Final = 3
FRIEND: Final = "friend"
# Words behind a noun that say which of them it is: "mein Kollege aus der Buchhaltung".
MOST_WHICH: Final = 5
NO_NAME: Final = (*SMALL, "time", "month", "det")
# Words of what is said of somebody right behind their name.
MOST_DESCRIBING: Final = 25


def name_being(sentence: SpokenSentence, noun: OwnNoun) -> str:
    """What a claim calls a person or an animal: their name, or else the noun."""
    named = find_name_behind(sentence, noun.end)
    return sentence.cut(*named) if named else name_head(sentence, noun)


def tell_being(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    """What "my brother" or "my dog Rex" takes for granted of somebody."""
    relation = name_relation(sentence, noun)
    at = noun.end + (noun.kinds[0] in PETS and is_qualified(sentence, noun.end))
    named = None if relation in GROUPS else find_name_behind(sentence, at)
    start, end = noun.start, noun.end
    if named is None and relation not in GROUPS and (before := find_name_before(sentence, noun)) is not None:
        named, start, end = before, before[0], find_which_end(sentence, noun.end)
    elif named is not None:
        end = named[1]
    elif relation not in GROUPS and (later := find_name_later(sentence, noun)) is not None:
        named, end = later, later[1]
    age, end = find_age(sentence, noun, end)
    told_end = find_description_end(sentence, end) if named or age else end
    subject = sentence.cut(*named) if named else name_head(sentence, noun)
    if sentence.language == HEBREW and named:
        subject = strip_particles(subject)
    if named:
        yield claim_words(sentence, relation, subject, (start, told_end), place)
    if age:
        yield claim_words(sentence, "age", age, (start, told_end), place, subject)
    yield from tell_third(sentence, noun, subject, named[1] if named and named[0] >= noun.end else noun.end, place)


def name_head(sentence: SpokenSentence, noun: OwnNoun) -> str:
    """ "My 4 year old" is a child."""
    said = sentence.cut_noun(noun.first, noun.last)
    return "child" if fold_letters(said) in load_said(sentence.language, "aged child") else said


def is_being(noun: OwnNoun) -> bool:
    return noun.kinds[0].startswith(PERSON) or noun.kinds[0] in PETS


def name_relation(sentence: SpokenSentence, noun: OwnNoun) -> str:
    kind = noun.kinds[0]
    if kind.startswith(PERSON):
        relation = kind.removeprefix(PERSON)
        said = sentence.cut(noun.start, noun.end)
        return (find_lover(said, sentence.language) or "friend_of") if relation == FRIEND else relation
    words = [one.plain for one in sentence.tokens[noun.first : noun.last]]
    return find_animal_relation(kind, list_forms(words, sentence.language), sentence.language)


def find_name_behind(sentence: SpokenSentence, at: int) -> tuple[int, int] | None:
    """ "My boss Priya", "mi casero, don Eusebio Marín", "meinem Chef, Herrn Lindner"."""
    begun = at + (at < len(sentence.tokens) and sentence.tokens[at].text in {",", "(", ":"})
    is_apart = begun > at
    while sentence.says(begun, "called"):
        begun, is_apart = begun + 1, False
    begun += sentence.says(begun, "det") and sentence.says(begun + 1, "title")
    title = int(sentence.says(begun, "title"))
    end = begun + title
    while end < min(begun + title + LONGEST_NAME, len(sentence.tokens)) and may_name(
        sentence, end, is_first=end == begun
    ):
        end += 1
    if end == begun + title:
        return None
    first = sentence.tokens[begun + title]
    is_given = first.plain in load_given_names() and (first.is_capital or not first.classes)
    is_closed = sentence.is_end(end) or sentence.says(end, "verb", "frame", "be 3", "have 3")
    if is_given or title:
        return begun, end
    # "For my cat, Please answer soon" names none.
    is_known = sentence.language != HEBREW
    return (begun, end) if is_known and (not is_apart or is_closed) else None


def find_name_later(sentence: SpokenSentence, noun: OwnNoun) -> tuple[int, int] | None:
    """ "My therapist wants me to journal, her name is Dr. Anand", where nobody else is spoken of between."""
    opened = noun.end < len(sentence.tokens) and load_named_later(sentence.language).search(
        fold_apart(sentence.raw), sentence.tokens[noun.end - 1].end
    )
    if not opened or any(
        noun.end <= other.start and sentence.tokens[other.start].start < opened.start() for other in sentence.own_nouns
    ):
        return None
    at = next((at for at, one in enumerate(sentence.tokens) if one.start >= opened.end()), len(sentence.tokens))
    return find_name_behind(sentence, at)


@cache
def load_named_later(language: str) -> re.Pattern[str]:
    # A text that keeps its length keeps "ß" too.
    said = load_phrases(language, "named later").pattern.replace("ss", "(?:ss|ß)")
    return re.compile(rf"[,;(–—-]\s?{said}")


def is_qualified(sentence: SpokenSentence, at: int) -> bool:
    """ "Mi gato persa Bigotes": an adjective between the noun and the name."""
    if sentence.language in HEAD_LAST or at + 1 >= len(sentence.tokens):
        return False
    token, behind = sentence.tokens[at], sentence.tokens[at + 1]
    is_plain = not (token.is_mark or token.is_capital or token.classes)
    return is_plain and behind.is_capital and not behind.classes


def find_which_end(sentence: SpokenSentence, at: int) -> int:
    """Behind a name and its noun, up to the mark that closes what tells which of them it is."""
    for end in range(at, min(at + MOST_WHICH, len(sentence.tokens)) + 1):
        if sentence.is_end(end):
            return end
        if sentence.says(end, "verb", "frame", "be 3", "have 3", "modal", "not") or (
            end == at and not sentence.says(at, "prep", "of")
        ):
            return at
    return at


def may_name(sentence: SpokenSentence, at: int, *, is_first: bool) -> bool:
    token = sentence.tokens[at]
    if token.is_mark or token.has(*NO_NAME) or not token.text[0].isalpha():
        return False
    is_given = token.plain in load_given_names()
    if sentence.language == HEBREW:
        return is_given
    if capitalises_nouns(sentence.language) or not sentence.has_capitals:
        named_before = not is_first and sentence.says(at - 1, "title")
        is_known = is_given or named_before or may_name_alone(sentence, at)
        return is_known and not (sentence.has_capitals and not token.is_capital)
    # "IBS" and "GP" are no names.
    return token.is_capital and not (
        token.text.upper() == sentence.raw[token.start : token.end] and len(token.text) > 1
    )


def may_name_alone(sentence: SpokenSentence, at: int) -> bool:
    """Where every noun has a capital: one that no list knows and behind which no other stands."""
    token, behind = sentence.tokens[at], at + 1
    is_noun = not token.is_capital or token.classes or is_vocabulary(token.text, sentence.language)
    if is_noun or token.text.endswith(read_entries(sentence.language, "names", "endings of nouns")):
        return False
    return sentence.is_end(behind) or not sentence.tokens[behind].is_capital


def find_name_before(sentence: SpokenSentence, noun: OwnNoun) -> tuple[int, int] | None:
    """ "Jannik, mein Kollege aus der Buchhaltung", "Tartufo, il mio lagotto, abbaia"."""
    comma = noun.start - 1
    comma -= comma > 0 and sentence.says(comma, "det") and sentence.tokens[comma - 1].text == ","
    if comma < 1 or sentence.tokens[comma].text != ",":
        return None
    if comma > 1 and sentence.says(noun.end, "be 3", "have 3"):
        # "I work at Jellyfish in London, my boss is Jenny": what begins behind the comma is a clause of its own.
        return None
    token = sentence.tokens[comma - 1]
    if (titled := find_titled(sentence, comma)) is not None:
        return titled
    led = ("prep", "of", "verb", "frame", "that", "sub", "rel")
    is_led = comma == 1 or sentence.says(comma - 2, *led) or sentence.tokens[comma - 2].is_mark
    if sentence.language == HEBREW:
        is_given = strip_particles(token.text) != token.text or token.plain in load_given_names()
        return (comma - 1, comma) if is_given else None
    if not token.is_capital or token.has(*NO_NAME) or not is_led:
        return None
    is_known = token.plain in load_given_names() or comma == 1
    return (comma - 1, comma) if is_known or not capitalises_nouns(sentence.language) else None


def find_titled(sentence: SpokenSentence, end: int) -> tuple[int, int] | None:
    """ "Il preventivo della dottoressa Pellegrini, la mia dentista": a title before it makes a name of any word."""
    for at in range(end - 1, max(-1, end - 1 - LONGEST_NAME), -1):
        if sentence.tokens[at].is_mark or (sentence.tokens[at].has(*NO_NAME) and not sentence.says(at, "title")):
            return None
        if sentence.says(at, "title"):
            return (at, end) if at < end - 1 else None
    return None


def strip_particles(name: str) -> str:
    """ "להדס": the particle before a given name."""
    rest = name[1:]
    is_led = name[:1] in BEFORE_A_NAME and fold_letters(rest) in load_given_names()
    return rest if is_led and fold_letters(name) not in load_given_names() else name


def find_age(sentence: SpokenSentence, noun: OwnNoun, end: int) -> tuple[str, int]:
    """The age told within a phrase or right behind it, and where the words end that tell it."""
    inside = " ".join(one.text for one in sentence.tokens[noun.start + 1 : noun.last])
    before, behind = load_ages(sentence.language)
    if (found := before.search(inside)) is not None:
        return found[1], end
    if end >= len(sentence.tokens) and sentence.language != HEBREW:
        return "", end
    place = sentence.tokens[end - 1].end
    found = behind.match(fold_spoken(sentence.raw[place : place + 60]))
    if found is None:
        return "", end
    stop = place + found.end()
    last = max((at + 1 for at, one in enumerate(sentence.tokens) if one.start < stop), default=end)
    age = next(filter(None, found.groups()))
    words = {one.plain for one in sentence.tokens[end:last]}
    # "My daughter turns 6 in June": not yet.
    is_ahead = not words.isdisjoint(load_said(sentence.language, "turns")) and sentence.says(last, "prep")
    return ("", end) if is_ahead else (age, max(end, last))


def find_leading_age(sentence: SpokenSentence) -> str:
    """Of a sentence that begins with how old somebody is, and says of nobody that they are."""
    found = load_leading_age(sentence.language).match(fold_spoken(sentence.raw[:60]).lstrip())
    return found[1] if found is not None and not any(one.has("i", "my") for one in sentence.tokens) else ""


@cache
def load_leading_age(language: str) -> re.Pattern[str]:
    years = "|".join(re.escape(fold) for fold in read_entries(language, WORDS, "years"))
    if language == HEBREW:
        return re.compile(r"(?:בן|בת)\s(\d{1,3})(?!\w)")
    return re.compile(rf"(\d{{1,3}})\s(?:{years})(?!\w)")


def fold_spoken(text: str) -> str:
    """In small letters where that leaves every place where it is: some letters become two."""
    return text.lower().replace("’", "'") if len(text.lower()) == len(text) else text


@cache
def load_ages(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """An age before a noun ("7-year-old") and one behind it (", she's turning 40", " de 7 años")."""
    links, years = (
        "|".join(
            re.escape(one).replace(r"\ ", r"[\s'-]")
            for one in sorted(read_entries(language, WORDS, kind), key=len, reverse=True)
        )
        for kind in ("age link", "years")
    )
    number = rf"(\d{{1,3}}|{join_numbers(language)})"
    unit = rf"(?:[\s-]{{0,3}}(?:{years})(?!\w)(?!\s(?:d[aei]|of|von)\s))"
    closed = r"(?=\s*(?:[,;.!?)(]|$|\s(?:and|und|y|et|e|on|am|el|le|il|in|im|en)\s|\sב))"
    before = re.compile(rf"(?<!\w){number}{unit}")
    led = rf"[\s,(–-]{{0,4}}(?:(?:{links})\s){{1,2}}{number}(?:{unit}|{closed})"
    bare = rf"[\s]?[,(]\s?{number}(?:{unit}|{closed})|\s{number}{unit}"
    return before, re.compile(f"{led}|{bare}")


def find_description_end(sentence: SpokenSentence, at: int) -> int:
    """Up to the end of what is said of somebody right behind their name: ", he turns 50 on the 9th of May"."""
    end = at
    while end < len(sentence.tokens):
        first = end + sentence.tokens[end].is_mark
        if not describes(sentence, first, is_apart=first > end) or (first == end and end != at):
            break
        stop = next(
            (one for one in range(first, len(sentence.tokens)) if sentence.tokens[one].is_mark), len(sentence.tokens)
        )
        if stop - at > MOST_DESCRIBING or (first > end and sentence.tokens[end].text not in {",", "(", ":"}):
            break
        end = stop + (stop < len(sentence.tokens) and sentence.tokens[stop].text == ")")
    return end


def describes(sentence: SpokenSentence, at: int, *, is_apart: bool) -> bool:
    """Whether a clause begins that goes on about whoever was named: "who is 6", "she's turning 40"."""
    if at + 1 >= len(sentence.tokens):
        return False
    if sentence.says(at, "he", "she") and is_apart:
        return not sentence.says(at + 1, "wh")
    behind = sentence.tokens[at + 1]
    if sentence.says(at, "rel") and not behind.has("i", "det", "my", "he", "she", "they"):
        return is_apart or behind.has("have 3", "be 3", "verb", "frame", "not")
    return False
