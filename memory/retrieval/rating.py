"""Has a language model rate the best candidates, where an operator switched that on: a search waits for it.

Off unless `fragment_rating` is taken out of MEMORY_PROMPTS_OFF. The question and the candidates are put in one call,
within a time of its own; without an answer the order stays as it was.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pydantic import BaseModel, Field

from memory.inference.asking import answer_prompt, find_prompt_model, take_call
from memory.inference.conf import prompt_conf
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.retrieval.ranking import RankedCandidate
from memory.retrieval.reranking import release_connection, render_for_reranker, rerank_order
from memory.retrieval.results import RATE, RELEVANCE, SearchDebug, SearchRequest

PROMPT: Final = "fragment_rating"
# A model that is too slow for a search is left out of searches, and goes on answering in the background.
BREAKER: Final = "llm in searches"
# Of each candidate: ten of them are 1,500 tokens, which a model reads in a tenth of the time it writes its answer.
MAX_CHARS: Final = 600


class RatedNote(BaseModel):
    note: int = Field(ge=1)
    rating: float = Field(ge=0, le=1)


class RatedNotes(BaseModel):
    """What the model answers."""

    ratings: list[RatedNote]


def rate(
    user: EndUser,
    query: str,
    ranked: list[RankedCandidate],
    request: SearchRequest,
    debug: SearchDebug,
    deadline: Deadline,
) -> list[RankedCandidate]:
    """The candidates, the best of them with the model's rating blended in. Outside any transaction."""
    conf = prompt_conf()
    if (
        find_prompt_model(PROMPT) is None
        or RATE not in request.stages
        or request.sort_by != RELEVANCE
        or request.boosts == ()
    ):
        return ranked
    best = [one for one in sorted(ranked, key=rerank_order)[: conf.rating_pool] if one.final > conf.rating_above]
    if len(best) < 2 or not take_call(user.pk):
        return ranked
    texts = [" ".join(render_for_reranker(one.candidate.memory).split())[:MAX_CHARS] for one in best]
    release_connection()
    nothing: dict[int, float] = {}
    ratings = debug.attempt(RATE, lambda: ask_ratings(query, texts, deadline.slice(conf.rating_timeout_s)), nothing)
    rated = {
        one.candidate.memory.id: blend_rating(one, ratings[number], conf.rating_weight)
        for number, one in enumerate(best, start=1)
        if number in ratings
    }
    return [rated.get(one.candidate.memory.id, one) for one in ranked]


def ask_ratings(query: str, texts: Sequence[str], deadline: Deadline) -> dict[int, float]:
    """The model's ratings by the number of the candidate; one without a rating keeps its score. Raises Unavailable."""
    data = {"query": query, "fragments": texts}
    answer = answer_prompt(PROMPT, data, RatedNotes, deadline=deadline, breaker=BREAKER)
    return {one.note: one.rating for one in answer.ratings}


def blend_rating(one: RankedCandidate, rating: float, weight: float) -> RankedCandidate:
    return replace(one, final=round((1 - weight) * one.final + weight * rating, 9), rating=round(rating, 9))
