"""Our search tool, which the model may call once while it answers; the client sees nothing of it."""

import json
from functools import cache
from typing import Any, Final

import structlog
from django.utils import timezone

from memory import tools
from memory.gateway.dialects import SearchCall
from memory.gateway.patience import read_in_time
from memory.gateway.turns import ChatTurn
from memory.tools import ToolError

logger = structlog.get_logger(__name__)

SEARCH_NAME: Final = "search_memory"
# Which turn and which thread it is about, the gateway knows better than the model; and it searches once.
FILLED_IN = frozenset({"turn_id", "thread_id", "more"})
ONE_SEARCH = "This turn has had its search. Answer from what is known."
NOT_NOW = "The memory does not answer now. Answer without it."


@cache
def describe_search() -> dict[str, Any]:
    """The tool as language models take it: name, description and parameters."""
    definition = next(one for one in tools.list_definitions() if one["function"]["name"] == SEARCH_NAME)["function"]
    parameters = definition["parameters"]
    shown = {name: schema for name, schema in parameters["properties"].items() if name not in FILLED_IN}
    return {**definition, "parameters": {**parameters, "properties": shown}}


def run_searches(turn: ChatTurn, calls: list[SearchCall]) -> list[str]:
    """What the model is told of each call: the first is searched for, however many it sent."""
    return [search_once(turn, call) if turn.claim_search() else ONE_SEARCH for call in calls]


def search_once(turn: ChatTurn, call: SearchCall) -> str:
    try:
        given = json.loads(call.arguments or "{}")
        if not isinstance(given, dict):
            raise ToolError([("", "the arguments must be a JSON object")])
        named = {name: value for name, value in given.items() if name not in FILLED_IN}
        return read_in_time(lambda: run_search(turn, named))
    except (ToolError, ValueError, RecursionError) as error:
        return f"The search was refused: {error}"
    except Exception as error:  # noqa: BLE001 -- whatever went wrong in the memory, the model can answer without it
        logger.warning("refinement skipped", reason=type(error).__name__)
        return NOT_NOW


def run_search(turn: ChatTurn, arguments: dict[str, Any]) -> str:
    turn_id = turn.context.turn_id
    filled = {"thread_id": turn.thread_id, **({"turn_id": str(turn_id)} if turn_id else {})}
    call = tools.read_call(SEARCH_NAME, {**arguments, **filled})
    memory, user, now = turn.facade, turn.find_user(), timezone.now()
    with tools.record_failures(memory, lambda: user, call, now=now):
        text: str = tools.prepare_call(memory, user, call, now=now)(user).text
    return text.removesuffix(tools.SAY_OUTCOME).rstrip()
