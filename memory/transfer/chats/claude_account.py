"""What a Claude export keeps beside the conversations: ``memories.json`` and ``projects.json``.

A memory is what the model wrote of the person, so it is an assistant's word. A project's description and instructions
are the person's own.
"""

from collections.abc import Iterator

from memory.transfer.chats.messages import ImportedKind, SkippedMessage, clean_label
from memory.transfer.chats.standing import StandingText, read_id_loosely, read_loosely, read_time_loosely

_MEMORY_KEYS = frozenset({"conversations_memory", "project_memories"})
_PROJECT_KEYS = frozenset({"prompt_template", "docs", "is_starter_project"})


def is_memory(record: dict[str, object]) -> bool:
    return not _MEMORY_KEYS.isdisjoint(record)


def is_project(record: dict[str, object]) -> bool:
    return not _PROJECT_KEYS.isdisjoint(record)


def read_memory(record: dict[str, object]) -> Iterator[StandingText]:
    said_at = read_time_loosely(record, "updated_at", "created_at")
    yield StandingText(ImportedKind.MEMORY, read_loosely(record, "conversations_memory"), said_at, "assistant")
    by_project = record.get("project_memories")
    if not isinstance(by_project, dict):
        return
    for project_id in by_project:
        yield StandingText(
            ImportedKind.PROJECT_MEMORY,
            read_loosely(by_project, project_id),
            said_at,
            "assistant",
            project_id=read_id_loosely(project_id),
        )


def read_project(record: dict[str, object]) -> Iterator[StandingText | SkippedMessage]:
    if record.get("is_starter_project") is True:
        yield SkippedMessage("project that comes with the account")
        return
    name = clean_label(read_loosely(record, "name"), 200)
    project_id = read_id_loosely(record.get("uuid")) or name or ImportedKind.PROJECT.value
    said_at = read_time_loosely(record, "updated_at", "created_at")
    leads = {"description": f"Project {name}".strip(), "prompt_template": f"Instructions of the project {name}".strip()}
    for place, lead in leads.items():
        text = read_loosely(record, place)
        told = f"{lead}:\n{text}" if text else ""
        yield StandingText(ImportedKind.PROJECT, told, said_at, place=place, project_id=project_id, project=name)
    yield from _leave_documents(record, name)


def _leave_documents(record: dict[str, object], project: str) -> Iterator[SkippedMessage]:
    """A book is a file with a title and a progress of its own, which an import of chats cannot take back."""
    documents = record.get("docs")
    for document in documents if isinstance(documents, list) else []:
        if isinstance(document, dict):
            name = clean_label(read_loosely(document, "filename"), 120) or "document"
            yield SkippedMessage(
                "document of a project; add it to the books", f"{name} of {project}" if project else name
            )
