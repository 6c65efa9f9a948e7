"""A person's conversations with their titles: given by somebody, by the chat they were imported from, or made here.

Two projects that both call a thread "main" have two conversations.

A title is made of what was said first whenever it is read, and never stored: what is deleted is in no title, and
conversations from before have one as well.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple, Protocol, Self

from django.db import connection
from django.db.models import Exists, F, OuterRef, Window
from django.db.models.functions import RowNumber

from memory.access.confinement import RowScope, current_scope
from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.language.exchanges import take_question
from memory.models import EndUser, MemoryItem
from memory.models.isolation import ScopedRow
from memory.store.admission import validate_field_text
from memory.tiers import Status
from outcomes.detection.cues import is_small_talk
from outcomes.models import Exchange, ThreadTitle
from outcomes.work import CONVERSATION

TITLE_LIMIT: Final = 200
# Characters of a title made here: a line of a list on a narrow screen holds two thirds of it.
MADE_CHARS: Final = 60
# Of each conversation these many messages are read for the first that says something.
OPENINGS: Final = 3
OPENING_CHARS: Final = 600
KEPT: Final = (Status.ACTIVE.value, Status.DORMANT.value)
# Not after a word of one or two letters, or a capitalised one of three: "My dentist is Dr. Katz", "la Sra. Gil".
SENTENCE_END = re.compile(r"(?<!\b\w\.)(?<!\b\w\w\.)(?<!\b[A-Z]\w\w\.)(?<=[.!?…。！？؟])\s+|[\r\n]+")


# The kind of source of what was read in a conversation and published in the bank.
PUBLISHED: Final = "profile"


class ThreadRow(ScopedRow, Protocol):
    """What names a thread as well: an exchange, a memory, a turn."""

    @property
    def thread_id(self) -> str: ...


class ConversationKey(NamedTuple):
    """What tells a conversation from another of the same person."""

    thread_id: str
    agent_id: str = ""
    project_id: str = ""

    @classmethod
    def of(cls, row: ThreadRow) -> Self:
        return cls(row.thread_id, row.agent_id, row.project_id)

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> Self:
        return cls(values["thread_id"], values["agent_id"], values["project_id"])


class TitleSource(StrEnum):
    PERSON = "person"
    IMPORT = "import"
    RULES = "rules"


@dataclass(frozen=True, slots=True)
class TitledThread:
    thread_id: str
    agent_id: str
    project_id: str
    title: str
    title_source: TitleSource
    first_at: datetime
    last_at: datetime
    exchanges: int
    memories: int


@dataclass(frozen=True, slots=True)
class ThreadCursor:
    """The end of a page: its last conversation."""

    last_at: datetime
    conversation: ConversationKey


SAID = """
WITH said AS (
    SELECT thread_id, agent_id, project_id, said_at AS at, 1 AS exchanges, 0 AS memories, false AS is_read
    FROM exchange WHERE user_id = %(user)s
    UNION ALL
    SELECT thread_id, agent_id, project_id, occurred_at, 0, 1, source->>'kind' IS NOT DISTINCT FROM 'profile'
    FROM memory_item WHERE user_id = %(user)s AND thread_id <> '' AND status = ANY(%(kept)s)
)
SELECT thread_id, agent_id, project_id, min(at), max(at), sum(exchanges), sum(memories) FROM said
"""
WANTED = """
WHERE (thread_id, agent_id, project_id) IN (
    SELECT thread_id, agent_id, project_id FROM thread_title WHERE user_id = %(user)s AND title ILIKE %(words)s
    UNION SELECT thread_id, agent_id, project_id FROM exchange
    WHERE user_id = %(user)s AND (user_message ILIKE %(words)s OR assistant_message ILIKE %(words)s)
    UNION SELECT thread_id, agent_id, project_id FROM memory_item
    WHERE user_id = %(user)s AND status = ANY(%(kept)s)
      AND (text ILIKE %(words)s OR metadata->>'thread_title' ILIKE %(words)s)
)
"""
ONE = "WHERE thread_id = %(thread_id)s AND agent_id = %(agent_id)s AND project_id = %(project_id)s "
# What was read in a conversation of a project and is the person's own makes no conversation of theirs.
GROUPED = """GROUP BY thread_id, agent_id, project_id
HAVING NOT (bool_and(is_read) AND thread_id IN (SELECT thread_id FROM exchange WHERE user_id = %(user)s))
"""
AFTER = """AND (max(at), thread_id, agent_id, project_id) < (%(last_at)s, %(thread_id)s, %(agent_id)s, %(project_id)s)
"""
ORDERED = "ORDER BY max(at) DESC, thread_id DESC, agent_id DESC, project_id DESC LIMIT %(limit)s"


def list_titled_threads(
    user: EndUser, *, limit: int, words: str = "", after: ThreadCursor | None = None
) -> list[TitledThread]:
    """The latest first. ``words`` stand in the title or in what was said, as they are written."""
    statement = SAID + (WANTED if words else "") + GROUPED + (AFTER if after else "") + ORDERED
    given = {"limit": limit, "words": f"%{escape_pattern(words)}%"}
    if after is not None:
        given |= {"last_at": after.last_at, **after.conversation._asdict()}
    return fetch_threads(user, statement, given)


def find_titled_thread(user: EndUser, conversation: ConversationKey) -> TitledThread | None:
    return next(iter(fetch_threads(user, SAID + ONE + GROUPED, conversation._asdict())), None)


def fetch_threads(user: EndUser, statement: str, given: dict[str, Any]) -> list[TitledThread]:
    with user_scope(user):
        with connection.cursor() as cursor:
            cursor.execute(statement, {"user": user.pk, "kept": list(KEPT), **given})
            rows = cursor.fetchall()
        found = [(ConversationKey(*row[:3]), row[3:]) for row in rows]
        titles = read_titles(user, [conversation for conversation, _ in found])
    return [TitledThread(*conversation, *titles[conversation], *counted) for conversation, counted in found]


def escape_pattern(words: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", words)


def read_titles(
    user: EndUser, conversations: Collection[ConversationKey]
) -> dict[ConversationKey, tuple[str, TitleSource]]:
    """The title of each conversation and where it is from; its id where nothing is known of it."""
    wanted = dict.fromkeys(conversations)
    if not wanted:
        return {}
    with user_scope(user):
        made = {one: make_title(texts) for one, texts in read_openings(user, wanted).items()}
        titles = {one: (made.get(one) or one.thread_id, TitleSource.RULES) for one in wanted}
        ids = {one.thread_id for one in wanted}
        items = MemoryItem.objects.for_user(user).filter(thread_id__in=ids, metadata__has_key="thread_title")
        named = items.order_by(*CONVERSATION, "arrival").distinct(*CONVERSATION)
        for *place, title in named.values_list(*CONVERSATION, "metadata__thread_title"):
            if isinstance(title, str) and title.strip() and ConversationKey(*place) in titles:
                titles[ConversationKey(*place)] = (title.strip()[:TITLE_LIMIT], TitleSource.IMPORT)
        given = ThreadTitle.objects.filter(user=user, thread_id__in=ids).order_by("updated_at", "pk")
        for *place, title in given.values_list(*CONVERSATION, "title"):
            if ConversationKey(*place) in titles:
                titles[ConversationKey(*place)] = (title, TitleSource.PERSON)
    return titles


def read_openings(user: EndUser, conversations: Collection[ConversationKey]) -> dict[ConversationKey, list[str]]:
    """The first messages of each conversation: of its exchanges, or else of its memories."""
    openings: dict[ConversationKey, list[str]] = defaultdict(list)
    said = Exchange.objects.filter(user=user, thread_id__in={one.thread_id for one in conversations})
    place = Window(RowNumber(), partition_by=[F(name) for name in CONVERSATION], order_by=["created_at", "pk"])
    first = said.annotate(place=place).filter(place__lte=OPENINGS).order_by(*CONVERSATION, "place")
    for *where, text in first.values_list(*CONVERSATION, "user_message"):
        openings[ConversationKey(*where)].append(text[:OPENING_CHARS])
    silent = {one for one in conversations if one not in openings}
    ids = {one.thread_id for one in silent}
    kept = MemoryItem.objects.for_user(user).filter(thread_id__in=ids, status__in=KEPT)
    arrival = Window(RowNumber(), partition_by=[F(name) for name in CONVERSATION], order_by=["arrival"])
    first_kept = kept.annotate(place=arrival).filter(place__lte=OPENINGS).order_by(*CONVERSATION, "place")
    for *where, text in first_kept.values_list(*CONVERSATION, "text"):
        if ConversationKey(*where) in silent:
            openings[ConversationKey(*where)].append(take_question(text)[:OPENING_CHARS])
    return openings


def make_title(messages: Sequence[str]) -> str:
    """The first sentence that is more than a greeting, in one line; empty where there is none."""
    sentences = [" ".join(one.split()) for text in messages for one in SENTENCE_END.split(text)]
    spoken = [one for one in sentences if any(letter.isalnum() for letter in one)]
    telling = next((one for one in spoken if not is_small_talk(one)), spoken[0] if spoken else "")
    if len(telling) <= MADE_CHARS:
        return telling
    room = telling[: MADE_CHARS - 1]
    # At a word; a language without blanks is cut where it is full.
    whole = room.rpartition(" ")[0] if telling[len(room)] != " " else room
    return f"{(whole if len(whole) > MADE_CHARS // 2 else room).rstrip(' ,;:–-')}…"


def give_title(
    user: EndUser, thread_id: str, title: str, *, now: datetime, actor: str, place: RowScope | None = None
) -> TitledThread | None:
    """Without its secrets; an empty one takes the given title back. None for a conversation that nothing is known of.

    Without a ``place`` it is given to the conversation of that name that the scope that holds means.

    Raises WriteRefused for a title that breaks a rule.
    """
    words = validate_field_text(redact_secrets(title).text, TITLE_LIMIT, "title") if title.strip() else ""
    with user_scope(user):
        conversation = find_conversation(user, thread_id, place)
        if conversation is None:
            return None
        own = conversation._asdict()
        if words:
            changed = {"title": " ".join(words.split()), "actor": actor[:100], "updated_at": now}
            ThreadTitle.objects.update_or_create(user=user, **own, defaults=changed)
        else:
            ThreadTitle.objects.filter(user=user, **own).delete()
    return find_titled_thread(user, conversation)


def find_conversation(user: EndUser, thread_id: str, place: RowScope | None = None) -> ConversationKey | None:
    """The conversation of that name which is meant: the one of the place, which is the scope that holds unless it is
    given; without one given, where that has none, the one in which something was said last. None where nothing is kept.

    What was said goes before memories: what was read in a project's may be kept as the person's own.
    """
    scope = place if place is not None else current_scope()
    own = {"agent_id": scope.agent_id, "project_id": scope.project_id}
    with user_scope(user):
        said = Exchange.objects.filter(user=user, thread_id=thread_id).order_by("-created_at", "-pk")
        kept = MemoryItem.objects.for_user(user).filter(thread_id=thread_id, status__in=KEPT).order_by("-arrival")
        for rows in (said, kept):
            known = rows.values_list(*CONVERSATION)
            found = known.filter(**own).first() or (known.first() if place is None else None)
            if found is not None:
                return ConversationKey(*found)
    return None


def drop_empty_titles(user: EndUser) -> None:
    """Titles of conversations of which nothing is left. In the user's scope."""
    own = {name: OuterRef(name) for name in CONVERSATION}
    said, kept = Exchange.objects.filter(user=user, **own), MemoryItem.objects.for_user(user).filter(**own)
    ThreadTitle.objects.filter(~Exists(said), ~Exists(kept), user=user).delete()
