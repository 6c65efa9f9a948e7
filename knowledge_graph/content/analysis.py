"""Entities and relations of a memory by the language model, if there is one; otherwise the rules find them."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import structlog
from pydantic import BaseModel, ConfigDict, Field

from knowledge_graph.content.extracting import LONG, extract_content
from knowledge_graph.content.updates import MemoryReading
from knowledge_graph.extraction.entities import KINDS, PERSON, THING, ExtractedEntity, extract_entities
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard import find_secret
from memory.inference import prompts
from memory.inference.asking import find_prompt_model
from memory.inference.llm import LanguageModel
from memory.language.folding import fold_name
from memory.language.vocabulary import load_places, load_technologies
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.tiers import Tier

logger = structlog.get_logger(__name__)

PURPOSE = "knowledge_graph_analysis"
MODEL = "model"
DESCRIBED_TIERS = (Tier.PATTERNS.value, Tier.MEMORY_BANK.value)
# Memories per batch, which limits how many answers a batch waits for.
MOST_DESCRIBED = 8
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


def read_memories(user: EndUser, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, MemoryReading]:
    """The model's readings of those memories that warrant one. Empty without a model. Not in a transaction."""
    model = find_prompt_model(PURPOSE)
    if model is None:
        return {}
    found: dict[uuid.UUID, MemoryReading] = {}
    deadline = Deadline(LONGEST_S)
    for item in select_items(user, ids):
        try:
            found[item.pk] = add_content(user, item, analyse_item(model, item, deadline), deadline)
        except Unavailable as error:
            logger.warning("memory not described", item_id=str(item.pk), reason=error.reason)
            if deadline.remaining() <= 0:
                break
    return found


def select_items(user: EndUser, ids: Sequence[uuid.UUID]) -> list[MemoryItem]:
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).active().filter(pk__in=list(ids), tier__in=DESCRIBED_TIERS)
        return list(rows.only("id", "text", "content_hash").order_by("pk")[:MOST_DESCRIBED])


def add_content(user: EndUser, item: MemoryItem, reading: MemoryReading, deadline: Deadline) -> MemoryReading:
    """With the concepts and terms of a long text, of which one reading lists the twelve most prominent names."""
    if len(item.text) < LONG:
        return reading
    content = extract_content(user, item.text, deadline=deadline.slice(memory_conf().llm.timeout_s))
    if not content.by_model:
        return reading
    known = {one.key for one in reading.entities}
    names = {resolve_key(name): name for name in (*content.technical_terms, *content.concepts)}
    added = [ExtractedEntity(name, key, THING) for key, name in names.items() if key not in known]
    return replace(reading, entities=[*reading.entities, *added])


def resolve_key(name: str) -> str:
    folded = fold_name(name)
    return load_technologies().get(folded) or load_places().get(folded, (folded, False))[0]


def analyse_item(model: LanguageModel, item: MemoryItem, deadline: Deadline) -> MemoryReading:
    answer = model.answer(
        prompts.render_prompt(PURPOSE, {"note": item.text}),
        AnalysisOut,
        purpose=PURPOSE,
        deadline=deadline.slice(memory_conf().llm.timeout_s),
    )
    return build_reading(answer, item)


def build_reading(answer: AnalysisOut, item: MemoryItem) -> MemoryReading:
    """The usable part of an answer: names in the text, with their kind corrected where the rules are surer."""
    by_rules = {one.key: one for one in extract_entities(item.text)}
    text = fold_name(item.text)
    found: dict[str, ExtractedEntity] = {}
    for one in answer.concepts:
        name = fold_name(one.name)
        # A model invents: what is not in the text is dropped, with its relations.
        if one.confidence < SURE or name not in text or find_secret(one.name):
            continue
        key = resolve_key(name)
        # The kinds of the rules win: they know cities and tools by list, where a model guesses anew each time.
        kind = one.type.casefold() if one.type.casefold() in KINDS else THING
        found[key] = by_rules.get(key) or ExtractedEntity(one.name, key, kind)
    # People are kept even if the model finds them unimportant.
    found.update({key: one for key, one in by_rules.items() if one.kind == PERSON})
    keys = {fold_name(one.name): one.key for one in found.values()}
    relations = [
        (keys[source], keys[target], related.relation.value)
        for related in answer.relationships
        if related.confidence >= SURE
        and (source := fold_name(related.source)) in keys
        and (target := fold_name(related.target)) in keys
    ]
    return MemoryReading(list(found.values()), relations, MODEL, item.content_hash)
