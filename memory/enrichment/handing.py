"""What retrieval in stages found, as a context hands it over: numbered, with the conversation it is from."""

import time
from datetime import datetime

import structlog
from django.db import DatabaseError

from memory.enrichment.intent import QueryIntent, read_intent
from memory.enrichment.intent_by_model import ask_intent
from memory.enrichment.staged import RetrievalStage, StagedMemory, retrieve_in_stages
from memory.models import EndUser
from memory.platform import metrics
from memory.retrieval.results import SearchHit, SearchRequest, SearchResult
from memory.vocabulary.editions import read_vocabulary
from outcomes.exchanges.threads import ConversationKey, read_titles

logger = structlog.get_logger(__name__)

STAGE = "staged"


def choose_staged(user: EndUser, request: SearchRequest, found: SearchResult, *, now: datetime) -> list[SearchHit]:
    """In the place of the search's hits; these where the stages cannot be read. The intent is named in ``debug``."""
    started = time.perf_counter()
    try:
        vocabulary = read_vocabulary(user.organization_id)
        by_rules = read_intent(request.query, vocabulary, now=now)
        by_model = ask_intent(user, request.query, vocabulary, by_rules, now=now)
        intent = by_model or by_rules
        staged = retrieve_in_stages(user, intent, thread_id=request.thread_id, now=now)
        titles = read_other_titles(user, staged)
    except DatabaseError as error:
        logger.warning("stages skipped", reason=type(error).__name__)
        metrics.count("fallbacks", STAGE)
        found.debug.note_skipped(STAGE, type(error).__name__, "Unavailable")
        return found.hits
    found.debug.intent = describe_intent(intent, "model" if by_model else "rules")
    found.debug.stage_timings_ms[STAGE] = round((time.perf_counter() - started) * 1000, 3)
    return [
        build_hit(place, one, found, titles.get(ConversationKey.of(one.item), ""))
        for place, one in enumerate(staged, start=1)
    ]


def read_other_titles(user: EndUser, staged: list[StagedMemory]) -> dict[ConversationKey, str]:
    others = {ConversationKey.of(one.item) for one in staged if one.stage is RetrievalStage.OTHER_THREADS}
    return {conversation: title for conversation, (title, _) in read_titles(user, others).items()}


def describe_intent(intent: QueryIntent, reader: str) -> dict[str, object]:
    window = [moment.isoformat() for moment in intent.window] if intent.window else None
    return {
        "topics": sorted(intent.topics),
        "entities": sorted(intent.entities),
        "window": window,
        "this_thread_only": intent.is_of_this_thread,
        "reader": reader,
    }


def build_hit(position: int, one: StagedMemory, found: SearchResult, title: str) -> SearchHit:
    return SearchHit(
        position,
        one.item,
        one.score,
        {"stage": one.stage.value, "distance": None, "text_rank": None},
        superseded_by=found.validity.superseded.get(one.item.pk),
        stage=one.stage.value,
        thread_title=title if one.stage is RetrievalStage.OTHER_THREADS else "",
    )
