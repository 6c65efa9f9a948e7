"""What a message mentions, by rules: numbers of orders and parcels, amounts, days, addresses, names. Pure.

Names of people, places and organisations are found as the content graph finds them. Products have no shape: only a
language model, or an alias of the vocabulary, knows them.
"""

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final

from knowledge_graph.extraction.entities import ORGANISATION, PERSON, PLACE, PRODUCT, extract_entities
from memory.enrichment.labels import ENTITY_CHARS, MOST_ENTITIES, MentionedEntity
from memory.language.folding import strip_accents
from memory.language.hebrew import BEFORE_A_TIME
from memory.language.periods import MONTHS_ASKED_FOR, SUBJECT, WEEKDAYS
from memory.language.phrases import join_phrases

READ_CHARS: Final = 4_000
EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
PHONE: Final = re.compile(r"(?<![\w.,/-])(?:\+\d{1,3}[ .-]?)?\(?0\d{1,4}\)?(?:[ ./-]?\d{2,4}){2,4}(?![\w-])")
CURRENCY: Final = (
    r"(?:€|\$|£|₪|eur(?:os?)?|euros?|usd|gbp|chf|brl|ils|nis|dollars?|pounds?|quid|reais|shekels?|dólares|libras|"
    r"franken|pfund|sterline|dollari|שקל(?:ים)?|ש\"ח|שח|אירו|דולר(?:ים)?)"
)
FIGURE: Final = r"\d{1,3}(?:[.,' ]\d{3}){0,3}(?:[.,]\d{1,2})?|\d{1,7}(?:[.,]\d{1,2})?"
AMOUNT: Final = re.compile(
    rf"(?<![\w.,/-])(?:{CURRENCY} ?(?:{FIGURE})|(?:{FIGURE})(?:,-)? ?{CURRENCY}|(?:{FIGURE}),-|"
    r"\d{1,6}[.,]\d\d)(?![\w.])",
    re.IGNORECASE,
)
# Letters with figures, or figures with marks between them; a parcel's is longer than any order's.
CODE: Final = re.compile(r"(?<![\w.,@/-])#?(?=[\w/-]{0,24}\d)[A-Z0-9]{1,12}(?:[-/][A-Z0-9]{1,12}){0,4}(?![\w@])")
SPACED_DIGITS: Final = re.compile(r"(?<![\w.,-])\d{4,10}(?: \d{3,5}){1,5}(?![\w-])")
PARCEL_DIGITS: Final = 12
LEAST_ORDER_DIGITS: Final = 4
CLOCK: Final = re.compile(r"\d{1,2}(?:[hH:]\d{0,2})?|\d{1,4}[a-zA-Z]{1,3}|[qQ][1-4]")
KINDS: Final = {PERSON: "person_name", PLACE: "place", ORGANISATION: "organisation", PRODUCT: "product_name"}


@cache
def compile_days() -> re.Pattern[str]:
    months = "|".join(sorted((name for name in MONTHS_ASKED_FOR if len(name) > 2), key=len, reverse=True))
    weekdays = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
    words = "|".join(join_phrases(SUBJECT, section) for section in ("today", "yesterday", "before yesterday"))
    number = r"\d{1,2}(?:\.|st|nd|rd|th|º|°|er)?"
    return re.compile(
        rf"(?<![\w-])(?:{number} ?(?:de |di |d')?(?:{months})(?: (?:de )?\d{{4}})?|(?:{months}) {number}(?!\d)"
        rf"|\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./](?:\d{{2,4}})?|[{BEFORE_A_TIME}]?(?:{weekdays})s?|(?:{months})"
        rf"|[{BEFORE_A_TIME}]?(?:{words}))(?!\w)",
        re.IGNORECASE,
    )


def find_mentions(text: str, types: Collection[str]) -> tuple[MentionedEntity, ...]:
    """In the order of their kinds, each once; only of the types that the vocabulary has."""
    found: dict[tuple[str, str], MentionedEntity] = {}
    for kind, value in list_mentions(text[:READ_CHARS]):
        entity = MentionedEntity(kind, value.strip()[:ENTITY_CHARS])
        if kind in types and entity.key:
            found.setdefault((kind, entity.key), entity)
    return tuple(found.values())[:MOST_ENTITIES]


def list_mentions(text: str) -> Iterator[tuple[str, str]]:
    """What is found first hides its words from what is looked for next."""
    left = text
    for kind, pattern in (("email", EMAIL), ("amount", AMOUNT)):
        yield from ((kind, match[0]) for match in pattern.finditer(left))
        left = pattern.sub(hide, left)
    for match in SPACED_DIGITS.finditer(left):
        if count_digits(match[0]) >= PARCEL_DIGITS:
            yield "tracking_number", match[0]
            left = left.replace(match[0], hide(match))
    yield from (("phone", match[0]) for match in PHONE.finditer(left))
    left = PHONE.sub(hide, left)
    # Days are told without accents, too ("miercoles"), and their words stand so in the lists.
    bare = strip_accents(left)
    if len(bare) == len(left):
        days = list(compile_days().finditer(bare))
        yield from (("date", left[match.start() : match.end()]) for match in days)
        for match in days:
            left = left[: match.start()] + hide(match) + left[match.end() :]
    for match in CODE.finditer(left):
        if count_digits(match[0]) >= LEAST_ORDER_DIGITS and not CLOCK.fullmatch(match[0]):
            yield ("tracking_number" if count_digits(match[0]) >= PARCEL_DIGITS else "order_id"), match[0]
    left = CODE.sub(hide, left)
    yield from ((KINDS[one.kind], one.name) for one in extract_entities(left) if one.kind in KINDS)


def hide(match: re.Match[str]) -> str:
    return " " * len(match[0])


def count_digits(text: str) -> int:
    return sum(char.isdigit() for char in text)
