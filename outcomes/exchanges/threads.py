"""A person's conversations with their titles: given by somebody, by the chat they were imported from, or made here.

A title is made of what was said first whenever it is read, and never stored: what is deleted is in no title, and
conversations from before have one as well.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.db import connection
from django.db.models import F, Window
from django.db.models.functions import RowNumber

from memory.access.scope import user_scope
from memory.guard import redact_secrets
from memory.language.exchanges import take_question
from memory.models import EndUser, MemoryItem
from memory.store.admission import validate_field_text
from memory.tiers import Status
from outcomes.detection.cues import is_small_talk
from outcomes.models import Exchange, ThreadTitle

TITLE_LIMIT: Final = 200
# Characters of a title made here: a line of a list on a narrow screen holds two thirds of it.
MADE_CHARS: Final = 60
# Of each conversation these many messages are read for the first that says something.
OPENINGS: Final = 3
OPENING_CHARS: Final = 600
KEPT: Final = (Status.ACTIVE.value, Status.DORMANT.value)
# Not after a word of one or two letters, or a capitalised one of three: "My dentist is Dr. Katz", "la Sra. Gil".
SENTENCE_END = re.compile(r"(?<!\b\w\.)(?<!\b\w\w\.)(?<!\b[A-Z]\w\w\.)(?<=[.!?…。！？؟])\s+|[\r\n]+")


class TitleSource(StrEnum):
    PERSON = "person"
    IMPORT = "import"
    RULES = "rules"


@dataclass(frozen=True, slots=True)
class TitledThread:
    thread_id: str
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
    thread_id: str


SAID = """
WITH said AS (
    SELECT thread_id, said_at AS at, 1 AS exchanges, 0 AS memories FROM exchange WHERE user_id = %(user)s
    UNION ALL
    SELECT thread_id, occurred_at, 0, 1 FROM memory_item
    WHERE user_id = %(user)s AND thread_id <> '' AND status = ANY(%(kept)s)
)
SELECT thread_id, min(at), max(at), sum(exchanges), sum(memories) FROM said
"""
WANTED = """
WHERE thread_id IN (
    SELECT thread_id FROM thread_title WHERE user_id = %(user)s AND title ILIKE %(words)s
    UNION SELECT thread_id FROM exchange
    WHERE user_id = %(user)s AND (user_message ILIKE %(words)s OR assistant_message ILIKE %(words)s)
    UNION SELECT thread_id FROM memory_item
    WHERE user_id = %(user)s AND status = ANY(%(kept)s)
      AND (text ILIKE %(words)s OR metadata->>'thread_title' ILIKE %(words)s)
)
"""
ONE = "WHERE thread_id = %(thread)s "
GROUPED = "GROUP BY thread_id "
AFTER = "HAVING (max(at), thread_id) < (%(last_at)s, %(last_thread)s) "
ORDERED = "ORDER BY max(at) DESC, thread_id DESC LIMIT %(limit)s"


def list_titled_threads(
    user: EndUser, *, limit: int, words: str = "", after: ThreadCursor | None = None
) -> list[TitledThread]:
    """The latest first. ``words`` stand in the title or in what was said, as they are written."""
    statement = SAID + (WANTED if words else "") + GROUPED + (AFTER if after else "") + ORDERED
    given = {"limit": limit, "words": f"%{escape_pattern(words)}%"}
    if after is not None:
        given |= {"last_at": after.last_at, "last_thread": after.thread_id}
    return fetch_threads(user, statement, given)


def find_titled_thread(user: EndUser, thread_id: str) -> TitledThread | None:
    return next(iter(fetch_threads(user, SAID + ONE + GROUPED, {"thread": thread_id})), None)


def fetch_threads(user: EndUser, statement: str, given: dict[str, Any]) -> list[TitledThread]:
    with user_scope(user):
        with connection.cursor() as cursor:
            cursor.execute(statement, {"user": user.pk, "kept": list(KEPT), **given})
            rows = cursor.fetchall()
        titles = read_titles(user, [thread_id for thread_id, *_ in rows])
    return [TitledThread(thread_id, *titles[thread_id], *counted) for thread_id, *counted in rows]


def escape_pattern(words: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", words)


def read_titles(user: EndUser, thread_ids: Collection[str]) -> dict[str, tuple[str, TitleSource]]:
    """The title of each conversation and where it is from; its id where nothing is known of it."""
    wanted = list(thread_ids)
    if not wanted:
        return {}
    with user_scope(user):
        made = {one: make_title(texts) for one, texts in read_openings(user, wanted).items()}
        titles = {one: (made.get(one) or one, TitleSource.RULES) for one in wanted}
        items = MemoryItem.objects.for_user(user).filter(thread_id__in=wanted, metadata__has_key="thread_title")
        named = items.order_by("thread_id", "arrival").distinct("thread_id")
        for thread_id, title in named.values_list("thread_id", "metadata__thread_title"):
            if isinstance(title, str) and title.strip():
                titles[thread_id] = (title.strip()[:TITLE_LIMIT], TitleSource.IMPORT)
        given = ThreadTitle.objects.filter(user=user, thread_id__in=wanted).order_by("updated_at", "pk")
        for thread_id, title in given.values_list("thread_id", "title"):
            titles[thread_id] = (title, TitleSource.PERSON)
    return titles


def read_openings(user: EndUser, thread_ids: Sequence[str]) -> dict[str, list[str]]:
    """The first messages of each conversation: of its exchanges, or else of its memories."""
    openings: dict[str, list[str]] = defaultdict(list)
    said = Exchange.objects.filter(user=user, thread_id__in=thread_ids)
    place = Window(RowNumber(), partition_by=F("thread_id"), order_by=["created_at", "pk"])
    first = said.annotate(place=place).filter(place__lte=OPENINGS).order_by("thread_id", "place")
    for thread_id, text in first.values_list("thread_id", "user_message"):
        openings[thread_id].append(text[:OPENING_CHARS])
    silent = [one for one in thread_ids if one not in openings]
    kept = MemoryItem.objects.for_user(user).filter(thread_id__in=silent, status__in=KEPT)
    arrival = Window(RowNumber(), partition_by=F("thread_id"), order_by=["arrival"])
    first_kept = kept.annotate(place=arrival).filter(place__lte=OPENINGS).order_by("thread_id", "place")
    for thread_id, text in first_kept.values_list("thread_id", "text"):
        openings[thread_id].append(take_question(text)[:OPENING_CHARS])
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


def give_title(user: EndUser, thread_id: str, title: str, *, now: datetime, actor: str) -> TitledThread | None:
    """Without its secrets; an empty one takes the given title back. None for a conversation that nothing is known of.

    Raises WriteRefused for a title that breaks a rule.
    """
    words = validate_field_text(redact_secrets(title).text, TITLE_LIMIT, "title") if title.strip() else ""
    with user_scope(user):
        place = find_place(user, thread_id)
        if place is None:
            return None
        own = ThreadTitle.objects.filter(user=user, thread_id=thread_id)
        if words:
            agent_id, project_id = place
            ThreadTitle.objects.update_or_create(
                user=user,
                thread_id=thread_id,
                agent_id=agent_id,
                project_id=project_id,
                defaults={"title": " ".join(words.split()), "actor": actor[:100], "updated_at": now},
            )
        else:
            own.delete()
    return find_titled_thread(user, thread_id)


def find_place(user: EndUser, thread_id: str) -> tuple[str, str] | None:
    """The agent and project of what was said last: a title is seen where that is seen."""
    said = Exchange.objects.filter(user=user, thread_id=thread_id).order_by("-created_at", "-pk")
    kept = MemoryItem.objects.for_user(user).filter(thread_id=thread_id, status__in=KEPT).order_by("-arrival")
    place = said.values_list("agent_id", "project_id").first()
    return place or kept.values_list("agent_id", "project_id").first()


def drop_empty_titles(user: EndUser) -> None:
    """Titles of conversations of which nothing is left. In the user's scope."""
    titles = ThreadTitle.objects.filter(user=user)
    titles = titles.exclude(thread_id__in=Exchange.objects.filter(user=user).values("thread_id"))
    titles.exclude(thread_id__in=MemoryItem.objects.for_user(user).values("thread_id")).delete()
