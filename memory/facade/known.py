"""Facts and past exchanges found for a question, together within a few lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from memory.facade.found_facts import FactHit
from memory.facts.relevance import EPISODE_CONFIDENCE, weigh_relevance
from memory.language.text import estimate_tokens
from memory.models import Fact, FactEpisode
from memory.retrieval.results import SearchHit
from memory.scoring import compute_cosine

FoundKind = Literal["fact", "episode"]
# What a model may be given in passing beside the context of its turn.
MOST_TOKENS: Final = 400


@dataclass(frozen=True, slots=True)
class FoundLine:
    """``similarity`` is the cosine; 0 where only words were compared. ``later`` is what was said since against it."""

    kind: FoundKind
    text: str
    confidence: float
    timestamp: datetime
    similarity: float
    relevance: float
    later: str = ""
    # The fact that is told, or the memory of a past exchange; a run of exchanges is neither.
    fact: Fact | None = None
    memory_id: UUID | None = None


def describe_fact_line(hit: FactHit) -> FoundLine:
    fact = hit.fact
    told = (fact.statement, hit.confidence, fact.last_seen, hit.similarity, hit.relevance, hit.later)
    return FoundLine("fact", *told, fact=fact)


def describe_episode(hit: SearchHit, now: datetime) -> FoundLine:
    item, distance = hit.item, hit.explain["distance"]
    # The distance is that of unit vectors.
    cosine = 0.0 if distance is None else compute_cosine(distance)
    relevance = weigh_relevance(cosine, item.confidence, item.occurred_at, now)
    return FoundLine("episode", item.text, item.confidence, item.occurred_at, cosine, relevance, memory_id=item.pk)


def describe_run(episode: FactEpisode, similarity: float, now: datetime) -> FoundLine:
    relevance = weigh_relevance(similarity, EPISODE_CONFIDENCE, episode.ended_at, now)
    return FoundLine("episode", episode.gist, EPISODE_CONFIDENCE, episode.ended_at, similarity, relevance)


def select_lines(found: Sequence[FoundLine], limit: int) -> list[FoundLine]:
    """The best, in whole lines, within the tokens that all have together. What has no line that fits is left out."""
    chosen: list[FoundLine] = []
    left = MOST_TOKENS
    for line in sorted(found, key=lambda one: (-one.relevance, bool(one.later), one.kind, one.text)):
        text = keep_whole_lines(line.text, left)
        if text and len(chosen) < limit:
            chosen.append(replace(line, text=text))
            left -= estimate_tokens(text)
    return chosen


def keep_whole_lines(text: str, tokens: int) -> str:
    """As many of the first lines as fit."""
    kept: list[str] = []
    for line in text.splitlines():
        tokens -= estimate_tokens(line)
        if tokens < 0:
            break
        kept.append(line)
    return "\n".join(kept).strip()
