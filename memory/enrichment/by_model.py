"""Labels by a language model, whose only answers are the terms of the vocabulary: by a forced tool where the server
takes tools, else by JSON that is checked against them."""

from collections.abc import Iterable
from functools import lru_cache
from types import GenericAlias
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from memory.conf import memory_conf
from memory.enrichment.entities import find_mentions
from memory.enrichment.labels import (
    ENTITY_CHARS,
    MOST_ENTITIES,
    MOST_TOPICS,
    Confidence,
    Importance,
    MentionedEntity,
    MessageLabels,
)
from memory.inference.asking import answer_prompt
from memory.inference.llm import AnswerTool
from memory.language.concepts import SUBJECT as CONCEPTS
from memory.language.loader import read_sections
from memory.language.stems import DEFAULT_LANGUAGE
from memory.platform.deadline import Deadline
from memory.vocabulary.terms import ControlledVocabulary, TermKind

PROMPT: Final = "label_message"
TOOL: Final = AnswerTool(PROMPT, "Label the message with terms of the vocabulary.")
# Headings of the lists in the prompt.
LISTS: Final = {
    TermKind.TOPIC: "Topics",
    TermKind.CATEGORY: "Categories",
    TermKind.MESSAGE_TYPE: "Kinds of message",
    TermKind.ENTITY_TYPE: "Types of entities",
}


def label_by_model(text: str, vocabulary: ControlledVocabulary) -> MessageLabels:
    """``text`` are the words of one person. Raises Unavailable and its kinds; takes seconds, so never in a
    transaction."""
    data = {"message": text, "terms": describe_terms(vocabulary)}
    form = build_form(vocabulary)
    answer: Any = answer_prompt(PROMPT, data, form, deadline=Deadline(memory_conf().llm.timeout_s), tool=TOOL)
    said = tuple(MentionedEntity(one.type, one.value.strip()) for one in answer.entities or () if one.value in text)
    # What has a shape is found by it, whatever the model overlooked; what the text does not say was made up.
    mentioned = {(one.type, one.key): one for one in (*said, *find_mentions(text, list_types(vocabulary)))}
    return MessageLabels(
        topics=tuple(dict.fromkeys(answer.topics)),
        category=answer.category or "",
        message_type=answer.message_type or "",
        importance=answer.importance,
        entities=tuple(mentioned.values())[:MOST_ENTITIES],
        confidence=answer.confidence,
        suggested_topic=accept_suggestion(answer.suggested_topic) if answer.confidence == Confidence.LOW else "",
    )


def list_types(vocabulary: ControlledVocabulary) -> tuple[str, ...]:
    return vocabulary.list_names(TermKind.ENTITY_TYPE)


def accept_suggestion(said: str | None) -> str:
    """Only a word that the languages' lists of meanings know: any other may be a name out of one person's message."""
    word = (said or "").strip().casefold()
    return word if word in read_sections(DEFAULT_LANGUAGE, CONCEPTS) else ""


def describe_terms(vocabulary: ControlledVocabulary, kinds: Iterable[TermKind] = tuple(LISTS)) -> str:
    parts = []
    for kind in kinds:
        terms = vocabulary.by_kind[kind]
        parts.append("\n".join([f"{LISTS[kind]}:", *(f"- {term.name}: {term.means}" for term in terms)]))
    return "\n\n".join(parts)


@lru_cache(maxsize=64)
def build_form(vocabulary: ControlledVocabulary) -> type[BaseModel]:
    """The form of an answer: enums of the terms in use, so that nothing else is valid."""
    config = ConfigDict(extra="ignore")
    entity = create_model(
        "Entity",
        __config__=config,
        type=(list_choices(vocabulary, TermKind.ENTITY_TYPE), ...),
        value=(Annotated[str, Field(min_length=1, max_length=ENTITY_CHARS)], ...),
    )
    return create_model(
        "Labels",
        __config__=config,
        topics=(list_of(list_choices(vocabulary, TermKind.TOPIC), 1, MOST_TOPICS), ...),
        category=(list_choices(vocabulary, TermKind.CATEGORY) | None, None),
        message_type=(list_choices(vocabulary, TermKind.MESSAGE_TYPE) | None, None),
        entities=(list_of(entity, 0, MOST_ENTITIES) | None, None),
        importance=(Importance, ...),
        confidence=(Confidence, ...),
        suggested_topic=(Annotated[str, Field(max_length=ENTITY_CHARS)] | None, None),
    )


def list_of(kind: Any, least: int, most: int) -> Any:  # noqa: ANN401 -- a type made of data
    return Annotated[GenericAlias(list, (kind,)), Field(min_length=least, max_length=most)]


def list_choices(vocabulary: ControlledVocabulary, kind: TermKind) -> Any:  # noqa: ANN401 -- a type made of data
    return Literal[vocabulary.list_names(kind)]
