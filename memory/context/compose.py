"""Composes the context for an assistant before it answers: known facts, memories, instructions, and metadata.

Memories are presented as data. Each block has a fence that nobody can guess, so that no stored text can close it and
continue as instructions. Insights are passed in as ready lines: this module does not query the graphs.
"""

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
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
)
from memory.context.budget import (
    TokenBudget,
    estimate_task,
    find_model_window,
    plan_budget,
    truncate_at_sentences,
)
from memory.context.bullets import HotLine, build_bullets
from memory.context.digest import ConversationSoFar, build_digest
from memory.context.known import drop_told, find_known_lines
from memory.context.matters import find_unrelated, rate_apartness
from memory.context.meta import NO_INSIGHTS, build_meta
from memory.context.personality import build_personality
from memory.context.recent import ClientLimits, RecentMessage, fit_recent_messages, list_shown_messages
from memory.context.selection import ContextSelection, StablePart, count_section_tokens, list_shown_ids
from memory.context.streamed import build_streamed
from memory.facts.streaming import StreamedLine
from memory.language import build_query_groups
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.retrieval.results import SearchDebug, SearchHit, SearchRequest, SearchResult
from memory.retrieval.search import search
from memory.retrieval.turns import HandedSection, record_turn

__all__ = [
    "EMPTY_CONTEXT_INSIGHTS",
    "ClientLimits",
    "Context",
    "ContextInsights",
    "ContextSection",
    "RecentMessage",
    "UnscoredExchange",
    "compose_context",
]

# Of the person's own messages, and so much of each: "and the second one?" is about what was said just before, and more
# of it would drown the question's own words.
RECENT_MESSAGES_USED = 2
SHORT_FOLLOW_UP = 4
RECENT_TOKENS = 60
# Of unit vectors: a cosine of .34.
FAIR_DISTANCE = 1.15
# Places whose memories are told though they are dormant: 57 answers of 63 in the development month instead of 55, for
# six tokens more.
SURE_PLACES = 3
# Words up to which a question that names nothing is read with what was said before it.
VAGUE_WORDS = 12
# Memories where they are short. Of 62 questions to a month of a life the answer is among the first five of 48, of 53
# among eight, of 55 among twelve.
MOST_SHORT = 8
# Hits that are read with the question; what a later one quotes is told among the known lines too.
READ_FIRST = 3


@dataclass(frozen=True, slots=True)
class ContextInsights:
    """Insights for the context: lines to include, their part of the metadata, and the bullets of the hot path.

    ``lines`` is given the memories that are known already. ``errors`` name what could not be asked, and is missing.
    """

    lines: Callable[[Collection[uuid.UUID]], Sequence[str]] = lambda known_ids: ()
    context_type: str | None = None
    meta: dict[str, Any] = field(default_factory=lambda: dict(NO_INSIGHTS))
    ms: float | None = None
    errors: tuple[dict[str, str | None], ...] = ()
    bullets: Sequence[HotLine] = ()
    thread: ConversationSoFar | None = None
    streamed: Sequence[StreamedLine] = ()


EMPTY_CONTEXT_INSIGHTS = ContextInsights()
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
    # The sections as the turn keeps them.
    handed: list[HandedSection]
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
    query: str,
    *,
    now: datetime,
    thread_id: str,
    recent_messages: Sequence[RecentMessage],
    limit: int | None,
    has_documents: bool,
    is_new_thread: bool,
    unscored: UnscoredExchange | None,
    insights: ContextInsights = EMPTY_CONTEXT_INSIGHTS,
    limits: ClientLimits | None = None,
    deadline: Deadline | None = None,
    remember: bool = True,
    spaces: frozenset[str] | None = None,
    choose_hits: ChooseHits | None = None,
) -> Context:
    """The context of a turn. Deterministic: same thread, data and query, same sections."""
    request = build_search_request(query, thread_id, recent_messages, limit, has_documents=has_documents, spaces=spaces)
    request = replace(request, deadline_s=deadline.remaining() if deadline else None)
    result = find_hits(user, request, choose_hits, now=now, remember=remember)
    chosen, hits, known = choose_memories(user, request, result, now=now, is_cold=is_new_thread)
    (budget, window), fence = plan_context_budget(query, limits), derive_fence(user, thread_id)
    opening, left = build_opening(user, budget, result.debug)
    request_sections = build_outcome_request(unscored, left, stable := StablePart.of(known, left, fence))
    told = list_experience(insights, chosen, hits, request, result), take_room(left, request_sections)
    selection = ContextSelection.of(stable, needed := [one for one in known if not one.is_idle], hits, *told, fence)
    insights = finish_insights(insights, result.debug, list_shown_messages(recent_messages, limits, window))
    sections, of_turn = place_sections(opening, request_sections, selection, stable, insights, left)
    return Context(
        turn_id=result.turn_id,
        stable=ContextHalf(join_sections([*opening, *stable.sections])),
        turn=ContextHalf(join_sections(of_turn)),
        sections=sections,
        handed=selection.list_handed(sections),
        meta=describe_context(user, query, request, selection, result, now, sections, insights),
        unscored=unscored,
        budget=budget,
        left_out=len(needed) + len(hits) - len(selection.known) - len(selection.hits),
        history=fit_recent_messages(recent_messages, limits, window, sections),
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
    return left, drop_told(chosen, [hit.item.text for hit in left[:READ_FIRST]])


def drop_repeated_hits(hits: Sequence[SearchHit], known: Sequence[KnownLine]) -> list[SearchHit]:
    """The best hit of each wording, and none that is known already: a lesson noted three times is one line."""
    known_ids = {line.memory_id for line in known}
    known_keys = {line.key for line in known}
    best: dict[str, SearchHit] = {}
    for hit in hits:
        if hit.item.pk in known_ids or fold_words(hit.item.text) in known_keys:
            continue
        if not hit.is_dormant or hit.position <= SURE_PLACES or is_clearly_relevant(hit):
            best.setdefault(hit.item.content_hash, hit)
    return list(best.values())


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


def build_search_request(
    query: str,
    thread_id: str,
    recent_messages: Sequence[RecentMessage],
    limit: int | None,
    *,
    has_documents: bool,
    spaces: frozenset[str] | None = None,
) -> SearchRequest:
    """The search request; a short or vague follow-up ("and the second one?") includes the message before it.

    Where what is found is most likely about something else, nothing is found.
    """
    search_text = query.strip()
    parts: tuple[str, ...] = ()
    if is_follow_up(search_text):
        said = [message.content for message in recent_messages if message.role == "user"][-RECENT_MESSAGES_USED:]
        before = [truncate_at_sentences(text, RECENT_TOKENS) for text in said if text.strip() != search_text]
        parts = (*before, search_text) if before else ()
        search_text = " ".join([*before, search_text])
    count = limit or memory_conf().ranking.context_limit or estimate_task(query).count
    # Documents of the conversation fill the window already: hand over fewer memories.
    if has_documents and not limit:
        count = max(1, count // 2)
    return SearchRequest(
        search_text,
        limit=count,
        limit_of_short=0 if limit or has_documents or memory_conf().ranking.context_limit else MOST_SHORT,
        spaces=spaces,
        thread_id=thread_id,
        is_silent_when_low=True,
        said=parts,
    )


def is_follow_up(text: str) -> bool:
    """Whether a question may be about what was said before: it is short, or has no word that says what it is about."""
    words = len(text.split())
    return words <= SHORT_FOLLOW_UP or (words <= VAGUE_WORDS and not build_query_groups(text))


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


def describe_context(
    user: EndUser,
    query: str,
    request: SearchRequest,
    selection: ContextSelection,
    result: SearchResult,
    now: datetime,
    sections: Sequence[ContextSection],
    insights: ContextInsights,
) -> dict[str, Any]:
    """MemoryMetaV1 of what was selected."""
    known, hits = selection.known, selection.hits
    meta = build_meta(user, query, request, known, hits, result, now, sections, insights.meta)
    return meta | {"context_type": insights.context_type}


def finish_insights(insights: ContextInsights, debug: SearchDebug, shown: Sequence[str]) -> ContextInsights:
    """Without the points of the thread where the client still hands its model the first of what they are about."""
    add_insight_diagnostics(insights, debug)
    thread = insights.thread
    if thread is None or not thread.opening or not any(text.startswith(thread.opening) for text in shown):
        return insights
    return replace(insights, thread=replace(thread, bullets=()))
