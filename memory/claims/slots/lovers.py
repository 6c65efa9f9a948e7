"""Who is a friend and who a lover, where one word says both.

"Mein Freund Jonas" is the one somebody is with: of a friend one says "ein Freund von mir", "mein bester Freund", "unser
Freund". Nobody who speaks of a friend leaves that to chance.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.slots.matching import join_entries
from memory.language.loader import read_entries

FRIEND_OF: Final = "friend_of"
LOVERS: Final = ("boyfriend", "girlfriend")
OWNER: Final = "lover of"


def name_lover(claim: Claim) -> Claim:
    """ "Meine Freundin Sophie arbeitet bei Bosch" names the person's girlfriend."""
    if claim.relation != FRIEND_OF or claim.subject != SPEAKER or not claim.lang:
        return claim
    relation = find_lover(claim.statement, claim.lang)
    return replace(claim, relation=relation) if relation else claim


def find_lover(spoken: str, language: str) -> str:
    """The relation that a possessive and its noun say, or nothing."""
    if not read_entries(language, "slots", OWNER):
        return ""
    return next((one for one in LOVERS if load_lover(language, one).search(spoken)), "")


@cache
def load_lover(language: str, relation: str) -> re.Pattern[str]:
    owner, noun = (join_entries(language, kind) for kind in (OWNER, f"{relation} of one"))
    return re.compile(rf"(?<!\w)(?:{owner})\s(?:neu\w{{1,2}}\s)?(?:{noun})(?!\w)", re.IGNORECASE)
