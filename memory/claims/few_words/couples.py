"""A couple that has parted or come together, told of both at once: "Jade and I split up", "Sam and I are together"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.few_words.brief import BriefSentence
from memory.claims.relations import ABOUT
from memory.claims.slots.known import KnownSlot
from memory.claims.slots.matching import join_entries, load_small_words
from memory.claims.slots.nouns import find_known_noun
from memory.claims.taxonomy import PARTNER_NOUNS, PARTNERS
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_AND
from memory.language.names import load_given_names

# What the reader of clauses makes of half a sentence: "I split up".
REPLACED: Final = frozenset({ABOUT, "dating", "married_to", "friend_of", "fiance", *PARTNER_NOUNS})
DATING: Final = "dating"
PARTED: Final = "parted"
# "Sophie hat Schluss gemacht": one of the two alone is named.
LEFT: Final = "left by"
# What a couple has become, by the section that lists its words.
TOGETHER: Final = {"wed": "married_to", "engaged": "fiance", "paired": DATING}
# "My wife" is two words. A text has one kind of apostrophe by the time it is read.
NAME: Final = r"[^\W\d_][\w'-]{1,30}(?:\s[^\W\d_][\w'-]{1,30})?"


def add_couple(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence, or that the two whom it names have parted or are a couple now."""
    if one.ends_asking or any(claim.relation not in REPLACED for claim in claims):
        return claims
    for language in one.languages:
        for state in (PARTED, LEFT, *TOGETHER):
            found = (load_leaving(language) if state == LEFT else load_pattern(language, state)).search(one.raw)
            spoken = (found["first"] or found["second"]) if found else ""
            # Who writes no capitals writes none in a name: "lea hat schluss gemacht".
            is_sure = state == PARTED or (state == LEFT and is_partner(spoken, one.known))
            partner = name_partner(spoken, language, is_sure=is_sure) if spoken else None
            if found and partner:
                relation, name = partner
                if state == LEFT and any(claim.tense == "over" and claim.object == name for claim in claims):
                    # Of whomever it was told: "Mireille hat Schluss gemacht", of a brother's girlfriend.
                    return claims
                told = one.make_claim(relation, name, language, within=found.span())
                if state in {PARTED, LEFT}:
                    return [replace(told, polarity=False, tense="over")]
                return [replace(told, relation=TOGETHER[state], tense="new")] if name else claims
    return claims


def is_partner(name: str, known: Sequence[KnownSlot]) -> bool:
    # "Meine Freundin" is either.
    return any(one.relation in PARTNERS | {"friend_of"} and one.object == name.casefold() for one in known)


def name_partner(spoken: str, language: str, *, is_sure: bool) -> tuple[str, str] | None:
    """The relation and the name of "Jade" and of "my wife"; with a brother one splits up before a crossing.

    Who is together with somebody is a couple only if that is surely a name.
    """
    known = find_known_noun(fold_letters(spoken).split(), language)
    if known is not None:
        # "My husband Javier".
        behind = "" if spoken.split()[-1] in known[0] or not spoken.split()[-1][0].isupper() else spoken.split()[-1]
        return (known[1], behind.casefold()) if known[1] in PARTNER_NOUNS else None
    name = spoken.split()[-1]
    is_name = name[0].isupper() or fold_letters(name) in load_given_names()
    # Who writes no capitals writes none in a name.
    is_name = is_name or (is_sure and name == spoken and fold_letters(name) not in load_small_words(language))
    return (DATING, name.casefold()) if is_name else None


@cache
def load_leaving(language: str) -> re.Pattern[str]:
    """What one of the two has done ends its clause: "Max left me a message" ends nothing."""
    told = join_entries(language, LEFT)
    return re.compile(rf"(?<!\w)(?P<first>{NAME})(?P<second>)\s(?:{told})(?=\s*(?:[.,;:!?)…]|$))", re.IGNORECASE)


@cache
def load_pattern(language: str, state: str) -> re.Pattern[str]:
    """`first` stands before the person's own word, `second` behind it.

    What says that they are together ends its clause: "Sam and I are together on this".
    """
    joint, me, told = (join_entries(language, name) for name in ("couple and", "couple me", state))
    behind = "" if state == PARTED else rf"(?:\s(?:{join_entries(language, 'couple behind')})\b.*)?\s*(?=[.,;:!?)…]|$)"
    first, second = f"(?P<first>{NAME})", f"(?P<second>{NAME})"
    if language == HEBREW:
        pair = rf"{first}\s{HEBREW_AND}(?:{me})|(?:{me})\s{HEBREW_AND}{second}"
    else:
        # "Eu e o Caio terminamos".
        article = rf"(?:(?:{join_entries(language, 'article')})\s)?"
        pair = rf"{first}\s(?:{joint})\s(?:{me})|(?:{me})\s(?:{joint})\s{article}{second}"
    return re.compile(rf"(?<!\w)(?:{pair})(?:,?\s[^\W\d_]{{2,12}})?\s(?:{told})(?!\w){behind}", re.IGNORECASE)
