"""Episodes: runs of a thread, cut at a long stop or after six exchanges, with the first words of each turn.

Built at night from the memories of exchanges and of imported chats. Which threads have to be built anew is counted each
time and stands nowhere: a memory that was deleted, reworded or came in late makes the numbers differ.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Count, F, Func, IntegerField, Q, Sum

from memory.access.confinement import EVERYTHING, RowScope
from memory.access.scope import user_scope
from memory.language.exchanges import take_question
from memory.language.text import preview_text
from memory.models import EndUser, FactEpisode, MemoryItem
from memory.models.episodes import GIST_CHARS
from memory.models.items import ItemQuerySet
from memory.tiers import SCORED_TIERS, SourceType, Status, Trust

# As ruled: a run of one thread, ended by half an hour of silence or by six exchanges.
IDLE: Final = timedelta(minutes=30)
MOST_EXCHANGES: Final = 6
# Of a gist: as much of each turn as all of them leave, and never less than says what it is about.
LEAST_OF_TURN: Final = 60
EXCHANGE: Final = "exchange"


@dataclass(frozen=True, slots=True)
class ThreadTurn:
    """A memory of a conversation. An exchange is question and answer, an imported row one message of two."""

    memory_id: UUID
    said_at: datetime
    is_exchange: bool
    scope: RowScope = EVERYTHING

    @property
    def size(self) -> float:
        return 1.0 if self.is_exchange else 0.5


def cut_episodes(turns: Sequence[ThreadTurn], now: datetime) -> list[list[ThreadTurn]]:
    """The episodes of a thread, whose turns are in order. One that may still go on is left out."""
    found: list[list[ThreadTurn]] = []
    size = 0.0
    for turn in turns:
        last = found[-1][-1] if found else turn
        is_apart = turn.said_at - last.said_at > IDLE or turn.scope != last.scope
        if not found or size + turn.size > MOST_EXCHANGES or is_apart:
            found.append([])
            size = 0.0
        found[-1].append(turn)
        size += turn.size
    is_open = bool(found) and size < MOST_EXCHANGES and now - found[-1][-1].said_at <= IDLE
    return found[:-1] if is_open else found


def select_turns(user: EndUser) -> ItemQuerySet:
    """What was said in conversations and is still there to be found; nothing that came from outside."""
    said = Q(source__kind=EXCHANGE) | Q(source__type="import")
    items = MemoryItem.objects.for_user(user).filter(said, tier__in=SCORED_TIERS, trust__gt=Trust.EXTERNAL)
    return items.filter(status__in=[Status.ACTIVE, Status.DORMANT]).exclude(thread_id="")


def list_stale_threads(user: EndUser) -> list[str]:
    """Threads that hold another number of turns than their episodes. In the user's scope."""
    turns = select_turns(user).order_by().values("thread_id").annotate(number=Count("pk"))
    said = dict(turns.values_list("thread_id", "number"))
    size = Func(F("memory_ids"), function="cardinality", output_field=IntegerField())
    kept = FactEpisode.objects.filter(user=user).order_by().values("thread_id").annotate(number=Sum(size))
    told = dict(kept.values_list("thread_id", "number"))
    return sorted(thread for thread in {*said, *told} if said.get(thread, 0) != told.get(thread, 0))


def build_episodes(user: EndUser, thread_id: str, now: datetime, *, dry_run: bool = False) -> int:
    """Bring the episodes of a thread in line with its turns, in one transaction. Returns how many are new."""
    with user_scope(user):
        rows = select_turns(user).filter(thread_id=thread_id).order_by("occurred_at", "arrival")
        turns = [
            ThreadTurn(pk, said_at, kind == EXCHANGE, RowScope(agent_id, project_id))
            for pk, said_at, kind, agent_id, project_id in rows.values_list(
                "pk", "occurred_at", "source__kind", "agent_id", "project_id"
            )
        ]
        wanted = {tuple(turn.memory_id for turn in run): run for run in cut_episodes(turns, now)}
        known = FactEpisode.objects.filter(user=user, thread_id=thread_id).values_list("memory_ids", "pk")
        kept = {tuple(memory_ids): pk for memory_ids, pk in known}
        missing = [run for key, run in wanted.items() if key not in kept]
        if dry_run:
            return len(missing)
        FactEpisode.objects.filter(user=user, pk__in=[pk for key, pk in kept.items() if key not in wanted]).delete()
        made = [episode for run in missing if (episode := describe_episode(user, thread_id, run, now))]
        FactEpisode.objects.bulk_create(made)
    return len(made)


def describe_episode(user: EndUser, thread_id: str, run: Sequence[ThreadTurn], now: datetime) -> FactEpisode | None:
    """None while somebody changes one of its memories: the next run builds it."""
    ids = [turn.memory_id for turn in run]
    items = MemoryItem.objects.for_user(user).filter(pk__in=ids).only("pk", "text", "speaker", "source", "source_type")
    held = {item.pk: item for item in items.select_for_update(skip_locked=True, no_key=True, of=("self",))}
    if len(held) < len(ids):
        return None
    return FactEpisode(
        user=user,
        agent_id=run[0].scope.agent_id,
        project_id=run[0].scope.project_id,
        thread_id=thread_id,
        memory_ids=ids,
        gist=write_gist([held[memory_id] for memory_id in ids]),
        started_at=run[0].said_at,
        ended_at=run[-1].said_at,
        created_at=now,
    )


def write_gist(items: Sequence[MemoryItem]) -> str:
    """The first words of each turn, of an exchange those of the person: what an assistant said echoes them."""
    items = [item for item in items if item.source_type != SourceType.ASSISTANT] or items
    room = max(LEAST_OF_TURN, GIST_CHARS // len(items) - 1)
    lines = [
        preview_text(f"{item.speaker}: {take_persons_words(item)}" if item.speaker else take_persons_words(item), room)
        for item in items
    ]
    return "\n".join(line for line in lines if line)[:GIST_CHARS].strip()


def take_persons_words(item: MemoryItem) -> str:
    return take_question(item.text) if item.source.get("kind") == EXCHANGE else item.text


def drop_episodes_of(user: EndUser, memory_ids: Collection[UUID]) -> None:
    """Take along the episodes that quote memories which go or change. In the transaction of the change."""
    FactEpisode.objects.filter(user=user, memory_ids__overlap=list(memory_ids)).delete()


def iterate_unweighed(user: EndUser, model: str) -> Iterator[FactEpisode]:
    """Episodes that no fact was held against, the earliest first, as far as they have a vector."""
    while True:
        with user_scope(user):
            waiting = FactEpisode.objects.filter(user=user, weighed_at=None, model=model)
            episode = waiting.order_by("ended_at", "pk").first()
        if episode is None:
            return
        yield episode
