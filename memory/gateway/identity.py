"""Whose turn it is and in which thread, by headers, the body, or the conversation itself."""

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Literal

from django.http import HttpRequest

from memory.access.keys import Principal
from memory.gateway.dialects import AskedTurn
from memory.gateway.errors import GatewayError, invalid_request
from memory.language.text import SMUGGLED
from memory.platform import redis as shared
from memory.web.callers import OPEN_WEBUI_USER, USER_HEADER, Caller, resolve_caller
from memory.web.fields import NAME_LIMIT
from memory.web.patterns import THREAD_PATTERN

Mode = Literal["full", "read", "off"]

USER_HEADERS: Final = (USER_HEADER, OPEN_WEBUI_USER)
THREAD_HEADERS: Final = ("X-Thread-Id", "X-OpenWebUI-Chat-Id")
MODE_HEADER: Final = "X-Memory-Mode"
MODES: Final[tuple[Mode, ...]] = ("full", "read", "off")
# A chat of Open WebUI that its user asked to be temporary.
TEMPORARY = "local:"
# How Open WebUI begins what it asks for itself beside a conversation: its title, tags, what to ask next.
CHORE = re.compile(r"\A\s*### Task:\s")
OPENING_CHARS = 8_000
# As long as the server of the API's inventor keeps its answers.
ANSWERS_KNOWN_S = 30 * 24 * 3600
HASH_CHARS = 24


@dataclass(frozen=True, slots=True)
class TurnIdentity:
    """``mode``: ``full``, ``read`` (context, and nothing is stored), ``off`` (the request is passed on alone)."""

    caller: Caller
    thread_id: str
    mode: Mode


def identify_turn(request: HttpRequest, principal: Principal, asked: AskedTurn) -> TurnIdentity:
    field, named = find_header(request, USER_HEADERS) or ("user", asked.user)
    caller = resolve_caller(principal, named or None, field)
    return TurnIdentity(caller, find_thread(request, principal, asked), find_mode(request, principal, asked))


def find_header(request: HttpRequest, names: tuple[str, ...]) -> tuple[str, str] | None:
    """The first of these headers that says something."""
    return next(((name, value) for name in names if (value := request.headers.get(name, "").strip())), None)


def find_thread(request: HttpRequest, principal: Principal, asked: AskedTurn) -> str:
    given = find_header(request, THREAD_HEADERS)
    if given is None:
        return asked.thread or recall_thread(principal, asked.follows) or derive_thread(asked.opening)
    name, value = given
    thread = SMUGGLED.sub("", value)
    if not re.fullmatch(THREAD_PATTERN, thread) or len(thread) > NAME_LIMIT:
        raise invalid_request(name, f"must be 1-{NAME_LIMIT} characters without a control character")
    return thread


def derive_thread(opening: str) -> str:
    """The thread of a client that names none: conversations that begin with the same words are one.

    By the first message of the user alone. The system prompt often holds the time, and the first answer is not known
    to the first request.
    """
    words = opening[:OPENING_CHARS].strip()
    digest = hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()
    return f"chat-{digest[:HASH_CHARS]}" if words else ""


def recall_thread(principal: Principal, answer_id: str) -> str:
    """The thread of an earlier answer, which is all that a client names of a conversation that the server keeps."""
    if not answer_id:
        return ""
    found = shared.call_or_default(lambda client: client.get(build_answer_key(principal, answer_id)), None)
    return bytes(found).decode() if isinstance(found, bytes) else derive_thread(answer_id)


def remember_thread(principal: Principal, answer_id: str, thread_id: str) -> None:
    key = build_answer_key(principal, answer_id)
    shared.call_or_default(lambda client: client.set(key, thread_id, ex=ANSWERS_KNOWN_S), None)


def build_answer_key(principal: Principal, answer_id: str) -> str:
    digest = hashlib.sha256(answer_id.encode("utf-8", "replace")).hexdigest()
    return shared.build_key("answers", str(principal.organization_id), digest)


def find_mode(request: HttpRequest, principal: Principal, asked: AskedTurn) -> Mode:
    given = request.headers.get(MODE_HEADER, "full").strip().lower()
    if given not in MODES:
        raise invalid_request(MODE_HEADER, f"must be one of {', '.join(MODES)}")
    mode: Mode = next(mode for mode in MODES if mode == given)
    if not asked.question.strip() or CHORE.match(asked.question):
        return "off"
    chat = request.headers.get("X-OpenWebUI-Chat-Id", "")
    if mode == "full" and ("write" not in principal.scopes or chat.startswith(TEMPORARY)):
        return "read"
    return mode


def require_scope(principal: Principal) -> None:
    if "read" not in principal.scopes:
        raise GatewayError(403, "This key lacks the scope read.")
