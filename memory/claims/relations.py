"""The relations a claim may have, and which of them hold one value at a time."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim

# A claim whose relation no phrase names: its statement is all that is known.
ABOUT: Final = "about"
REQUEST: Final = "asked_to_remember"
# Whose words say as often something in passing: "I take the bus", "I like it".
UNSURE: Final = frozenset(
    {"likes", "dislikes", "eats", "drinks", "has", "takes", "owns", "is", "hobby", "plays", "goes_to"}
)
WORDED: Final = frozenset({ABOUT, REQUEST, "style"})
# Digits of a telephone number: extensions of offices have four.
SHORTEST_PHONE: Final = 4
PLACES: Final = frozenset({"lives_in", "works_at", "went_to", "moved_from"})
# "Number 14", "4.12", "the 8th", "1er", "4ºB", "work is 4.12": a number, or a sentence.
NO_PLACE: Final = re.compile(
    r"^(?:number |nr\.? |n[ºo]\.? )?\d[\d.,:/]*(?:st|nd|rd|th|er|ère|ème|[ºªo°][a-z]?)?$"
    r"|^(?:\w+ ){1,4}(?:is|es|est|ist|è|é) "
)

# What is paid or earned, by what it is for.
SUMS: Final = ("rent", "salary", "mortgage", "pension")
# A later plain statement on one of these supersedes the earlier one. Kin that may be several, animals and things do
# not: a second dog ends no first one.
SINGLE_VALUED: Final = frozenset(
    {"name", "age", "lives_in", "born_in", "works_at", "works_as", "reports_to", "married_to", "birthday"}
    | {"blood_type", "takes_dose", "goes_by", "phone_number", "email", "address", "native_language", "star_sign"}
    | {"nationality", "nickname", "wife", "husband", "partner", "girlfriend", "boyfriend", "fiance", "mother", "father"}
    | {
        "boss",
        "landlord",
        "doctor",
        "dentist",
        "therapist",
        "vet",
        "hairdresser",
        "bank",
        "surname",
        "religion",
        "locker",
        "parking_space",
        "door",
        *SUMS,
    }
)


def is_single_valued(relation: str) -> bool:
    return relation in SINGLE_VALUED or relation.startswith("favorite_")


def is_meant(claim: Claim) -> bool:
    """Whether it is kept though its words sound slight: "I've just moved to York for work" did like a joke.

    What names where somebody lives or what they are allergic to is told for its own sake.
    """
    return claim.is_request or claim.is_sure or claim.relation not in UNSURE | WORDED


def fits_relation(relation: str, spoken: str) -> bool:
    """Whether a value has the form that its relation asks for: "my goodbye email to the team" tells no address."""
    if relation == "email":
        return "@" in spoken
    if relation in PLACES:
        return NO_PLACE.search(spoken) is None
    # "My locker number is 212".
    return relation != "phone_number" or sum(char.isdigit() for char in spoken) >= SHORTEST_PHONE


def free_claim(claim: Claim) -> Claim:
    """What the words tell without a relation, of which nothing can be denied."""
    return replace(claim, relation=ABOUT, object="", polarity=True)
