"""Whose birthday a sentence names beside its day: "a present for my sister's birthday on 2 November".

Clauses took it for the person's own, as nothing in their words says whose it is.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.dates.agenda import WORD, load_months
from memory.claims.few_words.brief import BriefSentence
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.lexicon import MARK
from memory.claims.readings import SentenceReading
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import load_phrases, load_words
from memory.claims.slots.nouns import load_nouns
from memory.claims.subjects import NOUNS, is_noun_at, name_owner
from memory.claims.taxonomy import KIN
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_TO, is_hebrew
from memory.language.loader import read_entries

BIRTHDAY: Final = "birthday"
HEBREW_MY: Final = "י"
# Words between the noun and its day: "compleanno di mia sorella, il 2 novembre".
MOST_BETWEEN: Final = 5


def add_birthday(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence with the birthday of whoever it is."""
    raw = one.raw.replace(TITLE_DOT, ".")
    if one.sentence.is_question or any(claim.relation == BIRTHDAY and claim.subject != SPEAKER for claim in claims):
        return claims
    days = ((found, code) for code in one.languages if (found := find_day(raw, code)) is not None)
    (noun, day), language = next(days, (((0, 0), ""), ""))
    if not day:
        return claims
    whose = SPEAKER if is_own(raw, noun, language) else find_whose(one.sentence, one.before)
    read = next((claim for claim in claims if claim.relation == BIRTHDAY), None)
    if read is not None:
        # Where nobody is named, the words are kept as they stand.
        told = replace(read, subject=whose, object=day) if whose else replace(read, relation=ABOUT, object="")
        return [told if claim is read else claim for claim in claims]
    if not whose:
        return claims
    told = one.make_claim(BIRTHDAY, day, language, subject=whose)
    return [*(claim for claim in claims if not is_replaced(claim, told.statement, list_nouns(language))), told]


def is_replaced(claim: Claim, whole: str, nouns: frozenset[str]) -> bool:
    return (claim.relation == ABOUT and claim.statement == whole) or fold_letters(claim.object) in nouns


def list_nouns(language: str) -> frozenset[str]:
    return frozenset(word for entry in load_words(language, "birthday word") for word in (entry, entry.split()[-1]))


def find_day(raw: str, language: str) -> tuple[tuple[int, int], str] | None:
    """Where the noun of a birthday stands, and the day behind it; none of a feast, which may be on another."""
    noun = load_phrases(language, "birthday word").search(raw)
    days = [*load_months(language).finditer(raw)]
    if noun is None or len(days) != 1 or load_phrases(language, "birthday feast").search(raw):
        return None
    between = WORD.findall(raw[noun.end() : days[0].start()])
    is_near = noun.end() <= days[0].start() and len(between) <= MOST_BETWEEN
    return (noun.span(), days[0][0].casefold()) if is_near else None


def is_own(raw: str, noun: tuple[int, int], language: str) -> bool:
    """ "My birthday", "יום ההולדת שלי"; in "my sister's birthday" the word is hers."""
    beside = WORD.findall(raw[noun[1] :])[:1] if language == HEBREW else WORD.findall(raw[: noun[0]])[-1:]
    return bool(beside) and beside[0].casefold() in read_entries(language, "claims", "my")


def find_whose(sentence: Sentence, before: SentenceReading | None) -> str:
    """The kin that the sentence names, or the one before it: "mia madre Ruth. Cerco un regalo per il compleanno"."""
    if named := find_named_kin(sentence):
        return named
    if before is None:
        return ""
    told = [claim.object for claim in before.claims if claim.relation in KIN and claim.subject == SPEAKER]
    return told[0] if len(told) == 1 and told[0] else find_named_kin(before.sentence)


def find_named_kin(sentence: Sentence) -> str:
    """The relative whom a sentence calls the person's own, as it names them: "my old sister"."""
    owners = sentence.spans(MARK + "my", "mine")
    for noun in sentence.spans(NOUNS, "kin"):
        # An adjective may stand between, and in Hebrew the owner behind or within: "אחותי", "אמא שלי".
        is_mine = any(0 <= noun[0] - owner[1] <= 1 or owner[0] in {noun[0], noun[1]} for owner in owners)
        if is_mine and is_noun_at(sentence, noun, KIN):
            return drop_particles(name_owner(sentence, noun, len(sentence.words)))
    return ""


def drop_particles(noun: str) -> str:
    """ "לאחותי" is "אחות" to whom something goes, and mine."""
    nouns = load_nouns(HEBREW)
    bare = noun.removeprefix(HEBREW_TO) if is_hebrew(noun) and noun not in nouns else noun
    own = bare.removesuffix(HEBREW_MY)
    return own if is_hebrew(bare) and own in nouns else bare
