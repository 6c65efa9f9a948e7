"""What people are to each other: wife, neighbour, colleague. Pure.

The words of each language stand in its `kin.txt` by relation, and only there: questions are read for them here, names
are introduced by them in the graph, the guard and the profile know by them who is close to a person.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from memory.language.folding import WORD, fold_text
from memory.language.hebrew import PARTICLES
from memory.language.loader import list_codes, read_entries, read_sections

SUBJECT: Final = "kin"
BEFORE_A_NAME: Final = "also before a name"
IN_ONE_WORD: Final = "mine in one word"
BEFORE_OF_MINE: Final = "before of mine"
OF_MINE: Final = "of mine"
CLOSE: Final = "also close"
NOT_CLOSE: Final = "not close"
WORKMATES: Final = "workmates"
# Sections that are no relation.
_ROLES: Final = frozenset({BEFORE_A_NAME, IN_ONE_WORD, BEFORE_OF_MINE, OF_MINE, CLOSE, NOT_CLOSE, WORKMATES})

# Relations to people of whom somebody tells what is nobody's business.
_DISTANT: Final = frozenset({"neighbour", "lodger", "landlord", "teammate", "assistant"})

_HYPHENED: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_HEBREW_PREFIX: Final = re.compile(rf"^[{PARTICLES}]{{1,2}}(?=[א-ת]{{2,}}$)")


@cache
def load_relations() -> dict[str, int]:
    """From each word to the number of its relation; a word of two relations stands for the earlier one."""
    numbers: dict[str, int] = {}
    for language in list_codes():
        for relation in read_sections(language, SUBJECT):
            if relation not in _ROLES:
                numbers.setdefault(relation, len(numbers))
    found: dict[str, int] = {}
    for relation, number in numbers.items():
        for language in list_codes():
            for word in read_entries(language, SUBJECT, relation):
                found.setdefault(fold_text(word), number)
    return found


@lru_cache(maxsize=16_384)
def find_relations(bare: str) -> frozenset[int]:
    """The kinds of people a folded text speaks of by what they are to somebody."""
    words = set((_HYPHENED if "-" in bare else WORD).findall(bare))
    if not bare.isascii():
        words |= {_HEBREW_PREFIX.sub("", word) for word in words}
    relations = load_relations()
    return frozenset([relations[word] for word in words & relations.keys()])


@cache
def load_introductions() -> frozenset[str]:
    """Words for people and pets whose name may follow: "my sister Dana"."""
    others = (word for language in list_codes() for word in read_entries(language, SUBJECT, BEFORE_A_NAME))
    return frozenset(load_relations()) | frozenset(others)


@cache
def load_own_introductions() -> frozenset[str]:
    """Those that say "mine" themselves or with the word behind them, where a language writes it so."""
    found: set[str] = set()
    for language in list_codes():
        found.update(read_entries(language, SUBJECT, IN_ONE_WORD))
        for mine in read_entries(language, SUBJECT, OF_MINE):
            for word in read_entries(language, SUBJECT, BEFORE_OF_MINE):
                found |= {f"{word} {mine}", f"ה{word} {mine}"}
    return frozenset(found)


def list_close_people(language: str) -> list[str]:
    """Who is close to a person, in the syntax of the guard's words: what is told about them is worth keeping."""
    no_kin = read_entries(language, SUBJECT, NOT_CLOSE)
    relations = (name for name in read_sections(language, SUBJECT) if name not in _ROLES | _DISTANT)
    words = (word for relation in relations for word in read_entries(language, SUBJECT, relation))
    return [*(word for word in words if word not in no_kin), *read_entries(language, SUBJECT, CLOSE)]


def list_workmates(language: str) -> tuple[str, ...]:
    return read_entries(language, SUBJECT, WORKMATES)
