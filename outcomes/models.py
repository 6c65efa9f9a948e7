"""Tables of exchanges, verdicts, actions and signals."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from memory.models import EndUser
from memory.models.isolation import agent_field, project_field, user_key
from memory.tiers import MAX_TEXT_CHARS, Outcome

QUERY_CHARS = 1_000


class Source(StrEnum):
    """The source of a verdict, strongest first: a weaker source never replaces a stronger one."""

    # A person, their client or their assistant said so.
    EXPLICIT = "explicit"
    # A language model judged it from the conversation.
    DETECTOR = "detector"
    # A cue in the next message; moves scores only where a flag allows it.
    IMPLICIT = "implicit"


class Detection(StrEnum):
    """The detector's state of an exchange. Empty for exchanges older than the detector."""

    PENDING = "pending"
    DONE = "done"
    SKIPPED = "skipped"
    FAILED = "failed"


class SignalKind(StrEnum):
    """Implicit signals about an answer, and tool failures. Shown only; they move no score by themselves."""

    THANKS = "thanks"
    CORRECTS = "corrects"
    REPEATS = "repeats"
    TOOL_ERROR = "tool_error"
    TOOL_TIMEOUT = "tool_timeout"


class Exchange(models.Model):
    """One question and its answer, as reported by the client."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=200)
    turn_id = models.UUIDField(null=True, blank=True)
    memory_id = models.UUIDField(null=True, blank=True)
    # Who asked, by the name that the client gave; empty where nobody was named.
    speaker = models.CharField(max_length=200, blank=True, default="", db_default="")
    user_message = models.TextField()
    assistant_message = models.TextField()
    tools = models.JSONField(default=list)
    interrupted = models.BooleanField(default=False)
    required_scoring = models.BooleanField(default=False)
    scored_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    # Before ``created_at`` where it was imported. As its memory's ``occurred_at``, which may be gone before it.
    said_at = models.DateTimeField(default=timezone.now, db_default=Now())
    # What is read from it stays in its agent and project, also what the person says of themselves: a key that is bound
    # to one stored it, or nobody knows.
    is_bound = models.BooleanField(default=True, db_default=True)

    detection = models.CharField(
        max_length=16, choices=[(state.value, state.value) for state in Detection], blank=True, default=""
    )
    # While pending: not to be taken before this, the lease of a worker. Afterwards: when it was settled.
    detection_at = models.DateTimeField(null=True, blank=True)
    detection_attempts = models.PositiveSmallIntegerField(default=0)
    # The detector's full answer, or why it was skipped.
    detected = models.JSONField(default=dict)
    # When profile facts were extracted from the user's message. Empty: still to be done.
    profiled_at = models.DateTimeField(null=True, blank=True)
    # Not before this: the pause after a failure, or after the second time that its worker died.
    profile_after = models.DateTimeField(null=True, blank=True)
    profile_attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        db_table = "exchange"
        indexes: ClassVar = [
            models.Index(fields=["user", "thread_id", "-created_at"], name="exchange_thread"),
            models.Index(fields=["user", "-created_at", "-id"], name="exchange_recent"),
            models.Index(fields=["user", "turn_id"], name="exchange_turn"),
            models.Index(fields=["user", "memory_id"], name="exchange_memory"),
            models.Index(
                fields=["user", "thread_id", "created_at"],
                name="exchange_undetected",
                condition=models.Q(detection="pending"),
            ),
            models.Index(
                fields=["user", "said_at", "created_at", "id"],
                name="exchange_unread",
                condition=models.Q(profiled_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def short_question(self) -> str:
        """What of the user's message cues and facts are read from: as much as a memory may hold."""
        return self.user_message[:MAX_TEXT_CHARS]

    @property
    def short_answer(self) -> str:
        return self.assistant_message[:MAX_TEXT_CHARS]


class OutcomeEvent(models.Model):
    """One verdict on some memories: an append-only ledger line.

    Each memory of a turn has one verdict, the latest. When a later one takes its place, the earlier line gets a
    ``replaced_at`` and a line that takes it back (``sign`` -1, ``reverts``), with the same outcome, query and
    memories. So whoever learns from outcomes reads the lines with an empty ``learned_at`` in order of ``id``, adds
    ``sign`` to what it counts for each, and sets ``learned_at`` in the same transaction: earlier verdicts subtract
    themselves. Everything to learn from is in the line, with the tiers of the moment, so that adding and taking
    back meet the same counts whatever was promoted in between. What actions learn is in ``ActionTaken``.
    """

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    turn_id = models.UUIDField(null=True, blank=True)
    exchange_id = models.UUIDField(null=True, blank=True)
    thread_id = models.CharField(max_length=200, blank=True, default="")
    # What was asked, at most 1,000 characters.
    query = models.TextField(blank=True, default="")
    outcome = models.CharField(max_length=16, choices=[(value.value, value.value) for value in Outcome])
    source = models.CharField(
        max_length=16, choices=[(value.value, value.value) for value in Source], default=Source.EXPLICIT.value
    )
    # The kind of evidence: explicit, detector, or the kind of an implicit signal.
    signal = models.CharField(max_length=32, default="explicit")
    confidence = models.FloatField(default=1.0)
    actor = models.CharField(max_length=100, blank=True, default="")
    # What the person said of it, without secrets.
    reason = models.TextField(blank=True, default="", db_default="")
    scored_ids = ArrayField(models.UUIDField(), default=list)
    # Books and bank items: never scored, still learned from.
    learned_ids = ArrayField(models.UUIDField(), default=list)
    # ``[[memory_id, tier, how far its score moved], …]`` of all of them, as they were then.
    memories = models.JSONField(default=list)
    # The verdict is on everything the turn showed, not on named memories.
    whole = models.BooleanField(default=True)
    takeaway_id = models.UUIDField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)
    sign = models.SmallIntegerField(default=1)
    # The line this one reverses; only if ``sign`` is -1.
    reverts = models.BigIntegerField(null=True, blank=True)
    # Set when replaced. Current lines have sign 1 and no ``replaced_at``.
    replaced_at = models.DateTimeField(null=True, blank=True)
    learned_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "outcome_event"
        indexes: ClassVar = [
            models.Index(fields=["user", "-at"], name="outcome_event_recent"),
            models.Index(fields=["user", "turn_id"], name="outcome_event_turn"),
            models.Index(fields=["user", "exchange_id"], name="outcome_event_exchange"),
            models.Index(
                fields=["user", "-at", "id"],
                name="outcome_event_unexplained",
                condition=models.Q(
                    outcome="failed", sign=1, replaced_at__isnull=True, reason="", takeaway_id__isnull=True
                ),
            ),
            models.Index(
                fields=["user", "id"], name="outcome_event_unlearned", condition=models.Q(learned_at__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.at:%Y-%m-%d}"


class ActionTaken(models.Model):
    """One action of a turn: a tool run reported with its exchange, or a call of a memory tool.

    ``verdict`` is the current outcome of its turn, empty while there is none; ``learned`` is the one that has been
    learned. Whoever learns takes the rows where the two differ (index ``action_taken_unlearned``), subtracts
    ``learned`` unless it is empty, adds ``verdict`` unless it is empty, and sets ``learned = verdict`` in the same
    transaction. That is exactly once, in whichever order action and verdict came, and right when a verdict is replaced.
    """

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    turn_id = models.UUIDField(null=True, blank=True)
    thread_id = models.CharField(max_length=200, blank=True, default="")
    exchange_id = models.UUIDField(null=True, blank=True)
    action = models.CharField(max_length=200)
    # The tiers a memory tool read or wrote; empty for other tools.
    tiers = ArrayField(models.CharField(max_length=16), default=list)
    # What the turn was about, at most 1,000 characters.
    query = models.TextField(blank=True, default="")
    ok = models.BooleanField(default=True)
    timed_out = models.BooleanField(default=False)
    ms = models.FloatField(default=0)
    error = models.CharField(max_length=300, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)
    verdict = models.CharField(
        max_length=16, choices=[(value.value, value.value) for value in Outcome], blank=True, default=""
    )
    learned = models.CharField(
        max_length=16, choices=[(value.value, value.value) for value in Outcome], blank=True, default=""
    )

    class Meta:
        db_table = "action_taken"
        indexes: ClassVar = [
            models.Index(fields=["user", "-at"], name="action_taken_recent"),
            models.Index(fields=["user", "turn_id"], name="action_taken_turn"),
            models.Index(fields=["user", "exchange_id"], name="action_taken_exchange"),
            models.Index(
                fields=["user", "id"],
                name="action_taken_unlearned",
                condition=~models.Q(verdict=models.F("learned")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.at:%Y-%m-%d}"


class ConversationSignal(models.Model):
    """An implicit signal about an exchange: a cue in the next message, or a failed tool. Moves no score by itself.

    Stored apart from outcomes: thanks are cheap, and a correction is often about something else. As rows of their own
    signals can be shown, counted and, if wanted, weighed at a tenth, without counting as a use.
    """

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=200, blank=True, default="")
    # The exchange it is about.
    exchange_id = models.UUIDField()
    # The exchange in which it was noticed: for what the user said, the next one.
    heard_in = models.UUIDField()
    kind = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in SignalKind])
    # The words or the tool that are the evidence.
    evidence = models.CharField(max_length=200, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "conversation_signal"
        indexes: ClassVar = [
            models.Index(fields=["user", "exchange_id"], name="conversation_signal_exchange"),
            models.Index(fields=["user", "-at"], name="conversation_signal_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%Y-%m-%d}"


class ConversationWork(models.Model):
    """When a user's exchanges are due."""

    # Times only, and no row-level security: a sweep finds work without reading anything of a user.

    end_user = models.OneToOneField(EndUser, on_delete=models.CASCADE, primary_key=True, related_name="+")
    detect_at = models.DateTimeField(null=True, blank=True, db_index=True)
    profile_at = models.DateTimeField(null=True, blank=True, db_index=True)

    class Meta:
        db_table = "conversation_work"

    def __str__(self) -> str:
        return str(self.end_user_id)


class ThreadDigest(models.Model):
    """The older part of a conversation in a few points, and the tone of the person, as a language model reads them.

    Made again from the exchanges; gone with the first of them that is deleted.
    """

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=200)
    bullets = models.JSONField(default=list)
    # How many of the thread's exchanges, from the first, the points are about.
    covered = models.PositiveIntegerField(default=0)
    # Of the first message that they are about: a client that still has it needs no points.
    opening = models.CharField(max_length=200, blank=True, default="")
    tone = models.CharField(max_length=16, blank=True, default="")
    # How many exchanges there were when the tone was read.
    tone_read = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "thread_digest"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "thread_id", "agent_id", "project_id"], name="thread_digest_once")
        ]

    def __str__(self) -> str:
        return self.thread_id


class ThreadTitle(models.Model):
    """The title that somebody gave a conversation. Others have one made of what was said first, which is not stored."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    # Where the last that was said in it belongs.
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=200)
    title = models.CharField(max_length=200)
    actor = models.CharField(max_length=100, blank=True, default="")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "thread_title"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "thread_id", "agent_id", "project_id"], name="thread_title_once")
        ]

    def __str__(self) -> str:
        return self.title


class AgentSession(models.Model):
    """A session of a coding agent, which tells a prompt and its answer in two requests, to whichever process."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    thread_id = models.CharField(max_length=200)
    # Where its exchanges belong: of the key, and of the folder the session began in, in which an agent may walk about.
    agent_id = agent_field()
    project_id = project_field()
    # Waits for its answer; empty once the exchange is stored.
    prompt = models.TextField(blank=True, default="")
    # What the client calls the prompt, or its digest: one that is sent twice is opened once.
    prompt_key = models.CharField(max_length=64, blank=True, default="")
    prompted_at = models.DateTimeField(null=True, blank=True)
    turn_id = models.UUIDField(null=True, blank=True)
    # The last that was answered to it so far, by clients that tell the end of a turn apart.
    answer = models.TextField(blank=True, default="")
    tools = models.JSONField(default=list)
    # Hash of the standing part of the context that the session was told.
    told_hash = models.CharField(max_length=64, blank=True, default="")
    # Whether a bound key sent the prompt that waits: its exchange is bound, whoever ends it.
    is_bound = models.BooleanField(default=True, db_default=True)
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "agent_session"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "thread_id", "agent_id", "project_id"], name="agent_session_once")
        ]

    def __str__(self) -> str:
        return self.thread_id
