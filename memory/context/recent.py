"""What a client says of its conversation: its last messages, and how much its model takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.context.blocks import ContextSection
from memory.context.budget import fit_history
from memory.context.selection import count_section_tokens

# Of the window; context and history together leave the other half to tools and the answer.
HISTORY_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class RecentMessage:
    role: str
    content: str


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The client's model and its limit for the context in tokens; the first message that it hands the model."""

    model: str = ""
    max_tokens: int | None = None
    opening: str = ""


def list_shown_messages(messages: Sequence[RecentMessage], limits: ClientLimits | None, window: int) -> list[str]:
    """The messages that the client can still hand its model: with a limit, as many as fit at most."""
    kept = fit_recent_messages(messages, limits, window, ())
    texts = [text for _, text in kept] if kept is not None else [message.content for message in messages]
    return [*texts, limits.opening] if limits else texts


def fit_recent_messages(
    messages: Sequence[RecentMessage], limits: ClientLimits | None, window: int, sections: Sequence[ContextSection]
) -> list[tuple[str, str]] | None:
    """What of the conversation fits beside the context; for a client that named its model or limit."""
    if limits is None or not messages:
        return None
    left = round((limits.max_tokens or window) * HISTORY_SHARE) - count_section_tokens(sections)
    return fit_history(messages, max(0, left))
