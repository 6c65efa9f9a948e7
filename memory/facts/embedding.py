"""Vectors for facts and episodes that have none: written while the embedder was down, new, or of another model."""

from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from memory.access.scope import user_scope
from memory.facts.changes import DUE, mark_facts_due
from memory.indexes.answering import build_question_embedder, choose_question_model
from memory.models import EndUser, Fact, FactEpisode
from memory.models.facts import FactQuerySet, FactState
from memory.platform.deadline import Deadline
from memory.tiers import Indexing

BATCH: Final = 64
DEADLINE_S: Final = 30.0


def where_without_vector() -> Q:
    """While another model takes over facts keep the vectors that questions are compared with."""
    in_use = choose_question_model(Deadline(DEADLINE_S)).model
    return Q(indexing=Indexing.PENDING) | ~Q(model=in_use)


def where_pending(user: EndUser) -> FactQuerySet:
    return Fact.objects.for_user(user).filter(where_without_vector()).exclude(state=FactState.FORGOTTEN)


def where_episodes_pending(user: EndUser) -> QuerySet[FactEpisode]:
    return FactEpisode.objects.filter(where_without_vector(), user=user)


def embed_batch(user: EndUser, *, now: datetime) -> int:
    """Embed some pending facts and episodes. Returns how many were taken. Raises Unavailable; they stay pending."""
    return embed_facts(user, now=now) + embed_episodes(user)


def embed_facts(user: EndUser, *, now: datetime) -> int:
    with user_scope(user):
        pending = list(where_pending(user).order_by("pk").values_list("pk", "statement", "revision")[:BATCH])
    if not pending:
        return 0
    vectors = make_vectors([statement for _, statement, _ in pending])
    with user_scope(user):
        # Never waits while it holds rows: an import ends the same facts in another order, for seconds. What somebody
        # else is writing to is taken the next time.
        facts = Fact.objects.for_user(user).filter(pk__in=[fact_id for fact_id, _, _ in pending])
        free = set(facts.select_for_update(skip_locked=True, no_key=True).values_list("pk", flat=True))
        for (fact_id, _, revision), vector in zip(pending, vectors, strict=True):
            # A fact reworded meanwhile has another revision and is taken again.
            if fact_id in free:
                Fact.objects.for_user(user).filter(pk=fact_id, revision=revision).update(**vector, updated_at=now)
    return len(free)


def embed_episodes(user: EndUser) -> int:
    with user_scope(user):
        pending = list(where_episodes_pending(user).order_by("pk").values_list("pk", "gist")[:BATCH])
    if not pending:
        return 0
    vectors = make_vectors([gist for _, gist in pending])
    with user_scope(user):
        for (episode_id, _), vector in zip(pending, vectors, strict=True):
            # An episode is never reworded: what changes it makes another.
            FactEpisode.objects.filter(user=user, pk=episode_id).update(**vector)
    return len(pending)


def make_vectors(texts: list[str]) -> list[dict[str, Any]]:
    """The columns of a row that holds the vector of each text."""
    service = build_question_embedder(Deadline(DEADLINE_S))
    vectors = service.embed_passages(texts, Deadline(DEADLINE_S))
    return [{"vector": vector.tolist(), "model": service.model, "indexing": Indexing.READY} for vector in vectors]


def has_pending(user: EndUser) -> bool:
    """In the user's scope."""
    return where_pending(user).exists() or where_episodes_pending(user).exists()


def count_pending(user: EndUser) -> int:
    """In the user's scope."""
    return where_pending(user).count() + where_episodes_pending(user).count()


def mark_foreign_vectors(user: EndUser, now: datetime) -> None:
    """After a change of the embedding model every fact is embedded again; vectors of two models cannot be compared."""
    with user_scope(user):
        if has_pending(user):
            mark_facts_due(user, now)


def clear_user_mark(user: EndUser) -> bool:
    return DUE.clear(user, has_pending)
