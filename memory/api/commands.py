"""What a message asks of the memory: read without an effect, or carried out."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Router
from pydantic import BaseModel, Field

from memory.api.acting import open_facade
from memory.facade.commands import KEEPING, CommandResult, DraftedCommand
from memory.language.commands import CommandAction, IntentPart, MemoryCommand, read_intent
from memory.models import EndUser
from memory.web.auth import READ, WRITE
from memory.web.endpoints import optional_user, write_once
from memory.web.fields import RequestBody, Text
from memory.web.idempotency import json_response
from memory.web.items import MemoryOut
from memory.web.openapi import describe_responses
from memory.web.problems import invalid_field

router = Router(tags=["A turn"])


class MessageTextIn(RequestBody):
    text: Text


class CommandOut(BaseModel):
    action: CommandAction
    what: str = Field(description="What it is about, as it was written.")

    @classmethod
    def of(cls, command: MemoryCommand) -> "CommandOut":
        return cls(action=command.action, what=command.what)


class ToolHintOut(BaseModel):
    tool: str = Field(description="A tool of the memory, or `web_search`, where the client has one.")
    reason: str
    tiers: list[str]


class IntentPartOut(BaseModel):
    text: str
    command: CommandOut | None
    hints: list[ToolHintOut]

    @classmethod
    def of(cls, part: IntentPart) -> "IntentPartOut":
        hints = [ToolHintOut(tool=hint.tool, reason=hint.reason, tiers=list(hint.tiers)) for hint in part.hints]
        return cls(text=part.text, command=CommandOut.of(part.command) if part.command else None, hints=hints)


class IntentOut(BaseModel):
    parts: list[IntentPartOut]


class CommandResultOut(CommandOut):
    done: bool
    message: str = Field(description="A sentence for the person, in the language of the order.")
    items: list[MemoryOut] = Field(description="What it lists, was done to, or could mean.")
    fact_ids: list[UUID] = Field(
        description="Facts that an order to forget rejected, which `/facts/{id}/restore` takes back, or could mean."
    )

    @classmethod
    def of_result(cls, result: CommandResult) -> "CommandResultOut":
        items = [MemoryOut.of(item) for item in result.items]
        command = result.command
        return cls(
            action=command.action,
            what=command.what,
            done=result.done,
            message=result.message,
            items=items,
            fact_ids=[fact.pk for fact in result.facts],
        )


class CommandResultsOut(BaseModel):
    results: list[CommandResultOut]
    learned: list[UUID] = Field(description="The memories that were kept or archived.")


@router.post(
    "/users/{user_id}/intent",
    auth=READ,
    response=describe_responses(200, IntentOut, reads_body=True),
    operation_id="read_intent",
    summary="What a message asks of the memory",
)
@optional_user
def read_message_intent(request: HttpRequest, user: EndUser | None, body: MessageTextIn) -> HttpResponse:
    """Its parts, the order that each is, and the tools that may answer it. Changes nothing and asks no model."""
    return json_response(200, IntentOut(parts=[IntentPartOut.of(part) for part in read_intent(body.text)]))


def draft_commands(request: HttpRequest, user: EndUser | None, body: MessageTextIn) -> list[DraftedCommand]:
    drafted = open_facade(request).draft_commands(user, body.text)
    if not drafted:
        raise invalid_field("text", 'holds no order to the memory, such as "add goal: ..." or "/goals"')
    return drafted


def keep_nothing(drafted: list[DraftedCommand]) -> bool:
    """Whether nothing comes of the orders where nothing is kept yet: there is nothing to list, remove or forget."""
    return not any(one.command.action in KEEPING for one in drafted)


@router.post(
    "/users/{user_id}/commands",
    auth=WRITE,
    response=describe_responses(200, CommandResultsOut, reads_body=True, writes=True),
    operation_id="run_commands",
    summary="Carry out what a message orders",
)
@write_once(creates_user=True, only_reads=keep_nothing, drafted=draft_commands)
def run_commands(
    request: HttpRequest, user: EndUser, body: MessageTextIn, drafted: list[DraftedCommand]
) -> HttpResponse:
    """Goals, values, lessons, things to remember and to forget, in seven languages; several in a message.

    A refused order keeps no other from being carried out: each answers with ``done`` and a ``message``.
    """
    results = open_facade(request).run_commands(user, drafted, now=timezone.now())
    listed = {CommandAction.LIST_GOALS, CommandAction.LIST_VALUES}
    touched = [
        item.pk for result in results if result.done and result.command.action not in listed for item in result.items
    ]
    shown = [CommandResultOut.of_result(result) for result in results]
    return json_response(200, CommandResultsOut(results=shown, learned=touched))
