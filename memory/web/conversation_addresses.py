"""The address of a conversation in the console: by its name and, where it belongs to some, its agent and project."""

from typing import Protocol
from urllib.parse import quote, urlencode

from memory.models.isolation import ScopedRow


class SaidInThread(ScopedRow, Protocol):
    """A row of a conversation, such as an exchange, a memory or a turn."""

    @property
    def thread_id(self) -> str: ...


def write_conversation_query(row: SaidInThread, *, is_exact: bool = False, **more: object) -> str:
    """``is_exact`` for one of the person's own: by the name alone that of a project is shown where they have none."""
    place = {"agent": row.agent_id, "project": row.project_id}
    named = place if is_exact or any(place.values()) else {}
    return urlencode({"thread": row.thread_id, **named, **more}, quote_via=quote)
