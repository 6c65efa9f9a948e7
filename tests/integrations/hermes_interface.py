"""What Hermes 0.19.0 asks of a memory provider, written down from its package, whose pins cannot stand beside ours.

Names, parameters and defaults are those of ``agent/memory_provider.py``; where the real one is installed, it is used.
"""

import abc
import importlib.util
import sys
from types import ModuleType
from typing import Any


class MemoryProvider(abc.ABC):
    @property
    @abc.abstractmethod
    def name(self) -> str: ...

    @abc.abstractmethod
    def is_available(self) -> bool: ...

    @abc.abstractmethod
    def initialize(self, session_id: str, **kwargs: Any) -> None: ...

    @abc.abstractmethod
    def get_tool_schemas(self) -> list[dict[str, Any]]: ...

    def system_prompt_block(self) -> str:
        return ""

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        return ""

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        return None

    def sync_turn(
        self,
        user_content: str,
        assistant_content: str,
        *,
        session_id: str = "",
        messages: list[dict[str, Any]] | None = None,
    ) -> None:
        return None

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        raise NotImplementedError

    def shutdown(self) -> None:
        return None

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        return None

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        return None

    def on_session_switch(
        self,
        new_session_id: str,
        *,
        parent_session_id: str = "",
        reset: bool = False,
        rewound: bool = False,
        **kwargs: Any,
    ) -> None:
        return None

    def on_pre_compress(self, messages: list[dict[str, Any]]) -> str:
        return ""

    def get_config_schema(self) -> list[dict[str, Any]]:
        return []

    def on_memory_write(self, action: str, target: str, content: str, metadata: dict[str, Any] | None = None) -> None:
        return None


def stand_in() -> None:
    """Make ``agent.memory_provider`` importable, unless Hermes is here."""
    if "agent" in sys.modules or importlib.util.find_spec("agent") is not None:
        return
    package, module = ModuleType("agent"), ModuleType("agent.memory_provider")
    module.__dict__["MemoryProvider"] = MemoryProvider
    sys.modules |= {"agent": package, "agent.memory_provider": module}
