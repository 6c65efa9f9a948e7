"""Of whom facts speak: the person, somebody close to them, an animal, a thing. Pure.

A subject is a noun ("dog", "Schwester") or a name, which somebody introduced: "my son Ben is allergic to cashews".
"""

from enum import StrEnum
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.taxonomy import ANIMALS, PERSONS
from memory.facts.keys import fold_key
from memory.language.loader import list_codes, read_entries, read_sections

NOUN: Final = "noun "
# Relations whose object is a name of somebody, beside the nouns themselves.
OF_PERSONS: Final = PERSONS | {"married_to", "friend_of", "reports_to", "sees"}


class SubjectKind(StrEnum):
    """In the order that pages list them."""

    SPEAKER = "speaker"
    PERSON = "person"
    ANIMAL = "animal"
    THING = "thing"


KIND_ORDER: Final = tuple(SubjectKind)


@cache
def load_noun_kinds() -> dict[str, SubjectKind]:
    """From each noun of a language, folded, to what it names."""
    found: dict[str, SubjectKind] = {}
    for language in list_codes():
        for section in read_sections(language, "claims"):
            if section.startswith(NOUN):
                kind = find_relation_kind(section.removeprefix(NOUN))
                words = read_entries(language, "claims", section)
                found |= {fold_key(word): kind for word in words if fold_key(word) not in found}
    return found


def find_relation_kind(relation: str) -> SubjectKind:
    """What a relation to somebody makes of them: "son" a person, "pet" an animal."""
    if relation in OF_PERSONS:
        return SubjectKind.PERSON
    return SubjectKind.ANIMAL if relation in ANIMALS | {"pet"} else SubjectKind.THING


def classify_subject(subject_key: str, statement: str, relations: frozenset[str] = frozenset()) -> SubjectKind:
    """``relations`` are those in which the subject stands to the person, ``statement`` is one that tells of it."""
    if subject_key in {"", SPEAKER}:
        return SubjectKind.SPEAKER
    nouns = load_noun_kinds()
    # The last noun counts: "my daughter's dog" is a dog.
    named = [nouns[word] for word in (subject_key, *reversed(subject_key.split())) if word in nouns]
    if named:
        return named[0]
    related = {find_relation_kind(relation) for relation in relations}
    for kind in (SubjectKind.PERSON, SubjectKind.ANIMAL):
        if kind in related:
            return kind
    return find_introduction(subject_key, statement)


def find_introduction(subject_key: str, statement: str) -> SubjectKind:
    """The noun nearest in front of a name: "my son Ben", "our cat Mimi"."""
    words, nouns = fold_key(statement).split(), load_noun_kinds()
    first = subject_key.split()[0]
    place = words.index(first) if first in words else len(words)
    return next((nouns[word] for word in reversed(words[:place]) if word in nouns), SubjectKind.THING)
