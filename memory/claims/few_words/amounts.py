"""The sums that somebody pays or earns and that are one at a time: rent, pay, mortgage, pension.

Clauses tell them in too many ways to be read by one verb each: "our rent went up to 980", "el casero nos deja el
alquiler en 700", "miete is 640 warm". The noun and the figure nearest to it say all that is asked for later.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.building import write_sentence
from memory.claims.few_words.brief import BriefSentence
from memory.claims.frames.tokens import HotToken, read_hot_tokens
from memory.claims.frames.words import load_hot_words, load_relation_nouns
from memory.claims.presupposed.phrases import OWNER_OF
from memory.claims.relations import ABOUT, SUMS
from memory.claims.slots.matching import join_entries, load_words
from memory.claims.taxonomy import PEOPLE
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_text
from memory.language.hebrew import HEBREW
from memory.language.intents import OPENS_ASKING
from memory.language.loader import read_entries
from memory.language.names import load_given_names

SUBJECT: Final = "amounts"
EARNED: Final = "salary"
# What clauses make of a sum. Any other claim of the sentence stays.
MISREAD: Final = frozenset({"pays", "from", ABOUT, "has", "time", "quantity", *SUMS})
# Who sets the person's own rent and pay.
PAYING: Final = frozenset({"landlord", "boss"})
WORD: Final = re.compile(r"[^\W\d_]+")
PIECE: Final = re.compile(r"(?:[,;:(–—]|\s-)\s+|[.!?)]+(?:\s|$)")
SIGN: Final = r"[€$£₪]"
FIGURE: Final = re.compile(
    rf"(?<![\w.,:/])({SIGN}\s?)?(\d{{1,3}}(?:[., '’]\d{{3}})+|\d{{2,7}})(?![\d:/]|[.,]\d{{3}})(?:[.,]\d{{1,2}})?"
    rf"(?:\s?{SIGN}|k\b)?(?!\s?(?:%|m2|m²|qm|mq))"
)
YEAR: Final = re.compile(r"(?:19|20)\d\d")
# Characters before a figure in which stands what it counts from.
BEFORE: Final = 12
# Figures without a currency from which on they are sums, and what somebody earns.
LEAST: Final = 100
LEAST_EARNED: Final = 1000


@dataclass(frozen=True, slots=True)
class Sum:
    """``start`` and ``end`` are the place of its clause in the sentence."""

    relation: str
    figure: str
    start: int
    end: int
    replaces: str = ""


def settle_amounts(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence with the sums that it tells, each in place of what its clause made of it."""
    if FIGURE.search(one.raw) is None or one.sentence.has("wish", "suppose"):
        return claims
    for language in sorted(one.likely or ()):
        if sums := list(find_sums(one.sentence, language, claims)):
            rest = [claim for claim in claims if not any(is_misread(claim, found) for found in sums)]
            return [*rest, *(claim_sum(found, claims, one, language) for found in sums)]
    return claims


def find_sums(sentence: Sentence, language: str, claims: Sequence[Claim]) -> Iterator[Sum]:
    start = 0
    for mark in [*PIECE.finditer(sentence.raw), None]:
        end = mark.start() if mark else len(sentence.raw)
        piece = sentence.raw[start:end]
        is_asked = (mark and mark[0].startswith("?")) or OPENS_ASKING.search(fold_text(piece.strip())) is not None
        if not is_asked and not is_of_another(piece, language, claims):
            yield from read_piece(sentence.raw, start, end, language)
        start = mark.end() if mark else end


def read_piece(raw: str, start: int, end: int, language: str) -> Iterator[Sum]:
    taken: set[int] = set()
    for relation, noun in find_nouns(raw, start, end, language):
        figures = [one for one in FIGURE.finditer(raw, start, end) if one.start() not in taken]
        earlier = [one for one in figures if counts_from(raw, one, end, language)]
        meant = [one for one in figures if one not in earlier and is_sum(raw, one, end, language)]
        near = min(meant, key=lambda one: measure_distance(one, noun), default=None)
        if near is not None:
            taken.add(near.start())
            before = earlier[-1][0].strip() if earlier and earlier[-1].end() < near.start() else ""
            yield Sum(relation, complete_figure(raw, near, end, language), start, end, before)


def find_nouns(raw: str, start: int, end: int, language: str) -> Iterator[tuple[str, re.Match[str]]]:
    for relation in SUMS:
        for noun in load_said(language, relation).finditer(raw, start, end):
            if is_own(raw, (start, end), noun, language):
                yield relation, noun
    for verb in load_said(language, "earn").finditer(raw, start, end):
        figure = FIGURE.search(raw, verb.end(), end)
        if figure and not raw[verb.end() : figure.start()].strip() and is_sum(raw, figure, end, language, LEAST_EARNED):
            yield EARNED, verb


def measure_distance(figure: re.Match[str], noun: re.Match[str]) -> int:
    return noun.start() - figure.end() if figure.end() <= noun.start() else figure.start() - noun.end()


def is_own(raw: str, piece: tuple[int, int], noun: re.Match[str], language: str) -> bool:
    """Neither "his rent", nor "Tom's rent", nor "the average rent in Berlin", nor one for which a flat is sought."""
    words, before = load_hot_words(language), raw[piece[0] : noun.start()]
    # What is written onto the noun, as "l'", is told by what follows it.
    tokens = read_hot_tokens(f"{before}x", words)[:-1]
    is_mine = any(one.has("my") for one in tokens)
    if not is_mine and load_said(language, "no sum").search(raw) is not None:
        return False
    if not tokens or tokens[-1].has("his") or tokens[-1].text == OWNER_OF:
        return not tokens
    if is_mine or language == HEBREW:
        return True
    follows = read_hot_tokens(raw[noun.end() : piece[1]], words)
    is_placed = len(follows) > 1 and follows[0].plain in load_words(language, "in place")
    is_placed = is_placed and not follows[1].text[0].isdigit()
    if tokens[-1].has("det"):
        return not is_placed
    # "Pago 700 de renda", "1650 Miete", and not "they want 1200 rent".
    is_led = tokens[-1].has("prep", "of") or tokens[-1].is_mark or tokens[-1].text[0].isdigit()
    return is_led and (load_said(language, "pay").search(before) is not None or not any(map(says_more, tokens)))


def says_more(token: HotToken) -> bool:
    return not (token.is_mark or token.text[0].isdigit() or token.has("prep", "of", "adv"))


def is_of_another(spoken: str, language: str, claims: Sequence[Claim]) -> bool:
    """Whether a clause speaks of somebody else's money, or of what none is paid yet.

    What a landlord or a boss says of it is the person's.
    """
    if load_said(language, "no sum").search(spoken) is not None:
        return True
    nouns = load_relation_nouns(language)
    people = {nouns.get(fold_letters(word), "") for word in WORD.findall(spoken)}
    named = any(fold_letters(one.subject) in load_given_names() and one.statement[:-1] in spoken for one in claims)
    return named or not people.isdisjoint(PEOPLE - PAYING)


def counts_from(raw: str, figure: re.Match[str], end: int, language: str) -> bool:
    """ "From 900", "by 50", "due on 1 March 2026": no sum that it has come to."""
    before = raw[max(0, figure.start() - BEFORE) : figure.start()]
    is_year = YEAR.fullmatch(figure[2]) is not None and not is_marked(raw, figure, end, language)
    return is_year or load_before(language).search(before) is not None


def is_marked(raw: str, figure: re.Match[str], end: int, language: str) -> bool:
    """Whether a currency or a time says that a figure is money."""
    return figure[0] != figure[2] or load_units(language).match(raw, figure.end(), end) is not None


def is_sum(raw: str, figure: re.Match[str], end: int, language: str, least: int = LEAST) -> bool:
    """Whether a figure is money, by what marks it or by its size ("in rente mit 71")."""
    return is_marked(raw, figure, end, language) or int(re.sub(r"\D", "", figure[2])) >= least


def complete_figure(raw: str, figure: re.Match[str], end: int, language: str) -> str:
    """With its currency and its time: "1,250 a month"."""
    stop = figure.end()
    while (unit := load_units(language).match(raw, stop, end)) is not None:
        stop = unit.end()
    return " ".join(raw[figure.start() : stop].casefold().split())


def is_misread(claim: Claim, found: Sum) -> bool:
    is_figure = re.sub(r"\D", "", found.figure) in re.sub(r"\D", "", claim.object + claim.statement)
    return claim.relation in MISREAD and is_figure


def claim_sum(found: Sum, claims: Sequence[Claim], one: BriefSentence, language: str) -> Claim:
    claim = next((claim for claim in claims if is_misread(claim, found)), None)
    if claim is None:
        claim = one.make_claim(found.relation, found.figure, language, within=(found.start, found.end))
        if one.sentence.is_question:
            claim = replace(claim, statement=write_sentence(one.raw[found.start : found.end]))
    return replace(
        claim,
        subject=SPEAKER,
        relation=found.relation,
        object=found.figure,
        replaces=found.replaces or claim.replaces,
        polarity=True,
        is_sure=True,
    )


@cache
def load_said(language: str, section: str) -> re.Pattern[str]:
    words = join_entries(language, section, SUBJECT)
    led = "[הבלמושכ]?" if language == HEBREW else ""
    return re.compile(rf"(?<!\w){led}(?:{words})(?!\w)", re.IGNORECASE)


@cache
def load_before(language: str) -> re.Pattern[str]:
    words = join_entries(language, "from", SUBJECT)
    # "Es de 900", "est de 900" says what it is.
    led = r"(?<!\bes )(?<!\best )(?<!\b[éè] )"
    joined = r"-?\s?" if language == HEBREW else r"\s"
    return re.compile(rf"(?:^|(?<=\s)){led}(?:{words}){joined}$", re.IGNORECASE)


@cache
def load_units(language: str) -> re.Pattern[str]:
    words = "|".join(
        re.escape(one) for one in sorted(read_entries(language, SUBJECT, "of money"), key=len, reverse=True)
    )
    return re.compile(rf"\s?(?:{words})(?!\w)", re.IGNORECASE)
