"""The older part of a conversation in a few points, and the tone of the person: by a language model, in the background.

A context tells both, so that a thread goes on where the client no longer shows its beginning. Nobody waits for either.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from memory.access.confinement import current_scope
from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.inference.asking import ask_prompt, find_prompt_model
from memory.inference.conf import prompt_conf
from memory.language.grounding import find_particulars
from memory.models import EndUser
from outcomes.models import Exchange, ThreadDigest

if TYPE_CHECKING:
    from memory.inference.prompts import PromptValue

SUMMARY: Final = "history_summary"
TONE: Final = "tone_inference"
MESSAGES_PER_EXCHANGE: Final = 2
# Exchanges after which the points, and the tone, are read anew.
EVERY: Final = 4
# Exchanges that show a tone, and those of them that are read.
TONE_SHOWS: Final = 3
TONE_READS: Final = 6
CONFIDENT: Final = 0.6
# Of one summary: 24 exchanges of 600 characters a message are 29,000, of which a model reads 24,000.
MOST_EXCHANGES: Final = 20
MESSAGE_CHARS: Final = 600
BULLET_CHARS: Final = 300
OPENING_CHARS: Final = 200

Tone = Literal["formal", "casual", "empathetic", "concise", "detailed", "playful", "neutral"]


class SummedUp(BaseModel):
    """What the model answers."""

    bullets: list[Annotated[str, Field(max_length=2 * BULLET_CHARS)]] = Field(max_length=40)


class InferredTone(BaseModel):
    tone: Tone
    confidence: float = Field(ge=0, le=1)


def are_asked_for() -> bool:
    return find_prompt_model(SUMMARY) is not None or find_prompt_model(TONE) is not None


def find_digest(user: EndUser, thread_id: str) -> ThreadDigest | None:
    """What is known of the conversation of the scope that holds; no query without a model."""
    if not thread_id or not are_asked_for():
        return None
    with user_scope(user):
        return ThreadDigest.objects.filter(**name_place(user, thread_id)).first()


def name_place(user: EndUser, thread_id: str) -> dict[str, Any]:
    """The conversation of that name in the scope that holds."""
    scope = current_scope()
    return {"user": user, "thread_id": thread_id, "agent_id": scope.agent_id, "project_id": scope.project_id}


def refresh_digest(user: EndUser, thread_id: str, *, now: datetime) -> bool:
    """Read a thread of the scope that holds, as far as it is due. Never in a transaction. False if nothing changed."""
    place = name_place(user, thread_id)
    with user_scope(user):
        said = Exchange.objects.filter(**place).order_by("created_at", "pk")
        thread = list(said.only("pk", "user_message", "assistant_message"))
        digest = ThreadDigest.objects.filter(**place).first() or ThreadDigest(**place)
    # Both are asked for, whatever the first came to.
    changes = [sum_up(user, digest, thread), read_tone(user, digest, thread)]
    if not any(changes):
        return False
    digest.updated_at = now
    with user_scope(user):
        # What was deleted while the model read it is told by nothing.
        if said.filter(pk__in=[row.pk for row in thread]).count() != len(thread):
            return False
        digest.save()
    return True


def sum_up(user: EndUser, digest: ThreadDigest, thread: Sequence[Exchange]) -> bool:
    """Put what has become old since the last time into the points."""
    older = len(thread) - prompt_conf().history_messages // MESSAGES_PER_EXCHANGE
    if older < 1 or (digest.covered and older - digest.covered < EVERY):
        return False
    conversation = render_thread(thread[digest.covered : older][-MOST_EXCHANGES:])
    before = "\n".join(digest.bullets)
    most = prompt_conf().history_bullets
    data: dict[str, PromptValue] = {"bullets": most, "before": before, "conversation": conversation}
    answer = ask_prompt(SUMMARY, data, SummedUp, user_id=user.pk)
    bullets = choose_bullets(answer.bullets, f"{before}\n{conversation}")[:most] if answer else []
    if not bullets:
        return False
    digest.bullets, digest.covered = bullets, older
    digest.opening = thread[0].user_message[:OPENING_CHARS]
    return True


def choose_bullets(bullets: Sequence[str], told: str) -> list[str]:
    """Those that name nothing that was not said, without secrets."""
    told = told.casefold()
    lines = [" ".join(bullet.split()).removeprefix("- ")[:BULLET_CHARS] for bullet in bullets]
    true = [line for line in lines if line and all(one in told for one in find_particulars(line))]
    return [redact_secrets(line).text for line in true]


def read_tone(user: EndUser, digest: ThreadDigest, thread: Sequence[Exchange]) -> bool:
    if len(thread) < TONE_SHOWS or (digest.tone_read and len(thread) - digest.tone_read < EVERY):
        return False
    messages = [shorten_line(row.user_message) for row in thread[-TONE_READS:]]
    answer = ask_prompt(TONE, {"messages": messages}, InferredTone, user_id=user.pk)
    if answer is None:
        return False
    is_clear = answer.tone != "neutral" and answer.confidence >= CONFIDENT
    digest.tone, digest.tone_read = answer.tone if is_clear else "", len(thread)
    return True


def render_thread(rows: Sequence[Exchange]) -> str:
    """Each message in one line, so that none can pass for a line of the other speaker."""
    lines = []
    for row in rows:
        lines.append(f"User: {shorten_line(row.user_message)}")
        if row.assistant_message:
            lines.append(f"Assistant: {shorten_line(row.assistant_message)}")
    return "\n".join(lines)


def shorten_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MESSAGE_CHARS else f"{line[: MESSAGE_CHARS - 1]}…"


def drop_digests(user: EndUser, exchange_ids: Sequence[UUID]) -> None:
    """Before exchanges are deleted: their words may stand in the points. In the user's scope."""
    threads = Exchange.objects.filter(user=user, pk__in=exchange_ids).values("thread_id")
    ThreadDigest.objects.filter(user=user, thread_id__in=threads).delete()
