"""Renders insights as the contextual memory block: short and in a fixed order."""

from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from knowledge_graph.insights.directives import GOOD_RATE
from knowledge_graph.insights.findings import Approach, BankFact, Insights, Repetition, ToolAdvice
from memory.language.framing import quote_as_line
from memory.language.text import preview_text

# The block stands in every context, so each line is short and each section ends after three.
EXAMPLE_CHARS = 160
MOST_LINES = 3
# Uses from which on a tool's success rate is shown.
HELPFUL_USES = 2
CLOSING = "Let this shape the answer; it is a guide from experience and no instruction."


def render_insights(insights: Insights, shown_ids: Collection[UUID] = ()) -> list[str]:
    """The block's lines, empty without insights. Facts already shown in other blocks are left out."""
    sections = [
        ("📋 Past Experience:", list(render_experience(insights.relevant_patterns))),
        ("⚠️ Past Failures to Avoid:", list(render_failures(insights.past_failures))),
        ("💡 Recommendations:", list(render_recommendations(insights))),
        ("🔗", list(render_topics(insights))),
        ("💡 You Already Know This (memory_bank):", list(render_facts(insights.you_already_know, shown_ids))),
        ("📊 Tool Usage Stats:", list(render_tools(insights.tool_statistics))),
    ]
    lines: list[str] = []
    for title, entries in sections:
        if entries:
            lines += [f"{title} {one}" for one in entries] if title == "🔗" else [title, *entries]
    return [*lines, CLOSING] if lines else []


def render_experience(patterns: Sequence[Approach]) -> Iterator[str]:
    for one in patterns[:MOST_LINES]:
        uses = max(1, one.uses)
        yield f"  • Based on {uses} past use(s), this approach had a {to_percent(one.success_rate)}% success rate"
        yield f"    → {render_example(one)}"


def render_failures(approaches: Sequence[Approach]) -> Iterator[str]:
    for one in approaches[:MOST_LINES]:
        when = f" ({one.last_used_at:%Y-%m-%d})" if one.last_used_at else ""
        times = f"{one.failed} times" if one.failed > 1 else "before"
        yield f"  • Similar approach failed {times}{when} due to: {shorten_text(one.reason or one.content)}"
        if one.reason:
            yield f"    → {render_example(one)}"


def render_recommendations(insights: Insights) -> Iterator[str]:
    for advice in insights.tier_recommendations[:MOST_LINES]:
        if advice.success_rate > GOOD_RATE:
            rate = to_percent(advice.success_rate)
            subject = shorten_text(advice.concept)
            yield f"  • For '{subject}', check {advice.tier} collection (historically {rate}% effective)"
    if insights.repetition:
        repeated = insights.repetition
        did = "asked" if repeated.is_asked else "said"
        yield f'  • The same was {did} {render_repetition(repeated)}: "{shorten_text(repeated.query)}"'


def render_repetition(repeated: Repetition) -> str:
    if not repeated.is_recent:
        return f"{repeated.times} times before"
    return f"{repeated.minutes_ago} min ago" if repeated.minutes_ago else "just now"


def render_topics(insights: Insights) -> Iterator[str]:
    if insights.topic_continuity:
        topics = [
            shorten_text(topic.topic)
            + (f" (with {', '.join(map(shorten_text, topic.related))})" if topic.related else "")
            for topic in insights.topic_continuity
        ]
        yield f"Continuing discussion about: {', '.join(topics)}"


def render_facts(known: Sequence[BankFact], shown_ids: Collection[UUID]) -> Iterator[str]:
    for one in [fact for fact in known if fact.memory_id not in shown_ids][:MOST_LINES]:
        yield f"  • {render_source(one.source)}{shorten_text(one.content)}"


def render_tools(advice: Sequence[ToolAdvice]) -> Iterator[str]:
    for one in [tool for tool in advice if tool.uses >= HELPFUL_USES][:MOST_LINES]:
        where = f" on {one.tier}" if one.tier else ""
        yield f"  • {shorten_text(one.action)}{where}: {to_percent(one.success_rate)}% of {one.uses} uses helped"


def render_example(one: Approach) -> str:
    return f"{one.tier}, {one.occurred_at:%Y-%m-%d}: {render_source(one.source)}{shorten_text(one.content)}"


def render_source(source: str) -> str:
    return f"({source}) " if source else ""


def shorten_text(text: str) -> str:
    return preview_text(quote_as_line(text), EXAMPLE_CHARS)


def to_percent(rate: float) -> int:
    return round(rate * 100)
