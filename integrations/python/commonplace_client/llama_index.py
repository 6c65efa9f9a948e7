"""A memory block for LlamaIndex: what is known beside each question, and what leaves the window is kept."""

import asyncio
import logging
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemoryBlock

from commonplace_client.client import CommonplaceError, Person

RECENT = 6
# Held while the memory is away; a conversation that long has other worries.
MOST_HELD = 500
NO_SESSION = "llama-index"
logger = logging.getLogger("commonplace")
Turn = tuple[str, str, str]


class CommonplaceBlock(BaseMemoryBlock[str]):
    """``max_tokens`` limits what it says in one prompt. A memory that is away leaves the block empty."""

    name: str = "commonplace"
    person: Any = Field(exclude=True)
    max_tokens: int | None = None
    _asked: dict[str, str] = PrivateAttr(default_factory=dict)
    _held: list[Turn] = PrivateAttr(default_factory=list)

    def __init__(self, person: Person, **fields: Any) -> None:
        super().__init__(person=person, **fields)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        spoken = [{"role": one.role.value, "content": one.content} for one in messages or () if is_spoken(one)]
        asked = next((place for place in range(len(spoken) - 1, -1, -1) if spoken[place]["role"] == "user"), None)
        if asked is None:
            return ""
        options: dict[str, Any] = {"recent_messages": spoken[max(0, asked - RECENT) : asked]}
        options |= {"thread_id": block_kwargs["session_id"]} if block_kwargs.get("session_id") else {}
        options |= {"max_tokens": self.max_tokens} if self.max_tokens else {}
        try:
            context = await asyncio.to_thread(self.person.get_context, spoken[asked]["content"], **options)
        except CommonplaceError as error:
            logger.warning("answered without a context: %s", error)
            return ""
        return str(context["injection"])

    async def _aput(self, messages: list[ChatMessage]) -> None:
        for message in messages:
            if is_spoken(message):
                self.take(message)
        try:
            await asyncio.to_thread(self.store_held)
        except CommonplaceError as error:
            logger.warning("%d turns wait for the memory: %s", len(self._held), error)
            del self._held[:-MOST_HELD]

    def take(self, message: ChatMessage) -> None:
        """Questions wait for their answer, also where the two leave the window one after the other."""
        thread, text = str(message.additional_kwargs.get("session_id") or NO_SESSION), str(message.content)
        if message.role.value == "user":
            self._asked[thread] = "\n\n".join(part for part in (self._asked.get(thread), text) if part)
        elif thread in self._asked:
            self._held.append((thread, self._asked.pop(thread), text))
        elif self._held and self._held[-1][0] == thread:
            # More of the same answer, which a call of a tool had interrupted.
            *_, said, answered = self._held.pop()
            self._held.append((thread, said, f"{answered}\n\n{text}"))

    def store_held(self) -> None:
        while True:
            try:
                # Taken out first: another thread may be storing what is held as well.
                turn = self._held.pop(0)
            except IndexError:
                return
            self.store_turn(turn)

    def store_turn(self, turn: Turn) -> None:
        try:
            self.person.store_exchange(*turn)
        except CommonplaceError as error:
            if not error.is_about_content:
                self._held.insert(0, turn)
                raise
            # It would stand in the way of all that come after it.
            logger.warning("a turn is not kept: %s", error)


def is_spoken(message: ChatMessage) -> bool:
    return message.role.value in ("user", "assistant") and bool((message.content or "").strip())
