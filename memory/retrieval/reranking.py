"""Reranks the best candidates with a cross-encoder, if one is configured."""

from dataclasses import replace

from django.db import connection

from memory.conf import memory_conf
from memory.inference import reranker
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.retrieval.pool import CandidateMemory
from memory.retrieval.ranking import RankedCandidate
from memory.retrieval.results import RELEVANCE, RERANK, SearchDebug, SearchRequest

# Candidates for each place of the answer, above which a second look can change which memories are in it. A
# cross-encoder on a few cores does not answer for 30 candidates within its two seconds, so it is not asked for nothing.
WORTH_IT = 2


def rerank(
    query: str, ranked: list[RankedCandidate], request: SearchRequest, debug: SearchDebug, deadline: Deadline
) -> list[RankedCandidate]:
    """The best candidates with the cross-encoder's score blended in; all of them unchanged where none is asked.

    Asks over the network, so it is called outside any transaction.
    """
    model = reranker() if RERANK in request.stages else None
    if model is None:
        return ranked
    if request.sort_by != RELEVANCE or len(ranked) <= request.limit * WORTH_IT:
        metrics.count(RERANK, "spared")
        return ranked
    conf = memory_conf().reranker
    # What is not shown to it has no score of its kind and could not be compared, so it reads at least a full answer.
    best = sorted(ranked, key=rerank_order)[: max(conf.pool, request.limit)]
    texts = [render_for_reranker(one.candidate.memory) for one in best]
    release_connection()
    scores = debug.attempt(RERANK, lambda: model.score(query, texts, deadline.slice(conf.timeout_s)), None)
    metrics.count(RERANK, "skipped" if scores is None else "used")
    if scores is None:
        return ranked
    return [blend_score(one, score, conf.weight) for one, score in zip(best, scores, strict=True)]


def release_connection() -> None:
    """Give the connection back to the pool.

    A slow reranker would soon hold all of it, and requests that need no reranker would fail.
    """
    if getattr(connection, "pool", None) and not connection.in_atomic_block:
        connection.close()


def rerank_order(one: RankedCandidate) -> tuple[float, float, int]:
    memory = one.candidate.memory
    return (-one.final, -memory.occurred_at.timestamp(), memory.id.int)


def render_for_reranker(memory: CandidateMemory) -> str:
    return f"{memory.speaker}: {memory.text}" if memory.speaker else memory.text


def blend_score(one: RankedCandidate, score: float, weight: float) -> RankedCandidate:
    blended = (1 - weight) * one.final + weight * score
    return replace(one, final=round(blended * get_quality_factor(one.candidate.memory), 9), ce=round(score, 9))


def get_quality_factor(memory: CandidateMemory) -> float:
    """What a statement's score is multiplied by: a cross-encoder reads its words and not how sure it is."""
    return 1 + memory.quality if memory.is_statement else 1.0
