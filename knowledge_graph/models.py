"""Tables of the graphs: mentions of entities, outcomes by concept and tier, actions and their results.

Ordinary tables keyed by words: a question is one statement over indexed keys, and a graph database would be one more
thing to run, back up and isolate by user.

Rows refer to each other by keys, the normal forms of concepts and entities, and by memory ids without foreign keys:
after a memory is deleted, background work removes its contribution together with the counts it was part of.
"""

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from knowledge_graph.rates import CountsUses, RatedByClearOutcomes, RatedWithPartial
from memory.models.isolation import agent_field, project_field, user_key

KEY_CHARS = 200
PREVIEW_CHARS = 200
# Threads of one name in two agents or projects are two conversations.
CONVERSATION = ("user", "thread_id", "agent_id", "project_id")


class GraphRow(models.Model):
    """What every table of the graphs begins with: rows belong to one user and go when the user goes."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()

    class Meta:
        abstract = True


class NamedRow(GraphRow):
    """A concept or an entity: one key for all spellings, the first of them to show, and when it was met."""

    key = models.CharField(max_length=KEY_CHARS)
    label = models.CharField(max_length=KEY_CHARS)
    aliases = ArrayField(models.CharField(max_length=KEY_CHARS), default=list)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.label


class CounterRow(GraphRow):
    """Counts of outcomes on a tier."""

    tier = models.CharField(max_length=16)
    worked = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)
    partial = models.IntegerField(default=0)
    last_used_at = models.DateTimeField()

    class Meta:
        abstract = True


class GraphWork(GraphRow):
    """The work list: a changed memory not yet processed. Insert and delete only, so writers never block."""

    item_id = models.UUIDField()
    kind = models.CharField(max_length=16)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "graph_work"
        indexes: ClassVar = [models.Index(fields=["user", "id"], name="graph_work_next")]

    def __str__(self) -> str:
        return f"{self.kind} {self.item_id}"


class GraphedItem(GraphRow):
    """The contribution of one memory to the content graph, removed exactly when it changes or is deleted."""

    item_id = models.UUIDField()
    tier = models.CharField(max_length=16)
    content_hash = models.CharField(max_length=64)
    quality = models.FloatField()
    seen_at = models.DateTimeField()
    # ``[[source key, target key, kind], …]``
    edges = models.JSONField(default=list)
    # What read it: the rules or a language model.
    reader = models.CharField(max_length=16, default="rules")

    class Meta:
        db_table = "graphed_item"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item_id"], name="graphed_item_once")]

    def __str__(self) -> str:
        return str(self.item_id)


class Entity(NamedRow):
    """A person, place, organisation or thing that memories name."""

    kind = models.CharField(max_length=16)
    mentions = models.PositiveIntegerField(default=0)
    quality_sum = models.FloatField(default=0)
    avg_quality = models.FloatField(default=0)

    class Meta:
        db_table = "graph_entity"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="graph_entity_once")]
        indexes: ClassVar = [
            models.Index(fields=["user", "-avg_quality", "-mentions", "key"], name="graph_entity_quality"),
            models.Index(fields=["user", "-last_seen", "key"], name="graph_entity_recent"),
            models.Index(fields=["user", "first_seen", "key"], name="graph_entity_oldest"),
            # The people called by more than one word, for whoever asks which of them a short name is.
            models.Index(
                fields=["user", "key"],
                name="graph_entity_full_name",
                condition=models.Q(kind="person", key__contains=" "),
            ),
        ]


class Mention(GraphRow):
    """An entity in a memory."""

    key = models.CharField(max_length=KEY_CHARS)
    item_id = models.UUIDField()
    tier = models.CharField(max_length=16)
    quality = models.FloatField()
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "graph_mention"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item_id", "key"], name="graph_mention_once")]
        indexes: ClassVar = [models.Index(fields=["user", "key", "-seen_at"], name="graph_mention_of_entity")]

    def __str__(self) -> str:
        return f"{self.key} in {self.item_id}"


class Edge(GraphRow):
    """Two entities that co-occur in memories or are related; ``weight`` counts the memories.

    Co-occurrence has no direction: its ``source`` is the smaller key.
    """

    source = models.CharField(max_length=KEY_CHARS)
    target = models.CharField(max_length=KEY_CHARS)
    kind = models.CharField(max_length=32)
    weight = models.IntegerField(default=0)

    class Meta:
        db_table = "graph_edge"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "source", "target", "kind"], name="graph_edge_once")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "target"], name="graph_edge_target")]

    def __str__(self) -> str:
        return f"{self.source} {self.kind} {self.target}"


class Concept(NamedRow):
    """A concept of queries, with its outcomes over all tiers."""

    uses = models.IntegerField(default=0)
    # Much used and with clear success comes first: uses damped by a logarithm, times the success rate.
    importance = models.FloatField(default=0)
    # Occurrences that name a matter, less those that are verbs and the like: below zero it is no node of the graph.
    topicality = models.IntegerField(default=0, db_default=0)

    class Meta:
        db_table = "graph_concept"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="graph_concept_once")]
        indexes: ClassVar = [
            models.Index(fields=["user", "-importance", "key"], name="graph_concept_importance"),
            models.Index(fields=["user", "-last_seen", "key"], name="graph_concept_recent"),
            models.Index(fields=["user", "first_seen", "key"], name="graph_concept_oldest"),
        ]


class RoutingStat(RatedByClearOutcomes, CountsUses, CounterRow):
    """Outcomes of a tier for a concept. Partial successes are counted but do not affect the rate."""

    key = models.CharField(max_length=KEY_CHARS)
    unknown = models.IntegerField(default=0)

    class Meta:
        db_table = "graph_routing"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key", "tier"], name="graph_routing_once")]

    def __str__(self) -> str:
        return f"{self.key} in {self.tier}"


class Lesson(GraphRow):
    """The concepts a verdict was learned under, so that reversing it hits the same counters."""

    event_id = models.BigIntegerField()
    keys = ArrayField(models.CharField(max_length=KEY_CHARS), default=list)
    signature = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        db_table = "graph_lesson"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "event_id"], name="graph_lesson_once")]

    def __str__(self) -> str:
        return f"lesson of {self.event_id}"


class ActionStat(RatedWithPartial, CountsUses, CounterRow):
    """Outcomes of an action in a kind of work and, if it has one, on a tier. A partial success counts half."""

    context_type = models.CharField(max_length=32)
    action = models.CharField(max_length=200)
    tier = models.CharField(max_length=16, blank=True, default="")
    unknown = models.IntegerField(default=0)

    class Meta:
        db_table = "graph_action"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "context_type", "action", "tier"], name="graph_action_once")
        ]

    def __str__(self) -> str:
        return f"{self.action} in {self.context_type}"


class ActionExample(GraphRow):
    """One use of an action, as evidence. Only the latest of each kind are kept."""

    context_type = models.CharField(max_length=32)
    action = models.CharField(max_length=200)
    tier = models.CharField(max_length=16, blank=True, default="")
    # The row of its action: a later verdict changes the example instead of adding one.
    taken_id = models.BigIntegerField()
    thread_id = models.CharField(max_length=200, blank=True, default="")
    turn_id = models.UUIDField(null=True, blank=True)
    exchange_id = models.UUIDField(null=True, blank=True)
    query_preview = models.CharField(max_length=PREVIEW_CHARS, blank=True, default="")
    outcome = models.CharField(max_length=16)
    memory_ids = ArrayField(models.UUIDField(), default=list)
    # Those of the memories that are books or statements of the memory bank.
    doc_ids = ArrayField(models.UUIDField(), default=list)
    ok = models.BooleanField(default=True)
    ms = models.FloatField(default=0)
    error = models.CharField(max_length=300, blank=True, default="")
    at = models.DateTimeField()

    class Meta:
        db_table = "graph_example"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "context_type", "action", "tier", "taken_id"], name="graph_example_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.outcome} {self.at:%Y-%m-%d}"


class Solution(GraphRow):
    """A memory tried on a problem. Counts are shares: a verdict on ten memories is a tenth for each."""

    # Digest of the concepts of the question.
    signature = models.CharField(max_length=64)
    # How many concepts those are.
    size = models.PositiveSmallIntegerField()
    query = models.CharField(max_length=PREVIEW_CHARS, blank=True, default="")
    item_id = models.UUIDField()
    tier = models.CharField(max_length=16)
    worked = models.FloatField(default=0)
    failed = models.FloatField(default=0)
    partial = models.FloatField(default=0)
    last_used_at = models.DateTimeField()

    class Meta:
        db_table = "graph_solution"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "signature", "item_id"], name="graph_solution_once")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "item_id"], name="graph_solution_item")]

    def __str__(self) -> str:
        return f"{self.item_id} for {self.query[:40]}"


class SolutionCue(GraphRow):
    """A concept by which a problem is recognised."""

    key = models.CharField(max_length=KEY_CHARS)
    signature = models.CharField(max_length=64)

    class Meta:
        db_table = "graph_solution_cue"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "key", "signature"], name="graph_solution_cue_once")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "signature"], name="graph_solution_cue_of")]

    def __str__(self) -> str:
        return self.key


class DocumentStat(RatedWithPartial, CounterRow):
    """Outcomes of book chunks and bank items, which have no score of their own."""

    item_id = models.UUIDField()

    class Meta:
        db_table = "graph_document"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item_id"], name="graph_document_once")]
        indexes: ClassVar = [models.Index(fields=["user", "-last_used_at"], name="graph_document_recent")]

    def __str__(self) -> str:
        return str(self.item_id)

    @property
    def uses(self) -> int:
        return self.worked + self.failed + self.partial


class HotThread(GraphRow):
    """Where a conversation stands on the hot path, for whichever web process has its next turn.

    Holds ids and the names that were mentioned, no sentence; deleted a week after its last turn.
    """

    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=KEY_CHARS)
    turn = models.PositiveIntegerField(default=0)
    # Folded names, the latest last.
    mentions = models.JSONField(default=list)
    # ``[fact id, turn]`` of what turns told or touched.
    recent = models.JSONField(default=list)
    # ``[fact id, turn, score]`` of what was laid beside turns.
    shown = models.JSONField(default=list)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "hot_thread"
        constraints: ClassVar = [models.UniqueConstraint(fields=CONVERSATION, name="hot_thread_once")]
        indexes: ClassVar = [models.Index(fields=["user", "updated_at"], name="hot_thread_age")]

    def __str__(self) -> str:
        return self.thread_id


class HotTurn(models.Model):
    """A turn as the hot path read it, for the next turns and for a person to look at; deleted with its thread.

    Its id is what the evidence of its facts refers to, until the exchange of the same words is stored.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=KEY_CHARS)
    number = models.PositiveIntegerField()
    text = models.TextField()
    digest = models.CharField(max_length=64)
    lang = models.CharField(max_length=8, blank=True, default="")
    intent = models.CharField(max_length=24, blank=True, default="")
    # What it told and what was laid beside it: triples with what became of them, ids of the facts shown.
    trace = models.JSONField(default=dict)
    exchange_id = models.UUIDField(null=True, blank=True)
    memory_id = models.UUIDField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "hot_turn"
        constraints: ClassVar = [models.UniqueConstraint(fields=[*CONVERSATION, "number"], name="hot_turn_once")]
        indexes: ClassVar = [
            models.Index(fields=["user", "at"], name="hot_turn_age"),
            models.Index(fields=["user", "memory_id"], name="hot_turn_memory"),
        ]

    def __str__(self) -> str:
        return f"{self.thread_id} {self.number}"


class NameDecision(GraphRow):
    """What a person said of two names: one somebody, or two. ``first`` is the shorter name."""

    first = models.CharField(max_length=KEY_CHARS)
    second = models.CharField(max_length=KEY_CHARS)
    is_same = models.BooleanField()
    actor = models.CharField(max_length=100, blank=True, default="")
    decided_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "graph_name_decision"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "first", "second"], name="graph_name_decision_once")
        ]

    def __str__(self) -> str:
        return f"{self.first} {'is' if self.is_same else 'is not'} {self.second}"


# Decisions of persons, for erasure. A rebuild of the graphs leaves them.
DECISION_TABLES: tuple[type[models.Model], ...] = (NameDecision,)

# Tables of the hot path with user data, for erasure. A rebuild of the graphs leaves them.
HOT_TABLES: tuple[type[models.Model], ...] = (HotThread, HotTurn)

# All tables with user data, for erasure.
GRAPH_TABLES: tuple[type[models.Model], ...] = (
    *(GraphWork, GraphedItem, Entity, Mention, Edge, Concept, RoutingStat, Lesson, ActionStat, ActionExample),
    *(Solution, SolutionCue, DocumentStat),
)
