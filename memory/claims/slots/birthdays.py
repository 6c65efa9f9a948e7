"""Ages that somebody will only have: "she turns 6 in June", "cumplo 40 en mayo", "j'aurai 40 ans en mai"."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.slots.matching import load_words
from memory.claims.slots.spoken import load_being
from memory.claims.voices.suppositions import is_of_calendar
from memory.guard.spelling import fold_letters

WORD: Final = re.compile(r"[^\W_]+")
# With the age that it brings.
NEXT_BIRTHDAY: Final = "turns"
# Words from an age to its day: "on the 2nd of May".
MOST_TO_DAY: Final = 5


def settle_age(claim: Claim) -> Claim:
    """Told with a day to come it is no age yet: the year until then it answered "how old is she?".

    It is no birthday either, which would take the place of the day that is known.
    """
    is_coming = claim.relation == "age" and is_to_come(claim)
    return replace(claim, relation=NEXT_BIRTHDAY, tense="present") if is_coming else claim


def is_to_come(claim: Claim) -> bool:
    language = claim.lang or "en"
    words = [fold_letters(word) for word in WORD.findall(claim.statement)]
    today = load_words(language, "today", "frames")
    dated = [at for at, word in enumerate(words) if word not in today and is_of_calendar(word, language)]
    # "Noah turns two in August": where the number is a word, the day is what it stands before.
    at = words.index(claim.object) if claim.object in words else next(iter(dated), 0)
    if not load_words(language, "will be").isdisjoint(words[:at]):
        return True
    if load_words(language, "turns age").isdisjoint(words[:at]):
        return is_on_day(claim.statement, claim.object, words[:at], language)
    return bool(dated)


def is_on_day(statement: str, age: str, before: list[str], language: str) -> bool:
    """ "Nan's 90 on the 2nd of May": of what is so now no day is told; "I was 40 in May" is past."""
    being = load_being(language) - load_words(language, "past being")
    behind = re.search(rf"\b{age}\b((?: [\w']+){{1,{MOST_TO_DAY}}})", statement)
    if behind is None or being.isdisjoint(before[-2:]):
        return False
    words = [fold_letters(word) for word in WORD.findall(behind[1])]
    at = next((at for at, word in enumerate(words) if is_of_calendar(word, language)), 0)
    # "I'm 34 and I live in May Street": nothing but the day may stand between.
    small = frozenset().union(*(load_words(language, kind, "frames") for kind in ("prep", "det", "of")))
    small -= load_words(language, "since when")
    return at > 0 and all(word in small or word[0].isdigit() for word in words[:at])
