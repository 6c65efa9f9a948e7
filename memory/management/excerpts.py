"""The first words of memories and facts, for commands that would otherwise name them by their ids alone.

Secrets are taken out before anything is stored, so none can be told here.
"""

from collections.abc import Iterable
from typing import IO, cast
from uuid import UUID

from django.core.management.base import OutputWrapper
from django.db.models import Model
from rich.console import Console
from rich.text import Text

from memory.access.scope import user_scope
from memory.language.text import SMUGGLED, preview_text
from memory.models import EndUser, Fact, MemoryItem

# Enough to know a memory by; two of them and two ids are a line of 200 columns.
SHOWN_CHARS = 60
# Of a file or a pipe, which tells no width.
PIPED_WIDTH = 200


def open_table_console(stdout: OutputWrapper) -> Console:
    """As wide as the terminal; in a pipe wide enough for what stands beside the ids."""
    return Console(file=cast("IO[str]", stdout), width=None if stdout.isatty() else PIPED_WIDTH)


def read_memory_excerpts(user: EndUser, ids: Iterable[UUID]) -> dict[UUID, Text]:
    return read_excerpts(user, MemoryItem, "text", ids)


def read_fact_excerpts(user: EndUser, ids: Iterable[UUID]) -> dict[UUID, Text]:
    return read_excerpts(user, Fact, "statement", ids)


def read_excerpts(user: EndUser, model: type[Model], field: str, ids: Iterable[UUID]) -> dict[UUID, Text]:
    """Of those that are there; what stands in brackets is no markup, and what is invisible is left out."""
    with user_scope(user):
        rows = model._default_manager.filter(user=user, pk__in=set(ids)).values_list("pk", field)
        return {pk: Text(preview_text(SMUGGLED.sub("", text), SHOWN_CHARS)) for pk, text in rows}
