"""A couple that has parted, told of both at once: "Jade and I split up", "Jade et moi c'est fini"."""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Final

from memory.claims.building import word_whole
from memory.claims.claim import SPEAKER, Claim
from memory.claims.dates.agenda import order_languages
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import join_entries, load_small_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.taxonomy import PARTNER_NOUNS
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_AND

# What the reader of clauses makes of half a sentence: "I split up".
REPLACED: Final = frozenset({ABOUT, "dating", "married_to", "friend_of", *PARTNER_NOUNS})
DATING: Final = "dating"
# "My wife" is two words. A text has one kind of apostrophe by the time it is read.
NAME: Final = r"[^\W\d_][\w'-]{1,30}(?:\s[^\W\d_][\w'-]{1,30})?"


def add_separation(
    claims: Sequence[Claim], sentence: Sentence, place: int, languages: Collection[str] | None
) -> list[Claim]:
    """The claims of a sentence, or that the two whom it names have parted."""
    raw = sentence.raw
    if raw.rstrip().endswith("?") or any(claim.relation not in REPLACED for claim in claims):
        return list(claims)
    for language in order_languages(languages):
        found = load_pattern(language).search(raw)
        partner = name_partner(found["first"] or found["second"], language) if found else None
        if found and partner:
            span = (place + found.start(), place + found.end())
            relation, name = partner
            whole = word_whole(sentence)
            return [
                Claim(SPEAKER, relation, name, whole, span, polarity=False, tense="over", lang=language, is_sure=True)
            ]
    return list(claims)


def name_partner(spoken: str, language: str) -> tuple[str, str] | None:
    """The relation and the name of "Jade" and of "my wife"; with a brother one splits up before a crossing."""
    known = find_known_noun(fold_letters(spoken).split(), language)
    if known is not None:
        return (known[1], "") if known[1] in PARTNER_NOUNS else None
    name = spoken.split()[-1]
    # Who writes no capitals writes none in a name.
    is_name = name[0].isupper() or (name == spoken and fold_letters(name) not in load_small_words(language))
    return (DATING, name.casefold()) if is_name else None


@cache
def load_pattern(language: str) -> re.Pattern[str]:
    """`first` stands before the person's own word, `second` behind it."""
    joint, me, parted = (join_entries(language, name) for name in ("couple and", "couple me", "parted"))
    first, second = f"(?P<first>{NAME})", f"(?P<second>{NAME})"
    if language == HEBREW:
        pair = rf"{first}\s{HEBREW_AND}(?:{me})|(?:{me})\s{HEBREW_AND}{second}"
    else:
        pair = rf"{first}\s(?:{joint})\s(?:{me})|(?:{me})\s(?:{joint})\s{second}"
    return re.compile(rf"(?<!\w)(?:{pair})(?:\s[^\W\d_]{{2,12}})?\s(?:{parted})(?!\w)", re.IGNORECASE)
