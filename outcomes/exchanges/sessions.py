"""Sessions of coding agents: a prompt is opened when it is sent and closed when the agent stops.

The prompt waits in the database, because the two are requests to whichever web process has time. An exchange is stored
once: whoever closes a prompt empties it under the row's lock, so a second end or a repeated request finds nothing.
"""

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db.models import QuerySet

from memory.access.confinement import RowScope, bind_to_scope, confine_to, current_scope, is_bound
from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.guard.redaction.texts import JsonRedaction, redact_reply
from memory.models import EndUser
from memory.store.admission import WriteRefused
from outcomes.exchanges.storing import NewExchange, StoredExchange, store_exchange
from outcomes.models import AgentSession
from outcomes.verdicts import actions
from outcomes.verdicts.actions import Action

logger = structlog.get_logger(__name__)

# As many as one exchange may name; an agent that works through a night runs thousands.
MOST_TOOLS = 100
# A session that was left open: what was said in it is stored, and the row goes.
IDLE = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    """``key`` is the client's own name of the prompt, where it has one."""

    thread_id: str
    text: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class OpenedPrompt:
    """``told_hash`` is of the standing context that the session has read."""

    turn_id: uuid.UUID
    told_hash: str


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """``prompt`` for clients that repeat it with the answer; it counts where none was opened."""

    thread_id: str
    text: str
    interrupted: bool = False
    prompt: AgentPrompt | None = None


def open_prompt(user: EndUser, prompt: AgentPrompt, *, now: datetime, actor: str) -> OpenedPrompt:
    """Keep what was asked until it is answered. One that was never answered is stored as broken off."""
    with user_scope(user):
        session = claim_session(user, prompt.thread_id, now)
        if not is_open_already(session, prompt):
            store_open_exchange(user, session, "", now=now, actor=actor, interrupted=True)
            set_prompt(session, prompt, now)
            session.save()
        return OpenedPrompt(session.turn_id or uuid.uuid4(), session.told_hash)


def is_open_already(session: AgentSession, prompt: AgentPrompt) -> bool:
    """Whether this is a request sent again: of the prompt that waits, or of one the client names that was answered."""
    if session.prompt_key != make_prompt_key(prompt):
        return False
    # Without a name only the waiting one can be told: a person may well say "go on" twice.
    return bool(session.prompt or prompt.key)


def make_prompt_key(prompt: AgentPrompt) -> str:
    return hashlib.sha256((prompt.key or prompt.text).encode()).hexdigest()


def set_prompt(session: AgentSession, prompt: AgentPrompt, now: datetime) -> None:
    session.prompt_key = make_prompt_key(prompt)
    session.prompt = redact_secrets(prompt.text).text
    session.prompted_at = now
    session.turn_id = uuid.uuid4()
    session.answer, session.tools = "", []
    session.is_bound = is_bound()


def close_prompt(user: EndUser, answer: AgentAnswer, *, now: datetime, actor: str) -> StoredExchange | None:
    """Store the exchange of the prompt that waits. None where none does."""
    with user_scope(user):
        session = claim_session(user, answer.thread_id, now)
        if answer.prompt and not session.prompt and session.prompt_key != make_prompt_key(answer.prompt):
            set_prompt(session, answer.prompt, now)
        is_answered = bool(answer.text or session.answer) and not answer.interrupted
        stored = store_open_exchange(user, session, answer.text, now=now, actor=actor, interrupted=not is_answered)
        session.save()
        return stored


def end_session(user: EndUser, thread_id: str, *, now: datetime, actor: str) -> StoredExchange | None:
    """Forget the session; a prompt that still waits is stored as broken off."""
    with user_scope(user):
        session = filter_own(user, thread_id).select_for_update().first()
        if session is None:
            return None
        stored = store_open_exchange(user, session, "", now=now, actor=actor, interrupted=True)
        session.delete()
        return stored


def end_idle_sessions(user: EndUser, *, now: datetime) -> int:
    with user_scope(user):
        idle = list(AgentSession.objects.filter(user=user, seen_at__lt=now - IDLE))
    for session in idle:
        with confine_to(RowScope.of(session)):
            end_session(user, session.thread_id, now=now, actor="")
    return len(idle)


def note_turn(user: EndUser, thread_id: str, opened: OpenedPrompt, turn_id: uuid.UUID, told_hash: str) -> None:
    """Which search the open prompt was answered from, and what standing context the session has read now."""
    with user_scope(user):
        waiting = filter_own(user, thread_id).filter(turn_id=opened.turn_id)
        waiting.update(turn_id=turn_id, told_hash=told_hash)


def note_told(user: EndUser, thread_id: str, told_hash: str, *, now: datetime) -> None:
    """The standing context a session has read; none after its conversation was compacted."""
    with user_scope(user):
        session = claim_session(user, thread_id, now)
        session.told_hash = told_hash
        session.save(update_fields=["told_hash", "seen_at"])


def note_answer(user: EndUser, thread_id: str, text: str, *, now: datetime) -> None:
    """What was answered so far, for a turn whose end does not say it."""
    with lock_open_session(user, thread_id, now) as session:
        if session is not None:
            session.answer = redact_reply(session.prompt, text).text


def note_tool_run(user: EndUser, action: Action, *, now: datetime) -> None:
    """A run of the client's own tool: kept with the open exchange, else by itself if it failed."""
    with lock_open_session(user, action.thread_id, now) as session:
        if session is not None:
            if len(session.tools) < MOST_TOOLS:
                session.tools.append(JsonRedaction().redact(describe_run(action)))
        elif not action.ok:
            actions.record_action(user, action, now=now)


def describe_run(action: Action) -> dict[str, Any]:
    run = {"name": action.name, "ok": action.ok, "ms": action.ms}
    return run if action.ok else run | {"error": action.error[: actions.LONGEST_ERROR]}


@contextmanager
def lock_open_session(user: EndUser, thread_id: str, now: datetime) -> Iterator[AgentSession | None]:
    """The session while its prompt waits, saved afterwards; else None."""
    with user_scope(user):
        session = filter_own(user, thread_id).select_for_update().exclude(prompt="").first()
        yield session
        if session is not None:
            session.seen_at = now
            session.save(update_fields=["answer", "tools", "seen_at"])


def claim_session(user: EndUser, thread_id: str, now: datetime) -> AgentSession:
    """The session's row, locked; made if there is none, for the scope that holds now."""
    scope = current_scope()
    began = AgentSession(
        user=user, thread_id=thread_id, agent_id=scope.agent_id, project_id=scope.project_id, seen_at=now
    )
    AgentSession.objects.bulk_create([began], ignore_conflicts=True)
    session = filter_own(user, thread_id).select_for_update().get()
    session.seen_at = now
    return session


def filter_own(user: EndUser, thread_id: str) -> QuerySet[AgentSession]:
    """The session of this very scope: in a project those of none are seen as well."""
    scope = current_scope()
    return AgentSession.objects.filter(
        user=user, thread_id=thread_id, agent_id=scope.agent_id, project_id=scope.project_id
    )


def find_session_scope(user: EndUser, thread_id: str) -> RowScope | None:
    """Where the session's exchanges belong: to the project it began in. None for a session that is new."""
    with user_scope(user):
        session = AgentSession.objects.filter(user=user, thread_id=thread_id).order_by("-seen_at").first()
        return RowScope.of(session) if session else None


def store_open_exchange(
    user: EndUser, session: AgentSession, answer: str, *, now: datetime, actor: str, interrupted: bool
) -> StoredExchange | None:
    """Store what waits in a locked session and empty it. The caller saves or deletes the row."""
    if not session.prompt:
        return None
    new = NewExchange(
        thread_id=session.thread_id,
        user_message=session.prompt,
        assistant_message=answer or session.answer,
        turn_id=session.turn_id,
        tools=session.tools,
        # Without an answer it was broken off, whatever ended it: no words are put into the assistant's mouth.
        interrupted=interrupted or not (answer or session.answer),
        occurred_at=session.prompted_at,
    )
    session.prompt, session.answer, session.tools = "", "", []
    try:
        # A prompt that cannot be stored must not stand in the way of every later one.
        with user_scope(user, savepoint=True), bind_to_scope(bound=session.is_bound):
            return store_exchange(user, new, now=now, actor=actor)
    except WriteRefused as refused:
        logger.warning("exchange of an agent not stored", field=refused.field, rule=refused.rule)
        return None
