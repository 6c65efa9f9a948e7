"""Anthropic's memory tool: the files that the model keeps under /memories are memories of the person.

So they are found by every other client's search, and each edit leaves the earlier text as a version.
"""

import asyncio
import posixpath
from collections.abc import Awaitable, Callable
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from commonplace_client.client import CommonplaceError, Memory, Person

ROOT = "/memories"
# The one tier from which nothing moves and in which two files that say the same stay two.
TIER = "books"
MARK = "memory_tool"
# A memory says something; what stands for a file that says nothing yet.
EMPTY = "(empty file)"
LEVELS = 2
AROUND = 2
NUMBER_WIDTH = 6


class MemoryFiles:
    """The six commands. Raises ToolError, whose words the SDK hands to the model."""

    def __init__(self, person: Person) -> None:
        self.person = person

    def run(self, name: str, command: Any) -> str:
        try:
            return str(getattr(self, name)(command))
        except CommonplaceError as error:
            raise ToolError(f"The memory did not do that: {error}") from error

    def list_files(self, inside: str = ROOT) -> dict[str, Memory]:
        found = self.person.list_memories(metadata={MARK: {}}, tier=TIER)
        files = {memory["metadata"][MARK]["path"]: memory for memory in found}
        return {path: files[path] for path in sorted(files) if inside == ROOT or is_inside(path, inside)}

    def read(self, path: str) -> tuple[Memory, str]:
        files = self.list_files(path)
        if path not in files:
            reason = "is not a file" if files or path == ROOT else "does not exist. Please provide a valid path"
            raise ToolError(f"The path {path} {reason}.")
        return files[path], read_content(files[path])

    def write(self, file: Memory, content: str) -> None:
        mark = {**file["metadata"][MARK], "empty": not content.strip()}
        self.person.change(file["id"], text=content if content.strip() else EMPTY, metadata={MARK: mark})

    def view(self, command: Any) -> str:
        path = resolve(command.path)
        files = self.list_files(path)
        if path not in files:
            if not files and path != ROOT:
                raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
            return render_folder(path, files)
        lines, first = read_content(files[path]).split("\n"), 1
        if command.view_range:
            asked, last = command.view_range
            first = max(1, asked)
            lines = lines[first - 1 : None if last == -1 else last]
        return f"Here's the content of {path} with line numbers:\n{number_lines(lines, first)}"

    def create(self, command: Any) -> str:
        path = resolve(command.path)
        if path == ROOT or self.list_files(path):
            raise ToolError(f"File {path} already exists")
        if any(is_inside(path, other) for other in self.list_files()):
            raise ToolError(f"A part of {path} is a file, not a directory.")
        is_empty = not command.file_text.strip()
        mark = {"path": path, "empty": is_empty}
        text = EMPTY if is_empty else command.file_text
        self.person.store(text, tier=TIER, source="assistant", metadata={MARK: mark})
        return f"File created successfully at: {path}"

    def str_replace(self, command: Any) -> str:
        path = resolve(command.path)
        file, content = self.read(path)
        old, new = command.old_str, command.new_str or ""
        places = [place for place in range(len(content)) if old and content.startswith(old, place)]
        if not places:
            raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        before = [content.count("\n", 0, place) for place in places]
        if len(places) > 1:
            lines = ", ".join(str(line + 1) for line in before)
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
                "Please ensure it is unique"
            )
        content = content[: places[0]] + new + content[places[0] + len(old) :]
        self.write(file, content)
        first = max(0, before[0] - AROUND)
        snippet = number_lines(content.split("\n")[first : before[0] + AROUND + 1], first + 1)
        return (
            f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"
        )

    def insert(self, command: Any) -> str:
        path = resolve(command.path)
        file, content = self.read(path)
        lines = content.removesuffix("\n").split("\n") if content else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self.write(file, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, command: Any) -> str:
        path = resolve(command.path)
        if path == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        files = self.list_files(path)
        if not files:
            raise ToolError(f"The path {path} does not exist")
        for file in files.values():
            self.person.delete(file["id"])
        return f"Successfully deleted {path}"

    def rename(self, command: Any) -> str:
        old, new = resolve(command.old_path), resolve(command.new_path)
        if old == ROOT or (is_inside(new, old) and new != old):
            raise ToolError(f"Cannot rename {old} to {new}")
        if new == ROOT or self.list_files(new):
            raise ToolError(f"The destination {new} already exists")
        files = self.list_files(old)
        if not files:
            raise ToolError(f"The path {old} does not exist")
        for path, file in files.items():
            mark = {**file["metadata"][MARK], "path": new + path[len(old) :]}
            self.person.change(file["id"], metadata={MARK: mark})
        return f"Successfully renamed {old} to {new}"

    def clear(self, _: object = None) -> str:
        for file in self.list_files().values():
            self.person.delete(file["id"])
        return "All memory cleared"


def pass_on(name: str) -> Callable[..., str]:
    return lambda tool, command=None: tool.files.run(name, command)


def pass_on_beside(name: str) -> Callable[..., Awaitable[str]]:
    return lambda tool, command=None: asyncio.to_thread(tool.files.run, name, command)


class CommonplaceMemoryTool(BetaAbstractMemoryTool):
    """For ``client.beta.messages.tool_runner(tools=[CommonplaceMemoryTool(person)])``."""

    def __init__(self, person: Person, **options: Any) -> None:
        super().__init__(**options)
        self.files = MemoryFiles(person)

    view, create, str_replace = pass_on("view"), pass_on("create"), pass_on("str_replace")
    insert, delete, rename = pass_on("insert"), pass_on("delete"), pass_on("rename")
    clear_all_memory = pass_on("clear")


class AsyncCommonplaceMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for ``AsyncAnthropic``."""

    def __init__(self, person: Person, **options: Any) -> None:
        super().__init__(**options)
        self.files = MemoryFiles(person)

    view, create, str_replace = pass_on_beside("view"), pass_on_beside("create"), pass_on_beside("str_replace")
    insert, delete, rename = pass_on_beside("insert"), pass_on_beside("delete"), pass_on_beside("rename")
    clear_all_memory = pass_on_beside("clear")


def resolve(path: str) -> str:
    found = posixpath.normpath(path)
    if not is_inside(found, ROOT):
        raise ToolError(f"Path must start with {ROOT} and stay below it, got: {path}")
    return found


def is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def read_content(file: Memory) -> str:
    return "" if file["metadata"][MARK]["empty"] else str(file["text"])


def number_lines(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>{NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, first))


def render_folder(folder: str, files: dict[str, Memory]) -> str:
    """What is in it, two levels deep, with the size of each file and of all files below a folder."""
    sizes: dict[str, int] = {}
    for path, file in files.items():
        parts = path[len(folder) + 1 :].split("/")
        size = len(read_content(file).encode())
        for depth in range(1, min(len(parts), LEVELS) + 1):
            name = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            sizes[name] = sizes.get(name, 0) + size
    shown = {name: size for name, size in sorted(sizes.items()) if not name.startswith(".") and "/." not in name}
    total = sum(len(read_content(file).encode()) for file in files.values())
    header = f"Here're the files and directories up to {LEVELS} levels deep in {folder}, excluding hidden items:"
    lines = [f"{total}B\t{folder}", *(f"{size}B\t{folder}/{name}" for name, size in shown.items())]
    return "\n".join([header, *lines])
