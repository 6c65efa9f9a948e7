"""Composes the context for an assistant before it answers: known facts, memories, instructions, and metadata.

Memories are presented as data. Each block has a fence that nobody can guess, so that no stored text can close it and
continue as instructions. Insights are passed in as ready lines: this module does not query the graphs.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory.claims.questions import read_question
from memory.conf import memory_conf
from memory.context.blocks import (
    ContextHalf,
    ContextSection,
    KnownLine,
    build_section,
    derive_fence,
    fold_words,
    holds_words,
)
from memory.context.budget import (
    TokenBudget,
    estimate_task,
    find_model_window,
    plan_budget,
)
from memory.context.bullets import build_bullets, doubt_bullets
from memory.context.digest import build_digest
from memory.context.known import drop_told, find_known_lines
from memory.context.matters import find_unrelated, rate_apartness
from memory.context.meta import build_meta
from memory.context.personality import build_personality
from memory.context.recent import ClientLimits, RecentMessage, fit_recent_messages, list_shown_messages
from memory.context.request import ContextRequest, build_search_request
from memory.context.selection import ContextSelection, StablePart, count_section_tokens, list_shown_ids
from memory.context.streamed import build_streamed
from memory.context.supplied import ContextInsights
from memory.context.talk import add_talk_beside
from memory.models import EndUser
from memory.retrieval.results import SearchDebug, SearchHit, SearchRequest, SearchResult
from memory.retrieval.search import search
from memory.retrieval.turns import HandedSection, record_turn

__all__ = [
    "ClientLimits",
    "Context",
    "ContextSection",
    "RecentMessage",
    "UnscoredExchange",
    "compose_context",
]

# Of unit vectors: a cosine of .34.
FAIR_DISTANCE = 1.15
# Places whose memories are told though they are dormant: 57 answers of 63 in the development month instead of 55, for
# six tokens more.
SURE_PLACES = 3
# Hits that are read with the question; what a later one quotes is told among the known lines too.
READ_FIRST = 3


# What is handed over in the place of the search's own hits.
ChooseHits = Callable[[SearchRequest, SearchResult], list[SearchHit]]


@dataclass(frozen=True, slots=True)
class UnscoredExchange:
    """The thread's last exchange, while its outcome is asked for: the words that ask, and whether to stop for it.

    It is reported and nothing is refused: a context that answered 409 would leave the person without an answer because
    a client forgot a call. ``blocking`` leaves the decision to the client.
    """

    exchange_id: uuid.UUID
    request: str
    blocking: bool

    def as_json(self) -> dict[str, Any]:
        return {"required_scoring": True, "blocking": self.blocking, "unscored_exchange_id": str(self.exchange_id)}


@dataclass(frozen=True, slots=True)
class Context:
    """``injection`` is the sections in order; ``meta`` is valid MemoryMetaV1.

    ``stable`` and ``turn`` say the same in two parts: what every turn of the thread is told, and what belongs to this
    one. ``unscored`` is asked for in the first section. ``left_out`` counts the memories found that the budget had no
    room for. ``history`` is what fits of the messages that were sent, beside the injection, where the client named its
    model or limit.
    """

    turn_id: uuid.UUID
    stable: ContextHalf
    turn: ContextHalf
    sections: list[ContextSection]
    # The sections and the order of what was found, as the turn keeps them.
    handed: list[HandedSection]
    positions: list[tuple[uuid.UUID, str]]
    meta: dict[str, Any]
    unscored: UnscoredExchange | None
    budget: TokenBudget
    left_out: int = 0
    history: list[tuple[str, str]] | None = None

    @property
    def injection(self) -> str:
        return join_sections(self.sections)

    @property
    def required_scoring(self) -> bool:
        return self.unscored is not None

    @property
    def tokens(self) -> int:
        return count_section_tokens(self.sections)


def compose_context(
    user: EndUser,
    asked: ContextRequest,
    insights: ContextInsights,
    *,
    now: datetime,
    is_new_thread: bool,
    unscored: UnscoredExchange | None,
    choose_hits: ChooseHits | None = None,
) -> Context:
    """The context of a turn. Deterministic: same thread, data and query, same sections."""
    request = build_search_request(asked)
    result = find_hits(user, request, choose_hits, now=now, remember=asked.remember)
    chosen, hits, known = choose_memories(user, request, result, now=now, is_cold=is_new_thread)
    hits = add_talk_beside(user, hits)
    needed = [line for line in known if not line.is_idle]
    budget, window = plan_context_budget(asked.query, asked.limits)
    fence = derive_fence(user, asked.thread_id)
    opening, memory_budget = build_opening(user, budget, result.debug)
    stable = StablePart.of(known, memory_budget, fence)
    outcome_request = build_outcome_request(unscored, memory_budget, stable)
    experience = list_experience(insights, chosen, hits, request, result)
    room = take_room(memory_budget, outcome_request)
    selection = ContextSelection.of(stable, needed, hits, experience, room, fence)
    insights = finish_insights(insights, result.debug, list_shown_messages(asked.recent_messages, asked.limits, window))
    insights = replace(insights, bullets=doubt_bullets(insights.bullets, result.validity.doubted))
    sections, of_turn = place_sections(opening, outcome_request, selection, stable, insights, memory_budget)
    return Context(
        turn_id=result.turn_id,
        stable=ContextHalf(join_sections([*opening, *stable.sections])),
        turn=ContextHalf(join_sections(of_turn)),
        sections=sections,
        handed=selection.list_handed(sections),
        positions=selection.order_positions(result.hits),
        meta=build_meta(user, asked.query, request, selection, result, sections, insights, now),
        unscored=unscored,
        budget=budget,
        left_out=len(needed) + len(hits) - len(selection.known) - len(selection.hits),
        history=fit_recent_messages(asked.recent_messages, asked.limits, window, sections),
    )


def find_hits(
    user: EndUser, request: SearchRequest, choose: ChooseHits | None, *, now: datetime, remember: bool
) -> SearchResult:
    found = search(user, request, now=now, remember=remember and choose is None)
    if choose is None:
        return found
    chosen = replace(found, hits=choose(request, found))
    if remember:
        record_turn(user, chosen.turn_id, request, chosen.hits, chosen.debug, now)
    return chosen


def build_opening(user: EndUser, budget: TokenBudget, debug: SearchDebug) -> tuple[list[ContextSection], TokenBudget]:
    """The personality, and what is left to the memory: of a budget of our own all, as a personality may hide none."""
    opening = build_personality(user, budget, debug)
    return opening, take_room(budget, opening) if budget.is_hard else budget


def take_room(budget: TokenBudget, sections: Sequence[ContextSection]) -> TokenBudget:
    return replace(budget, tokens=budget.tokens - count_section_tokens(sections))


def place_sections(
    personality: Sequence[ContextSection],
    request: Sequence[ContextSection],
    selection: ContextSelection,
    stable: StablePart,
    insights: ContextInsights,
    budget: TokenBudget,
) -> tuple[list[ContextSection], list[ContextSection]]:
    """All sections in order, and those of this turn alone; the bullets last, what is brought to mind before them."""
    told, bullets = [*request, *selection.sections()], insights.bullets
    known, hits, fence = selection.known, selection.hits, selection.fence
    room = budget.tokens - count_section_tokens([*stable.sections, *told])
    digest = build_digest(insights.thread, room, budget, fence)
    hot = build_bullets(bullets, known, hits, [*stable.sections, *told, *digest], budget, fence)
    shown = [*stable.sections, *told, *digest, *hot]
    hot = [*build_streamed(insights.streamed, known, hits, bullets, shown, budget, fence), *hot]
    opening = stable.sections[:1] if (hot or digest) and not told else []
    return [*personality, *opening, *told, *digest, *hot], [*request, *selection.turn_sections(), *digest, *hot]


def choose_memories(
    user: EndUser, request: SearchRequest, result: SearchResult, *, now: datetime, is_cold: bool
) -> tuple[list[KnownLine], list[SearchHit], list[KnownLine]]:
    """All known lines; and, nothing told twice, the hits and the known lines that are left."""
    chosen = choose_known(user, request, result, now=now, is_cold=is_cold)
    return chosen, *drop_repetitions(result.hits, chosen)


def choose_known(
    user: EndUser, request: SearchRequest, result: SearchResult, *, now: datetime, is_cold: bool
) -> list[KnownLine]:
    if not memory_conf().context.tells_known:
        return []
    asked, apart = read_question(request.query), rate_apartness(request.query, result.vector)
    doubted = result.validity.doubted
    return find_known_lines(user, asked, result.vector, doubted, now=now, is_cold=is_cold, apart=apart)


def list_experience(
    insights: ContextInsights,
    known: Sequence[KnownLine],
    hits: Sequence[SearchHit],
    request: SearchRequest,
    result: SearchResult,
) -> Sequence[str]:
    """Quoting neither what stands elsewhere nor what something said later most likely took the place of; nor what
    shares a word with the question and is about something else."""
    unrelated = find_unrelated(insights.meta.get("you_already_know") or (), request.query, result)
    return insights.lines(list_shown_ids(known, hits) | result.validity.outdated | unrelated)


def join_sections(sections: Sequence[ContextSection]) -> str:
    return "\n\n".join(part.text for part in sections)


def drop_repetitions(hits: Sequence[SearchHit], chosen: Sequence[KnownLine]) -> tuple[list[SearchHit], list[KnownLine]]:
    """The hits that are not known lines, and the known lines that no hit tells."""
    left = drop_repeated_hits(hits, [line for line in chosen if not line.is_idle])
    # What is asked for is said where it is looked for first: "where do I work?" lost its line to the seventh hit.
    # A hit that says of itself that it is over tells nothing of what in it still holds.
    return left, drop_told(chosen, [hit.item.text for hit in left[:READ_FIRST] if hit.superseded_by is None])


def drop_repeated_hits(hits: Sequence[SearchHit], known: Sequence[KnownLine]) -> list[SearchHit]:
    """The best hit of each wording, and none that is known already: a lesson noted three times is one line.

    Of a turn and a sentence of it, which the bank holds as well, the turn alone, wherever it stands.
    """
    known_ids = {line.memory_id for line in known}
    known_keys = {line.key for line in known}
    best: dict[str, SearchHit] = {}
    for hit in hits:
        if hit.item.pk in known_ids or fold_words(hit.item.text) in known_keys:
            continue
        if not hit.is_dormant or hit.position <= SURE_PLACES or is_clearly_relevant(hit):
            best.setdefault(hit.item.content_hash, hit)
    said = [(hit, fold_words(hit.item.text)) for hit in best.values()]
    # What says of itself that it is over tells nothing of what in it still holds.
    turns = [(hit.item.occurred_at, words) for hit, words in said if hit.superseded_by is None]
    return [
        hit
        for hit, words in said
        if not any(at == hit.item.occurred_at and holds_words(turn, words) for at, turn in turns)
    ]


def is_clearly_relevant(hit: SearchHit) -> bool:
    """Whether meaning or words say so of this hit itself, and not only its place among others."""
    # Of dormant memories alone: of 63 questions a month later it cost one answer and saved a fifth of the tokens.
    distance, text_rank = hit.explain["distance"], hit.explain["text_rank"]
    return text_rank is not None or (distance is not None and distance <= FAIR_DISTANCE)


def build_outcome_request(
    unscored: UnscoredExchange | None, budget: TokenBudget, stable: StablePart
) -> list[ContextSection]:
    """The request for the last outcome, first of all; where a client's limit has no room for it, its flags remain."""
    if unscored is None:
        return []
    section = build_section("score_required", unscored.request)
    room = budget.tokens - (count_section_tokens(stable.sections) if stable.lines else 0)
    return [] if budget.is_hard and section.tokens > room else [section]


def plan_context_budget(query: str, limits: ClientLimits | None) -> tuple[TokenBudget, int]:
    """The budget of a task and the window it is a part of."""
    conf = memory_conf().context
    window = find_model_window(limits.model if limits else "", conf.windows, conf.window)
    return plan_budget(
        estimate_task(query).complexity, window=window, requested=limits.max_tokens if limits else None
    ), window


def add_insight_diagnostics(insights: ContextInsights, debug: SearchDebug) -> None:
    """What could not be asked is named beside the stages of the search."""
    if insights.ms is not None:
        debug.stage_timings_ms["insights"] = insights.ms
    for error in insights.errors:
        debug.fallbacks_used.append(f"{error['stage']}_skipped")
        debug.errors.append(error)


def finish_insights(insights: ContextInsights, debug: SearchDebug, shown: Sequence[str]) -> ContextInsights:
    """Without the points of the thread where the client still hands its model the first of what they are about."""
    add_insight_diagnostics(insights, debug)
    thread = insights.thread
    if thread is None or not thread.opening or not any(text.startswith(thread.opening) for text in shown):
        return insights
    return replace(insights, thread=replace(thread, bullets=()))
