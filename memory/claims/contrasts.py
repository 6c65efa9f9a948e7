"""What the turn before said and this one denies beside the value that is meant: "no, not Leeds, Hull"."""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from memory.claims.corrected import CorrectedText, find_last_words, list_said
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.matching import join_entries
from memory.language.hebrew import BEFORE_A_NAME, HEBREW
from memory.language.loader import list_codes, read_entries

# Words of a value; what goes on longer tells something of its own.
VALUE: Final = r"[^\s,;:.!?]+(?:\s[^\s,;:.!?]+){0,2}"
VERBAL: Final = frozenset({"verb", "frame", "be 1", "be 3", "have 1", "have 3", "i"})
END: Final = r"\s*[.!…]*\s*$"


def put_contrast_right(text: str, previous: Sequence[str], languages: Collection[str]) -> CorrectedText:
    """A text that only contrasts two values, as the sentence of the turn before with the one that is meant."""
    for language in (one for one in list_codes() if one in languages):
        for pattern in load_contrasts(language):
            found = pattern.match(text)
            is_value = found is not None and not tells_something(f"{found['wrong']} {found['right']}", language)
            corrected = exchange(found["wrong"], found["right"], previous, language) if found and is_value else None
            if corrected is not None:
                return corrected
    return CorrectedText(text)


def tells_something(spoken: str, language: str) -> bool:
    """ "Afinal, não é celíaca": a verb denies, and puts no value for another."""
    hot = load_hot_words(language)
    return any(hot.classify(word) & VERBAL for word in spoken.casefold().split())


def exchange(wrong: str, right: str, previous: Sequence[str], language: str) -> CorrectedText | None:
    """The last sentence that holds what is wrong, with what is right for it; of a question nothing is put right."""
    for said, meant in list_forms(wrong, right, language):
        told = next((one for one in list_said(previous) if find_last_words(one, said)), "")
        place = find_last_words(told, said)
        if place is not None and not told.endswith("?"):
            whole = f"{told[: place.start()]}{meant}{told[place.end() :]}"
            return CorrectedText(whole, said.casefold(), meant.casefold())
    return None


def list_forms(wrong: str, right: str, language: str) -> list[tuple[str, str]]:
    """As they stand, or in Hebrew with the particle that the sentence before wrote onto the value."""
    forms = [(wrong, right)]
    return forms + [(f"{one}{wrong}", f"{one}{right}") for one in BEFORE_A_NAME if language == HEBREW]


@cache
def load_contrasts(language: str) -> tuple[re.Pattern[str], ...]:
    denials = "|".join(re.escape(one) for one in read_entries(language, "slots", "contrast"))
    openers = f"{join_entries(language, 'correction')}|{join_entries(language, 'answers no', 'frames')}"
    lead = rf"^\s*(?:(?:{openers})[,.!…]?\s+)*"
    return (
        re.compile(rf"{lead}(?:{denials})\s+(?P<wrong>{VALUE}),\s*(?P<right>{VALUE}){END}", re.IGNORECASE),
        re.compile(rf"{lead}(?P<right>{VALUE}),\s+(?:{denials})\s+(?P<wrong>{VALUE}){END}", re.IGNORECASE),
    )
