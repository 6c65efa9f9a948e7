"""The numbers of a search in words. Pure: dictionaries in, sentences and table rows out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import pgettext

from memory.console.signal_wordings import explain_signal, name_signal
from memory.web.wordings import translate as _

STAGES = {
    "understand": _("Reading the question"),
    "graph": _("Asking the graphs"),
    "embed": _("Embedding the question"),
    "vector": _("Nearest in meaning"),
    "crowding": _("Weighing what lies close together"),
    "lexical": _("Matching words"),
    "late": _("Comparing word for word"),
    "unindexed": _("Embedding what is new"),
    "rank": _("Reading and ranking"),
    "rerank": _("Reranking"),
    "rate": _("Rating by a language model"),
    "staged": _("Choosing in stages"),
    "remember": _("Saving the turn"),
    "insights": _("Asking experience"),
    "hot": _("Asking the hot path"),
    "stream": _("What comes to mind unasked"),
    "digest": _("The conversation in a few points"),
    "personality": _("Reading the personality"),
    "gateway": _("Context for a chat call"),
    "hook": _("Context for a coding agent"),
    "total": _("The whole search"),
}
FALLBACKS = {
    "embed_skipped": _("The question could not be embedded, so only words were compared."),
    "vector_skipped": _("The vector index did not answer, so only words were compared."),
    "lexical_skipped": _("The word index did not answer, so only meaning was compared."),
    "insights_skipped": _("Experience did not answer in time, so the context is without it."),
    "graph_skipped": _("The graphs did not answer in time, so nothing learned from earlier questions was added."),
    "crowding_skipped": _("What lies near to many other memories was not told from what stands by itself."),
    "staged_skipped": _("The stages could not be read, so the order is that of the search."),
    "hot_skipped": _("The hot path did not answer in time, so the context is without it."),
    "stream_skipped": _("What comes to mind unasked was not read in time, so the context is without it."),
    "digest_skipped": _("The points of the conversation were not read in time, so the context is without them."),
    "personality_skipped": _("The personality could not be read, so the context is without it."),
    "late_skipped": _("Turns were not compared with the question word for word."),
    "unindexed_skipped": _("What was stored a moment ago was compared by its words alone."),
    "rate_skipped": _("The language model did not rate in time, so the order stayed as it was."),
    "remember_skipped": _("The database takes no writes, so the turn was not kept and no outcome can name it."),
    "rerank_skipped": _("The reranker gave no usable result, so the order is that of words and meaning."),
}
VECTOR_STATES = {
    "disabled_schema_mismatch": _(
        "Comparing by meaning is off: the embedding model and the index do not fit together."
    ),
    "disabled_breaker_open": _("Comparing by meaning is paused: it failed repeatedly a moment ago."),
    "disabled_config": _("Comparing by meaning is switched off."),
}
FUSIONS = {
    "zscore": _("by how far it stood out on each side"),
    "rrf": _("by its ranks (reciprocal rank fusion)"),
    "blend": _("in fixed shares of closeness, word rank and fused rank"),
}
WEIGHTS = {"ce": _("Reranker"), "rating": _("Rating"), "quality": _("Quality")}
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
        return pgettext("ordinal number", "{number}th").format(number=number)
    endings = {
        1: pgettext("ordinal number", "{number}st"),
        2: pgettext("ordinal number", "{number}nd"),
        3: pgettext("ordinal number", "{number}rd"),
    }
    return endings.get(number % 10, pgettext("ordinal number", "{number}th")).format(number=number)


def describe_rank(rank: int, first: str, later: str) -> str:
    """The nearest, the 2nd nearest."""
    return str(first) if rank == 1 else later.format(ordinal=format_ordinal(rank))


def explain_hit(explain: Mapping[str, Any], position: int, final_score: float, sort_by: str) -> str:
    """One or two sentences on why a hit stands where it stands."""
    parts = []
    near, worded = explain.get("vector_rank"), explain.get("text_rank")
    if near is not None:
        placed = describe_rank(near, _("nearest in meaning"), _("{ordinal} nearest in meaning"))
        parts.append(placed + describe_distance(explain.get("distance")))
    if worded is not None:
        parts.append(describe_rank(worded, _("best match for the words"), _("{ordinal} best match for the words")))
    found = str(_(" and ")).join(parts)
    sentences = [
        _("It was the {found}.").format(found=found) if parts else str(_("It was found by neither meaning nor words."))
    ]
    if near is not None and worded is None:
        sentences.append(str(_("The words of the question did not find it.")))
    elif worded is not None and near is None:
        sentences.append(str(_("It was not among the nearest in meaning.")))
    sentences.append(describe_fusion(explain, final_score))
    if sort_by != "relevance":
        order = _("when it was said") if sort_by == "recency" else _("its outcome score")
        sentences.append(
            _("You asked for the order by {order}, so that decided place {position} among the most relevant.").format(
                order=order, position=position
            )
        )
    return " ".join(sentences)


def describe_distance(distance: float | None) -> str:
    if distance is None:
        return ""
    # Rounded for people from distances between unit vectors: 0 is the same, 1.41 unrelated.
    closeness = _("very close") if distance <= 0.8 else _("close") if distance <= 1.0 else _("loosely related")
    return " " + _("({closeness}, distance {distance:.2f})").format(closeness=closeness, distance=distance)


def describe_fusion(explain: Mapping[str, Any], final_score: float) -> str:
    relevance = explain.get("relevance")
    if relevance is None:
        return _("The final score is {final_score:.2f}.").format(final_score=final_score)
    how = name_fusion(explain)
    boosts = explain.get("boosts") or {}
    clauses = [_("Both sides were weighed {how}, which gave {relevance:.2f}").format(how=how, relevance=relevance)]
    if raised := list_reasons(boosts, 1):
        clauses.append(_("raised because {raised}").format(raised=raised))
    if lowered := list_reasons(boosts, -1):
        clauses.append(_("lowered because {lowered}").format(lowered=lowered))
    if explain.get("ce") is not None:
        clauses.append(str(_("looked at again by the reranker")))
    if explain.get("rating") is not None:
        clauses.append(_("rated {rating:.2f} by a language model").format(rating=explain["rating"]))
    reasons = "; ".join(clauses)
    if f"{relevance:.2f}" == f"{final_score:.2f}":
        return f"{reasons}."
    return _("{reasons}, and is {score:.2f} between 0 and 1.").format(reasons=reasons, score=final_score)


def name_fusion(explain: Mapping[str, Any]) -> str:
    return FUSIONS.get(str(explain.get("fusion")), _("as configured"))


def list_reasons(boosts: Mapping[str, float], sign: int) -> str:
    """The heaviest signals that point one way, as clauses."""
    # The rest are in the table below; a sentence of ten reasons explains nothing.
    pointing = [(abs(value), name) for name, value in boosts.items() if value * sign > 0]
    clauses = [explain_signal(name, sign) for _size, name in sorted(pointing, reverse=True)[:MOST_REASONS]]
    *others, last = map(str, clauses) if clauses else [""]
    return str(_("{others} and {last}")).format(others=", ".join(others), last=last) if others else last


def list_explain_rows(explain: Mapping[str, Any], final_score: float) -> list[ExplainRow]:
    """Every number that placed a hit, named."""
    rows = [
        ExplainRow(
            _("Rank by meaning"), format_number(explain.get("vector_rank")), _("place among the nearest vectors")
        ),
        ExplainRow(
            _("Distance"), format_number(explain.get("distance")), _("0 is the same, 1.41 unrelated, 2 opposite")
        ),
        ExplainRow(_("Similarity"), format_number(explain.get("similarity")), "1 / (1 + distance)"),
        ExplainRow(_("Rank by words"), format_number(explain.get("text_rank")), _("place in the full-text search")),
        ExplainRow(_("Word score"), format_number(explain.get("text_score")), _("higher is better")),
        ExplainRow("RRF", format_number(explain.get("rrf")), _("sum of 1 / (60 + rank) over both sides")),
        ExplainRow(
            _("Relevance"), format_number(explain.get("relevance")), _("weighed {how}").format(how=name_fusion(explain))
        ),
    ]
    rows += [
        ExplainRow(WEIGHTS.get(name, name), format_number(value), _("weight"))
        for name, value in (explain.get("weights") or {}).items()
    ]
    rows += [
        ExplainRow(name_signal(name), format_number(value), explain_signal(name, value))
        for name, value in (explain.get("boosts") or {}).items()
    ]
    if explain.get("total") is not None:
        rows.append(ExplainRow(_("Total"), format_number(explain["total"]), _("relevance and what was added to it")))
    if explain.get("ce") is not None:
        rows.append(ExplainRow(_("Reranker"), format_number(explain["ce"]), _("cross-encoder, 0 to 1")))
    if explain.get("rating") is not None:
        rows.append(ExplainRow(_("Rating"), format_number(explain["rating"]), _("by a language model, 0 to 1")))
    rows.append(
        ExplainRow(
            _("Final score"), format_number(final_score), _("the total between 0 and 1: what the order is made of")
        )
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
    known = sum(ms for _stage, _name, ms in parts)
    # Stages that ran side by side may add up to more than the whole took.
    total = max(timings_ms.get("total", known), known)
    # Under 2 % is rounding and would only add a sliver to the bar.
    if total - known > 0.02 * total:
        parts.append(("other", _("Everything else"), total - known))
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
