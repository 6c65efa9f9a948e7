"""The relations a claim may have, and which of them hold one value at a time."""

from typing import Final

# A claim whose relation no phrase names: its statement is all that is known.
ABOUT: Final = "about"
REQUEST: Final = "asked_to_remember"

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
        "pays",
        "religion",
    }
)


def is_single_valued(relation: str) -> bool:
    return relation in SINGLE_VALUED or relation.startswith("favorite_")
