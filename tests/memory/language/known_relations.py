"""Every relation that a text of some language can be read to tell."""

from collections.abc import Iterator

from memory.claims.clauses.openings import FAMILIES
from memory.claims.frames.words import load_favorites
from memory.claims.lexicon import list_relations, strip_marks
from memory.claims.relations import SINGLE_VALUED
from memory.claims.slots.templates import load_templates
from memory.claims.taxonomy import CORE, NOUNS
from memory.language.loader import list_codes, read_sections

# What a template of a slot stands for before it is resolved to a relation.
UNRESOLVED = {"favorite", "from", "instead", "named", "possessed", "successor", "swapped"}


def list_known_relations() -> set[str]:
    named = {*FAMILIES.values(), *map(strip_marks, list_relations())}
    return {*CORE, *NOUNS, *SINGLE_VALUED, *named, *read_relations()} - UNRESOLVED


def read_relations() -> Iterator[str]:
    for code in list_codes():
        yield from (template.relation for template in load_templates(code))
        yield from load_favorites(code).values()
        for subject in ("claims", "frames", "slots"):
            sections = read_sections(code, subject)
            yield from (name.removeprefix("noun ") for name in sections if name.startswith("noun "))
