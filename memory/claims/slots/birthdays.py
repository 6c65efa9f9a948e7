"""Ages that somebody will only have: "she turns 6 in June", "cumplo 40 en mayo", "j'aurai 40 ans en mai"."""

import re
from typing import Final

from memory.claims.claim import Claim
from memory.claims.relations import free_claim
from memory.claims.slots.matching import load_words
from memory.claims.suppositions import is_of_calendar
from memory.guard.spelling import fold_letters

WORD: Final = re.compile(r"[^\W_]+")


def settle_age(claim: Claim) -> Claim:
    """Told with a day to come it is no age yet: the year until then it answered "how old is she?"."""
    return free_claim(claim) if claim.relation == "age" and is_to_come(claim) else claim


def is_to_come(claim: Claim) -> bool:
    language = claim.lang or "en"
    words = [fold_letters(word) for word in WORD.findall(claim.statement)]
    at = next((at for at, word in enumerate(words) if word == claim.object), 0)
    if not load_words(language, "will be").isdisjoint(words[:at]):
        return True
    if load_words(language, "turns age").isdisjoint(words[:at]):
        return False
    today = load_words(language, "today", "frames")
    return any(is_of_calendar(word, language) for word in words if word not in today)
