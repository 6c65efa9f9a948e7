"""What the relation of a fact is called in a language: the noun of it, "dog" or "Hund". Pure."""

from collections.abc import Iterator
from typing import Final

from memory.language.loader import read_entries, read_sections

# Where a noun of a relation stands, the best worded first: what is said, and then what is read in a text.
SAID: Final = "bullets"
READ: Final = ("claims", "slots", "frames")


def name_relation(relation: str, code: str) -> str:
    """The noun of a relation in a language; where it has none, the relation's own English one."""
    return next(find_nouns(relation, code), relation.replace("_", " "))


def find_nouns(relation: str, code: str) -> Iterator[str]:
    yield from read_sections(code, SAID).get(f"noun {relation}", ())
    for subject in READ:
        yield from read_entries(code, subject, f"noun {relation}")
    # "Album" names no relation by itself, and a favourite one does.
    yield from read_entries(code, "frames", f"favorite {relation}")
