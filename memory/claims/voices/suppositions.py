"""What holds only if something else does, is only pretended, or is yet to come.

"If it gets too hot, we move to my aunt's" and "we're moving to Ulm in May" tell no home, "as if I were five" no age.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Final

from memory.claims.claim import Claim
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT
from memory.guard.annotation import Sentence
from memory.guard.lexicon import WORD
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_text
from memory.language.hebrew import HEBREW, HEBREW_IN
from memory.language.loader import list_codes, read_entries
from memory.language.periods import is_time_word
from memory.language.stems import DEFAULT_LANGUAGE

# "If I eat nuts, my throat closes" tells what lasts all the same.
LASTING: Final = frozenset({"allergic_to", "has_condition", "takes", "diet", ABOUT})
WOULD: Final = "would"
# English: the only verb of possibility that is a month as well.
MAY: Final = "may"
STYLE, GOAL = "style", "goal"
# "If you must know, I live in Leeds": put to whoever listens, a condition is a manner of speaking.
ADDRESSED_WITHIN: Final = 4


def drop_letter(sentence: Sentence) -> Sentence:
    """The letter of "vitamin D" is no "I'd"."""
    kinds = sentence.spans_by_kind
    if WOULD not in kinds or "'" in sentence.raw:
        return sentence
    meant = [span for span in kinds[WOULD] if sentence.words[span[0]] != "d"]
    others = {kind: spans for kind, spans in kinds.items() if kind != WOULD}
    return replace(sentence, spans_by_kind={**others, WOULD: meant} if meant else others)


def mark_may(sentence: Sentence) -> Sentence:
    """ "My brother may have diabetes": with the small letter of a verb between words it is one, and no month.

    "Born in May", "on 3 may" and "last may" stand behind a preposition, a number or an adjective.
    """
    places = [at for at, word in enumerate(sentence.words) if word == MAY and may_be_modal(sentence, at)]
    if not places:
        return sentence
    spans = sorted([*sentence.spans(WOULD), *((at, at + 1) for at in places)])
    return replace(sentence, spans_by_kind={**sentence.spans_by_kind, WOULD: spans})


def may_be_modal(sentence: Sentence, at: int) -> bool:
    if not 0 < at < len(sentence.words) - 1 or at in sentence.capitals:
        return False
    before, behind = sentence.words[at - 1], sentence.words[at + 1]
    return not before[0].isdigit() and behind.isalpha() and before not in load_before_month()


@cache
def load_before_month() -> frozenset[str]:
    kinds = ("prep", "det", "time adj", "time link", "time", "my", "conj")
    return frozenset(word for kind in kinds for word in read_entries(DEFAULT_LANGUAGE, "frames", kind))


def drop_supposed(claims: Sequence[Claim], sentence: Sentence, languages: tuple[str, ...]) -> list[Claim]:
    claims = drop_pretended(claims, sentence, languages)
    if not any(claim.relation not in LASTING for claim in claims) or not opens_with_condition(sentence, languages):
        return list(claims)
    return [claim for claim in claims if claim.relation in LASTING]


def put_ahead(claim: Claim, sentence: Sentence) -> Claim:
    """ "We're moving to Stroud in January" is kept as a plan: until then the home is where it was."""
    if claim.relation != "lives_in" or not sentence.has(MARK + "moving"):
        return claim
    is_dated = sentence.has(MARK + "coming") or any(word in load_months(claim.lang) for word in sentence.words)
    return replace(claim, relation=GOAL, category="goals", tense="present", time="near") if is_dated else claim


def is_move_ahead(words: Collection[str], language: str) -> bool:
    """Whether folded words tell a move in the present tense and name a month: "im Februar zieh ich nach Graz"."""
    return not load_moving(language).isdisjoint(words) and not load_months(language).isdisjoint(words)


@cache
def load_moving(language: str) -> frozenset[str]:
    return frozenset(fold_letters(one) for one in read_entries(language, "claims", "moving"))


@cache
def load_months(language: str) -> frozenset[str]:
    """The names of months, in Hebrew with "in" written onto them."""
    if language not in list_codes():
        return frozenset()
    named = (fold_letters(one) for at in range(1, 13) for one in read_entries(language, "periods", f"month {at}"))
    return frozenset(form for one in named for form in ((one, f"{HEBREW_IN}{one}") if language == HEBREW else (one,)))


def is_of_calendar(word: str, language: str) -> bool:
    return is_time_word(fold_text(word)) or fold_letters(word) in load_months(language)


def drop_pretended(claims: Sequence[Claim], sentence: Sentence, languages: tuple[str, ...]) -> list[Claim]:
    """ "I am 34 and I feel like I'm 80" tells one age: what stands behind the words is not so."""
    found = load_pretending(languages).search(" ".join(sentence.words))
    if found is None:
        return list(claims)
    before = found.string[: found.start()]
    return [one for one in claims if one.relation in {ABOUT, STYLE} or fold_letters(one.object) in before]


def pretends(sentence: Sentence, languages: tuple[str, ...]) -> bool:
    return load_pretending(languages).search(" ".join(sentence.words)) is not None


@cache
def load_pretending(languages: tuple[str, ...]) -> re.Pattern[str]:
    said = (
        " ".join(one.replace("'", " ").split()) for code in languages for one in read_entries(code, "frames", "as if")
    )
    phrases = "|".join(re.escape(fold_letters(one)) for one in said)
    return re.compile(rf"\b(?:{phrases or '(?!)'})")


def opens_with_condition(sentence: Sentence, languages: Sequence[str]) -> bool:
    """Of the raw words, as "si" is "if" in Spanish and "sí," is "yes"."""
    conditions, joints = collect_words(tuple(languages), "if"), collect_words(tuple(languages), "before if")
    for match in islice(WORD.finditer(sentence.raw), 2):
        word = match.group().casefold()
        if word in conditions:
            is_answer = sentence.raw[match.end() : match.end() + 1] == ","
            return not is_answer and not any(start < ADDRESSED_WITHIN for start, _ in sentence.spans("you"))
        if word not in joints:
            return False
    return False


@cache
def collect_words(languages: tuple[str, ...], section: str) -> frozenset[str]:
    return frozenset(word for code in languages for word in read_entries(code, "language", section))
