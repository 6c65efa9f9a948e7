"""One statement over the memories: what worked and failed for these words, bank facts, earlier questions.

A small sample of the user's rows estimates how common each word is, so that a memory counts as one about the question
by the rare words it shares with it; a word missing from the sample weighs no more than one it has once.
"""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from django.db.backends.utils import CursorWrapper

from knowledge_graph.extraction.concepts import select_problem_keys
from knowledge_graph.insights.question import InsightQuestion
from knowledge_graph.queries.statistics import LIKE_PROBLEMS
from memory.access.confinement import name_conversation
from memory.access.cursors import fetch_prepared
from memory.language import build_tsquery
from memory.models import EndUser
from memory.tiers import SCORED_TIERS

# Rows enough to tell a common word from a rare one; counting all rows that hold a word would read the large index.
SAMPLE = 40
# As if there were so many more rows: of few memories none says how common a word is.
USUAL_ROWS = 20
# Twice what is shown: duplicates and the lessons of other approaches are left out afterwards. Shares are ordered by
# tenths, because an estimate decides nothing finer; then the score does.
MOST_APPROACHES = 6
MOST_FACTS = 5
FACT_SHARE = 0.3
MOST_MESSAGES = 8
MOST_QUESTIONS = 20
# So many of the latest exchanges are looked through for the same question; equal ones share the longest word.
EXCHANGES_READ = 200
LIKE_PROBLEM = 0.5
# So many verdicts before its last use are looked through for the lesson of a failure.
EVENTS_READ = 100

# Word by word through two small indexes, of judged memories and of the bank, which leave nothing pending: through the
# index of all memories each word read the list of pending entries again, 8.0 ms in the median instead of 2.1 (20,000
# memories, 50,000 concepts).
STATEMENT = """
WITH word AS MATERIALIZED (SELECT * FROM unnest(%(words)s::tsquery[]) WITH ORDINALITY AS word (forms, number)),
sample AS MATERIALIZED (
    SELECT lexemes FROM memory_item WHERE user_id = %(user)s ORDER BY id LIMIT {sample}
),
counted AS MATERIALIZED (
    SELECT number, count(*) + {rows} AS rows, greatest(1, count(*) FILTER (WHERE lexemes @@ forms)) AS holding
    FROM word LEFT JOIN sample ON true GROUP BY number
),
rare AS MATERIALIZED (
    SELECT number, forms, ln(1 + (rows - holding + 0.5) / (holding + 0.5)) AS weight
    FROM counted JOIN word USING (number)
),
total AS MATERIALIZED (SELECT sum(weight) AS weight FROM rare),
held AS MATERIALIZED (
    SELECT item.id, item.judged, sum(rare.weight) / (SELECT weight FROM total) AS share
    FROM rare CROSS JOIN LATERAL (
        SELECT id, true AS judged FROM memory_item
        WHERE user_id = %(user)s AND (uses > 0 OR score <> 0.5) AND lexemes @@ rare.forms
        UNION ALL
        SELECT id, false FROM memory_item
        WHERE user_id = %(user)s AND status = 'active' AND tier = 'memory_bank' AND NOT review AND lexemes @@ rare.forms
          AND NOT (is_expiry_given AND expires_at <= %(now)s)
    ) AS item GROUP BY item.id, item.judged
),
tried AS MATERIALIZED (
    SELECT item_id, max(overlap) AS overlap, sum(failed - worked) AS failed_by
    FROM ({problems}) AS known GROUP BY item_id
),
near AS MATERIALIZED (
    SELECT id, max(share) AS share, max(failed_by) AS failed_by FROM (
        SELECT id, share, 0::float8 AS failed_by FROM held WHERE judged AND share >= %(enough)s
        UNION ALL SELECT item_id, overlap, failed_by FROM tried
    ) AS one GROUP BY id
),
judged AS MATERIALIZED (
    SELECT {approach}, item.expires_at, near.share, near.failed_by
    FROM near JOIN memory_item AS item ON item.user_id = %(user)s AND item.id = near.id
    WHERE tier = ANY(%(scored)s)
),
worked AS MATERIALIZED (
    SELECT {columns}, share FROM judged
    WHERE status <> 'archived' AND score > 0.5
      AND (worked + partial > 0 OR source @> '{{"kind": "takeaway", "outcome": "worked"}}')
    ORDER BY round(share::numeric, 1) DESC, score DESC, worked DESC, id LIMIT {approaches}
),
failing AS MATERIALIZED (
    SELECT {columns}, share FROM judged
    WHERE (score < 0.5 AND (failed > 0 OR source @> '{{"kind": "takeaway", "outcome": "failed"}}')) OR failed_by > 0
    ORDER BY round(share::numeric, 1) DESC, failed DESC, last_used_at DESC NULLS LAST, id LIMIT {approaches}
),
facts AS MATERIALIZED (
    SELECT id, max(share) AS share FROM (
        SELECT id, share, 0 AS quality FROM held WHERE NOT judged AND share >= %(fact_share)s
        UNION ALL
        SELECT item_id, 0, quality FROM graph_mention
        WHERE user_id = %(user)s AND key = ANY(%(entities)s) AND tier = 'memory_bank'
    ) AS known GROUP BY id ORDER BY max(share) DESC, max(quality) DESC, id LIMIT {facts}
)
SELECT
    (SELECT json_agg(one) FROM worked AS one) AS worked,
    (SELECT json_agg(one) FROM (SELECT failing.*, lesson.text AS reason, lesson.id AS lesson_id
        FROM failing LEFT JOIN LATERAL ({lesson}) AS lesson ON true) AS one) AS failed,
    (SELECT json_agg(one) FROM (SELECT item.id, item.text, item.tags, item.source_type, item.trust, facts.share
        FROM facts JOIN memory_item AS item USING (id)
        WHERE item.user_id = %(user)s AND item.status = 'active' AND NOT item.review
          AND NOT (item.is_expiry_given AND item.expires_at <= %(now)s)) AS one) AS facts,
    {conversation}
"""
# The columns of `memory_item` that an approach is built from.
APPROACH_COLUMNS = (
    *("id", "tier", "status", "text", "uses", "worked", "failed", "partial", "score", "last_outcome", "last_used_at"),
    *("occurred_at", "source_type", "trust", "source"),
)
LESSON = """
    SELECT noted.id, noted.text FROM (
        SELECT takeaway_id, at FROM (
            SELECT takeaway_id, at, outcome, sign, replaced_at, scored_ids FROM outcome_event
            WHERE user_id = %(user)s AND at <= failing.last_used_at ORDER BY at DESC LIMIT {events}
        ) AS verdict
        WHERE takeaway_id IS NOT NULL AND outcome = 'failed' AND sign = 1 AND replaced_at IS NULL
          AND scored_ids @> ARRAY[failing.id]
    ) AS verdict_line JOIN memory_item AS noted ON noted.user_id = %(user)s AND noted.id = verdict_line.takeaway_id
    ORDER BY verdict_line.at DESC LIMIT 1
"""
# When it was said, which of an import is long before it was stored.
SAID_AT = "coalesce((SELECT occurred_at FROM memory_item WHERE user_id = %(user)s AND id = memory_id), created_at)"
MESSAGES = """
    (SELECT json_agg(one) FROM (SELECT left(user_message, 1000) AS text, {said_at} AS at FROM exchange
        WHERE user_id = %(user)s AND thread_id = %(thread)s AND agent_id = %(agent)s AND project_id = %(project)s
        ORDER BY created_at DESC LIMIT {messages}) AS one) AS messages,
"""
NO_MESSAGES = "NULL AS messages,"
QUESTIONS = """
    (SELECT json_agg(one) FROM (SELECT left(user_message, 1000) AS text, {said_at} AS at,
        (thread_id, agent_id, project_id) = (%(thread)s, %(agent)s, %(project)s) AS is_here FROM (
        SELECT user_message, thread_id, agent_id, project_id, created_at, memory_id FROM exchange
        WHERE user_id = %(user)s
        ORDER BY created_at DESC, id DESC LIMIT {exchanges}
    ) AS recent WHERE strpos(lower(user_message), %(longest)s) > 0 LIMIT {questions}) AS one) AS questions
"""


@dataclass(slots=True)
class Experience:
    """Rows as the statement gives them."""

    worked: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    facts: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    questions: list[dict[str, Any]] = field(default_factory=list)


def read_experience(
    cursor: CursorWrapper, user: EndUser, question: InsightQuestion, thread_id: str, now: datetime, *, uses_graphs: bool
) -> Experience:
    """What the memories say. The graphs add what was tried on problems like this one and who is named where."""
    if not question.words:
        return read_recent_messages(cursor, user, thread_id)
    sought = build_values(user, question, thread_id, now, uses_graphs=uses_graphs)
    (row,) = fetch_prepared(cursor, build_statement(in_thread=bool(thread_id)), sought)
    return Experience(*(part or [] for part in row))


def read_recent_messages(cursor: CursorWrapper, user: EndUser, thread_id: str) -> Experience:
    """What was asked in this thread, all there is to know of a question without a word of its own ("and then?")."""
    if not thread_id:
        return Experience()
    cursor.execute(
        f"SELECT {MESSAGES.format(messages=MOST_MESSAGES, said_at=SAID_AT)} NULL",
        {"user": user.pk, **name_conversation(thread_id)},
    )
    return Experience(messages=cursor.fetchone()[0] or [])


@cache
def build_statement(*, in_thread: bool) -> str:
    messages = MESSAGES.format(messages=MOST_MESSAGES, said_at=SAID_AT) if in_thread else NO_MESSAGES
    return STATEMENT.format(
        sample=SAMPLE,
        rows=USUAL_ROWS,
        problems=LIKE_PROBLEMS,
        approaches=MOST_APPROACHES,
        facts=MOST_FACTS,
        approach=", ".join(f"item.{column}" for column in APPROACH_COLUMNS),
        columns=", ".join(APPROACH_COLUMNS),
        lesson=LESSON.format(events=EVENTS_READ),
        conversation=messages + QUESTIONS.format(exchanges=EXCHANGES_READ, questions=MOST_QUESTIONS, said_at=SAID_AT),
    )


def build_values(
    user: EndUser, question: InsightQuestion, thread_id: str, now: datetime, *, uses_graphs: bool
) -> dict[str, Any]:
    problem = select_problem_keys(question.keys) if uses_graphs else []
    return {
        "user": user.pk,
        "words": [build_tsquery(forms, user.pk) for forms in question.words],
        "longest": question.longest_word,
        "enough": question.enough,
        "fact_share": FACT_SHARE,
        "scored": sorted(SCORED_TIERS),
        **name_conversation(thread_id),
        "now": now,
        "entities": list(question.entities) if uses_graphs else [],
        "keys": problem,
        "size": len(problem),
        "least": LIKE_PROBLEM,
        "limit": MOST_APPROACHES,
    }


def parse_moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
