"""What a person agrees to or denies: "Are you vegetarian?" "yes", "Do you still live in York?" "no, Hull".

The question is put as the person would say it ("I am vegetarian") and read as any other sentence. A "no" denies what
that tells, or ends it where the question was whether it is still so; a value behind the "no" takes its value's place.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim, ClaimTense
from memory.claims.frames.languages import find_turn_languages
from memory.claims.frames.words import load_hot_words
from memory.claims.judgement.judging import names_relation
from memory.claims.replies.answering import SUBJECT, WORD
from memory.claims.replies.follow_ups import Read, list_bare, speaks_of_self, take_piece, trim_value
from memory.claims.replies.told_questions import ToldQuestion, asks_still, word_as_told
from memory.claims.slots.fitting import is_number
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.slots.unnamed import MADE
from memory.claims.taxonomy import ANIMALS, CHILDREN, HAVING, PERSONS
from memory.claims.voices.suppositions import is_of_calendar
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.exchanges import LONGEST_QUESTION
from memory.language.loader import list_codes, read_entries

# What is told of the person for good: "Do you want a recipe?" "yes" is a wish of the moment.
CONFIRMED: Final = frozenset(
    {
        *("lives_in", "works_at", "works_as", "diet", "allergic_to", "has_condition", "takes", "eats", "drinks"),
        *("married_to", "has", "owns", "likes", "dislikes", "speaks", "hobby", "age", "studies", "school"),
        *("car", "smokes"),
    }
)
# What an answer may tell beyond that: who or which it is.
COMPLETED: Final = PERSONS | ANIMALS | MADE | {"married_to", "has", "owns", "quantity"}
# Who is still what to the person: "is Helen still your boss?".
STILL: Final = PERSONS | ANIMALS | {"married_to", "dating", "boss", "teacher", "dentist", "doctor"}
# Kinds of words that tell what was done.
DEEDS: Final = frozenset({"verb", "participle", "frame", "first", "ended phrase", "lasting", "be 1"})
# Words of an answer that says an end: "gave it up ages ago".
LONGEST_END: Final = 6


@dataclass(frozen=True, slots=True)
class PolarAnswer:
    """Whether an answer begins with yes or no, None for neither, and the words behind that."""

    agrees: bool | None
    rest: str


def claim_confirmed(sentence: Sentence, place: int, asked: str, before: str, read: Read) -> list[Claim]:
    """The claims of the first sentence of a turn that answers a question of the assistant's with yes or no.

    ``read`` reads a sentence's claims.
    """
    language = next(iter(find_turn_languages(f"{asked} {sentence.raw}", (before,))), "")
    told = word_as_told(asked, language) if language and len(asked) <= LONGEST_QUESTION else None
    if told is None:
        return []
    answer = read_polar(sentence, language)
    claims = choose_confirmed(read(told.text), language, asks_still=asks_still(asked, language))
    value = cut_value(answer.rest, language)
    found: Sequence[Claim] = []
    if answer.agrees is None and asks_still(asked, language) and tells_end(sentence.raw, language):
        answer = PolarAnswer(agrees=False, rest="")
        value = ""
    if told.is_for_denial and answer.agrees:
        return []
    if answer.agrees is None or (answer.agrees and answer.rest):
        found = complete_answer(told, claims, answer, value, language, read)
    elif answer.agrees:
        found = claims
    else:
        found = replace_value(told.text, claims, value, language, read) if value else []
        found = found or deny_claims(claims, asked, f"{asked} {' '.join(sentence.raw.split())}", language)
    span = (place, place + len(sentence.raw))
    return [replace(one, span=span, is_sure=True) for one in found]


def deny_claims(claims: Sequence[Claim], asked: str, told: str, language: str) -> list[Claim]:
    """ "Do you eat meat?" "no": kept with what was asked, as the denial alone says nothing."""
    tense: ClaimTense = "over" if asks_still(asked, language) else "present"
    return [replace(one, polarity=False, tense=tense, statement=told) for one in claims]


def tells_end(spoken: str, language: str) -> bool:
    """ "Still got the Golf?" "sold it": a few words that say no without the word."""
    words = [fold_letters(word) for word in WORD.findall(spoken)]
    told = f" {' '.join(words)} "
    return 0 < len(words) <= LONGEST_END and any(f" {one} " in told for one in load_words(language, "ends it", SUBJECT))


def choose_confirmed(claims: Sequence[Claim], language: str, *, asks_still: bool = False) -> list[Claim]:
    """ "I have a moment" and "I am sure" tell nothing that lasts; "still 50?" asks for no age."""
    return [
        one
        for one in claims
        if one.subject == SPEAKER
        and not (asks_still and one.relation == "age")
        and (one.relation in CONFIRMED or (asks_still and one.relation in STILL))
        and not (one.relation in HAVING and find_had(one.object, language) is None and not asks_still)
        and not (
            one.relation == "works_as" and fold_letters(one.object) not in load_words(language, "occupation", "frames")
        )
        and (names_relation(one) or one.relation in HAVING)
    ]


def find_had(spoken: str, language: str) -> str | None:
    """The noun of what somebody has where it is an animal, a child or a thing with a make: of "a red car" "car"."""
    word = spoken.split()[-1] if spoken.split() else ""
    known = find_known_noun([word], language) if word else None
    is_lasting = known is not None and known[1] in ANIMALS | CHILDREN | MADE
    return word if is_lasting or fold_letters(word) in load_words(language, "pet word", SUBJECT) else None


def begins_polar(spoken: str) -> bool:
    """Whether words begin with yes or no in a language of the product."""
    first = WORD.match(spoken.strip())
    return first is not None and fold_letters(first[0]) in collect_polar()


@cache
def collect_polar() -> frozenset[str]:
    return frozenset(
        word for code in list_codes() for kind in ("yes", "no") for word in load_words(code, kind, SUBJECT)
    )


def read_polar(sentence: Sentence, language: str) -> PolarAnswer:
    raw = sentence.raw.strip()
    first = WORD.match(raw)
    if first is None or sentence.is_question:
        return PolarAnswer(None, "")
    word, rest = fold_letters(first[0]), raw[first.end() :].lstrip(" ,;:.-–—!")
    if word in load_words(language, "yes", SUBJECT):
        return PolarAnswer(agrees=True, rest=rest)
    is_no = word in load_words(language, "no", SUBJECT)
    return PolarAnswer(agrees=False, rest=rest) if is_no else PolarAnswer(None, raw)


def cut_value(spoken: str, language: str) -> str:
    """The bare value that words begin with, as written; empty where they go on in a clause or tell what was done."""
    piece = take_piece(spoken)
    if speaks_of_self(piece, language):
        return ""
    value = trim_value(cut_since(piece, language), list_bare(language) | list_leading(language), language)
    return "" if tells_deed(value, language) else value


def cut_since(piece: str, language: str) -> str:
    """ "Seit März bei Schaeffler", "leeds since may": since when is no part of the value."""
    words, since = piece.split(), load_words(language, "since", "frames") | load_words(language, "since when")
    at = next((at for at, word in enumerate(words) if fold_letters(word) in since), None)
    if at is None:
        return piece
    end = at + 1
    while end < len(words) and (words[end][0].isdigit() or is_of_calendar(words[end].strip(","), language)):
        end += 1
    return " ".join([*words[:at], *words[end:]]) if end > at + 1 else piece


@cache
def list_leading(language: str) -> frozenset[str]:
    """What may lead to a value in an answer: "now", "at", "with"."""
    kinds = (load_words(language, kind, "frames") for kind in ("now", "work place", "work prep", "prep"))
    return frozenset().union(*kinds) | load_words(language, "at work") | load_words(language, "in place")


def tells_deed(value: str, language: str) -> bool:
    """ "Left in June", "im Juni gegangen": what somebody did, and no value in the place of another."""
    classify = load_hot_words(language).classify
    small = (word.casefold() for word in WORD.findall(value) if not word[0].isupper())
    return any(not DEEDS.isdisjoint(classify(word)) for word in small)


def replace_value(told: str, claims: Sequence[Claim], value: str, language: str, read: Read) -> list[Claim]:
    """ "So you work at Aldi?" "no, Lidl": the sentence with the value that holds in its place."""
    for one in claims:
        written = re.search(re.escape(one.object), told, re.IGNORECASE) if one.object else None
        if written is None:
            continue
        is_name = one.relation in STILL | {"lives_in", "works_at"} and value.islower()
        meant = f"{told[: written.start()]}{value.title() if is_name else value}{told[written.end() :]}"
        read_again = choose_confirmed(read(meant), language, asks_still=True)
        found = [other for other in read_again if other.relation == one.relation]
        if found:
            return [replace(other, replaces=other.replaces or one.object) for other in found]
    return []


def complete_answer(
    told: ToldQuestion, claims: Sequence[Claim], answer: PolarAnswer, value: str, language: str, read: Read
) -> Sequence[Claim]:
    """ "Do you have a car?" "yes, a Skoda", "any pets?" "a cat, Mog", "kids?" "two, Mia and Max"."""
    noun = find_had(told.rest, language)
    sentences = [f"{told.text} {answer.rest}"] if answer.agrees and claims else []
    if noun is not None:
        sentences = [*word_having(told.opening, noun, answer.rest, value, language), *sentences]
    # "Do you speak German?" "yes, a bit" tells no other language.
    known = frozenset(one.relation for one in claims if one.object) - HAVING
    said = {(one.relation, one.object) for one in claims}
    found = (
        [more for more in tell_more(read(one), known, language) if (more.relation, more.object) not in said]
        for one in sentences
    )
    return next(filter(None, found), []) or (claims if answer.agrees else [])


def tell_more(claims: Sequence[Claim], known: frozenset[str], language: str) -> list[Claim]:
    more = [one for one in claims if one.object and one.relation in COMPLETED - known]
    return [one for one in more if one.relation not in HAVING or find_had(one.object, language)]


def word_having(opening: str, noun: str, rest: str, value: str, language: str) -> Iterator[str]:
    """The sentences that an answer to whether somebody has something may stand for, the likeliest first."""
    first, mark, behind = rest.partition(",")
    known = find_known_noun([noun], language)
    if value and known is not None and known[1] in MADE:
        frame = next(iter(read_entries(language, SUBJECT, "tell which")))
        yield frame.replace("<noun>", noun).replace("<value>", value)
    if first.isdigit() or is_number(first.split()):
        yield f"{opening} {first} {noun}{mark}{behind}"
    yield f"{opening} {rest}"
