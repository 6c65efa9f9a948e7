"""A call of a tool: its name and arguments read, its result, and every way it can be refused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from memory.tools.arguments import Arguments
from memory.tools.definitions import OTHER_NAMES, TOOLS, Tool
from memory.web.problems import describe_rule

PLAIN_RULES = {"missing": "is required", "extra_forbidden": "is no argument of this tool"}


class ToolError(Exception):
    """A call that was refused; nothing was changed. ``errors`` are pairs of field and rule."""

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        self.errors = list(dict.fromkeys(errors))
        super().__init__("; ".join(group_rules(self.errors)))


def group_rules(errors: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each rule with its field, which is named once for several of its rules."""
    before = ""
    for field, rule in errors:
        yield rule if field in {"", before} else f"{field}: {rule}"
        before = field


class UnknownTool(ToolError):
    def __init__(self, name: str) -> None:
        super().__init__([("name", f"there is no tool {name[:64]!r}; there are {', '.join(TOOLS)}")])


class TargetNotFound(ToolError):
    """What was named does not exist."""


class TooManyCalls(ToolError):
    """A call that came once too often: a rule of ours, no fault of the tool."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    tool: Tool
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class ToolResult:
    """``data`` for programs; ``text`` says the same to a model, with stored words quoted as data."""

    data: dict[str, Any]
    text: str


def read_call(name: str, arguments: Mapping[str, Any] | None) -> ToolCall:
    """Raises UnknownTool, and ToolError for arguments that do not fit."""
    tool = TOOLS.get(OTHER_NAMES.get(name, name))
    if tool is None:
        raise UnknownTool(name)
    try:
        return ToolCall(tool, tool.arguments.model_validate(dict(arguments or {})))
    except ValidationError as error:
        raise ToolError([describe_argument_error(dict(one)) for one in error.errors()]) from error


def describe_argument_error(error: dict[str, Any]) -> tuple[str, str]:
    # Members of unions name the member that failed; the field is what the caller can mend.
    path = [part for part in error["loc"] if not str(part).startswith(("function-", "constrained-"))]
    field = ".".join(str(part) for part in path if part not in {"int", "str"})
    return field[:100], PLAIN_RULES.get(error["type"]) or describe_rule(error)
