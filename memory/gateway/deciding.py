"""Searches before the answer, for models that take no tools: what they would have asked for, decided by a prompt.

A model that takes tools asks for itself. One that refused them once is asked in a call of its own what to search for;
whatever that comes to, its answer is not held up for longer than MEMORY_TOOL_DECISION_TIMEOUT_S.
"""

import json
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.gateway.dialects import SearchCall
from memory.gateway.refinement import search_once
from memory.gateway.turns import ChatTurn
from memory.inference.asking import ask_prompt, find_prompt_model
from memory.inference.conf import prompt_conf
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.platform.slots import work_in_slot
from memory.tiers import MAX_QUERY_CHARS

PROMPT: Final = "tool_decision"
BREAKER: Final = "llm before answers"
MOST_SEARCHES: Final = 2
# Of a message and of what was found; the decision needs no more.
MAX_CHARS: Final = 4_000


class DecidedArguments(BaseModel):
    model_config = ConfigDict(extra="ignore")

    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)


class DecidedCall(BaseModel):
    name: Literal["search_memory"]
    arguments: DecidedArguments


class ToolDecision(BaseModel):
    """What the model answers: searches, or null."""

    tool_calls: list[DecidedCall] | None = Field(max_length=8)


def search_before_answer(turn: ChatTurn) -> str:
    """What was found by searches that a model decided on; empty where none is needed, or nobody says so in time.

    Without a slot, as it waits for a model; takes one to search.
    """
    user = turn.known_user
    if user is None or not turn.asked.question or find_prompt_model(PROMPT) is None:
        return ""
    data = {"message": turn.asked.question[:MAX_CHARS], "found": turn.context.turn[:MAX_CHARS]}
    deadline = Deadline(prompt_conf().decision_timeout_s)
    decision = ask_prompt(PROMPT, data, ToolDecision, user_id=user.pk, deadline=deadline, breaker=BREAKER)
    calls = (decision.tool_calls or [])[:MOST_SEARCHES] if decision else []
    turn.searches += len(calls)
    metrics.count("chat_searches", amount=len(calls))
    with work_in_slot():
        return "\n\n".join(
            search_once(turn, SearchCall("", json.dumps({"query": call.arguments.query}))) for call in calls
        )
