"""Holds facts against what was said in an episode: the person's own sentences that say the same count as evidence.

The reading of a turn has counted what it could read as a claim. Here the nearest facts are held against every sentence,
by the judge and not by nearness: contradictions lie as near as paraphrases.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import numpy as np

from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.facts import changes
from memory.facts.episodes import take_persons_words
from memory.facts.evidence import FactOrigin, reinforce_fact
from memory.facts.judgement import describe_fact
from memory.facts.nearest import find_nearest
from memory.facts.pairs import judge_pair, read_statement
from memory.models import EndUser, Fact, FactEpisode, FactEvidence, MemoryItem
from memory.models.facts import EvidenceKind
from memory.tiers import MAX_TEXT_CHARS

# A sentence in passing moves a fact less than saying it: 0.05 of what is missing.
STEP_IN_PASSING: Final = 0.05
# An episode speaks of several things, so that its vector lies further from each than two statements of one.
NEAR_EPISODE: Final = 0.3
MOST_FACTS: Final = 8
SENTENCE: Final = re.compile(r"[^.!?…。؟\n]+[.!?…。؟]*")
LEAST_WORDS: Final = 3


def weigh_episode(user: EndUser, episode: FactEpisode, own: Collection[UUID], now: datetime) -> list[Fact]:
    """Count an episode as evidence, once. Returns the facts it supports. ``own`` are imported turns of the person."""
    with user_scope(user):
        changes.lock_facts(user)
        supported = find_supported(user, episode, own)
        for fact, item in supported:
            origin = FactOrigin(EvidenceKind.EPISODE, item.pk, item.pk, item.thread_id)
            reinforce_fact(fact, origin, STEP_IN_PASSING, item.occurred_at, now)
        FactEpisode.objects.filter(user=user, pk=episode.pk).update(weighed_at=now)
    return [fact for fact, _ in supported]


def find_supported(user: EndUser, episode: FactEpisode, own: Collection[UUID]) -> list[tuple[Fact, MemoryItem]]:
    """Each fact with the memory that says it too, of those that are not its evidence yet. In the user's scope."""
    vector = np.array(episode.vector, dtype=np.float32)
    near = find_nearest(user, vector, episode.model, asked=False, limit=MOST_FACTS, scope=RowScope.of(episode))
    facts = list(Fact.objects.for_user(user).filter(pk__in=[pk for pk, at in near.items() if at >= NEAR_EPISODE]))
    if not facts:
        return []
    rows = FactEvidence.objects.filter(user=user, fact__in=facts, memory_id__in=episode.memory_ids)
    counted = set(rows.values_list("fact_id", "memory_id"))
    items = MemoryItem.objects.for_user(user).filter(pk__in=episode.memory_ids).defer("lexemes")
    said = [item for item in items.order_by("occurred_at", "arrival") if is_own(item, own)]
    found: list[tuple[Fact, MemoryItem]] = []
    for fact in facts:
        later = (item for item in said if (fact.pk, item.pk) not in counted and item.occurred_at > fact.first_seen)
        item = next((item for item in later if says_same(fact, list(iterate_sentences(item)))), None)
        found += [(fact, item)] if item is not None else []
    return found


def is_own(item: MemoryItem, own: Collection[UUID]) -> bool:
    return item.source.get("kind") == "exchange" or item.pk in own


def says_same(fact: Fact, sentences: Sequence[str]) -> bool:
    told = describe_fact(fact)
    return any(judge_pair(told, read_statement(sentence), is_ordered=True) == "merge" for sentence in sentences)


def iterate_sentences(item: MemoryItem) -> Iterator[str]:
    """What the person states in it; a question states nothing."""
    for match in SENTENCE.finditer(take_persons_words(item)[:MAX_TEXT_CHARS]):
        sentence = match.group().strip()
        if not sentence.endswith(("?", "؟")) and len(sentence.split()) >= LEAST_WORDS:
            yield sentence
