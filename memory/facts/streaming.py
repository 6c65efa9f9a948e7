"""What the next turn of a thread is reminded of without asking: facts and episodes near what was said last.

Chosen in the background after an exchange, by the person's last two turns, so that the next context only reads a row.
The row holds ids and numbers; what they say is read when it is told, so that what was forgotten, corrected or
superseded since is never told from here.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

import numpy as np
from django.db import connection
from django.db.models import Exists, OuterRef

from memory.access.confinement import RowScope, current_scope, name_conversation
from memory.access.scope import user_scope
from memory.conf import StreamConf, memory_conf
from memory.facts.confidence import decay_confidence, is_lasting
from memory.facts.episodes import select_turns, take_persons_words
from memory.facts.evidence import compute_confidence
from memory.facts.nearest import embedding_of, find_nearest, find_nearest_episodes, name_scope
from memory.facts.relevance import EPISODE_CONFIDENCE, weigh_relevance
from memory.indexes.answering import build_question_embedder
from memory.inference.base import QuestionVector, Vector
from memory.language.text import estimate_tokens
from memory.models import EndUser, Fact, FactEpisode, FactStream, MemoryItem
from memory.models.facts import FactQuerySet
from memory.platform.deadline import Deadline
from memory.tiers import Trust

StreamedKind = Literal["fact", "episode"]

LAST_TURNS: Final = 2
CANDIDATES: Final = 20
# As asked: of two that lie so near, one says it.
ALIKE: Final = 0.8
# As asked: below half nobody is told without asking; a search finds it down to 0.3.
LEAST_BELIEVED: Final = 0.5
DEADLINE_S: Final = 5.0
KEPT_FOR: Final = timedelta(days=7)
MOST_CHARS: Final = 2_000
HASH_STEPS: Final = 2**32


@dataclass(frozen=True, slots=True)
class StreamedLine:
    """``memory_ids``: the bank item of a fact, the memories of an episode."""

    kind: StreamedKind
    id: UUID
    text: str
    confidence: float
    said_at: datetime
    similarity: float
    relevance: float
    memory_ids: Collection[UUID] = ()

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.text)


@dataclass(frozen=True, slots=True)
class ThreadStream:
    """What a thread's next turn is reminded of, best first; ``made_at`` is None where nothing was made yet."""

    lines: Sequence[StreamedLine] = ()
    made_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StreamCandidate:
    kind: StreamedKind
    id: UUID
    vector: Vector
    similarity: float
    relevance: float


class StreamRow(NamedTuple):
    """A line as it is kept, with its fact or its episode where that is still to be told."""

    made_at: datetime
    line: str | None
    statement: str | None
    relation: str | None
    category: str | None
    is_confirmed: bool | None
    bank_item_id: UUID | None
    base_confidence: float | None
    evidence_at: datetime | None
    last_seen: datetime | None
    gist: str | None
    ended_at: datetime | None
    memory_ids: list[UUID] | None


# In one statement: by the row's own ids, facts and episodes after it, a context took 4 ms of this process longer.
READ: Final = """
SELECT s.made_at, l.line::text, f.statement, f.relation, f.category, f.is_confirmed, f.bank_item_id, f.base_confidence,
    f.evidence_at, f.last_seen, e.gist, e.ended_at, e.memory_ids
FROM fact_stream s
LEFT JOIN LATERAL jsonb_array_elements(s.lines) WITH ORDINALITY AS l(line, place) ON true
LEFT JOIN fact f ON l.line->>0 = 'fact' AND f.user_id = s.user_id AND f.id = (l.line->>1)::uuid
    AND f.state = 'active' AND f.trust > %(external)s AND NOT EXISTS (
        SELECT 1 FROM memory_item m WHERE m.user_id = f.user_id AND m.id = f.bank_item_id AND m.review)
LEFT JOIN fact_episode e ON l.line->>0 = 'episode' AND e.user_id = s.user_id AND e.id = (l.line->>1)::uuid
WHERE s.user_id = %(user)s AND s.thread_id = %(thread)s AND s.agent_id = %(agent)s AND s.project_id = %(project)s
ORDER BY l.place
"""


def is_streaming_for(user: EndUser) -> bool:
    """Whether this person is among the share that is told: by a hash, so that they always are or never."""
    share = memory_conf().stream.share
    name = f"{user.organization_id}/{user.external_id}".encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=4).digest()) < share * HASH_STEPS


def make_stream(user: EndUser, thread_id: str, now: datetime) -> ThreadStream:
    """Choose what the next turn of the conversation of the scope that holds is reminded of, and keep it.

    Raises Unavailable; then the stream stays what it was.
    """
    place = name_place(thread_id, current_scope())
    with user_scope(user):
        last = select_turns(user).filter(**place).order_by("-arrival")[:LAST_TURNS]
        turns = list(last.only("pk", "text", "source", "speaker"))
        has_any = Fact.objects.for_user(user).active().exists() or FactEpisode.objects.filter(user=user).exists()
    if not turns or not has_any:
        return ThreadStream()
    deadline = Deadline(DEADLINE_S)
    service = build_question_embedder(deadline)
    said = "\n".join(take_persons_words(turn) for turn in reversed(turns))[-MOST_CHARS:]
    vector = QuestionVector(service.embed_query(said, deadline), service.model)
    with user_scope(user):
        chosen = choose_lines(user, place, vector, now)
        lines = [[one.kind, str(one.id), round(one.similarity, 4), round(one.relevance, 4)] for one in chosen]
        FactStream.objects.update_or_create(user=user, **place, defaults={"lines": lines, "made_at": now})
    return read_stream(user, thread_id, now)


def name_place(thread_id: str, scope: RowScope) -> dict[str, Any]:
    """What tells a conversation from another: two projects that both call theirs "main" have two."""
    return {"thread_id": thread_id, **name_scope(scope)}


def choose_lines(
    user: EndUser, place: Mapping[str, str], vector: QuestionVector, now: datetime
) -> list[StreamCandidate]:
    conf = memory_conf().stream
    facts = list_fact_candidates(user, vector, now, conf)
    episodes = list_episode_candidates(user, place, vector, now, conf)
    model = vector.model
    return [*sample_diverse(facts, conf.facts, model), *sample_diverse(episodes, conf.episodes, model)]


def list_fact_candidates(
    user: EndUser, vector: QuestionVector, now: datetime, conf: StreamConf
) -> list[StreamCandidate]:
    near = find_nearest(user, *vector, asked=True, limit=CANDIDATES)
    found = []
    for fact in select_tellable(user).filter(pk__in=[pk for pk, at in near.items() if at >= conf.similarity]):
        believed = compute_confidence(fact, now)
        if believed > LEAST_BELIEVED:
            weight = weigh_relevance(near[fact.pk], believed, fact.last_seen, now)
            found.append(StreamCandidate("fact", fact.pk, as_vector(fact.vector), near[fact.pk], weight))
    return found


def list_episode_candidates(
    user: EndUser, place: Mapping[str, str], vector: QuestionVector, now: datetime, conf: StreamConf
) -> list[StreamCandidate]:
    """Of other conversations: what was said in this one the assistant has before it."""
    near = find_nearest_episodes(user, *vector, limit=CANDIDATES)
    ids = [pk for pk, at in near.items() if at >= conf.similarity]
    found = []
    for episode in FactEpisode.objects.filter(user=user, pk__in=ids).exclude(**place):
        weight = weigh_relevance(near[episode.pk], EPISODE_CONFIDENCE, episode.ended_at, now)
        found.append(StreamCandidate("episode", episode.pk, as_vector(episode.vector), near[episode.pk], weight))
    return found


def as_vector(stored: Any) -> Vector:  # noqa: ANN401 -- the field gives a list
    return np.array(stored, dtype=np.float32)


def sample_diverse(candidates: Sequence[StreamCandidate], most: int, model: str) -> list[StreamCandidate]:
    """The best, without those that say much the same as a better one."""
    calibrate = embedding_of(model).calibrate_cosine
    chosen: list[StreamCandidate] = []
    for one in sorted(candidates, key=lambda one: (-one.relevance, str(one.id))):
        is_said = any(calibrate(float(one.vector @ other.vector)) >= ALIKE for other in chosen)
        if len(chosen) < most and not is_said:
            chosen.append(one)
    return chosen


def select_tellable(user: EndUser) -> FactQuerySet:
    """Current facts of the person's side that no review holds back."""
    held_back = MemoryItem.objects.for_user(user).filter(pk=OuterRef("bank_item_id"), review=True)
    return Fact.objects.for_user(user).active().filter(~Exists(held_back), trust__gt=Trust.EXTERNAL)


def read_stream(user: EndUser, thread_id: str, now: datetime) -> ThreadStream:
    """What is kept for the conversation of the scope that holds, with the words of today, within its budgets."""
    if not thread_id:
        return ThreadStream()
    asked: dict[str, Any] = {"user": user.pk, "external": int(Trust.EXTERNAL), **name_conversation(thread_id)}
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(READ, asked)
        rows = [StreamRow(*row) for row in cursor.fetchall()]
    lines = [line for row in rows if (line := describe_row(row, now)) is not None]
    return ThreadStream(fit_lines(lines, memory_conf().stream.tokens), rows[0].made_at if rows else None)


def describe_row(row: StreamRow, now: datetime) -> StreamedLine | None:
    """A chosen row as a line; None if it has ended, faded or gone since."""
    if row.line is None:
        return None
    _, pk, similarity, relevance = json.loads(row.line)
    if row.gist is not None and row.ended_at is not None:
        said = " / ".join(row.gist.splitlines())
        sources = tuple(row.memory_ids or ())
        return StreamedLine("episode", UUID(pk), said, EPISODE_CONFIDENCE, row.ended_at, similarity, relevance, sources)
    if row.statement is None or row.evidence_at is None or row.last_seen is None:
        return None
    believed = row.base_confidence or 0.0
    is_published = row.bank_item_id is not None
    if not is_lasting(
        row.relation or "", row.category or "", is_confirmed=bool(row.is_confirmed), is_published=is_published
    ):
        believed = decay_confidence(believed, row.evidence_at, now)
    behind = (row.bank_item_id,) if row.bank_item_id else ()
    line = StreamedLine("fact", UUID(pk), row.statement, believed, row.last_seen, similarity, relevance, behind)
    return line if believed > LEAST_BELIEVED else None


def fit_lines(lines: Sequence[StreamedLine], tokens: int) -> list[StreamedLine]:
    """The first lines that fit. Facts and episodes have ``tokens`` each; no line is cut."""
    left = {"fact": tokens, "episode": tokens}
    kept = []
    for line in lines:
        if line.tokens <= left[line.kind]:
            kept.append(line)
            left[line.kind] -= line.tokens
    return kept


def drop_old_streams(user: EndUser | int, now: datetime) -> int:
    """Delete streams that are too old to be told; returns how many. In the user's scope."""
    key = user if isinstance(user, int) else user.pk
    return FactStream.objects.filter(user_id=key, made_at__lt=now - KEPT_FOR).delete()[0]
