"""What the two APIs have in common: a turn as it was asked, and what an answer is to the rest of the gateway."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

from memory.context.compose import RecentMessage
from memory.gateway.errors import invalid_request
from memory.gateway.sse import ServerEvent
from memory.language.text import CONTROL, SMUGGLED, SURROGATE

Body = dict[str, Any]

# What the search reads of the conversation before the question: it uses the last two messages of the user.
RECENT_MESSAGES = 20
RECENT_CHARS = 4_000
# Of those who spoke since the last answer.
MOST_HEARD = 20
# As long as a speaker's name may be that REST takes.
MOST_NAME_CHARS = 200
PARTS_WITH_TEXT = frozenset({"text", "input_text", "output_text"})
USER_ROLES, ASSISTANT_ROLES = frozenset({"user"}), frozenset({"assistant"})
SYSTEM_ROLES = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """What somebody said before another asked, and nobody answered."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedTurn:
    """What a request asks. ``question`` is empty where no message of the user has text.

    ``follows``: the answer before, where the server keeps the conversation. ``goes_on``: the client sends the results
    of its tools, so the turn has begun with an earlier request. ``speaker`` is who asks, where the client names them,
    and ``heard`` what others said since the last answer.
    """

    question: str
    opening: str
    recent: Sequence[RecentMessage]
    model: str
    user: str
    thread: str
    streams: bool
    goes_on: bool
    follows: str = ""
    speaker: str = ""
    heard: Sequence[HeardMessage] = ()


@dataclass(frozen=True, slots=True)
class SearchCall:
    """A call of our search tool by the model."""

    call_id: str
    arguments: str


class GatewayAnswer(Protocol):
    """An answer as it comes, over one request or several where our tool was called."""

    searches: list[SearchCall]
    """Our tool's calls in the round that was read last, when the client has none to answer beside them."""
    is_complete: bool
    is_handed_over: bool
    """The model waits for tools of the client: the turn goes on with another request."""
    kept_as: str
    """The id under which the server keeps the answer, for a client that names it in its next request; or nothing."""

    @property
    def text(self) -> str:
        """What was said so far."""

    def read_reply(self, reply: Body) -> None:
        """A whole answer."""

    def read_event(self, event: ServerEvent) -> Iterator[bytes]:
        """What the client gets of an event at once; the end of the answer is held back."""

    def build_next(self, body: Body, results: Sequence[str]) -> Body:
        """The request that hands the results of our searches to the model."""

    def build_reply(self, meta: Body) -> Body:
        """The whole answer for the client."""

    def finish(self, meta: Body) -> Iterator[bytes]:
        """The end of the answer, which was held back."""


class Dialect(Protocol):
    path: str

    def read_turn(self, body: Body) -> AskedTurn:
        """Raises GatewayError, which names the field."""

    def add_context(self, body: Body, stable: str, turn: str) -> Body:
        """The body with both parts of the context laid in; the body given stays as it was."""

    def offer_search(self, body: Body, *, is_needed: bool) -> Body | None:
        """The body with our tool, or None where there is no place for it."""

    def withdraw_search(self, body: Body) -> Body | None:
        """The body without our tool, or None where it does not have it."""

    def begin_answer(self, *, offers_search: bool) -> GatewayAnswer:
        """Reads the answer."""


def read_objects(body: Body, field: str) -> list[Body]:
    found = body.get(field)
    if not isinstance(found, list):
        raise invalid_request(field, "must be a list")
    for position, one in enumerate(found):
        if not isinstance(one, dict):
            raise invalid_request(f"{field}[{position}]", "must be a JSON object")
    return found


def read_string(body: Body, field: str) -> str:
    found = body.get(field)
    if found is None:
        return ""
    if not isinstance(found, str):
        raise invalid_request(field, "must be a string")
    return found


def read_flag(body: Body, field: str) -> bool:
    found = body.get(field)
    if found is not None and not isinstance(found, bool):
        raise invalid_request(field, "must be true or false")
    return bool(found)


def extract_text(content: object) -> str:
    """The text of a message, which may come in parts; pictures and sounds are passed over."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type") in PARTS_WITH_TEXT]
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str))


def clean_text(text: str, limit: int) -> str:
    """As it may be kept: people paste what terminals print, and a question is not refused for it."""
    return SURROGATE.sub("\ufffd", CONTROL.sub(" ", text[:limit]))


def read_speaker(message: Body) -> str:
    """A message's ``name``, as it may be kept; what is none is the model server's to refuse."""
    name = message.get("name")
    return " ".join(clean_text(SMUGGLED.sub("", name), MOST_NAME_CHARS).split()) if isinstance(name, str) else ""


def list_recent(messages: Sequence[Body]) -> list[RecentMessage]:
    spoken = [one for one in messages if one.get("role") in USER_ROLES | ASSISTANT_ROLES][-RECENT_MESSAGES:]
    return [
        RecentMessage(str(one["role"]), text)
        for one in spoken
        if (text := clean_text(extract_text(one.get("content")), RECENT_CHARS)).strip()
    ]


def list_heard(messages: Sequence[Body]) -> list[HeardMessage]:
    """What people said by name since the last answer, but for the last of them; each one's messages as one."""
    since = messages[find_last(messages, ASSISTANT_ROLES) + 1 :]
    said = [(read_speaker(one), extract_text(one.get("content"))) for one in since if one.get("role") in USER_ROLES]
    turns = [
        HeardMessage(speaker, "\n\n".join(text for _, text in spoken))
        for speaker, spoken in groupby(said, key=itemgetter(0))
    ]
    return [one for one in turns[:-1] if one.speaker][-MOST_HEARD:]


def find_last(messages: Sequence[Body], roles: frozenset[str]) -> int:
    """The position of the last message of a role, or -1."""
    return next((at for at in range(len(messages) - 1, -1, -1) if messages[at].get("role") in roles), -1)


def count_leading(messages: Sequence[Body], roles: frozenset[str]) -> int:
    return next((at for at, one in enumerate(messages) if one.get("role") not in roles), len(messages))


@dataclass(frozen=True, slots=True)
class AskedConversation:
    """What is asked by the messages of a request: the last of the user, their first, and what was said before."""

    question: str
    opening: str
    recent: Sequence[RecentMessage]
    speaker: str
    heard: Sequence[HeardMessage]

    @classmethod
    def of(cls, messages: Sequence[Body]) -> "AskedConversation":
        last = find_last(messages, USER_ROLES)
        first = next((one for one in messages if one.get("role") in USER_ROLES), {})
        asked = messages[last] if last >= 0 else {}
        recent, heard = list_recent(messages[: max(last, 0)]), list_heard(messages[: last + 1])
        return cls(
            extract_text(asked.get("content")), extract_text(first.get("content")), recent, read_speaker(asked), heard
        )


def lay_in(messages: Sequence[Body], stable: str, turn: str, kind: str) -> tuple[list[Body], bool]:
    """The messages with the turn's part beside the question and the stable part behind the client's own system prompt;
    False where there is none, and so no place for the stable part."""
    laid, last, leading = list(messages), find_last(messages, USER_ROLES), count_leading(messages, SYSTEM_ROLES)
    if turn and last >= 0:
        laid[last] = {**laid[last], "content": prepend_text(laid[last].get("content"), turn, kind)}
    if stable and leading:
        # In the client's own message, as some models' templates allow but one, and behind its words, which stay the
        # beginning that a provider's cache knows.
        own = laid[leading - 1]
        laid[leading - 1] = {**own, "content": append_text(own.get("content"), stable, kind)}
    return laid, bool(leading)


def append_text(content: object, text: str, kind: str) -> object:
    """A message's content with a text behind it, whichever form the content has."""
    if isinstance(content, list):
        return [*content, {"type": kind, "text": text}]
    return f"{content}\n\n{text}" if isinstance(content, str) and content else text


def prepend_text(content: object, text: str, kind: str) -> object:
    if isinstance(content, list):
        return [{"type": kind, "text": text}, *content]
    return f"{text}\n\n{content}" if isinstance(content, str) and content else text


def add_tool(body: Body, tool: Body, *, is_needed: bool) -> Body:
    """The body with our tool behind the client's own."""
    tools = body.get("tools") or []
    offered = {**body, "tools": [*tools, tool]}
    # In the list all the same: one that changes from turn to turn would have the provider read all anew.
    return offered if is_needed or tools else {**offered, "tool_choice": "none"}


def close_search(body: Body, tool: Body) -> Body:
    """The request that hands over what our tool found: it is not offered again where it was the only one."""
    return {**body, "tool_choice": "none"} if body["tools"] == [tool] else body


def remove_tool(body: Body, tool: Body) -> Body | None:
    """The body as it was before our tool was added, or None where it has not been."""
    tools = body.get("tools") or []
    if tool not in tools:
        return None
    rest = {name: value for name, value in body.items() if name != "tools"}
    if others := [one for one in tools if one != tool]:
        return {**rest, "tools": others}
    rest.pop("tool_choice", None)
    return rest
