"""What a question looks for, asked of a language model while somebody waits: within a time of its own, once a while.

The answer is kept for some minutes under a keyed hash of the question, with what it names as places in its text: no
word of a person stands in the cache.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from redis import Redis

from memory.conf import secret_key
from memory.enrichment.by_model import describe_terms, list_choices, list_of, list_types
from memory.enrichment.intent import QueryIntent, select_looked_for
from memory.enrichment.labels import ENTITY_CHARS, MOST_ENTITIES, MOST_TOPICS, fold_entity
from memory.inference.asking import ask_prompt, find_prompt_model
from memory.inference.conf import prompt_conf
from memory.inference.llm import AnswerTool
from memory.language.folding import fold_text
from memory.language.periods import find_window
from memory.models import EndUser
from memory.platform import redis as shared
from memory.platform.deadline import Deadline
from memory.retrieval.reranking import release_connection
from memory.vocabulary.terms import ControlledVocabulary, TermKind

PROMPT: Final = "query_intent"
TOOL: Final = AnswerTool(PROMPT, "Say what to search for, in terms of the vocabulary.")
# What is too late for a turn is in time for the background, so the two do not share a breaker.
BREAKER: Final = "llm for intents"
MAX_CHARS: Final = 2_000
KEPT_S: Final = 600
ANY_TIME: Final = "any time"
# Each is read by the calendar of the product, as if the question had said it.
TIMES: Final = (
    ANY_TIME, "today", "yesterday", "this week", "last week", "this month", "last month", "this year", "last year"
)  # fmt: skip


class SeenIntent(BaseModel):
    """An answer as it is kept: ``named`` are the beginnings and ends of what the question names."""

    model_config = ConfigDict(extra="forbid")

    topics: tuple[str, ...]
    named: tuple[tuple[int, int], ...]
    time: str
    this_thread_only: bool


def ask_intent(
    user: EndUser, query: str, vocabulary: ControlledVocabulary, by_rules: QueryIntent, *, now: datetime
) -> QueryIntent | None:
    """None where no model is asked or none answers in time. ``by_rules`` has the shapes and days of the question that
    a model may overlook; what it says of topics is what the model is asked instead of."""
    if find_prompt_model(PROMPT) is None:
        return None
    key = build_cache_key(user, query, vocabulary)
    seen = read_seen(key)
    if seen is None:
        release_connection()
        seen = ask_model(user, query, vocabulary)
        if seen is None:
            return None
        kept = seen.model_dump_json()
        shared.call_or_default(lambda client: client.set(key, kept, ex=KEPT_S), None)
    topics = {topic for topic in seen.topics if topic != vocabulary.find_fallback(TermKind.TOPIC)}
    named = {fold_entity(query[start:end]) for start, end in seen.named}
    window = by_rules.window or (None if seen.time == ANY_TIME else find_window(fold_text(seen.time), now))
    return replace(
        by_rules,
        topics=vocabulary.widen(TermKind.TOPIC, topics),
        entities=by_rules.entities | (named - {""}),
        window=window,
        is_of_this_thread=seen.this_thread_only,
    )


def ask_model(user: EndUser, query: str, vocabulary: ControlledVocabulary) -> SeenIntent | None:
    asked = query[:MAX_CHARS]
    answer: Any = ask_prompt(
        PROMPT,
        {"question": asked, "terms": describe_terms(vocabulary, (TermKind.TOPIC, TermKind.ENTITY_TYPE))},
        build_intent_form(vocabulary),
        user_id=user.pk,
        deadline=Deadline(prompt_conf().intent_timeout_s),
        breaker=BREAKER,
        tool=TOOL,
    )
    if answer is None:
        return None
    types = select_looked_for(list_types(vocabulary))
    values = (one.value.strip() for one in answer.entities or () if one.type in types)
    return SeenIntent(
        topics=tuple(dict.fromkeys(answer.topics)),
        named=tuple(find_places(asked, values)),
        time=answer.time,
        this_thread_only=answer.this_thread_only,
    )


def find_places(text: str, values: Iterable[str]) -> Iterable[tuple[int, int]]:
    """Where each stands; what the question does not say was made up."""
    for value in values:
        start = text.find(value) if value else -1
        if start >= 0:
            yield start, start + len(value)


@lru_cache(maxsize=64)
def build_intent_form(vocabulary: ControlledVocabulary) -> type[BaseModel]:
    config = ConfigDict(extra="ignore")
    times: Any = Literal[TIMES]
    entity = create_model(
        "NamedInQuestion",
        __config__=config,
        type=(list_choices(vocabulary, TermKind.ENTITY_TYPE), ...),
        value=(Annotated[str, Field(min_length=1, max_length=ENTITY_CHARS)], ...),
    )
    return create_model(
        "AskedFor",
        __config__=config,
        topics=(list_of(list_choices(vocabulary, TermKind.TOPIC), 0, MOST_TOPICS), ...),
        entities=(list_of(entity, 0, MOST_ENTITIES) | None, None),
        time=(times, ANY_TIME),
        this_thread_only=(bool, False),
    )


def build_cache_key(user: EndUser, query: str, vocabulary: ControlledVocabulary) -> str:
    """Another edition, person or model is another key; the installation's secret keeps texts from being tried."""
    model = find_prompt_model(PROMPT)
    message = json.dumps([user.pk, model.model if model else "", describe_terms(vocabulary), query])
    return shared.build_key("intent", hmac.new(secret_key(), message.encode(), hashlib.sha256).hexdigest())


def read_seen(key: str) -> SeenIntent | None:
    def read(client: Redis) -> object:
        return client.get(key)

    kept = shared.call_or_default(read, None)
    try:
        return SeenIntent.model_validate_json(kept) if isinstance(kept, bytes) else None
    except ValidationError:
        return None
