"""Whose words imported turns are: the person's where their speaker says so or nobody else spoke in the thread."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db.models import F, Window
from django.db.models.functions import Lag, Lower, Right

from memory.claims.claim import SPEAKER
from memory.facts.keys import fold_key
from memory.models import EndUser, Fact, MemoryItem
from memory.models.items import ItemQuerySet
from memory.tiers import SourceType, Trust
from memory.transfer.chats.importing import FORMATS

# What exports and their converters call the person, and what they call those who are nobody.
PERSON_LABELS: Final = frozenset({"user", "human", "me"})
ASSISTANT_LABELS: Final = frozenset({"assistant", "bot", "model", "ai"})
MACHINE_LABELS: Final = ASSISTANT_LABELS | {"system", "tool"}
# Characters of a reply in which the question it ends with is looked for.
END_OF_REPLY: Final = 400


@dataclass(frozen=True, slots=True)
class ImportedTurn:
    """Where a turn stands. ``arrival`` orders what was said at the same moment; ``speaker`` is empty of the person."""

    said_at: datetime
    arrival: int
    memory_id: UUID
    speaker: str = ""


def select_messages(user: EndUser) -> ItemQuerySet:
    """What anybody said in imported chats, whatever became of the memories since: it was said all the same.

    What stood beside the conversations names its part: statements are read in the memory bank, and the instructions of
    a project tell the assistant who to be.
    """
    imported = MemoryItem.objects.for_user(user).filter(source__type="import", source__format__in=list(FORMATS))
    return imported.exclude(source__has_key="part")


def select_imported(user: EndUser) -> ItemQuerySet:
    """What people said."""
    return select_messages(user).filter(source_type=SourceType.USER, trust=Trust.USER)


def read_replies_before(user: EndUser, turns: Mapping[UUID, str]) -> dict[UUID, str]:
    """By turn the end of what was said directly before it in its conversation, where the assistant said that.

    ``turns`` are the threads by memory. In the user's scope.
    """
    place = [F(name) for name in ("thread_id", "agent_id", "project_id")]
    # Of all messages of the threads at once: a look-up for each turn read a long thread as often as it has turns.
    before = Window(Lag("pk"), partition_by=place, order_by=[F("occurred_at").asc(), F("arrival").asc()])
    spoken = select_messages(user).filter(thread_id__in=set(turns.values())).order_by()
    pairs = spoken.annotate(before=before).values_list("pk", "before")
    found = {pk: earlier for pk, earlier in pairs if pk in turns and earlier is not None}
    voiced = select_messages(user).annotate(voice=Lower("speaker"), end=Right("text", END_OF_REPLY))
    replies = voiced.filter(pk__in=list(found.values()), voice__in=list(ASSISTANT_LABELS)).values_list("pk", "end")
    ends = dict(replies)
    return {pk: ends[earlier] for pk, earlier in found.items() if earlier in ends}


def list_turns(
    user: EndUser, *, since: datetime | None = None, threads: Collection[str] | None = None
) -> tuple[list[ImportedTurn], int]:
    """What people said, in no order, and how many turns of machines were left out. In the user's scope."""
    imported = select_imported(user)
    if threads is not None:
        imported = imported.filter(thread_id__in=list(threads))
    voices, names = list_voices(imported), list_told_names(user)
    if since is not None:
        imported = imported.filter(occurred_at__gte=since)
    turns: list[ImportedTurn] = []
    left_out = 0
    for said_at, arrival, memory_id, thread_id, speaker in imported.values_list(
        "occurred_at", "arrival", "pk", "thread_id", "speaker"
    ):
        if fold_key(speaker) in names or is_own_voice(user, speaker, voices[thread_id]):
            turns.append(ImportedTurn(said_at, arrival, memory_id))
        elif speaker.casefold() in MACHINE_LABELS:
            left_out += 1
        else:
            turns.append(ImportedTurn(said_at, arrival, memory_id, speaker))
    return turns, left_out


def list_own_turns(user: EndUser, *, threads: Collection[str]) -> list[ImportedTurn]:
    """The person's, in no order. In the user's scope."""
    return [turn for turn in list_turns(user, threads=threads)[0] if not turn.speaker]


def list_told_names(user: EndUser) -> set[str]:
    """What the person said they are called, as keys of facts. In the user's scope."""
    told = Fact.objects.for_user(user).active().filter(subject_key=SPEAKER, relation="name", polarity=True)
    return set(told.values_list("object_key", flat=True))


def list_voices(imported: ItemQuerySet) -> Mapping[str, set[str]]:
    """The people who speak in each thread."""
    voices: dict[str, set[str]] = defaultdict(set)
    for thread_id, speaker in imported.order_by().values_list("thread_id", "speaker").distinct():
        voices[thread_id].add(speaker.casefold())
    return voices


def is_own_voice(user: EndUser, speaker: str, voices: Collection[str]) -> bool:
    """Of several people in a thread only who is called the user, or as the client calls the person.

    Nothing tells which of two others the person is, and what the other says of themselves is no fact about the person.
    """
    name = speaker.casefold()
    own_names = PERSON_LABELS | {user.external_id.casefold()}
    if name in own_names or not name:
        return True
    people = set(voices) - MACHINE_LABELS
    return name not in MACHINE_LABELS and people == {name}


def read_own_turns_before(user: EndUser, item: MemoryItem, limit: int) -> list[tuple[UUID, str]]:
    """What was said by the same person before in the conversation, oldest first. In the user's scope."""
    place = {name: getattr(item, name) for name in ("thread_id", "speaker", "agent_id", "project_id")}
    before = select_imported(user).filter(occurred_at__lte=item.occurred_at, **place).exclude(pk=item.pk)
    near = before.order_by("-occurred_at", "-arrival").values_list("occurred_at", "arrival", "pk", "text")
    here = (item.occurred_at, item.arrival)
    return [(pk, text) for said_at, arrival, pk, text in near[: 2 * limit] if (said_at, arrival) < here][:limit][::-1]
