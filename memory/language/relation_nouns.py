"""What the relation of a fact is called in a language: the noun of it, "dog" or "Hund". Pure."""

from memory.language.loader import read_entries, read_sections


def name_relation(relation: str, code: str) -> str:
    """The noun of a relation in a language; where it has none, the relation's own English one."""
    # Those that a language's bullets name are said there and not read in a text.
    nouns = (
        *read_entries(code, "claims", f"noun {relation}"),
        *read_sections(code, "bullets").get(f"noun {relation}", ()),
    )
    return next(iter(nouns), relation.replace("_", " "))
