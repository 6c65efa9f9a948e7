"""Values that cannot be what their relation tells: a bus somebody sits in, a hunger they have, a milk they moved to."""

import re
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames.participles import is_participle
from memory.claims.frames.places import is_known_place
from memory.claims.relations import SUMS
from memory.claims.slots.birthdays import NEXT_BIRTHDAY
from memory.claims.slots.kinds import is_hired_vehicle
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import has_owner
from memory.claims.slots.spoken import cut_as_written, drop_articles, list_before, load_being
from memory.claims.topics import CONSUMED, find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_IN, HEBREW_THE

WORD: Final = re.compile(r"[^\W_]+")
PAID: Final = frozenset({"pays", *SUMS})
HAD: Final = frozenset({"owns", "has", "car"})
WHERE: Final = frozenset({"lives_in", "home", "moved_from", "from", "went_to"})
# Where a participle follows "have" at once.
PERFECTS: Final = frozenset({"fr", "it"})


def is_misplaced(claim: Claim) -> bool:
    if not claim.object:
        return False
    if claim.relation in PAID:
        # "The mortgage is fixed", "my rent is due".
        return not any(char.isdigit() for char in claim.object)
    if claim.relation == "works_at" and claim.tense == "over":
        return is_given_up(claim)
    if claim.relation in {"age", NEXT_BIRTHDAY}:
        # "Não como carne vermelha faz uns 10 anos".
        return is_consumable(claim.subject)
    if claim.relation in HAD:
        return any(
            tells(claim) for tells in (is_ridden, is_felt, is_done, is_driven_apart, is_driven_to, is_had_by_kin)
        )
    if claim.relation == "school":
        return is_elsewhere(claim)
    return claim.relation in WHERE and (is_consumed(claim) or is_undergone(claim))


def is_ridden(claim: Claim) -> bool:
    """ "Voy en el bus", "נוסעת ברכבת": whoever drives it has no preposition before it."""
    language = claim.lang or "en"
    first = claim.object.split()[0]
    if language == HEBREW:
        return first.startswith(HEBREW_IN) and is_hired_vehicle(first.removeprefix(HEBREW_IN), language)
    before = drop_articles(list_before(claim), language)
    return bool(before) and before[-1] in load_words(language, "rides in") and is_hired_vehicle(first, language)


def is_felt(claim: Claim) -> bool:
    """ "Ho una fame da lupi": languages that have hunger have it for an hour."""
    return fold_letters(claim.object.split()[0]) in load_words(claim.lang or "en", "feeling")


def is_done(claim: Claim) -> bool:
    """ "J'ai repris le piano", "ho cambiato lavoro": nothing that is had stands behind the verb as a participle."""
    first = claim.object.split()[0]
    return claim.lang in PERFECTS and is_participle(first, claim.lang)


def is_driven_apart(claim: Claim) -> bool:
    """ "Driving test got moved", "driving lessons on Monday": what is named by the driving, and no car."""
    first = fold_letters(claim.object.split()[0])
    return claim.relation == "car" and first in load_words(claim.lang or "en", "driven apart")


def is_driven_to(claim: Claim) -> bool:
    """ "I drive to work these days": where to, and nothing that is had."""
    words = claim.object.split()
    return len(words) > 1 and words[0] in load_words(claim.lang or "en", "to", "frames")


def is_had_by_kin(claim: Claim) -> bool:
    """ "My brother's bike was stolen": no loss of the person's; who drives "my dad's old Saab" has it."""
    return claim.lang == "en" and not claim.polarity and has_owner(claim.object)


def is_elsewhere(claim: Claim) -> bool:
    """ "Mein Sohn ist in Kanada", "die Miete ist auf 950 Euro gestiegen": whoever only is somewhere goes to no school,
    unless it is called one."""
    language = claim.lang or "en"
    before, schools = list_before(claim), load_words(language, "school word")
    goes = bool(schools) and not load_being(language, "be 3").isdisjoint(before)
    return goes and not any(school in fold_letters(claim.object) for school in schools)


def is_consumed(claim: Claim) -> bool:
    """ "We've gone from semi-skimmed to oat milk": what is eaten or drunk is no town, unless it is written as one."""
    is_place = cut_as_written(claim)[:1].isupper() or is_known_place(claim.object)
    return not is_place and is_consumable(claim.object)


def is_consumable(spoken: str) -> bool:
    """Whether it is food or drink, or its first word is: "oat milk", "carne vermelha"."""
    found = [find_topic_words(words).topics for words in (spoken, spoken.split()[0])]
    return any(topics and topics <= CONSUMED for topics in found)


def is_given_up(claim: Claim) -> bool:
    """ "Quit smoking on New Year's Day": no employer."""
    return claim.object.split()[0] in load_words(claim.lang or "en", "given up")


def is_undergone(claim: Claim) -> bool:
    """ "עברתי ניתוח בעין": Hebrew moves and undergoes with one verb."""
    words = {word.removeprefix(HEBREW_THE) for word in WORD.findall(claim.statement)}
    return not load_words(claim.lang or "en", "undergone").isdisjoint(words)
