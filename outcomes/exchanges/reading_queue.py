"""Which exchanges wait to be read, in the order they were said, and what becomes of those whose reading fails.

The rows are the queue: an empty ``profiled_at`` is pending. One process at a time reads a person's (`drain_exchanges`),
so an attempt that was begun and not ended belongs to one that died, and the next takes it up at once.
"""

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.access.confinement import RowScope
from memory.access.outbox import retry_delay
from memory.access.scope import user_scope
from memory.claims.replies.confirming import begins_polar
from memory.conf import memory_conf
from memory.facts.keys import fold_key
from memory.language.exchanges import find_asked
from memory.models import EndUser
from memory.models.isolation import ScopedRow
from memory.transfer.chats.speech import is_own_voice, list_told_names
from outcomes.detection.cues import is_small_talk
from outcomes.models import Exchange
from outcomes.work import filter_conversation, filter_readable

MOST_ATTEMPTS = 5
LAST_TURNS = 4
# Of a thread: stored before, and after where somebody stores a conversation out of its order.
NEAR_TURNS = 32


@dataclass(frozen=True, slots=True)
class TurnToRead:
    """An exchange to read, and what the person said before it in the thread, oldest first.

    ``asked`` is the question that the assistant's last words were, and ``lead`` the talk that led to it.
    """

    exchange: Exchange
    previous: Sequence[str]
    asked: str = ""
    lead: str = ""
    # Whose words they are, where they are not the person's.
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class SaidBefore:
    """The last turns of a thread, oldest first, what each answered, and what the assistant asked at the end."""

    turns: Sequence[str] = ()
    answered: Sequence[str] = ()
    asked: str = ""

    def add(self, said: str, reply: str = "") -> "SaidBefore":
        """With the next turn, and what the assistant replied to it as far as that is known."""
        return SaidBefore([*self.turns, said], [*self.answered, self.asked], find_asked(reply))

    @property
    def lead(self) -> str:
        """The last turn; where that answered a question itself, behind the question and the turn that it followed.

        "My mum's poorly" "What does she take?" "metformin" "What dose?": whose dose it is, the first of them says.
        """
        told: list[str] = []
        for turn, question in zip(reversed(self.turns), reversed(self.answered), strict=True):
            told = [" ".join(filter(None, (question, f"{turn.rstrip(' .!?…,;:')}."))), *told]
            if not question or len(told) == LAST_TURNS:
                break
        return " ".join(told)


def begin_reading(user: EndUser, now: datetime, limit: int) -> tuple[list[TurnToRead], int]:
    """Begin to read what is due, and settle what needs no reading. Returns also how many were settled.

    In the order they were said: what was said later replaces what was said before, whichever came in first.
    """
    with user_scope(user):
        due = filter_readable(user, now).select_for_update(no_key=True)
        rows = cut_at_begun(list(due.order_by("said_at", "created_at", "pk")[:limit]))
        begun: list[Exchange] = []
        for exchange in rows:
            if is_skippable(exchange):
                mark_profiled(exchange, now)
                continue
            exchange.profile_attempts += 1
            # The first death may have been anybody's: it is taken up in its turn. A second is taken for its own doing,
            # and what was said after it is read first.
            is_suspect = exchange.profile_attempts > 1
            exchange.profile_after = now + retry_delay(exchange.profile_attempts) if is_suspect else None
            begun.append(exchange)
        Exchange.objects.bulk_update(begun, ["profile_attempts", "profile_after"])
        return list(recall_threads(user, rows, begun)), len(rows) - len(begun)


def cut_at_begun(rows: list[Exchange]) -> list[Exchange]:
    """One that was begun before is taken alone, so that it takes no other with it when it kills the worker again."""
    first_begun = next((number for number, row in enumerate(rows) if row.profile_attempts), len(rows))
    return rows[: max(1, first_begun)]


def is_skippable(exchange: Exchange) -> bool:
    # After so many attempts it has crashed the worker each time.
    is_deadly = exchange.profile_attempts >= MOST_ATTEMPTS
    return is_deadly or not memory_conf().flags["profile_detection"] or tells_nothing(exchange.short_question)


def tells_nothing(text: str) -> bool:
    """A few words without a value: "658" may be what was asked back, and "yes" agrees to something."""
    return is_small_talk(text) and not any(char.isdigit() for char in text) and not begins_polar(text)


def recall_threads(user: EndUser, rows: Iterable[Exchange], begun: Collection[Exchange]) -> Iterator[TurnToRead]:
    """Those that are read, each with what was said before it: a name in it may be what a message goes on about.

    Needs the user's scope.
    """
    said: dict[tuple[str, str, RowScope], SaidBefore] = {}
    for exchange in rows:
        # Once for each thread and speaker: the rest goes on from there, also behind what needs no reading.
        place = (exchange.thread_id, exchange.speaker, RowScope.of(exchange))
        is_read = exchange in begun
        before = said.get(place) or (read_last_turns(user, exchange) if is_read else None)
        if before is None:
            continue
        if is_read:
            yield TurnToRead(
                exchange, before.turns[-LAST_TURNS:], before.asked, before.lead, name_other(user, exchange)
            )
        said[place] = before.add(exchange.short_question, exchange.short_answer)


def read_last_turns(user: EndUser, exchange: Exchange) -> SaidBefore:
    thread = filter_conversation(user, exchange.thread_id, exchange).exclude(pk=exchange.pk)
    thread = thread.filter(speaker=exchange.speaker)
    near = thread.order_by("-created_at", "-pk").values_list("said_at", "created_at", "pk")
    place = (exchange.said_at, exchange.created_at, exchange.pk)
    before = [pk for *_, pk in sorted(one for one in near[:NEAR_TURNS] if one < place)[-LAST_TURNS:]]
    spoken = Exchange.objects.filter(user=user).only("user_message", "assistant_message")
    messages = spoken.in_bulk(before) if before else {}
    found = SaidBefore()
    for pk in before:
        if pk in messages:
            found = found.add(messages[pk].short_question, messages[pk].short_answer)
    return found


def name_other(user: EndUser, exchange: Exchange) -> str:
    """Who said it, where that is somebody else than the person. Empty where it is the person.

    As in imported chats a name is the person's as long as nobody else has spoken in the conversation; and so is the
    name that the person has told.
    """
    return exchange.speaker if speaks_for_another(user, exchange.thread_id, exchange, exchange.speaker) else ""


def speaks_for_another(user: EndUser, thread_id: str, place: ScopedRow, speaker: str) -> bool:
    """Whether who is called so in the conversation is somebody else than the person. In the user's scope."""
    if not speaker:
        return False
    thread = filter_conversation(user, thread_id, place).order_by()
    voices = {name.casefold() for name in thread.values_list("speaker", flat=True).distinct()} | {speaker.casefold()}
    return not is_own_voice(user, speaker, voices) and fold_key(speaker) not in list_told_names(user)


def undo_attempt(user: EndUser, exchange: Exchange) -> None:
    """A service it needs does not answer: this was no attempt."""
    with user_scope(user):
        row = lock_pending(user, exchange.pk)
        if row is not None and row.profile_attempts > 0:
            row.profile_attempts, row.profile_after = row.profile_attempts - 1, None
            row.save(update_fields=["profile_attempts", "profile_after"])


def postpone_exchange(user: EndUser, exchange: Exchange, now: datetime) -> None:
    """Its reading failed: what was said after it is read first."""
    with user_scope(user):
        row = lock_pending(user, exchange.pk)
        if row is not None:
            row.profile_after = now + retry_delay(row.profile_attempts)
            row.save(update_fields=["profile_after"])


def lock_pending(user: EndUser, exchange_id: uuid.UUID) -> Exchange | None:
    pending = Exchange.objects.select_for_update(no_key=True).filter(user=user, profiled_at=None)
    return pending.filter(pk=exchange_id).first()


def settle_exchanges(user: EndUser, exchanges: Sequence[Exchange], now: datetime) -> None:
    """At once those that tell nothing."""
    if exchanges:
        with user_scope(user):
            pending = Exchange.objects.filter(user=user, profiled_at=None, pk__in=[one.pk for one in exchanges])
            pending.update(profiled_at=now, profile_after=None)


def mark_profiled(exchange: Exchange, now: datetime) -> None:
    exchange.profiled_at, exchange.profile_after = now, None
    exchange.save(update_fields=["profiled_at", "profile_after"])
