"""What each event of a coding agent does."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from memory.access.confinement import RowScope, confine_to
from memory.access.users import find_user, get_or_create_user, stand_in_for_stranger
from memory.facade import MemoryFacade
from memory.facade.sessions import PromptContext
from memory.hooks.bodies import HookEvent, HookKind
from memory.models import EndUser
from memory.platform import metrics
from memory.web.callers import Caller
from memory.web.problems import Problem
from memory.web.scoping import narrow_scope
from outcomes.exchanges.sessions import AgentAnswer, AgentPrompt
from outcomes.verdicts.actions import Action

logger = structlog.get_logger(__name__)

READING = frozenset({HookKind.PROMPT, HookKind.SESSION_START})


@dataclass(frozen=True, slots=True)
class HookCall:
    """An event, for whom, and when."""

    caller: Caller
    event: HookEvent
    now: datetime
    memory: MemoryFacade = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory", MemoryFacade(actor=self.caller.principal.actor))

    @property
    def may_write(self) -> bool:
        """A key that refuses secrets keeps nothing of a text that holds one; its prompt is answered all the same."""
        principal = self.caller.principal
        return "write" in principal.scopes and not (self.event.secrets and principal.refuses_secrets)

    def make_user(self) -> EndUser:
        return get_or_create_user(self.caller.principal.organization_id, self.caller.external_id)

    def find_user(self) -> EndUser | None:
        return find_user(self.caller.principal.organization_id, self.caller.external_id)

    @property
    def stranger(self) -> EndUser:
        return stand_in_for_stranger(self.caller.principal.organization_id, self.caller.external_id)


def handle_event(call: HookCall) -> str:
    """What to lay beside the prompt; empty where nothing is to be said. Raises Problem."""
    check_rights(call)
    handler = HANDLERS.get(call.event.kind)
    if handler is None:
        return ""
    with confine_to(find_scope(call)):
        return handler(call)


def find_scope(call: HookCall) -> RowScope:
    """The project the session began in, else that of the folder; never beside what the key or a header names."""
    held = call.caller.scope
    user = call.find_user()
    began = call.memory.find_session_scope(user, call.event.session_id) if user else None
    if began is not None:
        return narrow_scope(held, began.agent_id, began.project_id)
    return held if held.project_id else narrow_scope(held, None, call.event.project_id)


def check_rights(call: HookCall) -> None:
    scopes, event = call.caller.principal.scopes, call.event
    needed = "read" if event.kind in READING else "write"
    if needed not in scopes:
        raise Problem(403, "forbidden", f"This key lacks the scope {needed}.")
    if needed == "write" and event.secrets and call.caller.principal.refuses_secrets:
        raise event.secrets


def answer_prompt(call: HookCall) -> str:
    """Opens the prompt first, so that it is kept whatever becomes of its context."""
    event, memory = call.event, call.memory
    if not event.prompt:
        return ""
    if not call.may_write:
        return compose(call, call.find_user() or call.stranger, event.prompt, "", remember=False).text
    user = call.make_user()
    opened = memory.open_prompt(user, read_prompt(event), now=call.now)
    context = compose(call, user, event.prompt, opened.told_hash)
    memory.note_turn(user, event.session_id, opened, context)
    return context.text


def read_prompt(event: HookEvent) -> AgentPrompt:
    return AgentPrompt(event.session_id, event.prompt, event.prompt_name)


def compose(call: HookCall, user: EndUser, query: str, told_hash: str, *, remember: bool = True) -> PromptContext:
    """The context within the time of a request. Fails open: a coding agent goes on without it."""
    try:
        return call.memory.compose_prompt_context(
            user, query, now=call.now, thread_id=call.event.session_id, told_hash=told_hash, remember=remember
        )
    except Exception as error:  # noqa: BLE001 -- whatever it is, it must not stand in the way of the agent
        logger.warning("context of a hook skipped", reason=repr(error))
        metrics.count("fallbacks", "hook")
        return PromptContext("", None, told_hash)


def start_session(call: HookCall) -> str:
    """What stands whatever is asked, and what is known of the project: some clients read a context here alone."""
    event = call.event
    user = call.find_user()
    if user is None:
        return ""
    context = compose(call, user, event.project_id or "project", "", remember=False)
    if context.text and call.may_write:
        call.memory.note_told(user, event.session_id, context.told_hash, now=call.now)
    return context.text


def stop(call: HookCall) -> str:
    user, event = call.find_user(), call.event
    prompt = read_prompt(event) if event.prompt else None
    if user is None and prompt:
        user = call.make_user()
    if user is not None:
        answer = AgentAnswer(event.session_id, event.answer, event.interrupted, prompt)
        call.memory.close_prompt(user, answer, now=call.now)
    return ""


def note_answer(call: HookCall) -> str:
    """Cursor tells the answer before the end of the turn; a subagent's report stands in where no answer comes."""
    if call.event.answer and (user := call.find_user()):
        call.memory.note_answer(user, call.event.session_id, call.event.answer, now=call.now)
    return ""


def note_tool_run(call: HookCall) -> str:
    tool = call.event.tool
    user = call.find_user() if tool else None
    if tool and user:
        action = Action(tool.name, tool.ok, thread_id=call.event.session_id, ms=tool.ms, error=tool.error)
        call.memory.note_tool_run(user, action, now=call.now)
    return ""


def end_session(call: HookCall) -> str:
    if user := call.find_user():
        call.memory.end_session(user, call.event.session_id, now=call.now)
    return ""


def forget_told(call: HookCall) -> str:
    """A conversation that is compacted loses what it was told once."""
    if user := call.find_user():
        call.memory.note_told(user, call.event.session_id, "", now=call.now)
    return ""


HANDLERS: dict[HookKind, Callable[[HookCall], str]] = {
    HookKind.PROMPT: answer_prompt,
    HookKind.ANSWER: note_answer,
    HookKind.STOP: stop,
    HookKind.SUBAGENT_STOP: note_answer,
    HookKind.TOOL: note_tool_run,
    HookKind.SESSION_START: start_session,
    HookKind.SESSION_END: end_session,
    HookKind.COMPACT: forget_told,
}
