"""
title: Commonplace
description: Lays what your memory knows beside each question, and keeps what was said.
version: 0.1.0
license: Apache-2.0
"""

import logging
import re
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field

Json = dict[str, Any]
# What a model thought and what its tools returned, as Open WebUI writes them into an answer.
ASIDE = re.compile(r'<details\s+type="(?:reasoning|tool_calls|code_interpreter)".*?</details>\s*', re.DOTALL)
# A chat that is temporary has an id that begins so.
TEMPORARY = "local"
MOST_CHATS = 1_000
logger = logging.getLogger("commonplace")


class Filter:
    class Valves(BaseModel):
        priority: int = Field(default=0, description="Filters run from the lowest to the highest.")
        url: str = Field(default="http://127.0.0.1:8000", description="Address of Commonplace, seen from Open WebUI.")
        key: str = Field(default="", description="A key of Commonplace, for everybody who chats here.")
        timeout_s: float = Field(default=4.0, gt=0, le=30, description="How long a question waits for the memory.")
        person: str = Field(default="id", pattern="^(id|email)$", description="What names a person: id or email.")

    class UserValves(BaseModel):
        tell: bool = Field(default=True, description="Lay what is known beside my questions.")
        keep: bool = Field(default=True, description="Keep what is said in my chats.")

    def __init__(self) -> None:
        self.valves = self.Valves()
        self.told: dict[str, str] = {}

    async def inlet(self, body: Json, __user__: Json | None = None, __metadata__: Json | None = None) -> Json:
        about = {**(body.get("metadata") or {}), **(__metadata__ or {})}
        last = find_last(body.get("messages") or [], "user")
        # A task is what Open WebUI asks for itself: a title, tags, a query.
        if last is None or about.get("task") or not self.allows(__user__, "tell"):
            return body
        chat = str(about.get("chat_id") or "")
        asked: Json = {"query": read_text(last)[:8_000]}
        asked |= {"thread_id": chat} if chat and not chat.startswith(TEMPORARY) else {}
        if not asked["query"]:
            return body
        context = await self.call(__user__, "context", asked)
        if context:
            self.tell(body["messages"], last, context, chat)
        return body

    async def outlet(self, body: Json, __user__: Json | None = None, __metadata__: Json | None = None) -> Json:
        messages = body.get("messages") or []
        chat = str(body.get("chat_id") or (__metadata__ or {}).get("chat_id") or "")
        answer, question = find_last(messages, "assistant"), find_last(messages, "user")
        if not chat or chat.startswith(TEMPORARY) or not answer or not question or not self.allows(__user__, "keep"):
            return body
        # Where what was told comes back with the question, it is not the person's.
        said = read_text(question).removeprefix(self.told.pop(chat, "")).strip()
        answered = ASIDE.sub("", read_text(answer)).strip()
        if said and answered:
            exchange = {"user_message": said, "assistant_message": answered}
            await self.call(__user__, f"threads/{quote(chat, safe='')}/exchanges", exchange)
        return body

    def tell(self, messages: list[Json], question: Json, context: Json, chat: str) -> None:
        stable, turn = context["stable"]["text"], context["turn"]["text"]
        if turn:
            self.told[chat] = turn
            while len(self.told) > MOST_CHATS:
                del self.told[next(iter(self.told))]
            # Within the question: some models take a system message at the beginning alone.
            put_before(question, turn)
        if stable:
            if messages[0].get("role") != "system":
                messages.insert(0, {"role": "system", "content": ""})
            # Behind the instructions, which stay as they are: a model's cache of them holds.
            messages[0]["content"] = f"{read_text(messages[0])}\n\n{stable}".strip()

    def allows(self, user: Json | None, name: str) -> bool:
        valves = (user or {}).get("valves")
        wanted = valves.get(name, True) if isinstance(valves, dict) else getattr(valves, name, True)
        return bool(self.valves.key and wanted and (user or {}).get(self.valves.person))

    async def call(self, user: Json | None, path: str, body: Json) -> Json | None:
        """None where the memory does not answer in time or refuses: the chat goes on without it."""
        person = quote(str((user or {})[self.valves.person]), safe="")
        headers = {"Authorization": f"Bearer {self.valves.key}"}
        try:
            async with httpx.AsyncClient(timeout=self.valves.timeout_s, headers=headers) as http:
                answer = await http.post(f"{self.valves.url.rstrip('/')}/api/v1/users/{person}/{path}", json=body)
                answer.raise_for_status()
                done: Json = answer.json()
                return done
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            logger.warning("chat goes on without the memory: %s", error)
            return None


def find_last(messages: list[Json], role: str) -> Json | None:
    return next((message for message in reversed(messages) if message.get("role") == role), None)


def read_text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if part.get("type") == "text")


def put_before(message: Json, text: str) -> None:
    if isinstance(message.get("content"), list):
        message["content"] = [{"type": "text", "text": text}, *message["content"]]
    else:
        message["content"] = f"{text}\n\n{message.get('content') or ''}"
