"""What the person has, takes or suffers from: "my Skoda Fabia", "mein Ramipril", "mi rodilla mala"."""

import re
from collections.abc import Iterator
from typing import Final

from memory.claims.claim import Claim
from memory.claims.presupposed.kinds import CONDITION, DRUG, HAD, load_said
from memory.claims.presupposed.phrases import HEAD_LAST, PARTS, VERBS, OwnNoun, SpokenSentence
from memory.claims.presupposed.telling import claim_words
from memory.claims.slots.matching import load_words
from memory.language.hebrew import HEBREW, HEBREW_IN
from memory.language.names import capitalises_nouns

MADE: Final = frozenset({"vehicle", "device", "instrument", "equipment", "system", "tool"})
# What has its place: "my monstera in the bathroom".
PLACED: Final = frozenset({"plant", "home part", "equipment", "business"})
LONGEST_MODEL: Final = 12
# Words behind a noun that say of which kind it is: "saxo alto", "gato persa".
MOST_BEHIND: Final = 2
# Words that say where it is.
MOST_WHERE: Final = 4
SEVERE: Final = frozenset({"bad", "severe", "mild", "bloody", "stupid", "terrible", "awful", "chronic"})
ALLERGY_WORD: Final = re.compile(r"([^\W\d_]{2,30}?)(?:en)?(?:allergie|intoleranz|unverträglichkeit)")


def tell_thing(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    for kind in noun.kinds:
        told = list(tell_of_kind(sentence, noun, kind, place))
        if told:
            yield from told
            return


def tell_of_kind(sentence: SpokenSentence, noun: OwnNoun, kind: str, place: int) -> Iterator[Claim]:
    if kind == "allergy" or (kind == CONDITION and is_allergy(sentence, noun)):
        yield from tell_allergy(sentence, noun, place)
    elif kind in {DRUG, CONDITION} and sentence.says(noun.end, "was"):
        # "My appendicitis was in 2010".
        return
    elif kind in {DRUG, CONDITION}:
        relation = "takes" if kind == DRUG else "has_condition"
        yield claim_words(sentence, relation, sentence.cut_noun(noun.first, noun.last), (noun.start, noun.end), place)
    elif kind in {"body", "part"}:
        yield from tell_body(sentence, noun, kind, place)
    elif kind == "passport":
        yield from tell_nationality(sentence, noun, place)
    elif kind in {"system", "tool"}:
        end = find_model_end(sentence, noun)
        yield claim_words(sentence, "uses", sentence.cut(noun.first, end), (noun.start, max(end, noun.end)), place)
    elif kind == "language":
        if sentence.is_end(noun.last) or sentence.says(noun.last, "prep", "conj"):
            yield claim_words(
                sentence, "learns", sentence.cut_noun(noun.first, noun.last), (noun.start, noun.end), place
            )
    elif kind in HAD or kind in {"hobby", "sport"}:
        first, last = find_made(sentence, noun) if kind in MADE else (noun.first, noun.last)
        end = max(find_kind_end(sentence, last), noun.end)
        end = find_where_end(sentence, end) if kind in PLACED else end
        relation = "has" if kind in HAD else "hobby"
        yield claim_words(sentence, relation, sentence.cut_noun(first, last), (noun.start, end), place)
        yield from tell_of_which(sentence, noun, end, place)


def find_made(sentence: SpokenSentence, noun: OwnNoun) -> tuple[int, int]:
    """With its make and model: "my Kalkhoff e-bike", "ma Clio 4", "mein E-Bike von Kalkhoff"."""
    first = noun.first
    if not capitalises_nouns(sentence.language):
        while first - 1 > noun.start and sentence.tokens[first - 1].is_capital:
            first -= 1
    last = find_model_end(sentence, noun)
    is_from = sentence.language == "de" and last + 1 < len(sentence.tokens) and sentence.tokens[last].text == "von"
    if is_from and sentence.tokens[last + 1].is_capital:
        last += 2
    return first, last


def find_model_end(sentence: SpokenSentence, noun: OwnNoun) -> int:
    last, may_be_name = noun.last, not capitalises_nouns(sentence.language)
    while last < len(sentence.tokens):
        token = sentence.tokens[last]
        is_next = sentence.table.match(sentence.tokens, last, len(sentence.tokens))[1][:1] == noun.kinds[:1]
        is_model = is_model_number(token.text) and not token.has("time", "prep")
        if token.is_mark or not (is_model or is_next or (may_be_name and token.is_capital and not token.classes)):
            break
        last += 1
    return last


def is_model_number(word: str) -> bool:
    """ "7", "A54", "24.04", "MX-5"."""
    return len(word) <= LONGEST_MODEL and any(map(str.isdigit, word))


def find_kind_end(sentence: SpokenSentence, last: int) -> int:
    """Where the noun stands first: behind the words that say of which kind it is, if the phrase ends with them."""
    if sentence.language in HEAD_LAST or sentence.language == HEBREW:
        return last
    for at in range(last, min(last + MOST_BEHIND, len(sentence.tokens)) + 1):
        if sentence.is_end(at) or sentence.says(at, "prep", "of"):
            return at
        if sentence.tokens[at].classes:
            return last
    return last


def find_where_end(sentence: SpokenSentence, end: int) -> int:
    """ "My monstera in the bathroom", "עץ הלימון שלנו בחצר": with where it is, if the clause ends there."""
    if sentence.language == HEBREW:
        is_placed = end < len(sentence.tokens) and sentence.tokens[end].text[0] == HEBREW_IN
        return end + 1 if is_placed and sentence.is_end(end + 1) else end
    if not sentence.says(end, "prep") or sentence.is_end(end + 1):
        return end
    stop = end + 1
    while stop < min(end + MOST_WHERE, len(sentence.tokens)) and not sentence.is_end(stop):
        if sentence.says(stop, *PARTS, *VERBS):
            return end
        stop += 1
    # "In the fridge", but "im Kühlschrank bleiben".
    is_noun = not capitalises_nouns(sentence.language) or sentence.tokens[stop - 1].is_capital
    return stop if sentence.is_end(stop) and is_noun else end


def tell_of_which(sentence: SpokenSentence, noun: OwnNoun, end: int, place: int) -> Iterator[Claim]:
    """ "Les rosiers de mon jardin", "i gerani del mio balcone": what stands in it is the person's as well."""
    at = noun.start - 1
    if at < 1 or sentence.language in HEAD_LAST or not sentence.says(at, "of", "prep", "det"):
        return
    size, kinds = sentence.table.match(sentence.tokens, at - 1, at)
    if size and kinds[0] in HAD:
        yield claim_words(sentence, "has", sentence.cut(at - 1, at), (at - 1, end), place)


def tell_body(sentence: SpokenSentence, noun: OwnNoun, kind: str, place: int) -> Iterator[Claim]:
    """A part of the body of which the phrase says that it is not sound, or not their own."""
    beside = [*range(noun.start + 1, noun.first)]
    if sentence.language not in HEAD_LAST:
        beside += range(noun.last, min(noun.last + 2, len(sentence.tokens)))
    hurt = load_said(sentence.language, "hurt") | (
        load_said(sentence.language, "new part") if kind == "part" else set()
    )
    at = next((at for at in beside if sentence.tokens[at].plain in hurt), None)
    if at is None:
        return
    first, last = min(at, noun.first), max(at + 1, noun.last)
    spoken = sentence.cut(first, last) if sentence.language != HEBREW else sentence.cut(noun.first, noun.last)
    yield claim_words(sentence, "has_condition", spoken, (noun.start, max(last, noun.end)), place)


def is_allergy(sentence: SpokenSentence, noun: OwnNoun) -> bool:
    return sentence.language == "de" and ALLERGY_WORD.fullmatch(sentence.tokens[noun.last - 1].text) is not None


def tell_allergy(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    """ "My peanut allergy", "mi alergia a las nueces", "meine Nussallergie"."""
    if (
        joined := ALLERGY_WORD.fullmatch(sentence.tokens[noun.last - 1].text)
    ) is not None and sentence.language == "de":
        yield claim_words(sentence, "allergic_to", joined[1], (noun.start, noun.end), place)
        return
    before = [at for at in range(noun.start + 1, noun.first) if sentence.tokens[at].plain not in SEVERE]
    if before and sentence.language in HEAD_LAST:
        yield claim_words(sentence, "allergic_to", sentence.cut(before[0], noun.first), (noun.start, noun.end), place)
        return
    at = noun.end
    if at >= len(sentence.tokens) or sentence.tokens[at].plain not in load_said(sentence.language, "allergy to"):
        return
    at += 1 + sentence.says(at + 1, "det")
    end = at
    while (
        end < len(sentence.tokens)
        and not sentence.is_end(end)
        and end - at < 2
        and not sentence.says(end, "prep", "conj", "verb", "modal", "be 3")
    ):
        end += 1
    if end > at:
        yield claim_words(sentence, "allergic_to", sentence.cut(at, end), (noun.start, end), place)


def tell_nationality(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    """ "My Ghanaian passport", "mi pasaporte peruano"."""
    known = load_words(sentence.language, "nationality word")
    beside = (*range(noun.start + 1, noun.first), noun.last)
    at = next((at for at in beside if at < len(sentence.tokens) and sentence.tokens[at].plain in known), None)
    if at is not None:
        end = max(noun.end, at + 1)
        yield claim_words(sentence, "nationality", sentence.cut(at, at + 1), (noun.start, end), place)
