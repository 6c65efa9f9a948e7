"""What a statement takes the place of though it is read into another slot: an appointment that was told as had, a phone
by its make.
"""

from functools import cache
from typing import Final

from memory.claims.dates.arrangements import NAMES, TIME
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.taxonomy import HAVING, THINGS
from memory.facts.drafts import FactDraft
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.language.kinds import list_kinds
from memory.language.loader import collect_entries
from memory.language.stems import DEFAULT_LANGUAGE
from memory.models import Fact

NEW, OVER = "new", "over"
DAY: Final = "day"
PHONE: Final = "phone"
# What somebody has one of, and that another takes the place of where it is called the new one.
OWNED: Final = THINGS - {"guitar", "bakery", "restaurant", "company", "shop"} | {"phone", "laptop"}


def moves_arrangement(fact: Fact, draft: FactDraft) -> bool:
    """ "Me han cambiado la cita del dentista al 10 de junio", of "tengo cita con el dentista el 3 de junio": that was
    read as an appointment's, this as the dentist's."""
    if draft.relation != TIME or draft.tense != NEW or fact.last_seen > draft.occurred_at or not fact.polarity:
        return False
    if fact.relation not in OPEN_RELATIONS | {TIME} | HAVING:
        return False
    told = set(fold_key(fact.statement).split())
    matter = set(fold_key(draft.subject).split()) - load_appointments()
    matter = {split_off(word, told) for word in matter}
    is_day = any(kind == DAY for kind, _ in read_pair_statement(PairStatement(fact.statement)).values)
    return is_day and bool(matter) and matter <= told and not load_appointments().isdisjoint(told)


def split_off(word: str, told: set[str]) -> str:
    """ "Zahnarzt" of "Zahnarzttermin", where that was told."""
    parts = (word.removesuffix(one) for one in load_appointments() if word.endswith(one))
    return next((part for part in parts if part in told), word)


@cache
def load_appointments() -> frozenset[str]:
    return frozenset(word for entry in collect_entries("slots", NAMES) for word in fold_key(entry).split())


def replaces_thing(fact: Fact, draft: FactDraft) -> bool:
    """ "Got a new phone, iphone 15", of somebody whose phone is a Samsung."""
    if draft.relation not in HAVING or not draft.polarity or fact.relation not in OWNED | HAVING:
        return False
    if fact.subject_key != fold_key(draft.subject) or fact.last_seen > draft.occurred_at or not fact.polarity:
        return False
    if draft.tense == NEW and PHONE in list_kinds(fold_key(draft.object)) and is_phone(fact):
        # "I've got an iPhone 13 now": nobody tells of a second one so.
        return True
    words, language = fold_key(draft.object).split(), draft.lang or DEFAULT_LANGUAGE
    kind = find_known_noun(words, language)
    return kind is not None and kind[1] == fact.relation and not load_words(language, "new one").isdisjoint(words)


def ends_told_thing(fact: Fact, draft: FactDraft) -> bool:
    """ "Das Samsung ist hin", of "hab ein Samsung", which stands as it was said."""
    if draft.relation not in HAVING or draft.tense != OVER or not draft.object or fact.relation not in OPEN_RELATIONS:
        return False
    is_held = fact.subject_key == fold_key(draft.subject) and fact.last_seen <= draft.occurred_at
    return is_held and set(fold_key(draft.object).split()) <= set(fold_key(fact.statement).split())


def is_phone(fact: Fact) -> bool:
    return fact.relation == PHONE or (fact.relation in HAVING and PHONE in list_kinds(fact.object_key))
