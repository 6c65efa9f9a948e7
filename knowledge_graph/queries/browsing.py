"""Read access for the API and the console: paged lists, single concepts and entities, counts."""

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db.models import Q, TextField, Value

from knowledge_graph.extraction.concepts import extract_concepts
from knowledge_graph.extraction.context_types import CONTEXT_TYPES, classify_context
from knowledge_graph.extraction.entities import extract_entities
from knowledge_graph.extraction.topics import load_order_keys
from knowledge_graph.models import ActionStat, Concept, Edge, Entity, Lesson, Mention, RoutingStat, Solution
from knowledge_graph.queries import statistics
from knowledge_graph.queries.statistics import ActionRecord, ConceptRouting, KnownSolution
from memory.access.scope import user_scope
from memory.language.folding import fold_name
from memory.models import EndUser, MemoryItem, Turn
from memory.models.among import IsAmong
from outcomes.models import ActionTaken, Exchange, OutcomeEvent

SESSION_TURNS = 50
NEIGHBOURS = 20
MEMORIES = 20
HINTS = 5
# What orders begin with ("create", "fix") is seldom what somebody asks about: it is a node when it named a matter so
# much oftener than not. One vote made "fixed" one in the demo ("that is the fix"); "the book", met twice, is one.
SURE_OF_ORDERS = 2
# So many of the latest judged questions decide in which kind of work a concept comes up.
QUESTIONS_READ = 500


class Sort(StrEnum):
    IMPORTANCE = "importance"
    RECENT = "recent"
    OLDEST = "oldest"


class Span(StrEnum):
    """The stretch of time of a list; a session is what one thread was about."""

    ALL = "all"
    TODAY = "today"
    WEEK = "week"
    SESSION = "session"


# Each ends with the key, which is unique: a cursor needs a total order. Each has an index of its own.
CONCEPT_ORDER = {
    Sort.IMPORTANCE: ("-importance", "key"),
    Sort.RECENT: ("-last_seen", "key"),
    Sort.OLDEST: ("first_seen", "key"),
}
ENTITY_ORDER = {
    Sort.IMPORTANCE: ("-avg_quality", "-mentions", "key"),
    Sort.RECENT: ("-last_seen", "key"),
    Sort.OLDEST: ("first_seen", "key"),
}


@dataclass(frozen=True, slots=True)
class GraphQuery:
    """Which rows, in which order, after which cursor; with ``as_of`` those that had been met by then."""

    sort: Sort = Sort.IMPORTANCE
    span: Span = Span.ALL
    thread_id: str = ""
    after: Sequence[Any] | None = None
    limit: int = 20
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True)
class ConceptDetail:
    """``is_entity``: memories name it as well. ``actions`` are hints for the kind of work it mostly comes up in."""

    concept: Concept
    routing: ConceptRouting
    is_entity: bool
    context_type: str
    actions: list[ActionRecord]
    solutions: list[KnownSolution]


@dataclass(frozen=True, slots=True)
class EntityNeighbour:
    key: str
    label: str
    kind: str
    relation: str
    weight: int


@dataclass(frozen=True, slots=True)
class EntityDetail:
    entity: Entity
    is_concept: bool
    neighbours: list[EntityNeighbour]
    memories: list[MemoryItem]


def list_concepts(user: EndUser, query: GraphQuery, *, now: datetime) -> list[Concept]:
    with user_scope(user):
        rows = Concept.objects.filter(filter_period(user, query, now), filter_matters(), user=user)
        order = CONCEPT_ORDER[query.sort]
        return list(rows.filter(filter_after_cursor(order, query.after)).order_by(*order)[: query.limit])


@cache
def filter_matters() -> Q:
    """What is a node. What was read as a verb or an adverb oftener than as a matter is counted for routing alone."""
    # One value and not two hundred, which each statement took 1 ms to write.
    orders = Value(sorted(load_order_keys()), output_field=ArrayField(TextField()))
    return Q(topicality__gte=0) & ~Q(IsAmong("key", orders), topicality__lt=SURE_OF_ORDERS)


def list_entities(user: EndUser, query: GraphQuery, *, now: datetime) -> list[Entity]:
    with user_scope(user):
        rows = Entity.objects.filter(filter_period(user, query, now), user=user)
        order = ENTITY_ORDER[query.sort]
        return list(rows.filter(filter_after_cursor(order, query.after)).order_by(*order)[: query.limit])


def filter_period(user: EndUser, query: GraphQuery, now: datetime) -> Q:
    """With ``as_of`` only a session narrows further: of earlier days it is not known what was met again on them."""
    if query.as_of is not None and query.span is not Span.SESSION:
        return Q(first_seen__lte=query.as_of)
    if query.span is Span.TODAY:
        return Q(last_seen__gte=now.replace(hour=0, minute=0, second=0, microsecond=0))
    if query.span is Span.WEEK:
        return Q(last_seen__gte=now - timedelta(days=7))
    if query.span is Span.SESSION:
        known = Q(first_seen__lte=query.as_of) if query.as_of else Q()
        return known & Q(key__in=find_thread_keys(user, query.thread_id))
    return Q()


def find_thread_keys(user: EndUser, thread_id: str) -> list[str]:
    """What the latest questions and answers of a thread were about. In the user's scope."""
    turns = Turn.objects.filter(user=user, thread_id=thread_id).order_by("-created_at")
    texts = list(turns.values_list("query", flat=True)[:SESSION_TURNS])
    rows = Exchange.objects.filter(user=user, thread_id=thread_id).order_by("-created_at")
    for question, answer in rows.values_list("user_message", "assistant_message")[:SESSION_TURNS]:
        texts += [question, answer]
    found = {one.key for text in texts for one in extract_concepts(text)}
    return sorted(found | {one.key for text in texts for one in extract_entities(text)})


def filter_after_cursor(order: Sequence[str], cursor: Sequence[Any] | None) -> Q:
    """Rows that come after a place in an order of several columns, the last of them unique."""
    condition = Q()
    if cursor is None:
        return condition
    # Spelled out column by column, since the directions differ and a row comparison has only one.
    for last in range(len(order)):
        same = {column.lstrip("-"): value for column, value in zip(order[:last], cursor, strict=False)}
        name = order[last].lstrip("-")
        step = "lt" if order[last].startswith("-") else "gt"
        condition |= Q(**same) & Q((f"{name}__{step}", cursor[last]))
    return condition


def build_cursor(row: Concept | Entity, sort: Sort) -> list[Any]:
    """Where a page ends."""
    order = CONCEPT_ORDER if isinstance(row, Concept) else ENTITY_ORDER
    return [getattr(row, column.lstrip("-")) for column in order[sort]]


def load_concept(user: EndUser, name: str) -> ConceptDetail | None:
    """A concept by its key or by any spelling."""
    with user_scope(user):
        row = find_first_row(Concept.objects.filter(user=user), [name, *(one.key for one in extract_concepts(name))])
        if not isinstance(row, Concept):
            return None
        kind = find_context_types(user, {row.key: row.label})[row.key]
        routing = statistics.load_routing(user, [row.key]).get(row.key)
        return ConceptDetail(
            concept=row,
            routing=routing or ConceptRouting(row.key, row.label, ()),
            is_entity=Entity.objects.filter(user=user, key__in=[row.key, fold_name(row.label)]).exists(),
            context_type=kind,
            actions=statistics.load_actions(user, kind)[:HINTS],
            solutions=statistics.find_solutions(user, row.key.split(" "), least=0.0, limit=HINTS),
        )


def find_context_types(user: EndUser, labels: Mapping[str, str]) -> dict[str, str]:
    """In which kind of work each concept mostly comes up, by key: read off its latest questions and what was done then.

    ``labels`` are the concepts' own words, which decide only where no question is left. In the user's scope.
    """
    lessons = Lesson.objects.filter(user=user, keys__overlap=list(labels)).order_by("-event_id")
    lessons_read = list(lessons.values_list("event_id", "keys")[:QUESTIONS_READ])
    events = OutcomeEvent.objects.filter(user=user).in_bulk([event_id for event_id, _ in lessons_read])
    actions = find_actions(user, events.values())
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for event_id, keys in lessons_read:
        event = events.get(event_id)
        if event is None or not event.query:
            continue
        kind = classify_context(event.query, actions.get(event.turn_id, ()) or actions.get(event.exchange_id, ()))
        for key in labels.keys() & set(keys):
            counted[key][kind] += 1
    return {
        # In the order of the list, so that the more specific one wins a tie.
        key: max(CONTEXT_TYPES, key=lambda kind: counted[key][kind]) if counted[key] else classify_context(label)
        for key, label in labels.items()
    }


def find_actions(user: EndUser, events: Iterable[OutcomeEvent]) -> dict[uuid.UUID | None, tuple[str, ...]]:
    """What was done in the turns and exchanges these verdicts are about."""
    events_read = list(events)
    turns = {event.turn_id for event in events_read} - {None}
    exchanges = {event.exchange_id for event in events_read} - {None}
    taken = ActionTaken.objects.filter(Q(turn_id__in=turns) | Q(exchange_id__in=exchanges), user=user)
    found: dict[uuid.UUID | None, tuple[str, ...]] = defaultdict(tuple)
    for turn_id, exchange_id, action in taken.order_by("pk").values_list("turn_id", "exchange_id", "action"):
        for subject in {turn_id, exchange_id} - {None}:
            found[subject] = (*found[subject], action)
    return found


def load_entity(user: EndUser, name: str) -> EntityDetail | None:
    """An entity by its key or by any spelling, with the memories that name it."""
    with user_scope(user):
        row = find_entity(user, name)
        if row is None:
            return None
        ids = statistics.list_mentions(user, row.key, MEMORIES)
        # A memory may have been archived since the worker last looked at it.
        items = MemoryItem.objects.for_user(user).active().defer("lexemes").in_bulk(ids)
        return EntityDetail(
            entity=row,
            is_concept=Concept.objects.filter(user=user, key=row.key).exists(),
            neighbours=list_neighbours(user, row.key),
            memories=[items[item_id] for item_id in ids if item_id in items],
        )


def find_entity(user: EndUser, name: str) -> Entity | None:
    """In the user's scope."""
    found = find_first_row(
        Entity.objects.filter(user=user), [name, fold_name(name), *(one.key for one in extract_entities(name))]
    )
    return found if isinstance(found, Entity) else None


def find_first_row(rows: Any, keys: Sequence[str]) -> Concept | Entity | None:  # noqa: ANN401 - rows of either kind
    """The row of the first of these keys that is known."""
    by_key: Mapping[str, Concept | Entity] = {row.key: row for row in rows.filter(key__in=list(keys))}
    return next((by_key[key] for key in keys if key in by_key), None)


def list_neighbours(user: EndUser, key: str, limit: int = NEIGHBOURS) -> list[EntityNeighbour]:
    """The neighbours of an entity, the most frequent first."""
    edges = Edge.objects.filter(Q(source=key) | Q(target=key), user=user).order_by("-weight", "source", "target")
    found = [(edge.target if edge.source == key else edge.source, edge.kind, edge.weight) for edge in edges[:limit]]
    records = statistics.load_entities(user, {other for other, _, _ in found})
    return [
        EntityNeighbour(other, records[other].label, records[other].kind, relation, weight)
        for other, relation, weight in found
        if other in records
    ]


def find_first_day(user: EndUser) -> datetime | None:
    """When the first concept or entity was met."""
    with user_scope(user):
        seen = [
            model._default_manager.filter(user=user).order_by("first_seen").values_list("first_seen", flat=True).first()
            for model in (Concept, Entity)
        ]
    return min((one for one in seen if one is not None), default=None)


def load_labels(user: EndUser, keys: Collection[str]) -> dict[str, str]:
    return {key: record.label for key, record in statistics.load_entities(user, keys).items()}


def count_graph_rows(user: EndUser | int, kinds: Collection[str] = (), most: int | None = None) -> dict[str, int]:
    """The number of rows of each graph, or of these alone: each is read row by row, no more than ``most`` of them."""
    rows: dict[str, Any] = {
        "concepts": Concept.objects.filter(filter_matters(), user=user),
        "routing": RoutingStat.objects.filter(user=user),
        "entities": Entity.objects.filter(user=user),
        "edges": Edge.objects.filter(user=user),
        "mentions": Mention.objects.filter(user=user),
        "actions": ActionStat.objects.filter(user=user),
        "solutions": Solution.objects.filter(user=user),
    }
    with user_scope(user):
        return {kind: found[:most].count() for kind, found in rows.items() if not kinds or kind in kinds}


def count_met_by(user: EndUser, as_of: datetime) -> dict[str, int]:
    """Concepts, names, and connections of which both names had been met by then."""
    with user_scope(user):
        met = Q(first_seen__lte=as_of)
        names = Entity.objects.filter(met, user=user)
        ends = names.values("key")
        return {
            "concepts": Concept.objects.filter(met, filter_matters(), user=user).count(),
            "entities": names.count(),
            "edges": Edge.objects.filter(user=user, source__in=ends, target__in=ends).count(),
        }


def load_solution_items(user: EndUser, solutions: Sequence[KnownSolution]) -> dict[uuid.UUID, MemoryItem]:
    """The memories of solutions that still exist."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).active().defer("lexemes")
        return rows.in_bulk([one.item_id for one in solutions])
