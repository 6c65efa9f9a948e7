"""The API of ``/v1/responses``."""

from collections.abc import Iterator, Sequence
from typing import Final

from memory.gateway.chat import META, add_usage
from memory.gateway.dialects import (
    AskedConversation,
    AskedTurn,
    Body,
    SearchCall,
    add_tool,
    append_text,
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
from memory.gateway.sse import ServerEvent, encode_event

TEXT: Final = "input_text"
CALL, RESULT = "function_call", "function_call_output"
# Kinds of output that the client has to answer before the turn can go on; servers run their own tools themselves.
CLIENT_CALLS = frozenset(
    {CALL, "custom_tool_call", "computer_call", "local_shell_call", "shell_call", "apply_patch_call"}
)
CLIENT_RESULTS = frozenset({f"{kind}_output" for kind in CLIENT_CALLS})
BEGINS = frozenset({"response.created", "response.in_progress", "response.queued"})
ENDS = frozenset({"response.completed", "response.incomplete"})
FAILS = frozenset({"response.failed", "error"})


class ResponsesApi:
    path = "/responses"

    def read_turn(self, body: Body) -> AskedTurn:
        items = list_items(body)
        said = AskedConversation.of(items)
        return AskedTurn(
            question=said.question,
            opening=said.opening,
            speaker=said.speaker,
            heard=said.heard,
            recent=said.recent,
            model=read_string(body, "model"),
            user=read_string(body, "user"),
            thread=find_conversation(body),
            streams=read_flag(body, "stream"),
            follows=read_string(body, "previous_response_id"),
            goes_on=bool(items) and items[-1].get("type") in CLIENT_RESULTS,
        )

    def add_context(self, body: Body, stable: str, turn: str) -> Body:
        items, has_system = lay_in(list_items(body), stable, turn, TEXT)
        if stable and not has_system:
            # The server that keeps the conversation does not keep these, so they are sent with each request.
            body = {**body, "instructions": append_text(body.get("instructions"), stable, TEXT)}
        return {**body, "input": items} if items else body

    def offer_search(self, body: Body, *, is_needed: bool) -> Body | None:
        tools = body.get("tools") or []
        choice = body.get("tool_choice", "auto")
        # What goes on in the background answers nobody who could run a tool.
        if not isinstance(tools, list) or choice not in {"auto", None} or body.get("background"):
            return None
        if any(isinstance(tool, dict) and tool.get("name") == SEARCH_NAME for tool in tools):
            return None
        return add_tool(body, describe_tool(), is_needed=is_needed)

    def withdraw_search(self, body: Body) -> Body | None:
        return remove_tool(body, describe_tool())

    def begin_answer(self, *, offers_search: bool) -> "ResponsesAnswer":
        return ResponsesAnswer(SEARCH_NAME if offers_search else "")


def describe_tool() -> Body:
    return {"type": "function", **describe_search()}


def list_items(body: Body) -> list[Body]:
    """The input as a list of items; a text alone is a message of the user."""
    given = body.get("input")
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    if given is None:
        return []
    if not isinstance(given, list):
        raise invalid_request("input", "must be a string or a list")
    return list(read_objects(body, "input"))


def find_conversation(body: Body) -> str:
    """What the server keeps the conversation under, where the client leaves that to it."""
    given = body.get("conversation")
    if isinstance(given, dict):
        given = given.get("id")
    return given if isinstance(given, str) else ""


class ResponsesAnswer:
    """An answer of items. Calls of our tool are none that the client sees, and the others are numbered anew."""

    def __init__(self, own_tool: str) -> None:
        self.searches: list[SearchCall] = []
        self.is_complete = False
        self.is_handed_over = False
        self.kept_as = ""
        self._own_tool = own_tool
        self._said: list[str] = []
        self._response: Body = {}
        self._shown_before: list[Body] = []
        self._usage: Body = {}
        self._end: tuple[str, Body] | None = None
        self._hidden: set[int] = set()
        self._places: dict[int, int] = {}
        self._sequence = 0
        self._is_later = False

    @property
    def text(self) -> str:
        return "".join(self._said)

    # --- whole ---------------------------------------------------------------------------------------------------
    def read_reply(self, reply: Body) -> None:
        self._take_response(reply)
        self._said += [text for item in list_output(reply) for text in list_texts(item)]

    def build_reply(self, meta: Body) -> Body:
        return self._show_response(meta)

    def _take_response(self, response: Body) -> None:
        self._response = response
        self.kept_as = str(response.get("id") or "")
        self._usage = add_usage(self._usage, response.get("usage"))
        calls = [item for item in list_output(response) if item.get("type") in CLIENT_CALLS]
        own = [item for item in calls if self._is_own(item)]
        self.is_handed_over = len(calls) > len(own)
        self.searches = (
            [SearchCall(str(item.get("call_id") or ""), str(item.get("arguments") or "")) for item in own]
            if not self.is_handed_over
            else []
        )
        self.is_complete = not self.searches

    def _is_own(self, item: Body) -> bool:
        return bool(self._own_tool) and item.get("type") == CALL and item.get("name") == self._own_tool

    def _list_shown(self) -> list[Body]:
        return [item for item in list_output(self._response) if not self._is_own(item)]

    def _show_response(self, meta: Body) -> Body:
        response = {**self._response, "output": [*self._shown_before, *self._list_shown()], META: meta}
        return {**response, "usage": self._usage} if self._usage else response

    # --- in events -----------------------------------------------------------------------------------------------
    def read_event(self, event: ServerEvent) -> Iterator[bytes]:
        data = event.read() if event.data else None
        if data is None:
            if not event.is_end:
                yield event.raw
            return
        kind = str(data.get("type") or event.name)
        if kind in ENDS and isinstance(data.get("response"), dict):
            self._take_response(data["response"])
            self._end = (kind, data)
        elif kind in FAILS:
            # The server says itself that this is the end of it.
            self._end = (kind, data)
        elif not (self._is_later and kind in BEGINS):
            yield from self._pass_on(kind, data, event)

    def _pass_on(self, kind: str, data: Body, event: ServerEvent) -> Iterator[bytes]:
        place = data.get("output_index")
        item = data.get("item")
        if isinstance(place, int):
            if isinstance(item, dict) and self._is_own(item):
                self._hidden.add(place)
            if place in self._hidden:
                return
        if kind == "response.output_text.delta" and isinstance(data.get("delta"), str):
            self._said.append(data["delta"])
        if not (self._hidden or self._is_later):
            self._sequence += 1
            if isinstance(place, int):
                self._places.setdefault(place, len(self._places))
            yield event.raw
            return
        yield encode_event(self._renumber(data), kind)

    def _renumber(self, data: Body) -> Body:
        numbers: Body = {"sequence_number": self._sequence}
        self._sequence += 1
        place = data.get("output_index")
        if isinstance(place, int):
            shown = self._places.setdefault(place, len(self._places))
            numbers["output_index"] = len(self._shown_before) + shown
        return {**data, **numbers}

    def finish(self, meta: Body) -> Iterator[bytes]:
        if self._end is None:
            return
        kind, data = self._end
        if kind in FAILS:
            yield encode_event({**data, META: meta}, kind)
            return
        yield encode_event({**self._renumber(data), "response": self._show_response(meta)}, kind)

    # --- our tool ------------------------------------------------------------------------------------------------
    def build_next(self, body: Body, results: Sequence[str]) -> Body:
        told = [
            {"type": RESULT, "call_id": call.call_id, "output": result}
            for call, result in zip(self.searches, results, strict=True)
        ]
        output = list_output(self._response)
        if body.get("store") is False:
            # Nothing is kept under these ids, and a thought that cannot be read again is of no use.
            kept = [item for item in output if item.get("type") != "reasoning" or item.get("encrypted_content")]
            output = [{name: value for name, value in item.items() if name != "id"} for item in kept]
        following = close_search({**body, "input": [*list_items(body), *output, *told]}, describe_tool())
        self._shown_before += self._list_shown()
        self.searches, self._end, self._is_later = [], None, True
        self._hidden, self._places = set(), {}
        return following


def list_output(response: Body) -> list[Body]:
    output = response.get("output")
    return [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []


def list_texts(item: Body) -> list[str]:
    return [extract_text(item.get("content"))] if item.get("type", "message") == "message" else []
