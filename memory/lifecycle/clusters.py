"""Memories that tell the same matter in different words become one, where a language model says so.

The bank merges by rule what is nearly word for word the same; here are those beyond it, and patterns, which no rule
merges. The model's wording must have every particular of all of them and none of its own. Without a model they stay.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import structlog
from pydantic import BaseModel, Field

from memory.access.confinement import RowScope, ScopeFilter
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard import explain_refusal, find_order, find_secret
from memory.indexes import vector_index
from memory.indexes.answering import choose_question_model
from memory.indexes.base import IndexFilter, VectorShape
from memory.inference import choose_embedder
from memory.inference.asking import ask_prompt, find_prompt_model
from memory.inference.conf import prompt_conf
from memory.language.grounding import adds_nothing, keeps_particulars
from memory.models import EndUser, Fact, MemoryItem
from memory.platform.deadline import Deadline
from memory.scoring import compute_cosine
from memory.store import merging
from memory.store.admission import judge_bank_text
from memory.tiers import MAX_TEXT_CHARS, Tier, Trust

logger = structlog.get_logger(__name__)

PROMPT: Final = "merge_cluster"
ACTOR: Final = "model"
MERGED_TIERS: Final = (Tier.PATTERNS, Tier.MEMORY_BANK)
# Of one night: memories whose neighbours are looked up, clusters put to the model, memories of a cluster.
MOST_LOOKED_UP: Final = 40
MOST_ASKED: Final = 5
MOST_TOGETHER: Final = 4
MAX_CHARS: Final = 2_000
# How sure a model must be that nobody would miss one of them.
CONFIDENT: Final = 0.7
# Where no night was before, and where several were missed.
LONGEST_LOOK_BACK: Final = timedelta(days=7)
DEADLINE_S: Final = 30.0


class MergedText(BaseModel):
    """What the model answers; no text where they may not be merged."""

    text: str = Field(max_length=MAX_TEXT_CHARS)
    confidence: float = Field(ge=0, le=1)


def merge_clusters(user: EndUser, *, now: datetime) -> list[UUID]:
    """Returns the memories that took the place of several. Raises Unavailable."""
    if find_prompt_model(PROMPT) is None:
        return []
    clusters = find_clusters(user, list_changed(user, now))
    return [winner for cluster in clusters[:MOST_ASKED] if (winner := ask_about_cluster(user, cluster, now))]


def list_changed(user: EndUser, now: datetime) -> list[MemoryItem]:
    """Those of the day: what stood beside each other yesterday was asked about then."""
    since = max(user.consolidated_at or now - LONGEST_LOOK_BACK, now - LONGEST_LOOK_BACK)
    with user_scope(user):
        # What a fact stands behind is merged with its facts.
        of_facts = Fact.objects.for_user(user).filter(bank_item_id__isnull=False).values("bank_item_id")
        own = (
            MemoryItem.objects.for_user(user)
            .active()
            .filter(tier__in=MERGED_TIERS, trust__gt=Trust.EXTERNAL, review=False, always_inject=False)
        )
        changed = own.exclude(pk__in=of_facts).filter(updated_at__gte=since).order_by("-updated_at", "pk")
        return [item for item in changed.defer("lexemes")[:MOST_LOOKED_UP] if len(item.text) <= MAX_CHARS]


def find_clusters(user: EndUser, changed: Sequence[MemoryItem]) -> list[list[MemoryItem]]:
    """Each memory is in one cluster at most, that of the first that names it."""
    if not changed:
        return []
    deadline = Deadline(DEADLINE_S)
    model = choose_question_model(deadline)
    vectors = choose_embedder(model.model).embed_passages([item.text for item in changed], deadline)
    taken: set[UUID] = set()
    clusters = []
    for item, vector in zip(changed, vectors, strict=True):
        if item.pk in taken:
            continue
        where = IndexFilter(user.pk, frozenset({item.tier}), scope=ScopeFilter.only(RowScope.of(item)))
        found = vector_index().search(vector, where, MOST_TOGETHER, deadline, shape=VectorShape.of_model(model))
        near = [
            one.id
            for one in found
            if one.id != item.pk and compute_cosine(model.calibrate_distance(one.distance)) >= prompt_conf().merge_above
        ]
        cluster = [item, *read_mergeable(user, item, [pk for pk in near if pk not in taken])]
        if len(cluster) > 1:
            taken |= {one.pk for one in cluster}
            clusters.append(cluster)
    return clusters


def read_mergeable(user: EndUser, item: MemoryItem, ids: Sequence[UUID]) -> list[MemoryItem]:
    """Those of the neighbours that may be merged with it: of the same place and voice, and with no fact behind them."""
    with user_scope(user):
        of_facts = Fact.objects.for_user(user).filter(bank_item_id__in=ids).values_list("bank_item_id", flat=True)
        rows = (
            MemoryItem.objects.for_user(user)
            .active()
            .filter(
                pk__in=set(ids) - set(of_facts),
                tier=item.tier,
                trust=item.trust,
                speaker=item.speaker,
                agent_id=item.agent_id,
                project_id=item.project_id,
                review=False,
                always_inject=False,
            )
        )
        return [row for row in rows.defer("lexemes").order_by("pk") if len(row.text) <= MAX_CHARS]


def ask_about_cluster(user: EndUser, cluster: Sequence[MemoryItem], now: datetime) -> UUID | None:
    ordered = sorted(cluster, key=lambda item: (item.occurred_at, item.pk))
    texts = [item.text for item in ordered]
    answer = ask_prompt(
        PROMPT, {"fragments": texts}, MergedText, user_id=user.pk, deadline=Deadline(memory_conf().llm.timeout_s)
    )
    text = answer.text.strip() if answer and answer.confidence >= CONFIDENT else ""
    if not text or not is_acceptable(texts, text, Tier(ordered[0].tier)):
        return None
    winner = merging.merge_cluster(user, ordered, text, trust=Trust.ASSISTANT, now=now, actor=ACTOR)
    return winner.pk if winner else None


def is_acceptable(texts: Sequence[str], text: str, tier: Tier) -> bool:
    if find_secret(text) or find_order(text) or len(text) > sum(map(len, texts)):
        return False
    if tier is Tier.MEMORY_BANK and (explain_refusal(text) or judge_bank_text(text).list_objections()):
        return False
    return keeps_particulars(texts, text) and adds_nothing(texts, text)
