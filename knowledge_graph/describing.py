"""Entities and relations of a memory by the language model, if there is one; otherwise the rules find them.

The model's answer must be grounded in the text it was given: names that do not occur in the text are dropped, with
their relations.
"""

import uuid
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import structlog
from pydantic import BaseModel, ConfigDict, Field

from knowledge_graph.content import Reading
from knowledge_graph.entities import KINDS, PERSON, THING, Entity, entities_of
from knowledge_graph.words import folded, places, technologies
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard import found_secret
from memory.inference import language_model, prompts
from memory.inference.llm import LanguageModel
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.tiers import Tier

logger = structlog.get_logger(__name__)

PURPOSE = "knowledge_graph_analysis"
MODEL = "model"
DESCRIBED_TIERS = (Tier.PATTERNS.value, Tier.MEMORY_BANK.value)
MOST_DESCRIBED = 8
"""Memories per batch, which limits how many answers a batch waits for."""
LONGEST_S = 60.0
SURE = 0.5
SHORTEST_NAME = 2


class Relation(StrEnum):
    INFLUENCES = "influences"
    BUILDS_UPON = "builds_upon"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    EVOLVES_FROM = "evolves_from"
    CONNECTS_TO = "connects_to"
    CAUSES = "CAUSES"
    LEADS_TO = "LEADS_TO"
    TRIGGERS = "TRIGGERS"
    PREVENTS = "PREVENTS"


Name = Annotated[str, Field(min_length=SHORTEST_NAME, max_length=100)]


class NamedOut(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: Name
    type: str = THING
    confidence: float = Field(default=1.0, ge=0, le=1)


class RelatedOut(BaseModel):
    model_config = ConfigDict(extra="ignore")

    source: Name
    target: Name
    relation: Relation
    confidence: float = Field(default=1.0, ge=0, le=1)


class AnalysisOut(BaseModel):
    model_config = ConfigDict(extra="ignore")

    concepts: list[NamedOut] = Field(default_factory=list, max_length=24)
    relationships: list[RelatedOut] = Field(default_factory=list, max_length=24)


def readings(user: EndUser, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Reading]:
    """The model's readings of those memories that warrant one. Empty without a model. Not in a transaction."""
    model = language_model()
    if model is None:
        return {}
    found: dict[uuid.UUID, Reading] = {}
    deadline = Deadline(LONGEST_S)
    for item in deserving(user, ids):
        try:
            found[item.pk] = read(model, item, deadline)
        except Unavailable as error:
            logger.warning("memory not described", item_id=str(item.pk), reason=error.reason)
            if deadline.remaining() <= 0:
                break
    return found


def deserving(user: EndUser, ids: Sequence[uuid.UUID]) -> list[MemoryItem]:
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).active().filter(pk__in=list(ids), tier__in=DESCRIBED_TIERS)
        return list(rows.only("id", "text", "content_hash").order_by("pk")[:MOST_DESCRIBED])


def read(model: LanguageModel, item: MemoryItem, deadline: Deadline) -> Reading:
    said = model.answer(
        prompts.prompt(PURPOSE, {"note": item.text}),
        AnalysisOut,
        purpose=PURPOSE,
        deadline=deadline.slice(memory_conf().llm.timeout_s),
    )
    return as_reading(said, item)


def as_reading(said: AnalysisOut, item: MemoryItem) -> Reading:
    """The usable part of an answer: names in the text, with their kind corrected where the rules are surer."""
    by_rules = {one.key: one for one in entities_of(item.text)}
    text = folded(item.text)
    found: dict[str, Entity] = {}
    for one in said.concepts:
        name = folded(one.name)
        if one.confidence < SURE or name not in text or found_secret(one.name):
            continue
        key = technologies().get(name) or places().get(name, (name, False))[0]
        kind = one.type.casefold() if one.type.casefold() in KINDS else THING
        found[key] = by_rules.get(key) or Entity(one.name, key, kind)
    # People are kept even if the model finds them unimportant.
    found.update({key: one for key, one in by_rules.items() if one.kind == PERSON})
    keys = {folded(one.name): one.key for one in found.values()}
    relations = [
        (keys[source], keys[target], related.relation.value)
        for related in said.relationships
        if related.confidence >= SURE
        and (source := folded(related.source)) in keys
        and (target := folded(related.target)) in keys
    ]
    return Reading(list(found.values()), relations, MODEL, item.content_hash)
