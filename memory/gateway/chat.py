"""The API of ``/v1/chat/completions``."""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Final

from memory.gateway.calls import CallSplitter
from memory.gateway.dialects import (
    AskedConversation,
    AskedTurn,
    Body,
    SearchCall,
    add_tool,
    close_search,
    extract_text,
    lay_in,
    read_flag,
    read_objects,
    read_string,
    remove_tool,
)
from memory.gateway.errors import invalid_request
from memory.gateway.refinement import SEARCH_NAME, describe_search
from memory.gateway.sse import END, ServerEvent, encode_event

TEXT: Final = "text"
TOOL_ROLES = frozenset({"tool", "function"})
META = "commonplace"
# The end of an answer whose server sent none.
NOTHING_LEFT: Body = {"index": 0, "delta": {}, "finish_reason": "stop"}
HANDED_OVER = frozenset({"tool_calls", "function_call"})


class ChatCompletions:
    path = "/chat/completions"

    def read_turn(self, body: Body) -> AskedTurn:
        messages = read_objects(body, "messages")
        if not messages:
            raise invalid_request("messages", "must hold at least one message")
        for position, message in enumerate(messages):
            if not isinstance(message.get("role"), str):
                raise invalid_request(f"messages[{position}].role", "must be a string")
        said = AskedConversation.of(messages)
        return AskedTurn(
            question=said.question,
            opening=said.opening,
            speaker=said.speaker,
            heard=said.heard,
            recent=said.recent,
            model=read_string(body, "model"),
            user=read_string(body, "user"),
            thread="",
            streams=read_flag(body, "stream"),
            goes_on=messages[-1]["role"] in TOOL_ROLES,
        )

    def add_context(self, body: Body, stable: str, turn: str) -> Body:
        messages, has_system = lay_in(body["messages"], stable, turn, TEXT)
        if stable and not has_system:
            messages.insert(0, {"role": "system", "content": stable})
        return {**body, "messages": messages}

    def offer_search(self, body: Body, *, is_needed: bool) -> Body | None:
        tools = body.get("tools") or []
        if not isinstance(tools, list) or body.get("functions") or body.get("n", 1) not in {1, None}:
            return None
        names = {name_tool(tool) for tool in tools}
        # A client that has such a tool, or that demands a call of one of its own, is left with its own.
        if SEARCH_NAME in names or body.get("tool_choice", "auto") not in {"auto", None}:
            return None
        return add_tool(body, describe_tool(), is_needed=is_needed)

    def withdraw_search(self, body: Body) -> Body | None:
        return remove_tool(body, describe_tool())

    def begin_answer(self, *, offers_search: bool) -> "ChatAnswer":
        return ChatAnswer(SEARCH_NAME if offers_search else "")


def describe_tool() -> Body:
    return {"type": "function", "function": describe_search()}


def name_tool(tool: object) -> str:
    function = tool.get("function") if isinstance(tool, dict) else None
    return str(function.get("name", "")) if isinstance(function, dict) else ""


class ChatAnswer:
    """An answer of one choice, or of several, of which the first is the one that is kept."""

    def __init__(self, own_tool: str) -> None:
        self.searches: list[SearchCall] = []
        self.is_complete = False
        self.is_handed_over = False
        self.kept_as = ""
        self._own_tool = own_tool
        self._said: list[str] = []
        self._calls = CallSplitter(own_tool)
        self._held: list[Body] = []
        self._head: Body = {}
        self._usage: Body = {}
        self._is_later = False
        self._reply: Body = {}

    @property
    def text(self) -> str:
        return "".join(self._said)

    # --- whole ---------------------------------------------------------------------------------------------------
    def read_reply(self, reply: Body) -> None:
        self._reply = reply
        self._usage = add_usage(self._usage, reply.get("usage"))
        choice = find_first_choice(reply)
        message = choice.get("message") if choice else None
        if choice is None or not isinstance(message, dict):
            return
        calls = [call for call in message.get("tool_calls") or [] if isinstance(call, dict)]
        own = [call for call in calls if self._own_tool and name_tool(call) == self._own_tool]
        if own:
            others = [call for call in calls if call not in own]
            message = {name: value for name, value in message.items() if name != "tool_calls"}
            choice["message"] = {**message, "tool_calls": others} if others else message
            calls = others
        self.searches = [build_search(call) for call in own] if not calls else []
        self._said.append(extract_text(message.get("content")))
        self.is_handed_over = bool(calls) or bool(message.get("function_call"))
        self.is_complete = not self.searches
        if own and not calls and choice.get("finish_reason") in HANDED_OVER:
            choice["finish_reason"] = "stop"

    def build_reply(self, meta: Body) -> Body:
        reply = {**self._reply, META: meta}
        choice = find_first_choice(reply)
        if self._is_later and choice and isinstance(choice.get("message"), dict):
            # What it said before it searched, as a stream has shown it.
            choice["message"] = {**choice["message"], "content": self.text or None}
        return {**reply, "usage": self._usage} if self._usage else reply

    # --- in events -----------------------------------------------------------------------------------------------
    def read_event(self, event: ServerEvent) -> Iterator[bytes]:
        chunk = event.read() if event.data else None
        if chunk is None:
            # Comments keep the client's connection alive; the end is written when everything is done.
            if not event.is_end:
                yield event.raw
            return
        if not self._head:
            self._head = {name: chunk[name] for name in ("id", "created", "model") if name in chunk}
        self._usage = add_usage(self._usage, chunk.get("usage"))
        choices = [one for one in chunk.get("choices") or [] if isinstance(one, dict)]
        changed = [self._read_choice(one) for one in choices]
        kept = [one for one in changed if one is not None]
        if self.searches and not choices:
            return  # the count of tokens of a round that goes on
        if any(choice.get("finish_reason") for choice in kept) or (self._held and not choices):
            self._held.append({**chunk, "choices": kept})
        elif choices and not kept:
            return
        elif self._is_later or kept != choices:
            yield encode_event({**chunk, **self._head, "choices": kept})
        else:
            yield event.raw

    def _read_choice(self, choice: Body) -> Body | None:
        """The choice as the client sees it; None where nothing of it is left to see."""
        if choice.get("index", 0) != 0:
            return choice
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        if isinstance(said := delta.get("content"), str):
            self._said.append(said)
        seen = self._hide_calls(delta, is_last=bool(choice.get("finish_reason")))
        if reason := choice.get("finish_reason"):
            return self._end_round(choice, seen, str(reason))
        if seen is delta and not self._is_later:
            return choice
        if self._is_later:
            seen = {name: value for name, value in seen.items() if name != "role"}
        return {**choice, "delta": seen} if seen else None

    def _hide_calls(self, delta: Body, *, is_last: bool) -> Body:
        parts = [part for part in delta.get("tool_calls") or [] if isinstance(part, dict)]
        shown = self._calls.take(parts) + (self._calls.end() if is_last else [])
        if shown == parts:
            return delta
        rest = {name: value for name, value in delta.items() if name != "tool_calls"}
        # The role that some servers send with every part says nothing by itself.
        return {**rest, "tool_calls": shown} if shown else {k: v for k, v in rest.items() if v is not None}

    def _end_round(self, choice: Body, delta: Body, reason: str) -> Body | None:
        own = self._calls.list_own()
        if own and not self._calls.has_clients:
            self.searches = own
            return None
        self.is_complete = True
        self.is_handed_over = reason in HANDED_OVER
        return {**choice, "delta": delta}

    def finish(self, meta: Body) -> Iterator[bytes]:
        held = self._held or [{**self._head, "object": "chat.completion.chunk", "choices": [dict(NOTHING_LEFT)]}]
        for chunk in held:
            if chunk.get("usage") and self._is_later:
                chunk["usage"] = self._usage
            if self._is_later:
                chunk.update(self._head)
        held[-1] = {**held[-1], META: meta}
        yield from (encode_event(chunk) for chunk in held)
        yield END

    # --- our tool ------------------------------------------------------------------------------------------------
    def build_next(self, body: Body, results: Sequence[str]) -> Body:
        calls = [
            {"id": call.call_id, "type": "function", "function": {"name": SEARCH_NAME, "arguments": call.arguments}}
            for call in self.searches
        ]
        asked = {"role": "assistant", "content": self.text or None, "tool_calls": calls}
        told = [
            {"role": "tool", "tool_call_id": call.call_id, "content": result}
            for call, result in zip(self.searches, results, strict=True)
        ]
        following = close_search({**body, "messages": [*body["messages"], asked, *told]}, describe_tool())
        self.searches, self._held, self._is_later = [], [], True
        self._calls = CallSplitter(self._own_tool)
        return following


def find_first_choice(reply: Body) -> Body | None:
    choices = reply.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def build_search(call: Body) -> SearchCall:
    return SearchCall(str(call.get("id") or ""), str(call["function"].get("arguments") or ""))


def add_usage(known: Body, more: object) -> Body:
    """Tokens of both requests, in whatever detail the server counts them."""
    if not isinstance(more, dict):
        return known
    total: dict[str, Any] = deepcopy(more)
    for name, value in known.items():
        other = total.get(name)
        if isinstance(value, dict) and isinstance(other, dict):
            total[name] = add_usage(value, other)
        elif isinstance(value, int | float) and isinstance(other, int | float):
            total[name] = value + other
        else:
            total.setdefault(name, value)
    return total
