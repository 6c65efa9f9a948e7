"""The seven tools for models: their definitions, arguments, execution and rendered results.

To change what a model reads of a tool, see `definitions`; what it may send, `arguments` (lenient about form, strict
about meaning); what a tool does, `execution`; which memory it means, `matching`; how the result reads, `rendering`.
REST and MCP both offer them from here, so a model behaves the same behind either.

A tool works through the facade and holds no rule about memories; its own rules are about calls: one follow-up search
a turn (`turns`), no change to a memory that was only vaguely named. May import the facade and what lies below it;
knows no HTTP.
"""

from memory.tools.calls import TargetNotFound, ToolCall, ToolError, ToolResult, UnknownTool, read_call
from memory.tools.definitions import TOOLS, Tool, list_definitions
from memory.tools.execution import PreparedCall, prepare_call, record_failures
from memory.tools.rendering import SAY_OUTCOME

__all__ = [
    "SAY_OUTCOME",
    "TOOLS",
    "PreparedCall",
    "TargetNotFound",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolResult",
    "UnknownTool",
    "list_definitions",
    "prepare_call",
    "read_call",
    "record_failures",
]
