"""Short instructions for the model, simple enough for small models. Pure."""

from collections.abc import Sequence
from typing import Any

from knowledge_graph.insights.findings import Approach, Repetition, TierAdvice

GOOD_RATE = 0.5
CLOSE_THE_LOOP = "After answering, call record_response with key_takeaway, outcome and related."


def build_directives(
    tiers: Sequence[TierAdvice],
    patterns: Sequence[Approach],
    failures: Sequence[Approach],
    facts: Sequence[dict[str, Any]],
    repeated: Repetition | None,
) -> tuple[str, ...]:
    """Where to look first, what to consider, and the reminder to record the outcome; empty if nothing is known."""
    found = []
    first = [advice.tier for advice in tiers if advice.success_rate > GOOD_RATE][:2]
    if first:
        found.append(f"Search {' and '.join(first)} first.")
    elif patterns:
        found.append(f"Search {patterns[0].tier} first.")
    elif facts:
        found.append("Search memory_bank first.")
    if patterns:
        found.append("Begin with what worked before.")
    if failures:
        found.append("Do not offer again what failed; say what is different if you must.")
    did = "said" if repeated and not repeated.is_asked else "asked"
    if repeated and repeated.is_recent:
        found.append(f"This was {did} a moment ago: build on that answer or ask what was missing.")
    elif repeated:
        found.append(f"This was {did} {repeated.times} times before: look for what still does not hold.")
    return (*found, CLOSE_THE_LOOP) if found else ()
