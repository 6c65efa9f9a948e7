"""Tells an exchange with what it answers, and with what was answered to it.

An exchange is kept as what the person said and what the assistant replied, so "How old is Theo?" stands in one and
"nine" in the next: of 31 questions a stranger asked of such talk two were answered by the first hit, ten by the first
five, and 17 with the turn behind each of the first three.
"""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.db import connection

from memory.access.cursors import fetch_prepared
from memory.access.scope import user_scope
from memory.language.exchanges import ASSISTANT_LINE, USER_LINE, find_answered, find_asked, take_question
from memory.models import EndUser
from memory.retrieval.results import SearchHit, TalkBeside

# Characters of the turns beside: a question, and an answer of few words.
EXCERPT = 200
TURNS_BESIDE = """
SELECT item.id, coalesce(before.text, ''), coalesce(behind.text, '')
FROM memory_item AS item
LEFT JOIN LATERAL (
    SELECT right(earlier.text, %(excerpt)s) AS text FROM memory_item AS earlier
    WHERE earlier.user_id = item.user_id AND earlier.thread_id = item.thread_id AND earlier.arrival < item.arrival
      AND earlier.status IN ('active', 'dormant') AND starts_with(earlier.text, %(spoken)s)
    ORDER BY earlier.arrival DESC LIMIT 1
) AS before ON true
LEFT JOIN LATERAL (
    SELECT left(later.text, %(excerpt)s) AS text FROM memory_item AS later
    WHERE later.user_id = item.user_id AND later.thread_id = item.thread_id AND later.arrival > item.arrival
      AND later.status IN ('active', 'dormant') AND starts_with(later.text, %(spoken)s)
    ORDER BY later.arrival LIMIT 1
) AS behind ON true
WHERE item.user_id = %(user)s AND item.id = ANY((SELECT %(ids)s::uuid[])::uuid[])
"""


def add_talk_beside(user: EndUser, hits: Sequence[SearchHit]) -> list[SearchHit]:
    """The hits, each exchange among them with the question before it and the few words that answer its own."""
    spoken = [hit for hit in hits if hit.item.thread_id and hit.item.text.startswith(USER_LINE)]
    beside = read_turns_beside(user, spoken) if spoken else {}
    shown = {take_question(hit.item.text) for hit in spoken}
    return [add_talk(hit, *beside[hit.item.pk], shown) if hit.item.pk in beside else hit for hit in hits]


def add_talk(hit: SearchHit, before: str, behind: str, shown: set[str]) -> SearchHit:
    """``shown`` is what the person said in other hits, which is not told twice."""
    asked = find_answered(hit.item.text, before)
    asks = find_asked(hit.item.text.rpartition(ASSISTANT_LINE)[2])
    said = take_question(behind) if asks and find_answered(behind, hit.item.text) else ""
    return replace(hit, beside=TalkBeside(asked, "" if said in shown else said))


def read_turns_beside(user: EndUser, hits: Sequence[SearchHit]) -> dict[UUID, tuple[str, str]]:
    """How the exchange before each ends, and how the one behind it begins."""
    ids = ",".join(str(hit.item.pk) for hit in hits)
    values = {"user": user.pk, "ids": f"{{{ids}}}", "excerpt": EXCERPT, "spoken": USER_LINE}
    with user_scope(user), connection.cursor() as cursor:
        return {item_id: (before, behind) for item_id, before, behind in fetch_prepared(cursor, TURNS_BESIDE, values)}
