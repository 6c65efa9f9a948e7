"""The kinds of what somebody may have, by the nouns that name them in each language."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import load_relation_nouns
from memory.claims.slots.matching import find_drug
from memory.claims.taxonomy import ANIMALS, PERSONS
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_THE, PARTICLES
from memory.language.kinds import list_names_of_kind
from memory.language.loader import SHARED, read_entries

SUBJECT: Final = "presupposed"
PERSON: Final = "person "
DRUG: Final = "drug"
CONDITION: Final = "condition"
CHILD: Final = "person child"
PETS: Final = ("dog", "cat", "animal")
# Who works for the person, by the nouns of slots; frames know the others.
ENGAGED: Final = frozenset({"lawyer", "accountant", "physio", "cleaner"})
# Kinds of what is simply had.
HAD: Final = (*PETS, "plant", "instrument", "device", "vehicle", "equipment", "home part", "business")
KINDS: Final = (*HAD, CONDITION, "part", "body", "allergy", "hobby", "work", "study", "home", "uses", "system", "tool")
KINDS_BESIDE: Final = ("trip", "passport", "language", "sport", "event", CHILD)
# The kinds of makes and models of each.
MAKES: Final = {"vehicle": ("car", "bicycle", "motorcycle"), "device": ("phone", "computer")}
# What counts only where a capital marks it as a name: "my Golf".
NAMED: Final = "named "
# Words of the longest noun.
SIZES: Final = (4, 3, 2, 1)
MOST_PARTICLES: Final = 2
SHORTEST_HEBREW: Final = 2
APOSTROPHES: Final = "'’"
APART: Final = re.compile(r"[-'’ ]+")


@dataclass(frozen=True, slots=True)
class KindTable:
    """Every noun with its kinds; of those that may begin or go on otherwise a pattern a kind."""

    language: str
    nouns: dict[str, tuple[str, ...]]
    names: dict[str, tuple[str, ...]]
    patterns: tuple[tuple[str, re.Pattern[str]], ...]

    def match(self, tokens: Sequence[HotToken], at: int, end: int) -> tuple[int, tuple[str, ...]]:
        """How many words the noun has that begins at a place, and its kinds; none where there is none."""
        for size in SIZES:
            spoken = tokens[at : min(at + size, end)]
            if len(spoken) < size or any(one.is_mark for one in spoken):
                continue
            for key in list_forms([one.plain for one in spoken], self.language):
                kinds = self.nouns.get(key) or (self.match_pattern(key) if size == 1 else ())
                kinds += self.names.get(key, ()) if spoken[0].is_capital else ()
                if kinds:
                    return size, kinds
        drug = "" if at >= end or tokens[at].is_mark else find_drug(tokens[at].text)
        return (1, (DRUG,)) if drug else (0, ())

    def match_pattern(self, key: str) -> tuple[str, ...]:
        return next(((kind,) for kind, pattern in self.patterns if pattern.fullmatch(key)), ())


def list_forms(words: Sequence[str], language: str) -> Iterator[str]:
    """The words as one key; of Hebrew without the particles that are written onto them."""
    if language != HEBREW:
        yield " ".join(filter(None, APART.split(" ".join(words))))
        return
    rest = [word.removeprefix(HEBREW_THE) for word in words[1:]]
    first = words[0]
    for size in range(MOST_PARTICLES + 1):
        if all(one in PARTICLES for one in first[:size]) and len(first) - size >= SHORTEST_HEBREW:
            yield " ".join([first[size:], *words[1:]])
            yield " ".join([first[size:], *rest])


@cache
def load_kinds(language: str) -> KindTable:
    nouns: dict[str, list[str]] = {}
    patterns: list[tuple[str, re.Pattern[str]]] = []
    for word, relation in load_relation_nouns(language).items():
        kind = f"{PERSON}{relation}" if relation in PERSONS else relation if relation in ANIMALS else ""
        if kind:
            nouns.setdefault(normalise(word), []).append("animal" if kind not in PETS and kind in ANIMALS else kind)
    for relation in sorted(ENGAGED):
        for word in read_entries(language, "slots", f"noun {relation}"):
            nouns.setdefault(normalise(word), []).append(PERSON + relation)
    for kind in (*KINDS, *KINDS_BESIDE):
        entries = [normalise(one) for one in list_entries(language, kind)]
        starred = [one for one in entries if "*" in one]
        for one in entries:
            if kind not in nouns.setdefault(one, []):
                nouns[one].append(kind)
        if starred:
            joined = "|".join(re.escape(one).replace(r"\*", r"[\w ]{1,40}") for one in starred)
            patterns.append((kind, re.compile(joined)))
    found = {word: tuple(kinds) for word, kinds in nouns.items()}
    return KindTable(language, found, load_names(), tuple(patterns))


@cache
def load_names() -> dict[str, tuple[str, ...]]:
    kinds = (kind for kind in KINDS if read_entries(SHARED, SUBJECT, NAMED + kind))
    return {normalise(one): (kind,) for kind in kinds for one in read_entries(SHARED, SUBJECT, NAMED + kind)}


@cache
def load_makes() -> frozenset[str]:
    """The phones and computers that are known by their makes alone."""
    return frozenset(normalise(one) for narrower in MAKES["device"] for one in list_names_of_kind(narrower))


def list_entries(language: str, kind: str) -> Iterator[str]:
    yield from read_entries(language, SUBJECT, kind)
    yield from read_entries(SHARED, SUBJECT, kind)
    for narrower in MAKES.get(kind, ()):
        yield from list_names_of_kind(narrower)
    if kind == CONDITION:
        yield from read_entries(language, "slots", CONDITION)
    if kind == "language":
        yield from read_entries(language, "slots", "language word")


def find_animal_relation(kind: str, forms: Iterable[str], language: str) -> str:
    """The relation of a dog, of a cat and of what else it is called; of an animal that no noun tells, a pet."""
    if kind != "animal":
        return kind
    nouns = load_relation_nouns(language)
    return next((nouns[form] for form in forms if nouns.get(form) in ANIMALS), "pet")


def find_pet(word: str, language: str) -> str:
    """Whether a noun is one of an animal that is kept, by the relation; else nothing."""
    form = normalise(word)
    kind = load_kinds(language).nouns.get(form, ("",))[0]
    return find_animal_relation(kind, [form], language) if kind in PETS else ""


def normalise(entry: str) -> str:
    return " ".join(filter(None, APART.split(fold_letters(entry))))


@cache
def load_said(language: str, section: str) -> frozenset[str]:
    """The entries of a section of single words, folded."""
    return frozenset(map(fold_letters, read_entries(language, SUBJECT, section)))


@cache
def load_phrases(language: str, section: str) -> re.Pattern[str]:
    """Any entry of a section as whole words, in a text whose letters are folded."""
    entries = sorted(read_entries(language, SUBJECT, section), key=len, reverse=True)
    joined = "|".join(re.escape(fold_letters(one)).replace(r"\ ", r"[\s'-]") for one in entries)
    return re.compile(rf"(?<!\w)(?:{joined or '(?!)'})(?!\w)")


def fold_apart(raw: str) -> str:
    """In small letters without accents and marks of what is written together, and of the same length."""
    return "".join(map(fold_letter, raw))


@cache
def fold_letter(char: str) -> str:
    plain = " " if char in APOSTROPHES else fold_letters(char)
    return plain if len(plain) == 1 else char
