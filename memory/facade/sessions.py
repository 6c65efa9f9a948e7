"""Sessions of coding agents: a prompt with its context, and the end of the turn that stores the exchange."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from memory.access.confinement import RowScope
from memory.access.users import is_stranger
from memory.facade.retrieval import RetrievalVerbs
from memory.models import EndUser
from memory.tiers import MAX_QUERY_CHARS
from outcomes.exchanges import sessions
from outcomes.exchanges.sessions import AgentAnswer, AgentPrompt, OpenedPrompt
from outcomes.exchanges.storing import StoredExchange
from outcomes.verdicts.actions import Action


@dataclass(frozen=True, slots=True)
class PromptContext:
    """``text`` is empty where nothing is to be said; ``told_hash`` is of the standing part the session then has."""

    text: str
    turn_id: UUID | None
    told_hash: str


class SessionVerbs(RetrievalVerbs):
    def open_prompt(self, user: EndUser, prompt: AgentPrompt, *, now: datetime) -> OpenedPrompt:
        return sessions.open_prompt(user, prompt, now=now, actor=self.actor)

    def find_session_scope(self, user: EndUser, thread_id: str) -> RowScope | None:
        """The project a session began in, and its agent. None for a new session."""
        return sessions.find_session_scope(user, thread_id)

    def close_prompt(self, user: EndUser, answer: AgentAnswer, *, now: datetime) -> StoredExchange | None:
        """Store the exchange, once however often it is asked. None where no prompt waits."""
        return sessions.close_prompt(user, answer, now=now, actor=self.actor)

    def end_session(self, user: EndUser, thread_id: str, *, now: datetime) -> StoredExchange | None:
        return sessions.end_session(user, thread_id, now=now, actor=self.actor)

    def compose_prompt_context(
        self, user: EndUser, query: str, *, now: datetime, thread_id: str, told_hash: str = "", remember: bool = True
    ) -> PromptContext:
        """What to lay beside a prompt. The standing part is said once a session, and not for the instructions alone."""
        made = self.compose_context(
            user, cut_query(query), now=now, thread_id=thread_id, remember=remember and not is_stranger(user)
        )
        # An agent at work is not asked to judge its last answer before each new one.
        turn = made.turn.text.removeprefix(made.unscored.request).lstrip() if made.unscored else made.turn.text
        said = [section for section in made.sections if section.name != "score_required"]
        told_now = PromptContext(turn, made.turn_id, told_hash)
        if not said or made.stable.hash == told_hash:
            return told_now
        parts = [made.stable.text, turn]
        return replace(told_now, text="\n\n".join(part for part in parts if part), told_hash=made.stable.hash)

    def note_turn(self, user: EndUser, thread_id: str, opened: OpenedPrompt, context: PromptContext) -> None:
        if context.turn_id is not None:
            sessions.note_turn(user, thread_id, opened, context.turn_id, context.told_hash)

    def note_told(self, user: EndUser, thread_id: str, told_hash: str, *, now: datetime) -> None:
        """The standing context a session has read; empty when it has lost it."""
        sessions.note_told(user, thread_id, told_hash, now=now)

    def note_answer(self, user: EndUser, thread_id: str, text: str, *, now: datetime) -> None:
        sessions.note_answer(user, thread_id, text, now=now)

    def note_tool_run(self, user: EndUser, action: Action, *, now: datetime) -> None:
        """A run of the agent's own tool, beside the exchange it belongs to."""
        sessions.note_tool_run(user, action, now=now)


def cut_query(text: str) -> str:
    """A prompt may carry a whole log: what is asked stands at its beginning or its end."""
    if len(text) <= MAX_QUERY_CHARS:
        return text
    half = MAX_QUERY_CHARS // 2 - 1
    return f"{text[:half]}\n{text[-half:]}"
