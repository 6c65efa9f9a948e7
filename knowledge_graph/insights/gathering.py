"""Assembles insights from the question, the memories, the conversation and the graphs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from knowledge_graph.insights import conversation, experience, graphs
from knowledge_graph.insights.directives import build_directives
from knowledge_graph.insights.findings import (
    ActiveConcept,
    Approach,
    BankFact,
    Insights,
    Repetition,
    TierAdvice,
    ToolAdvice,
)
from knowledge_graph.insights.graphs import GraphFindings
from knowledge_graph.insights.question import InsightQuestion, count_topics
from knowledge_graph.queries.statistics import ConceptRouting
from memory.access.cursors import GENERIC_PLAN, open_bounded_cursor
from memory.conf import memory_conf
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.tiers import EXTERNAL_SOURCES, FROM_OUTSIDE, SourceType, Trust

INSIGHTS = "insights"
MOST_SHOWN = 3
MOST_FACTS = 5
RECENT_USED = 6
# Planned once per connection: over ten tables under row-level security planning took longer than answering, 4.3 ms with
# it and 2.6 without. One plan is right for everybody: each table is reached by an index that starts with the user.
# Compiling such a statement costs more than it saves for a few rows.
PLANNING = {"jit": "off", **GENERIC_PLAN}


def gather_insights(
    user: EndUser | None,
    query: str,
    *,
    now: datetime,
    within_s: float,
    thread_id: str = "",
    recent_messages: Sequence[str] = (),
    asked_before: Sequence[str] = (),
) -> Insights:
    """The insights for a question. Raises Unavailable when Postgres is late or down.

    ``recent_messages`` are those before the question, ``asked_before`` the user's among them; where a client keeps the
    question itself as the last of them, that is no repetition. Without the graphs (``ENABLE_KG`` off, or nothing
    learned yet) the parts that need them are empty.
    """
    question = InsightQuestion.of(query)
    if user is None:
        return Insights(question.context_type)
    uses_graphs = bool(memory_conf().flags["kg"])
    # Measured from here: the first question of a process loads word lists before.
    with open_bounded_cursor(INSIGHTS, user.pk, Deadline(within_s), PLANNING) as cursor:
        rows = experience.read_experience(cursor, user, question, thread_id, now, uses_graphs=uses_graphs)
        messages = list(recent_messages)[-RECENT_USED:] or [row["text"] for row in rows.messages]
        before = count_topics([text for text in messages if text.strip() != query.strip()])
        keys = [*question.keys, *question.entities]
        findings = (
            graphs.read_graphs(cursor, user, question.context_type, keys, list(before))
            if uses_graphs
            else GraphFindings()
        )
    earlier = asked_before[:-1] if asked_before and asked_before[-1].strip() == query.strip() else asked_before
    repeated = conversation.find_repetition(question.text, rows.messages, rows.questions, earlier, thread_id, now)
    return build_insights(question, rows, findings, before, repeated)


def build_insights(
    question: InsightQuestion,
    rows: experience.Experience,
    findings: GraphFindings,
    before: dict[str, tuple[str, int]],
    repeated: Repetition | None,
) -> Insights:
    failures = drop_duplicates([build_approach(row) for row in rows.failed], {row["lesson_id"] for row in rows.failed})
    # A memory is shown once: what fails more than it helps is something to avoid, whatever it did before.
    failed = {one.memory_id for one in failures}
    patterns = [
        one
        for one in drop_duplicates([build_approach(row) for row in rows.worked], set())
        if one.memory_id not in failed
    ]
    tiers = advise_tiers(findings.routing)
    tools = advise_tools(findings)
    return Insights(
        context_type=question.context_type,
        matched_concepts=tuple(findings.known[key].label for key in findings.known if key in set(question.keys)),
        active_concepts=tuple(
            build_active_concept(findings.routing[key]) for key in question.keys if key in findings.routing
        ),
        tier_recommendations=tiers,
        relevant_patterns=tuple(patterns[:MOST_SHOWN]),
        past_failures=tuple(failures[:MOST_SHOWN]),
        you_already_know=tuple(build_fact(row) for row in sort_by_share(rows.facts)[:MOST_FACTS]),
        topic_continuity=tuple(conversation.find_topics(question.topics, before, findings.known, findings.related)),
        repetition=repeated,
        tool_statistics=tools,
        directives=build_directives(tiers, patterns, failures, rows.facts, repeated),
    )


def sort_by_share(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (-row["share"], row["id"]))


def drop_duplicates(approaches: list[Approach], shown_ids: set[str | None]) -> list[Approach]:
    """Without duplicates, most relevant first; a lesson shown as the reason of another is not repeated."""
    seen: dict[str, Approach] = {}
    for one in sorted(approaches, key=lambda one: (-round(one.share, 1), -one.worked - one.failed, str(one.memory_id))):
        if str(one.memory_id) not in shown_ids:
            seen.setdefault(" ".join(one.content.casefold().split()), one)
    return list(seen.values())


def build_approach(row: dict[str, Any]) -> Approach:
    """A row of the statement; a lesson without uses counts as the one outcome it was drawn from."""
    outcome = row["source"].get("outcome") if row["source"].get("kind") == "takeaway" else None
    counts = {name: row[name] for name in ("uses", "worked", "failed", "partial")}
    if outcome in counts and not row["uses"]:
        counts |= {"uses": 1, outcome: 1}
    return Approach(
        memory_id=UUID(row["id"]),
        tier=row["tier"],
        status=row["status"],
        content=row["text"],
        **counts,
        last_outcome=row["last_outcome"] or outcome or "",
        last_used_at=experience.parse_moment(row["last_used_at"]),
        occurred_at=datetime.fromisoformat(row["occurred_at"]),
        source=label_source(row),
        share=row["share"],
        reason=row.get("reason") or "",
    )


def build_fact(row: dict[str, Any]) -> BankFact:
    return BankFact(UUID(row["id"]), row["text"], tuple(row["tags"]), label_source(row))


def label_source(row: dict[str, Any]) -> str:
    """The source label of external text; empty otherwise."""
    if row["trust"] > Trust.EXTERNAL:
        return ""
    return EXTERNAL_SOURCES.get(SourceType(row["source_type"]), FROM_OUTSIDE)


def advise_tiers(routing: dict[str, ConceptRouting]) -> tuple[TierAdvice, ...]:
    """The best statistics of each tier, the surest first; tiers without clear outcomes are left out."""
    best: dict[str, TierAdvice] = {}
    for concept in routing.values():
        for record in concept.tiers:
            if record.worked + record.failed == 0:
                continue
            advice = TierAdvice(
                record.tier, concept.label, round(record.success_rate, 4), round(record.wilson, 4), record.uses
            )
            if record.tier not in best or advice.wilson_score > best[record.tier].wilson_score:
                best[record.tier] = advice
    return tuple(sorted(best.values(), key=lambda one: (-one.wilson_score, -one.uses, one.tier))[:MOST_SHOWN])


def advise_tools(findings: GraphFindings) -> tuple[ToolAdvice, ...]:
    judged = [one for one in findings.actions if one.worked + one.failed + one.partial > 0]
    return tuple(
        ToolAdvice(one.action, one.tier or None, round(one.success_rate, 4), round(one.wilson, 4), one.uses)
        for one in judged[: 2 * MOST_SHOWN]
    )


def build_active_concept(concept: ConceptRouting) -> ActiveConcept:
    best = concept.tiers[0]
    is_clear = best.worked + best.failed > 0
    return ActiveConcept(
        concept.label,
        best.tier if is_clear else None,
        round(best.success_rate, 4) if is_clear else None,
        concept.uses,
    )
