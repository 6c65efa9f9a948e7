"""The relations that frames read, and no others; and which relations are to people, to animals and to things."""

from typing import Final

CORE: Final = frozenset(
    {"name", "age", "is", "lives_in", "born_in", "moved_from", "works_at", "works_as", "participated_in", "went_to"}
    | {"friend_of", "married_to", "owns", "has", "likes", "dislikes", "time", "duration", "quantity"}
)
# Relations that say more of another fact and are none by themselves when facts are counted.
DETAILS: Final = frozenset({"time", "duration", "quantity"})
# Told of one, they hold of the other.
SYMMETRIC: Final = frozenset({"friend_of", "married_to"})
# What is told as somebody's, whatever it is.
HAVING: Final = frozenset({"has", "owns"})
KIN: Final = frozenset(
    {"mother", "father", "parent", "sister", "brother", "sibling", "son", "daughter", "child", "wife", "husband"}
    | {"partner", "girlfriend", "boyfriend", "fiance", "ex", "grandmother", "grandfather", "grandparent", "grandson"}
    | {"granddaughter", "aunt", "uncle", "cousin", "nephew", "niece", "mother_in_law", "father_in_law"}
    | {"sister_in_law", "brother_in_law", "son_in_law", "daughter_in_law", "stepmother", "stepfather", "stepson"}
    | {"stepdaughter", "half_brother", "half_sister", "godmother", "godfather", "godson", "goddaughter", "godchild"}
)
CHILDREN: Final = frozenset({"child", "son", "daughter"})
PARTNER_NOUNS: Final = frozenset({"boyfriend", "girlfriend", "partner", "fiance", "wife", "husband"})
PARTNERS: Final = PARTNER_NOUNS | {"married_to", "dating"}
HELPERS: Final = frozenset({"doctor", "dentist", "therapist", "vet", "hairdresser", "babysitter", "boss"})
# Who goes out of somebody's life by leaving, retiring or moving out, and whose name another may take.
DEPARTING: Final = HELPERS | {"roommate"}
# Whom somebody ceases to have or changes for another.
REPLACEABLE: Final = HELPERS | {"coach", "teacher", "landlord"}
PEOPLE: Final = KIN | frozenset(
    {"boss", "colleague", "neighbor", "roommate", "landlord", "teacher", "student", "coach", "doctor", "dentist"}
    | {"therapist", "vet", "hairdresser", "babysitter", "friend"}
)
ANIMALS: Final = frozenset(
    {"dog", "cat", "rabbit", "hamster", "guinea_pig", "ferret", "parrot", "bird", "fish", "turtle", "snake", "lizard"}
    | {"horse", "pony", "donkey", "goat", "hen"}
)
# With a noun of two persons, which names the relation of neither.
PERSONS: Final = PEOPLE | {"twins"}
ATTRIBUTES: Final = frozenset(
    {"birthday", "nickname", "hobby", "nationality", "native_language", "star_sign", "phone_number", "email"}
    | {"address"}
)
THINGS: Final = frozenset(
    {"car", "motorbike", "guitar", "garden", "bike", "boat", "house", "shop", "bakery", "restaurant", "company"}
    | {"band", "team", "school"}
)
NOUNS: Final = PEOPLE | ANIMALS | ATTRIBUTES | THINGS | {"name"}
FAVORITE: Final = "favorite_"
FEMALE: Final = frozenset(
    {"mother", "sister", "daughter", "wife", "girlfriend", "grandmother", "granddaughter", "aunt", "niece"}
    | {"mother_in_law", "sister_in_law", "daughter_in_law", "stepmother", "stepdaughter", "half_sister", "godmother"}
    | {"goddaughter"}
)
MALE: Final = frozenset(
    {"father", "brother", "son", "husband", "boyfriend", "grandfather", "grandson", "uncle", "nephew"}
    | {"father_in_law", "brother_in_law", "son_in_law", "stepfather", "stepson", "half_brother", "godfather", "godson"}
)
GROUPS: Final = frozenset({"parent", "grandparent", "sibling", "child"})
# One value at a time: a correction that names another takes the place of the one that was told.
SINGLE: Final = (
    frozenset({"name", "age", "lives_in", "born_in", "moved_from", "works_at", "works_as", "married_to", "time"})
    | frozenset({"duration", "quantity"})
    | ATTRIBUTES
    | THINGS
    | PEOPLE
    | ANIMALS
)


def is_single(relation: str) -> bool:
    return relation in SINGLE or relation.startswith(FAVORITE)


def find_gender(relation: str) -> str:
    if relation in FEMALE:
        return "f"
    return "m" if relation in MALE else ""
