"""What clients send and get at the end of a turn: exchanges, threads and outcomes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import dropwhile
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, JsonValue, model_validator

from memory.language.text import BLANK
from memory.models import MemoryItem
from memory.tiers import Outcome
from memory.web.chat_messages import ChatContent, ChatRole, NamedMessage, group_turns, join_contents
from memory.web.fields import (
    NAME_LIMIT,
    Flag,
    Moment,
    Name,
    PageSize,
    QueryParameters,
    RequestBody,
    RowModel,
    Text,
    UuidText,
    is_empty,
    is_none,
    validate_one_line,
    validate_readable,
)
from memory.web.problems import FieldError, invalid_field, invalid_fields
from memory.web.scoping import ScopedFields
from outcomes.exchanges.listing import ExchangeDetail, ThreadState
from outcomes.exchanges.storing import MESSAGE_LIMIT, NewExchange, StoredExchange
from outcomes.exchanges.threads import TITLE_LIMIT, TitleSource
from outcomes.models import Detection, Exchange, SignalKind, Source
from outcomes.verdicts.recording import RecordedOutcome

# A day: a longer one is a client's mistake in the unit.
MAX_CALL_MS = 86_400_000

MAX_POSITION = 2**31 - 1
Position = Annotated[int, Field(strict=True, ge=-MAX_POSITION, le=MAX_POSITION)]
# A memory's id. A position sent as text is read as a number.
Reference = Annotated[str, Field(strict=True, max_length=64), AfterValidator(validate_one_line)]


class ToolIn(RequestBody):
    name: str = Field(strict=True, min_length=1, max_length=200)
    ok: Flag
    ms: float = Field(strict=True, ge=0, le=MAX_CALL_MS, allow_inf_nan=False)
    error: str | None = Field(default=None, strict=True, max_length=4_000)


SearchedWords = Annotated[str, Field(min_length=1, max_length=NAME_LIMIT), AfterValidator(validate_readable)]
Title = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=TITLE_LIMIT),
    AfterValidator(validate_readable),
    AfterValidator(validate_one_line),
]
Message = Annotated[str, Field(strict=True, min_length=1, max_length=MESSAGE_LIMIT), AfterValidator(validate_readable)]


class ExchangeMessageIn(NamedMessage):
    role: ChatRole
    content: Annotated[ChatContent, Field(max_length=MESSAGE_LIMIT)]


class ExchangeIn(ScopedFields, RequestBody):
    """What was said and answered: as ``user_message`` and ``assistant_message``, or as ``messages``."""

    turn_id: UuidText | None = None
    user_message: Message | None = None
    assistant_message: Message | None = None
    messages: list[ExchangeMessageIn] | None = Field(
        default=None,
        max_length=200,
        description="Instead of the two: messages in order. Those of user and assistant are kept, from the first of "
        "the user on, as an exchange for each question with its answers. `name` says who asks, as `speaker` does. "
        "Other fields of a message, such as `tool_calls`, are passed over.",
    )
    speaker: Name | None = Field(
        default=None,
        description="Who asks, by name. What somebody says who is not the person is a fact about them.",
    )
    occurred_at: Moment | None = Field(default=None, description="When it was said; now, where it is left out.")
    # Names and times, no arguments: those hold what people said.
    tools: list[ToolIn] | None = Field(default=None, max_length=100)
    interrupted: Flag | None = None

    @model_validator(mode="after")
    def settle_messages(self) -> "ExchangeIn":
        pair = ("user_message", "assistant_message")
        if self.messages is None:
            missing = [name for name in pair if getattr(self, name) is None]
            if missing:
                raise invalid_fields(FieldError(name, "is needed where there are no messages") for name in missing)
            return self
        given = [name for name in pair if getattr(self, name) is not None]
        if given:
            raise invalid_fields(FieldError(name, "is not taken beside messages") for name in given)
        for role in ("user", "assistant"):
            if not any(message.role == role for message in self.list_spoken()):
                raise invalid_field("messages", f"must hold a message of the {role} with something to read")
        return self

    def list_spoken(self) -> list[ExchangeMessageIn]:
        # What was said before anybody asked, such as a greeting, answers nothing.
        asked = dropwhile(lambda message: message.role != "user", self.messages or ())
        spoken = (message for message in asked if message.role in {"user", "assistant"})
        return [message for message in spoken if not BLANK.fullmatch(message.content)]

    def list_new(self, thread_id: str) -> list[NewExchange]:
        """In the order it was said. The last is the one that the turn is about."""
        last = NewExchange(
            thread_id=thread_id,
            user_message=self.user_message or "",
            assistant_message=self.assistant_message or "",
            speaker=self.speaker or "",
            occurred_at=self.occurred_at,
            turn_id=UUID(self.turn_id) if self.turn_id else None,
            tools=[tool.model_dump(exclude_none=True) for tool in self.tools or []],
            interrupted=bool(self.interrupted),
        )
        if self.messages is None:
            return [last]
        turns = list(group_turns(self.list_spoken()))
        earlier = NewExchange(thread_id, "", "", occurred_at=self.occurred_at)
        return [
            replace(
                last if turn is turns[-1] else earlier,
                user_message=join_contents(turn.question),
                assistant_message=join_contents(turn.answer),
                speaker=turn.speaker or self.speaker or "",
                # Somebody else spoke before it was answered, or it is not answered yet.
                interrupted=not turn.answer or (turn is turns[-1] and last.interrupted),
            )
            for turn in turns
        ]


class LearnedOut(BaseModel):
    memory_id: UUID
    text: str

    @classmethod
    def list_of(cls, items: Sequence[MemoryItem]) -> "list[LearnedOut]":
        return [cls(memory_id=item.pk, text=item.text) for item in items]


class StoreExchangeOptions(QueryParameters):
    wait: Literal["learned"] | None = Field(
        default=None,
        description="learned waits up to 5 s until facts were looked for in it; null when that took longer.",
    )


class StoredExchangeOut(RowModel):
    exchange_id: UUID
    memory_id: UUID


class ExchangeOut(RowModel):
    exchange_id: UUID
    memory_id: UUID
    required_scoring: bool
    state: str = Field(description="scored, or unscored while its outcome is asked for.")
    blocking: bool = Field(
        default=False, description="Whether a client should not go on before it is told; a setting asks for it."
    )
    redacted: list[str] = Field(
        default_factory=list,
        exclude_if=is_empty,
        description="Secrets that were not kept, by kind, such as ``github token``. Present when there were any.",
    )
    learned: list[LearnedOut] | None = Field(
        default=None,
        exclude_if=is_none,
        description="What the memory bank took from it. Present when waited for; null when it was not read in time.",
    )
    exchanges: list[StoredExchangeOut] = Field(
        default_factory=list,
        exclude_if=is_empty,
        description="Where `messages` held several questions: the exchange of each, in order. The fields beside are of "
        "the last.",
    )

    @classmethod
    def of_all(cls, stored: Sequence[StoredExchange]) -> "ExchangeOut":
        told = cls.of(stored[-1])
        told.redacted = list(dict.fromkeys(kind for one in stored for kind in one.redacted))
        told.exchanges = [StoredExchangeOut.of(one) for one in stored] if len(stored) > 1 else []
        return told

    def list_ids(self) -> list[UUID]:
        return [one.exchange_id for one in self.exchanges] or [self.exchange_id]


class AwaitedExchangeOut(ExchangeOut):
    learned: list[LearnedOut] | None


class OutcomeIn(ScopedFields, RequestBody):
    turn_id: UuidText | None = None
    exchange_id: UuidText | None = None
    outcome: Outcome
    key_takeaway: Text | None = None
    related: list[Position | Reference] | None = Field(
        default=None,
        max_length=100,
        description="Positions of the turn's last search, from 1, or memory ids; all it showed where there are none.",
    )


class ScoredOut(BaseModel):
    memory_id: UUID
    score: float
    uses: int


class SharedVerdictOut(RowModel):
    memory_id: UUID
    space: str = Field(description="The slug of the space the memory is in.")
    counted: bool = Field(description="Whether the memory's score there follows it: of a writer or curator.")


class OutcomeOut(BaseModel):
    scored: list[ScoredOut]
    learned: list[UUID] = Field(description="Books and memory bank items of the turn: noted, never scored.")
    takeaway_id: UUID | None = Field(default=None, exclude_if=is_none, description="Present only when set.")
    # Told, not refused: beside a bad position, the good ones are what the client meant. Bad ones alone are refused.
    ignored: list[int | str] = Field(
        default_factory=list,
        exclude_if=is_empty,
        description="References of ``related`` that name no memory. When all are, the outcome is refused.",
    )
    replaced: Outcome | None = Field(
        default=None, exclude_if=is_none, description="The earlier outcome of this turn that no longer counts."
    )
    shared: list[SharedVerdictOut] = Field(
        default_factory=list, exclude_if=is_empty, description="Those that are memories of the person's spaces."
    )

    @classmethod
    def of(cls, done: RecordedOutcome) -> "OutcomeOut":
        return cls(
            scored=[
                ScoredOut(memory_id=one.memory_id, score=round(one.score, 6), uses=one.uses) for one in done.scored
            ],
            learned=done.learned,
            takeaway_id=done.takeaway_id,
            ignored=done.ignored,
            replaced=done.replaced,
            shared=[SharedVerdictOut.of(one) for one in done.shared],
        )


ThreadName = Annotated[str, Field(max_length=NAME_LIMIT)]


class VerdictOut(RowModel):
    outcome: Outcome
    source: Source = Field(description="Who says so: explicit, or the detector.")
    confidence: float
    actor: str
    at: datetime


class SignalOut(RowModel):
    """A hint of how the answer was taken, or a tool that failed. Moves no score unless a flag allows it."""

    kind: SignalKind
    evidence: str
    heard_in: UUID
    at: datetime


class ActionOut(RowModel):
    action: str
    ok: bool
    timed_out: bool
    ms: float
    error: str
    tiers: list[str]


class DetectionOut(BaseModel):
    state: Detection
    told: dict[str, JsonValue] = Field(description="The detector's whole answer, or why it was not asked.")

    @classmethod
    def of(cls, exchange: Exchange) -> "DetectionOut | None":
        return cls(state=Detection(exchange.detection), told=exchange.detected) if exchange.detection else None


class KeptExchangeOut(BaseModel):
    exchange_id: UUID
    thread_id: str
    turn_id: UUID | None
    memory_id: UUID | None
    speaker: str = Field(description="Who asked, by the name that was given; empty where none was.")
    user_message: str
    assistant_message: str
    interrupted: bool
    created_at: datetime
    occurred_at: datetime
    required_scoring: bool
    state: str = Field(description="scored, or unscored while its outcome is asked for.")
    outcome: VerdictOut | None
    learned: list[LearnedOut] = Field(description="What the memory bank took from it.")
    signals: list[SignalOut]
    actions: list[ActionOut]
    detection: DetectionOut | None = Field(default=None, exclude_if=is_none, description="Present only when set.")

    @classmethod
    def of(cls, detail: ExchangeDetail) -> "KeptExchangeOut":
        exchange = detail.exchange
        return cls(
            exchange_id=exchange.pk,
            thread_id=exchange.thread_id,
            turn_id=exchange.turn_id,
            memory_id=exchange.memory_id,
            speaker=exchange.speaker,
            user_message=exchange.user_message,
            assistant_message=exchange.assistant_message,
            interrupted=exchange.interrupted,
            created_at=exchange.created_at,
            occurred_at=detail.exchange.said_at,
            required_scoring=exchange.required_scoring,
            state=detail.state,
            outcome=VerdictOut.of(detail.outcome) if detail.outcome else None,
            learned=LearnedOut.list_of(detail.learned),
            signals=[SignalOut.of(signal) for signal in detail.signals],
            actions=[ActionOut.of(action) for action in detail.actions],
            detection=DetectionOut.of(exchange),
        )


class ExchangePage(BaseModel):
    items: list[KeptExchangeOut]
    next_cursor: str | None


class ExchangeOptions(QueryParameters):
    thread_id: ThreadName | None = None
    cursor: str | None = Field(default=None, max_length=1_000)
    limit: PageSize = 50


class ExportOptions(QueryParameters):
    thread_id: ThreadName | None = None


class ThreadOut(BaseModel):
    thread_id: str
    exchanges: int
    last_exchange_id: UUID | None
    last_turn_id: UUID | None
    last_at: datetime | None
    required_scoring: bool = Field(description="Whether the last exchange waits for its outcome.")
    state: str = Field(description="scored, or unscored while the outcome of the last exchange is asked for.")
    blocking: bool = Field(description="Whether a client should not go on before it is told; a setting asks for it.")

    @classmethod
    def of(cls, state: ThreadState) -> "ThreadOut":
        last = state.last
        return cls(
            thread_id=state.thread_id,
            exchanges=state.exchanges,
            last_exchange_id=last.pk if last else None,
            last_turn_id=last.turn_id if last else None,
            last_at=last.created_at if last else None,
            required_scoring=state.waits,
            state=state.state,
            blocking=state.blocking,
        )


class TitledThreadOut(RowModel):
    thread_id: str
    agent_id: str = Field(description="The agent it belongs to; empty for the person's own.")
    project_id: str = Field(description="The project it belongs to; two that use one name have two conversations.")
    title: str
    title_source: TitleSource = Field(
        description="Given by a person, of the imported chat, or made by rules of what was said first."
    )
    first_at: datetime
    last_at: datetime
    exchanges: int
    memories: int = Field(description="Kept memories of it, those of its exchanges among them.")


class ThreadPage(BaseModel):
    items: list[TitledThreadOut]
    next_cursor: str | None


class ThreadListOptions(QueryParameters):
    q: SearchedWords | None = Field(default=None, description="Only those with this in the title or in what was said.")
    cursor: str | None = Field(default=None, max_length=1_000)
    limit: PageSize = 50


class ThreadPatch(RequestBody):
    title: Title | None = Field(description="In one line; null takes a given title back.")
