"""States that the words put into the past: "I lived in Leeds for ten years" tells no home of today."""

import re
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.relations import ABOUT, free_claim
from memory.claims.slots.matching import join_entries, load_phrases, load_words
from memory.claims.taxonomy import ANIMALS, REPLACEABLE, THINGS

# By the kind of their verb. Of kin a past is told because they have died, and they stay whose they were.
DONE: Final = frozenset({"lives_in", "home", "works_at", "works_as", "studies", "school"})
HAD: Final = ANIMALS | THINGS | REPLACEABLE | {"has", "owns", "roommate"}
BEEN: Final = ANIMALS | REPLACEABLE | DONE | {"roommate", "takes", "takes_dose", "diet", "time", "pays"}
KINDS: Final = (("past doing", DONE | THINGS), ("past having", HAD))
WORD: Final = re.compile(r"[^\W_]+")
# Words between "was" and what it was: "was a nurse".
BESIDE: Final = r"(?:\W+[^\W\d_]{1,3}){0,2}\W*$"


def settle_bygone(claim: Claim) -> Claim:
    """A state that is told as past frees its claim; "until June" says that it has ended, whoever still counts on it.

    "I've lived in Leeds for ten years" goes on. Without this a city of one's youth superseded today's home.
    """
    if claim.relation == ABOUT or claim.tense != "present" or not claim.polarity or not tells_past(claim):
        return claim
    if load_phrases(claim.lang or "en", "until").search(claim.statement) is not None:
        return replace(claim, tense="over", polarity=False)
    return free_claim(claim)


def tells_past(claim: Claim) -> bool:
    language = claim.lang or "en"
    statement = claim.statement.casefold()
    at = statement.rfind(claim.object) if claim.object else -1
    before = statement[:at] if at >= 0 else statement
    if load_phrases(language, "goes on").search(statement) is not None:
        return False
    if claim.relation in BEEN and has_been(before, statement[len(before) :], claim.object, language):
        return True
    return any(
        claim.relation in relations and load_phrases(language, section).search(before) is not None
        for section, relations in KINDS
    )


def has_been(before: str, from_value: str, spoken: str, language: str) -> bool:
    """ "My boss was Priya", "Priya was my boss", and not "my dog Rex was ill"."""
    if load_being(language).search(before) is not None:
        return True
    being = load_phrases(language, "past being")
    rest = from_value[len(spoken) :].lstrip()
    behind = being.match(rest)
    own = WORD.search(rest, behind.end()) if behind is not None else None
    return being.match(spoken) is not None or (own is not None and own[0] in load_words(language, "my"))


@cache
def load_being(language: str) -> re.Pattern[str]:
    """ "Was", right before the value."""
    return re.compile(rf"(?<!\w)(?:{join_entries(language, 'past being')})(?!\w){BESIDE}", re.IGNORECASE)
