"""Reads into facts what is stored already: exchanges, read before or not, and what people said in imported chats.

In the order it was said, whichever way it came in. Evidence is unique, so that what was read before is read again
without being counted twice, and a reading that was stopped may begin anew.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID

from memory.access.confinement import RowScope, confine_to
from memory.access.scope import user_scope
from memory.claims import Claim
from memory.facts.drafts import FactDraft
from memory.facts.evidence import FactOrigin
from memory.facts.recording import FactEffect
from memory.language.exchanges import find_asked
from memory.lifecycle import learning
from memory.lifecycle.learning import DraftedStatement, LearnedFacts, SpokenText
from memory.models import EndUser, MemoryItem
from memory.models.facts import EvidenceKind
from memory.tiers import MAX_TEXT_CHARS
from memory.transfer.chats.speech import list_turns, read_own_turns_before, read_replies_before
from outcomes.exchanges import reading_queue
from outcomes.exchanges.reading_queue import SaidBefore
from outcomes.models import Exchange

# Texts that are in memory at once.
BATCH: Final = 50


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A turn to read: where it stands among the others, and whether it is an exchange or imported."""

    said_at: datetime
    arrival: int
    kind: EvidenceKind
    ref_id: UUID
    # Of an imported turn, where it is not the person's.
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class LoadedTurn:
    spoken: SpokenText
    origin: FactOrigin


@dataclass(frozen=True, slots=True)
class ImportedChats:
    """What was said before each imported turn of a batch; each conversation is looked up once.

    ``replies`` are what the assistant said directly before, by the turn's memory.
    """

    user: EndUser
    replies: Mapping[UUID, str]
    said: dict[tuple[str, str, RowScope], SaidBefore] = field(default_factory=dict)

    def take_before(self, item: MemoryItem) -> SaidBefore:
        """Turns are taken in the order they were said. In the user's scope."""
        place = (item.thread_id, item.speaker, RowScope.of(item))
        known = self.said.get(place) or self.read_before(item)
        before = replace(known, asked=find_asked(self.replies.get(item.pk, "")))
        self.said[place] = before.add(item.text)
        return before

    def read_before(self, item: MemoryItem) -> SaidBefore:
        turns = read_own_turns_before(self.user, item, reading_queue.LAST_TURNS)
        replies = read_replies_before(self.user, {pk: item.thread_id for pk, _ in turns}) if turns else {}
        found = SaidBefore()
        for pk, text in turns:
            found = replace(found, asked=find_asked(replies.get(pk, ""))).add(text)
        return found


@dataclass(slots=True)
class ReadingCounts:
    """``turns`` were read, ``others`` of them are of other people in imported chats; ``machines`` were left out there;
    ``until`` is how far it came."""

    turns: int = 0
    others: int = 0
    machines: int = 0
    statements: int = 0
    new: int = 0
    supported: int = 0
    ended: int = 0
    until: datetime | None = None

    def add_learned(self, learned: LearnedFacts) -> None:
        for one in learned.recorded:
            if one.fact is None or not one.is_new_evidence:
                continue
            self.ended += len(one.closed)
            if one.effect in {FactEffect.REINFORCED, FactEffect.MERGED}:
                self.supported += 1
            else:
                self.new += 1


def list_said_turns(user: EndUser, since: datetime | None) -> tuple[list[SaidTurn], int]:
    """Everything people said that is stored, oldest first, and how many imported turns are of machines."""
    imported, machines = list_imported_turns(user, since, None)
    with user_scope(user):
        exchanges = Exchange.objects.filter(user=user)
        if since is not None:
            exchanges = exchanges.filter(said_at__gte=since)
        rows = exchanges.order_by("created_at", "pk").values_list("said_at", "pk")
        stored = [SaidTurn(said_at, order, EvidenceKind.EXCHANGE, pk) for order, (said_at, pk) in enumerate(rows)]
    return sorted([*imported, *stored], key=find_place), machines


def list_imported_turns(
    user: EndUser, since: datetime | None, threads: Collection[str] | None
) -> tuple[list[SaidTurn], int]:
    with user_scope(user):
        said, machines = list_turns(user, since=since, threads=threads)
    turns = [SaidTurn(one.said_at, one.arrival, EvidenceKind.IMPORT, one.memory_id, one.speaker) for one in said]
    return sorted(turns, key=find_place), machines


def find_place(turn: SaidTurn) -> tuple[datetime, str, int]:
    return (turn.said_at, turn.kind, turn.arrival)


def read_turns(
    user: EndUser,
    turns: Sequence[SaidTurn],
    counts: ReadingCounts,
    *,
    now: datetime,
    dry_run: bool = False,
    on_turns: Callable[[int], None],
) -> None:
    """Read turns in the order given, one transaction each. ``dry_run`` only counts what would be found."""
    waiting = iter(turns)
    while batch := list(islice(waiting, BATCH)):
        for turn in load_turns(user, batch):
            if dry_run:
                found = learning.find_facts(user, turn.spoken, turn.spoken.previous)
                counts.statements += sum(not is_passing(fact.claims) for fact in found)
            else:
                # What is learned of it belongs where the turn does.
                with confine_to(turn.origin.scope):
                    drafted = learning.draft_facts(user, turn.spoken, name_source(turn.origin))
                    counts.statements += sum(not is_passing(one.drafts) for one in drafted)
                    store_turn(user, turn, drafted, counts, now)
            counts.until = turn.spoken.said_at
        counts.turns += len(batch)
        counts.others += sum(bool(turn.speaker) for turn in batch)
        on_turns(len(batch))


def is_passing(read: Sequence[Claim | FactDraft]) -> bool:
    """Whether it says nothing lasting by itself, and is a fact only where it ends one."""
    return bool(read) and all(getattr(one, "is_remark", False) for one in read)


def name_source(origin: FactOrigin) -> dict[str, str]:
    return {"exchange" if origin.kind is EvidenceKind.EXCHANGE else "memory": str(origin.ref_id)}


def load_turns(user: EndUser, batch: Sequence[SaidTurn]) -> Iterator[LoadedTurn]:
    """Those of a batch that are still there and say something, with what was said before each."""
    with user_scope(user):
        ids = [turn.ref_id for turn in batch]
        exchanges = Exchange.objects.filter(user=user).in_bulk(ids)
        items = MemoryItem.objects.for_user(user).defer("lexemes").in_bulk(ids)
        threads = {pk: item.thread_id for pk, item in items.items()}
        chats = ImportedChats(user, read_replies_before(user, threads) if threads else {})
        loaded: list[LoadedTurn] = []
        for turn in batch:
            if (exchange := exchanges.get(turn.ref_id)) is not None:
                loaded.append(load_exchange(user, exchange))
            elif (item := items.get(turn.ref_id)) is not None:
                loaded.append(load_item(item, chats.take_before(item), turn.speaker))
    return (turn for turn in loaded if not reading_queue.tells_nothing(turn.spoken.text))


def load_exchange(user: EndUser, exchange: Exchange) -> LoadedTurn:
    before = reading_queue.read_last_turns(user, exchange)
    spoken = SpokenText(
        exchange.short_question,
        exchange.said_at,
        exchange.thread_id,
        exchange.memory_id,
        before.turns,
        asked=before.asked,
        lead=before.lead,
        speaker=reading_queue.name_other(user, exchange),
    )
    source = (exchange.pk, exchange.memory_id, exchange.thread_id)
    return LoadedTurn(spoken, FactOrigin(EvidenceKind.EXCHANGE, *source, RowScope.of(exchange)))


def load_item(item: MemoryItem, before: SaidBefore, speaker: str) -> LoadedTurn:
    spoken = SpokenText(
        item.text[:MAX_TEXT_CHARS],
        item.occurred_at,
        item.thread_id,
        item.pk,
        before.turns[-reading_queue.LAST_TURNS :],
        asked=before.asked,
        lead=before.lead,
        speaker=speaker,
    )
    source = (item.pk, item.pk, item.thread_id)
    return LoadedTurn(spoken, FactOrigin(EvidenceKind.IMPORT, *source, RowScope.of(item)))


def store_turn(
    user: EndUser, turn: LoadedTurn, drafted: Sequence[DraftedStatement], counts: ReadingCounts, now: datetime
) -> None:
    """Store the facts of a turn and settle it, unless it was deleted while it was read."""
    origin = turn.origin
    if not drafted and origin.kind is EvidenceKind.IMPORT:
        return
    with user_scope(user):
        if origin.kind is EvidenceKind.EXCHANGE:
            exchanges = Exchange.objects.select_for_update(no_key=True).filter(user=user, pk=origin.ref_id)
            exchange = exchanges.first()
            if exchange is None:
                return
            if exchange.profiled_at is None:
                reading_queue.mark_profiled(exchange, now)
        else:
            items = MemoryItem.objects.for_user(user).select_for_update(no_key=True).filter(pk=origin.ref_id)
            if items.only("pk").first() is None:
                return
        counts.add_learned(learning.learn_facts(user, drafted, origin, now=now))
