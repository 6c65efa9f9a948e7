"""The numbers of a search in words. Pure: dictionaries in, sentences and table rows out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.console.signal_wordings import explain_signal, name_signal

STAGES = {
    "understand": "Reading the question",
    "graph": "Asking the graphs",
    "embed": "Embedding the question",
    "vector": "Nearest in meaning",
    "lexical": "Matching words",
    "late": "Comparing word for word",
    "unindexed": "Embedding what is new",
    "rank": "Reading and ranking",
    "rerank": "A second opinion",
    "rate": "Rating by a language model",
    "remember": "Keeping the turn",
    "insights": "Asking experience",
    "total": "The whole search",
}
FALLBACKS = {
    "embed_skipped": "The question could not be embedded, so only words were compared.",
    "vector_skipped": "The vector index did not answer, so only words were compared.",
    "lexical_skipped": "The word index did not answer, so only meaning was compared.",
    "insights_skipped": "Experience did not answer in time, so the context is without it.",
    "graph_skipped": "The graphs did not answer in time, so nothing learned from earlier questions was added.",
    "crowding_skipped": "What lies near to many other memories was not told from what stands by itself.",
    "late_skipped": "Turns were not compared with the question word for word.",
    "unindexed_skipped": "What was stored a moment ago was compared by its words alone.",
    "rate_skipped": "The language model did not rate in time, so the order stayed as it was.",
    "remember_skipped": "The database takes no writes, so the turn was not kept and no outcome can name it.",
    "rerank_skipped": "The reranker had no usable opinion, so the order is that of words and meaning.",
}
VECTOR_STATES = {
    "disabled_schema_mismatch": "Comparing by meaning is off: the embedding model and the index do not fit together.",
    "disabled_breaker_open": "Comparing by meaning is paused: it failed repeatedly a moment ago.",
    "disabled_config": "Comparing by meaning is switched off.",
}
FUSIONS = {
    "zscore": "by how far it stood out on each side",
    "rrf": "by its ranks (reciprocal rank fusion)",
    "blend": "in fixed shares of closeness, word rank and fused rank",
}
MOST_REASONS = 3


@dataclass(frozen=True, slots=True)
class ExplainRow:
    """One row of the "why" table."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class TimingSegment:
    """A stage's part of a search's time; ``x`` and ``width`` are percentages of the bar."""

    stage: str
    name: str
    ms: float
    x: float
    width: float


def format_ordinal(number: int) -> str:
    if number % 100 in {11, 12, 13}:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def format_rank(rank: int) -> str:
    """The nearest, the 2nd nearest."""
    return "" if rank == 1 else f"{format_ordinal(rank)} "


def explain_hit(explain: Mapping[str, Any], position: int, final_score: float, sort_by: str) -> str:
    """One or two sentences on why a hit stands where it stands."""
    parts = []
    near, worded = explain.get("vector_rank"), explain.get("text_rank")
    if near is not None:
        parts.append(f"{format_rank(near)}nearest in meaning{describe_distance(explain.get('distance'))}")
    if worded is not None:
        parts.append(f"{format_rank(worded)}best match for the words")
    found = " and ".join(parts) or "found by neither meaning nor words"
    missing = ""
    if near is not None and worded is None:
        missing = " The words of the question did not find it."
    elif worded is not None and near is None:
        missing = " It was not among the nearest in meaning."
    sentences = [f"It was the {found}.{missing}" if parts else f"It was {found}."]
    sentences.append(describe_fusion(explain, final_score))
    if sort_by != "relevance":
        order = "when it was said" if sort_by == "recency" else "its outcome score"
        sentences.append(
            f"You asked for the order by {order}, so that decided place {position} among the most relevant."
        )
    return " ".join(sentences)


def describe_distance(distance: float | None) -> str:
    if distance is None:
        return ""
    # Rounded for people from distances between unit vectors: 0 is the same, 1.41 unrelated.
    closeness = "very close" if distance <= 0.8 else "close" if distance <= 1.0 else "loosely related"
    return f" ({closeness}, distance {distance:.2f})"


def describe_fusion(explain: Mapping[str, Any], final_score: float) -> str:
    relevance = explain.get("relevance")
    if relevance is None:
        return f"The final score is {final_score:.2f}."
    how = FUSIONS.get(str(explain.get("fusion")), "as configured")
    boosts = explain.get("boosts") or {}
    clauses = [f"Both sides were weighed {how}, which gave {relevance:.2f}"]
    if raised := list_reasons(boosts, 1):
        clauses.append(f"raised because {raised}")
    if lowered := list_reasons(boosts, -1):
        clauses.append(f"lowered because {lowered}")
    if explain.get("ce") is not None:
        clauses.append("looked at again by the reranker")
    if explain.get("rating") is not None:
        clauses.append(f"rated {explain['rating']:.2f} by a language model")
    ending = f", and is {final_score:.2f} between 0 and 1." if f"{relevance:.2f}" != f"{final_score:.2f}" else "."
    return "; ".join(clauses) + ending


def list_reasons(boosts: Mapping[str, float], sign: int) -> str:
    """The heaviest signals that point one way, as clauses."""
    # The rest are in the table below; a sentence of ten reasons explains nothing.
    pointing = [(abs(value), name) for name, value in boosts.items() if value * sign > 0]
    clauses = [explain_signal(name, sign) for _, name in sorted(pointing, reverse=True)[:MOST_REASONS]]
    return " and ".join(clauses) if len(clauses) < 3 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"


def list_explain_rows(explain: Mapping[str, Any], final_score: float) -> list[ExplainRow]:
    """Every number that placed a hit, named."""
    rows = [
        ExplainRow("Rank by meaning", format_number(explain.get("vector_rank")), "place among the nearest vectors"),
        ExplainRow("Distance", format_number(explain.get("distance")), "0 is the same, 1.41 unrelated, 2 opposite"),
        ExplainRow("Similarity", format_number(explain.get("similarity")), "1 / (1 + distance)"),
        ExplainRow("Rank by words", format_number(explain.get("text_rank")), "place in the full-text search"),
        ExplainRow("Word score", format_number(explain.get("text_score")), "higher is better"),
        ExplainRow("RRF", format_number(explain.get("rrf")), "sum of 1 / (60 + rank) over both sides"),
        ExplainRow(
            "Relevance", format_number(explain.get("relevance")), f"fused: {explain.get('fusion') or 'unknown'}"
        ),
    ]
    rows += [
        ExplainRow(str(name), format_number(value), "weight") for name, value in (explain.get("weights") or {}).items()
    ]
    rows += [
        ExplainRow(name_signal(name), format_number(value), explain_signal(name, value))
        for name, value in (explain.get("boosts") or {}).items()
    ]
    if explain.get("total") is not None:
        rows.append(ExplainRow("Total", format_number(explain["total"]), "relevance and what was added to it"))
    if explain.get("ce") is not None:
        rows.append(ExplainRow("Reranker", format_number(explain["ce"]), "cross-encoder, 0 to 1"))
    if explain.get("rating") is not None:
        rows.append(ExplainRow("Rating", format_number(explain["rating"]), "by a language model, 0 to 1"))
    rows.append(
        ExplainRow("Final score", format_number(final_score), "the total between 0 and 1: what the order is made of")
    )
    return rows


def format_number(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") or "0"
    return str(value)


def split_timings(timings_ms: Mapping[str, float]) -> list[TimingSegment]:
    """The stages of a search one after another along a bar, and what none of them accounts for."""
    parts = [(stage, STAGES.get(stage, stage), ms) for stage, ms in timings_ms.items() if stage != "total"]
    known = sum(ms for _, _, ms in parts)
    # Stages that ran side by side may add up to more than the whole took.
    total = max(timings_ms.get("total", known), known)
    # Under 2 % is rounding and would only add a sliver to the bar.
    if total - known > 0.02 * total:
        parts.append(("other", "Everything else", total - known))
    found, x = [], 0.0
    for stage, name, ms in parts:
        width = 100 * ms / total if total else 0.0
        found.append(TimingSegment(stage, name, ms, round(x, 3), round(width, 3)))
        x += width
    return found


def describe_fallbacks(fallbacks: Sequence[str], vector_state: str) -> list[str]:
    """What a search had to do without, in words."""
    found = [FALLBACKS.get(name, name.replace("_", " ")) for name in fallbacks]
    if vector_state in VECTOR_STATES:
        found.append(VECTOR_STATES[vector_state])
    return list(dict.fromkeys(found))
