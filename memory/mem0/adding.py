"""What a conversation adds: exchanges that facts are read from, or, with ``infer`` false, its messages as they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationInfo

from memory.access.confinement import confine_to, current_scope
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.mem0.door import Mem0Call
from memory.mem0.people import find_owner_or_404, find_person, parse_memory_id, resolve_filtered
from memory.mem0.scopes import MemoryScope, build_metadata
from memory.mem0.shapes import render_added
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import SourceType, Tier
from memory.web.chat_messages import AnsweredQuestion, NamedMessage, flatten_content, group_turns, join_contents
from memory.web.fields import Metadata, Name, parse_moment, refuse_impossible_time
from memory.web.idempotency import replace_stored_response, run_once
from memory.web.persons import run_for_writing
from memory.web.polling import poll_until
from memory.web.problems import invalid_field, not_found
from memory.web.scoping import narrow_scope
from outcomes.exchanges import listing
from outcomes.exchanges.storing import MESSAGE_LIMIT, STEP, NewExchange

# For what a language model reads, or the worker has begun to.
WAIT_S: Final = 2.0
MOST_MESSAGES: Final = 200
PENDING: Final = "PENDING"
SUCCEEDED: Final = "SUCCEEDED"
# Instructions and what tools returned are nobody's memories.
SPOKEN: Final = {"user": SourceType.USER, "assistant": SourceType.ASSISTANT}
TOLD: Final = {PENDING: "Memory processing has been queued for background execution", SUCCEEDED: "Memories added"}


def list_messages(value: object) -> object:
    """A text or one message in the place of a list, as the clients' older versions sent it."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    return [value] if isinstance(value, dict) else value


def read_timestamp(value: object) -> datetime | None:
    """Seconds since 1970, or ISO 8601."""
    return None if value is None else refuse_impossible_time(parse_timestamp(value))


def parse_timestamp(value: object) -> datetime:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return parse_moment(value)
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise ValueError("is not a time of the calendar") from error


Timestamp = Annotated[datetime | None, BeforeValidator(read_timestamp)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]


def read_content(value: object, info: ValidationInfo) -> object:
    """One text of its parts. Without a text there is nothing to remember of what somebody said."""
    text = flatten_content(value)
    if isinstance(value, list) and value and not text and info.data.get("role") in SPOKEN:
        raise ValueError("holds no text: pictures and files are not read; send what they show in words")
    return text


def refuse_immutable(value: object) -> object:
    """A promise that would not be kept: what is said later ends an earlier value, whatever was asked for it."""
    if value:
        raise ValueError("cannot be promised here: a memory may be changed, and ended by a later one; leave it out")
    return value


class Mem0MessageIn(NamedMessage):
    # The length in front of the parts: of what a function made the rule would speak of items.
    content: Annotated[str, Field(max_length=MESSAGE_LIMIT), BeforeValidator(read_content)]


class ScopeIn(BaseModel):
    """Whom and what a call is about. Unknown fields are accepted: clients send those of their next release."""

    model_config = ConfigDict(extra="ignore")

    user_id: str | None = None
    agent_id: Name | None = None
    app_id: Name | None = None
    run_id: Name | None = None
    filters: dict[str, Any] | None = None

    @property
    def scope(self) -> MemoryScope:
        """Named beside the filters, or in them."""
        given = self.filters or {}
        named = {name: getattr(self, name) or given.get(name) for name in ("agent_id", "app_id", "run_id")}
        return MemoryScope(**{name: value if isinstance(value, str) else None for name, value in named.items()})


class AddIn(ScopeIn):
    messages: Annotated[
        list[Mem0MessageIn], BeforeValidator(list_messages), Field(min_length=1, max_length=MOST_MESSAGES)
    ]
    metadata: Metadata | None = None
    infer: bool | None = None
    timestamp: Timestamp = None
    expiration_date: Day | None = None
    async_mode: bool | None = None
    immutable: Annotated[bool | None, AfterValidator(refuse_immutable)] = None
    output_format: str | None = None


@dataclass(frozen=True, slots=True)
class AddedEvent:
    """What a call added, and whether it has been read. ``first`` is a memory by whose id the call is found again."""

    first: UUID
    status: Literal["PENDING", "SUCCEEDED"]
    items: Sequence[MemoryItem]
    at: datetime


Render = Callable[["AddIn", AddedEvent], HttpResponse]


def add_with_event(call: Mem0Call) -> HttpResponse:
    """Answers when it is read, or after two seconds with the event that will tell."""
    return add_memories(call, render_event)


def render_event(asked: AddIn, event: AddedEvent) -> HttpResponse:
    return JsonResponse({"message": TOLD[event.status], **describe_event(event)})


def add_with_results(call: Mem0Call) -> HttpResponse:
    """As the first platform and the open-source server answer."""
    return add_memories(call, render_results)


def render_results(asked: AddIn, event: AddedEvent) -> HttpResponse:
    results = render_added(event.items)
    if asked.output_format == "v1.0":
        return JsonResponse(results, safe=False)
    return JsonResponse({"results": results})


def describe_event(event: AddedEvent) -> dict[str, Any]:
    return {"event_id": str(event.first), "status": event.status, "results": render_added(event.items)}


def add_memories(call: Mem0Call, render: Render) -> HttpResponse:
    asked = call.read(AddIn)
    person = resolve_filtered(call, asked.filters, asked.user_id)
    new, now, added = list_new(asked), timezone.now(), list[AddedEvent]()

    def write(user: EndUser) -> HttpResponse:
        added.append(store_all(call, user, new, now))
        return render(asked, added[0])

    def write_once(user: EndUser) -> HttpResponse:
        return run_once(call.request, user, partial(write, user))

    # What is written belongs to the agent and the app, and so does what is read from it.
    with confine_to(narrow_scope(current_scope(), asked.scope.agent_id, asked.scope.app_id)):
        response = run_for_writing(call.request, person, find_person(call, person), write_once)
    # A replayed answer has waited before.
    if not added or added[0].status == SUCCEEDED or asked.async_mode:
        return response
    if (user := find_person(call, person)) is None:
        return response
    # Here, since a worker that is busy with an import takes up the next task when it is done.
    call.memory.read_exchanges(user)
    read = partial(load_event, user, added[0].first)
    event = poll_until(read, lambda event: event is None or event.status == SUCCEEDED, WAIT_S)
    if event is not None:
        response = render(asked, event)
        replace_stored_response(call.request, user, response)
    return response


def list_new(asked: AddIn) -> list[NewExchange | NewMemory]:
    """What is stored of a call, in the order it was said. Raises Problem where there is nothing to read."""
    said_at = asked.timestamp or timezone.now()
    thread = asked.scope.choose_thread(said_at)
    metadata = build_metadata(asked.metadata or {}, asked.expiration_date)
    messages = [message for message in asked.messages if message.content.strip() and message.role in SPOKEN]
    if not messages:
        raise invalid_field("messages", "hold no text of a user or an assistant")
    if asked.infer is False:
        return [build_memory(message, thread, metadata, asked.timestamp) for message in messages]
    new: list[NewExchange | NewMemory] = []
    for turn in group_turns(messages):
        if turn.question:
            new.append(build_exchange(turn, thread, metadata, asked.timestamp))
        else:
            # What an assistant said of its own accord tells nothing a person said.
            new += [build_memory(message, thread, metadata, asked.timestamp) for message in turn.answer]
    return new


def build_exchange(
    turn: AnsweredQuestion[Mem0MessageIn], thread: str, metadata: dict[str, Any], said_at: datetime | None
) -> NewExchange:
    return NewExchange(
        thread_id=thread,
        speaker=turn.speaker,
        user_message=join_contents(turn.question),
        assistant_message=join_contents(turn.answer),
        # Nobody answered, or the answer was not sent: what the person said is read all the same.
        interrupted=not turn.answer,
        occurred_at=said_at,
        is_awaited=True,
        metadata=metadata,
    )


def build_memory(message: Mem0MessageIn, thread: str, metadata: dict[str, Any], said_at: datetime | None) -> NewMemory:
    return NewMemory(
        text=message.content,
        tier=Tier.HISTORY,
        thread_id=thread,
        speaker=message.name or "",
        source_type=SPOKEN[message.role],
        occurred_at=said_at,
        metadata=metadata,
    )


def store_all(call: Mem0Call, user: EndUser, new: Sequence[NewExchange | NewMemory], now: datetime) -> AddedEvent:
    """All or none. In the transaction of the answer, if it has one."""
    exchanges: list[UUID] = []
    items: list[MemoryItem] = []
    with user_scope(user):
        for place, one in enumerate(new):
            if isinstance(one, NewExchange):
                exchanges.append(call.memory.store_exchange(user, one, now=now + place * STEP).memory_id)
            else:
                items.append(call.memory.store(user, one, now=now + place * STEP).item)
    status: Literal["PENDING", "SUCCEEDED"] = PENDING if exchanges else SUCCEEDED
    return AddedEvent(exchanges[0] if exchanges else items[0].pk, status, items, now)


def load_event(user: EndUser, first: UUID) -> AddedEvent | None:
    """What became of a call, by the first exchange or memory it stored. None where that is gone."""
    found = listing.list_exchanges_stored_with(user, first, within=MOST_MESSAGES * STEP)
    if not found:
        item = MemoryFacade().get(user, first)
        return None if item is None else AddedEvent(first, SUCCEEDED, [item], item.created_at)
    is_read = all(detail.exchange.profiled_at is not None for detail in found)
    items = [item for detail in found for item in detail.learned]
    # Where nothing lasting was told, the exchange itself is what is remembered.
    untold = [detail.exchange.memory_id for detail in found if not detail.learned and detail.exchange.memory_id]
    with user_scope(user):
        items += list(MemoryItem.objects.for_user(user).filter(pk__in=untold).defer("lexemes")) if is_read else []
    return AddedEvent(first, SUCCEEDED if is_read else PENDING, items, found[0].exchange.created_at)


def get_event(call: Mem0Call, event_id: str) -> HttpResponse:
    key = parse_memory_id(event_id)
    event = load_event(find_owner_or_404(call, key), key)
    if event is None:
        raise not_found()
    told = describe_event(event)
    created_at = event.at.isoformat()
    return JsonResponse({"id": told["event_id"], "event_type": "ADD", **told, "created_at": created_at})
