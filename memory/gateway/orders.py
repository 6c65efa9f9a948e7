"""Orders to the memory in a chat ("add goal: ..."): carried out before the model answers, which is told of it."""

from collections.abc import Sequence
from typing import Any, Final

import structlog
from django.utils import timezone

from memory.access.users import find_user, get_or_create_user
from memory.facade import MemoryFacade
from memory.facade.commands import NOT_OF_A_CHAT, CommandResult
from memory.gateway.dialects import AskedTurn
from memory.gateway.identity import TurnIdentity
from memory.gateway.patience import store_in_time
from memory.guard import redact_secrets
from memory.language.commands import CommandAction, read_intent
from memory.language.framing import quote_as_data
from memory.platform import metrics

logger = structlog.get_logger(__name__)

REMOVALS: Final = frozenset({CommandAction.REMOVE_GOAL, CommandAction.REMOVE_VALUE})
DONE: Final = "The user's message is an order to their memory, which has carried it out. Tell them, in their language:"


def carry_out_orders(memory: MemoryFacade, identity: TurnIdentity, asked: AskedTurn) -> list[CommandResult]:
    """Fails open: an order that could not be carried out is answered like any other message."""
    text = asked.question
    if not any(part.command for part in read_intent(text)):
        return []
    # Of such a message nothing is kept, by the wish of whoever made the key.
    if identity.caller.principal.refuses_secrets and redact_secrets(text).text != text:
        return []
    try:
        return store_in_time(lambda: run_orders(memory, identity, asked))
    except Exception as error:  # noqa: BLE001 -- whatever failed in the memory, the model can answer
        logger.warning("order to the memory skipped", reason=type(error).__name__)
        metrics.count("fallbacks", "gateway")
        return []


def run_orders(memory: MemoryFacade, identity: TurnIdentity, asked: AskedTurn) -> list[CommandResult]:
    organization_id, external_id = identity.caller.principal.organization_id, identity.caller.external_id
    known = find_user(organization_id, external_id)
    drafted = memory.draft_commands(known, asked.question, leave_out=NOT_OF_A_CHAT)
    # "Forget my address", said by somebody else in the conversation, is not about the person's.
    if not drafted or (known and memory.is_another(known, identity.thread_id, asked.speaker)):
        return []
    user = known or get_or_create_user(organization_id, external_id)
    return [one for one in memory.run_commands(user, drafted, now=timezone.now()) if not is_of_something_else(one)]


def is_of_something_else(result: CommandResult) -> bool:
    """ "Delete the goal column": where nothing kept is meant, it is the assistant that is asked."""
    return result.command.action in REMOVALS and not result.done and not result.items


def word_orders(results: Sequence[CommandResult]) -> str:
    """What the model is told, beside the user's message; empty without an order."""
    return "\n".join([DONE, *(quote_as_data(result.message) for result in results)]) if results else ""


def list_orders(results: Sequence[CommandResult]) -> list[dict[str, Any]]:
    return [
        {"action": one.command.action.value, "what": one.command.what, "done": one.done, "message": one.message}
        for one in results
    ]
