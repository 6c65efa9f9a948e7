"""Imports descriptions of data sets, and synonyms, from a JSON file into the patterns of one user.

The whole file is checked before anything is written. Importing the same file again adds nothing; a table whose
description changed is revised.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.store import writing
from memory.store.admission import NewMemory, WriteRefused, validate_memory
from memory.tiers import SourceType, Tier

LARGEST_FILE = 64 << 20
MOST_CONCEPTS = 50
ACTOR = "import"

Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class BrokenCatalogue(Exception):
    """The file cannot be imported; the message names the place and the reason."""


class CatalogueEntry(BaseModel):
    """Unknown fields are ignored: catalogues of other tools carry much that a memory has no use for."""

    model_config = ConfigDict(extra="ignore", strict=True)


class CatalogueColumn(CatalogueEntry):
    name: Name
    type: Text = ""
    description: Text = ""

    def __str__(self) -> str:
        kind = f" ({self.type})" if self.type else ""
        return f"{self.name}{kind}: {self.description}" if self.description else f"{self.name}{kind}"


def parse_column(value: object) -> object:
    """A column may be given by its name alone."""
    return {"name": value} if isinstance(value, str) else value


class CatalogueTable(CatalogueEntry):
    name: Text = ""
    description: Text = ""
    columns: list[Annotated[CatalogueColumn, BeforeValidator(parse_column)]]


class CatalogueDataset(CatalogueEntry):
    id: Name
    title: Name
    description: Text = ""
    category: Text = ""
    keywords: list[Name] = []
    tables: list[CatalogueTable] = []
    columns: list[Annotated[CatalogueColumn, BeforeValidator(parse_column)]] = []

    def all_tables(self) -> list[CatalogueTable]:
        """Of a data set without tables its columns are the one table; without either, there is still its title."""
        own = [CatalogueTable(columns=self.columns)] if self.columns or not self.tables else []
        return [*own, *self.tables]

    @property
    def concepts(self) -> list[str]:
        return list(dict.fromkeys(word for word in (self.title, self.category, *self.keywords) if word))[:MOST_CONCEPTS]


class SynonymGroup(CatalogueEntry):
    """Terms that mean the same in a field of work."""

    domain: Name
    terms: list[Name]


class Catalogue(CatalogueEntry):
    datasets: list[CatalogueDataset] = []
    synonyms: list[SynonymGroup] = []


@dataclass(frozen=True, slots=True)
class CatalogueImport:
    added: int
    revised: int
    unchanged: int


def read_catalogue(path: Path) -> list[NewMemory]:
    """The memories of a file, each as it may be stored. Raises BrokenCatalogue for the first fault."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BrokenCatalogue(f"is larger than {LARGEST_FILE >> 20} MiB")
        content = json.loads(path.read_text(encoding="utf-8-sig"))
        catalogue = Catalogue.model_validate(content)
    except OSError as fault:
        raise BrokenCatalogue(f"cannot be read: {fault.strerror}") from fault
    except UnicodeDecodeError as fault:
        raise BrokenCatalogue(f"byte {fault.start + 1}: is not UTF-8 text") from None
    except json.JSONDecodeError as fault:
        raise BrokenCatalogue(f"line {fault.lineno}, column {fault.colno}: {fault.msg}") from None
    except RecursionError:
        raise BrokenCatalogue("is nested too deeply") from None
    except ValidationError as fault:
        first = fault.errors(include_url=False, include_input=False, include_context=False)[0]
        raise BrokenCatalogue(f"{format_json_path(first['loc'])}: {first['msg'].lower()}") from None
    except ValueError:
        # Of what JSON allows, Python refuses only this. ValidationError is a ValueError, too, and comes first.
        raise BrokenCatalogue("holds a number of thousands of digits") from None
    found = list(build_catalogue_memories(catalogue))
    if not found:
        raise BrokenCatalogue("holds neither datasets nor synonyms")
    return found


def format_json_path(path: Iterable[int | str]) -> str:
    """``datasets[3].tables[0].name``, counted from 0 as in the file's own language."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return steps.removeprefix(".") or "the file"


def build_catalogue_memories(catalogue: Catalogue) -> Iterator[NewMemory]:
    seen: dict[str, str] = {}
    for where, memory in describe_entries(catalogue):
        origin = memory.origin or ""
        # Two of one name would share an origin, and which of them is stored would be chance.
        if origin in seen:
            raise BrokenCatalogue(f"{where}: is a second {seen[origin]}")
        seen[origin] = where
        try:
            yield validate_memory(memory)
        except WriteRefused as error:
            raise BrokenCatalogue(f"{where}: {error.field} {error.rule}") from None


def describe_entries(catalogue: Catalogue) -> Iterator[tuple[str, NewMemory]]:
    for number, dataset in enumerate(catalogue.datasets):
        where = f"datasets[{number}]"
        own = len(dataset.all_tables()) - len(dataset.tables)
        for position, table in enumerate(dataset.all_tables(), start=-own):
            yield where if position < 0 else f"{where}.tables[{position}]", describe_table(dataset, table)
    for number, synonyms in enumerate(catalogue.synonyms):
        terms = list(dict.fromkeys(synonyms.terms))
        if len(terms) < 2:
            raise BrokenCatalogue(f"synonyms[{number}].terms: at least two different terms are needed")
        yield f"synonyms[{number}]", describe_synonyms(synonyms.domain, terms)


def describe_table(dataset: CatalogueDataset, table: CatalogueTable) -> NewMemory:
    lines = [f"Dataset: {dataset.title} (ID: {dataset.id})" + (f", table {table.name}" if table.name else "")]
    lines += [text for text in (dataset.description, table.description) if text]
    if dataset.concepts[1:]:
        lines.append("About: " + ", ".join(dataset.concepts[1:]))
    if table.columns:
        lines.append("Fields: " + "; ".join(map(str, table.columns)))
    return NewMemory(
        text="\n".join(lines),
        tier=Tier.PATTERNS,
        tags=("schema",),
        source_type=SourceType.SYSTEM,
        source={"type": "import", "format": "schemas"},
        metadata={"dataset": dataset.id, "table": table.name, "concepts": dataset.concepts},
        origin=digest_catalogue_origin("dataset", dataset.id, table.name),
    )


def describe_synonyms(domain: str, terms: list[str]) -> NewMemory:
    return NewMemory(
        text=f"Said of the same thing in {domain}: {', '.join(terms)}",
        tier=Tier.PATTERNS,
        tags=("schema", "synonyms"),
        source_type=SourceType.SYSTEM,
        source={"type": "import", "format": "schemas"},
        metadata={"domain": domain, "synonyms": terms[:MOST_CONCEPTS]},
        origin=digest_catalogue_origin("synonyms", domain, *sorted(terms)),
    )


def digest_catalogue_origin(*parts: str) -> str:
    # With lengths, ("a", "bc") and ("ab", "c") differ.
    return hashlib.sha256("".join(f"{len(part)}:{part}" for part in ("schemas", *parts)).encode()).hexdigest()


def import_catalogue(user: EndUser, found: list[NewMemory], *, now: datetime) -> CatalogueImport:
    """Store new entries and revise changed ones, all or nothing. What the user deleted stays deleted."""
    by_origin = {memory.origin: memory for memory in found}
    revised = 0
    with user_scope(user):
        added = [one.item.pk for one in writing.store_memories(user, found, now=now, actor=ACTOR) if one is not None]
        for item in MemoryItem.objects.for_user(user).filter(origin__in=list(by_origin)).exclude(pk__in=added):
            memory = by_origin[item.origin]
            # The same file again changes nothing, so that nothing is indexed anew.
            if item.text != memory.text:
                changes = {"text": memory.text, "metadata": memory.metadata}
                writing.revise_memory(user, item.pk, changes, now=now, actor=ACTOR)
                revised += 1
    return CatalogueImport(len(added), revised, len(found) - len(added) - revised)
