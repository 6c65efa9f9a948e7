"""The start of a turn: the context for an assistant before it answers."""

from typing import Annotated, Any, Literal, get_args
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from memory.api.acting import open_facade
from memory.context.blocks import ContextHalf
from memory.context.budget import Complexity
from memory.context.compose import ClientLimits, Context, RecentMessage
from memory.facade.retrieval import RetrievalMode
from memory.language.text import BLANK
from memory.models import EndUser
from memory.tiers import MAX_TEXT_CHARS
from memory.web.auth import READ
from memory.web.chat_messages import ChatContent, ChatMessage, ChatRole
from memory.web.endpoints import answer_once
from memory.web.fields import Flag, Name, RequestBody, SpaceSlugs, Text, choose_slugs, is_none
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.scoping import ScopedFields

router = Router(tags=["A turn"])


class MessageIn(ChatMessage):
    role: ChatRole
    content: Annotated[ChatContent, Field(max_length=MAX_TEXT_CHARS)]


class HistoryMessageOut(BaseModel):
    role: ChatRole
    content: str


ContextPart = Literal[
    "turn_id",
    "injection",
    "stable",
    "turn",
    "sections",
    "meta",
    "required_scoring",
    "blocking",
    "unscored_exchange_id",
    "budget",
    "history",
]
# Small, and a client that does without them can neither report an outcome nor learn that one is asked for.
ALWAYS_ANSWERED: frozenset[ContextPart] = frozenset({"turn_id", "required_scoring", "blocking", "unscored_exchange_id"})


class ContextIn(ScopedFields, RequestBody):
    query: Text
    thread_id: Name | None = None
    # Longer than any assistant sends; the search reads the last two and the budget decides on the rest.
    recent_messages: list[MessageIn] | None = Field(default=None, max_length=100)
    limit: int | None = Field(default=None, strict=True, ge=1, le=50)
    has_documents: Flag | None = None
    model: Name | None = Field(default=None, description="The assistant's model, to know how much it reads.")
    max_tokens: int | None = Field(
        default=None, strict=True, ge=200, le=2_000_000, description="What the injection may take at most."
    )
    spaces: SpaceSlugs | None = None
    retrieval: RetrievalMode = Field(
        default="hybrid",
        description="staged: this conversation, others and what is kept for good, by the vocabulary's labels.",
    )
    include: list[ContextPart] | None = Field(
        default=None,
        max_length=len(get_args(ContextPart)),
        description="The parts to answer, by their names; left out all. `turn_id` and what tells of an outcome that is "
        "asked for always come.",
    )

    @property
    def room(self) -> ClientLimits | None:
        return ClientLimits(self.model or "", self.max_tokens) if self.model or self.max_tokens else None


class SectionOut(BaseModel):
    name: str
    text: str
    tokens: int


class HalfOut(BaseModel):
    text: str
    hash: str = Field(description="Of the text: while it is the same, so is the text.")

    @classmethod
    def of(cls, half: ContextHalf) -> "HalfOut":
        return cls(text=half.text, hash=half.hash)


class BudgetOut(BaseModel):
    complexity: Complexity
    tokens: int
    used: int
    left_out: int = Field(description="Memories found that did not fit. None is ever cut.")


def require_what_always_comes(schema: dict[str, Any]) -> None:
    schema["required"] = [name for name in schema["required"] if name in ALWAYS_ANSWERED]


class ContextOut(BaseModel):
    model_config = ConfigDict(json_schema_extra=require_what_always_comes)

    turn_id: UUID
    injection: str
    stable: HalfOut = Field(description="The same in every turn of a thread: for the system message.")
    turn: HalfOut = Field(description="Of this turn alone: beside the last message of the user.")
    sections: list[SectionOut]
    meta: dict[str, JsonValue] = Field(description="MemoryMetaV1: what was handed over and why.")
    required_scoring: bool = Field(
        description="Whether the thread's last exchange waits for its outcome; a section asks for it."
    )
    blocking: bool = Field(
        default=False, description="Stop here and have the last exchange scored first; a setting asks for it."
    )
    unscored_exchange_id: UUID | None = Field(default=None, exclude_if=is_none, description="Present only when set.")
    budget: BudgetOut
    history: list[HistoryMessageOut] | None = Field(
        default=None,
        exclude_if=is_none,
        description="With a model or max_tokens: what fits of recent_messages beside the injection, the oldest cut.",
    )

    @classmethod
    def of(cls, made: Context) -> "ContextOut":
        return cls(
            turn_id=made.turn_id,
            injection=made.injection,
            stable=HalfOut.of(made.stable),
            turn=HalfOut.of(made.turn),
            sections=[SectionOut(name=part.name, text=part.text, tokens=part.tokens) for part in made.sections],
            meta=made.meta,
            required_scoring=made.required_scoring,
            blocking=made.unscored is not None and made.unscored.blocking,
            unscored_exchange_id=made.unscored.exchange_id if made.unscored else None,
            budget=BudgetOut(
                complexity=made.budget.complexity,
                tokens=made.budget.tokens,
                used=made.tokens,
                left_out=made.left_out,
            ),
            # Clients that tell neither a model nor a limit keep their own history.
            history=None
            if made.history is None
            else [HistoryMessageOut.model_validate({"role": role, "content": text}) for role, text in made.history],
        )


@router.post(
    "/users/{user_id}/context",
    auth=READ,
    response=describe_responses(200, ContextOut, reads_body=True, writes=True),
    operation_id="context",
    summary="What to hand an assistant before it answers",
)
@answer_once
def compose_context(request: HttpRequest, user: EndUser, body: ContextIn) -> HttpResponse:
    """``injection`` is the sections in order. ``stable`` and ``turn`` say the same in two parts, so that a prompt cache
    keeps the first.

    While the outcome of the thread's last exchange is missing, ``<score-required>`` comes first, or next to a
    personality.
    """
    context = open_facade(request).compose_context(
        user,
        body.query,
        now=timezone.now(),
        thread_id=body.thread_id or "",
        recent_messages=[
            RecentMessage(message.role, message.content)
            for message in body.recent_messages or []
            if not BLANK.fullmatch(message.content)
        ],
        limit=body.limit,
        has_documents=bool(body.has_documents),
        room=body.room,
        spaces=choose_slugs(body.spaces),
        retrieval=body.retrieval,
    )
    parts = None if body.include is None else ALWAYS_ANSWERED | set(body.include)
    return json_response(200, ContextOut.of(context), parts=parts)
