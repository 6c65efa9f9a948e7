"""Where a memory comes from: a kind that decides on trust, and what a client says of it beside that."""

from collections.abc import Mapping
from typing import Any

from memory.tiers import SourceType

SOURCE_TYPES = frozenset(SourceType)


def split_source(source: str | Mapping[str, Any]) -> tuple[SourceType | None, dict[str, Any]]:
    """The kind it names, if one of ours, and what is said beside it. A text is short for an object of that ``type``.

    A client may name its own kinds of sources; such a name stays in what is said.
    """
    described = {"type": source} if isinstance(source, str) else dict(source)
    kind = described.get("type")
    if isinstance(kind, str) and kind in SOURCE_TYPES:
        del described["type"]
        return SourceType(kind), described
    return None, described
