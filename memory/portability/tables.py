"""Which tables an export writes, in an order in which each row follows those it refers to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from django.contrib.postgres.search import SearchVectorField
from django.db.models import BinaryField, Field, ForeignKey, Model
from pgvector.django import HalfVectorField

from books import models as books
from knowledge_graph import models as graphs
from memory import models as core
from memory.records import models as records
from outcomes import models as outcomes
from personality import models as personality

# Made anew: what the index, the queues and the analyser keep beside a row.
MADE_ANEW: Final = frozenset(
    {
        *("arrival", "indexing", "index_attempts", "index_after", "index_error", "vector_hash", "indexed_at"),
        *("model", "labels"),
    }
)


# One of each: compared by identity, as what it refers to cannot be hashed.
@dataclass(frozen=True, eq=False)
class PortableTable:
    """A table of the export. ``name`` is the ``type`` of its lines."""

    model: type[Model]
    name: str
    order: tuple[str, ...] = ("pk",)
    # Rows without an id of their own that others refer to by number: counted from 1 in the file.
    is_numbered: bool = False
    # Columns with the number of a row of another type.
    numbers: Mapping[str, str] = field(default_factory=dict)
    # Columns with the id of a row that must be in the file before, though they are no foreign keys.
    required: Mapping[str, str] = field(default_factory=dict)
    # Columns by which a row without an id is known again. Empty: by the row it belongs to, or by all of it.
    natural: tuple[str, ...] = ()
    # Columns with JSON of the client's own, in which nothing is an id of ours.
    foreign_json: frozenset[str] = frozenset()
    # Columns that are a share of 1 in other tables, and here a weight that grows with use.
    weights: frozenset[str] = frozenset()
    # Columns that depend on what was learned already, left out of comparisons.
    moving: frozenset[str] = frozenset()
    # One row of a person, which another takes the place of nowhere.
    is_single: bool = False
    # Of the graphs: written as it is where nothing was learned yet, else learned again from the rest.
    is_learned: bool = False

    @cached_property
    def has_uuid(self) -> bool:
        return self.model._meta.pk.get_internal_type() == "UUIDField"

    @cached_property
    def columns(self) -> tuple["Field[Any, Any]", ...]:
        return tuple(column for column in self.model._meta.concrete_fields if is_portable(column))

    @cached_property
    def owners(self) -> dict[str, str]:
        """Foreign keys to other rows of the person, by column, with the type of row they name."""
        keys = {column.attname: column.remote_field.model for column in self.columns if isinstance(column, ForeignKey)}
        return {name: TABLE_OF[model].name for name, model in keys.items()}


def is_portable(column: "Field[Any, Any]") -> bool:
    if column.name == "user" or column.primary_key or column.name in MADE_ANEW:
        return False
    if column.name == "revision" and column.model is core.MemoryItem:
        return False
    return not isinstance(column, SearchVectorField | HalfVectorField | BinaryField)


def describe_graph(model: type[Model], name: str, **more: Any) -> PortableTable:
    return PortableTable(model, name, is_learned=True, **more)


BY_TIME: Final = ("created_at", "pk")
TABLES: Final = (
    PortableTable(core.UserData, "data", natural=("key",), foreign_json=frozenset({"value"})),
    PortableTable(personality.PersonalityTemplate, "personality_template", natural=("name",)),
    PortableTable(personality.ActivePersonality, "personality", is_single=True),
    PortableTable(records.Preference, "preference", BY_TIME, foreign_json=frozenset({"flags"})),
    PortableTable(records.Journal, "journal", BY_TIME),
    PortableTable(records.Todo, "todo", BY_TIME),
    PortableTable(records.Gratitude, "gratitude", BY_TIME),
    PortableTable(books.Book, "book", BY_TIME),
    PortableTable(core.MemoryItem, "memory", ("arrival", "pk"), foreign_json=frozenset({"metadata"})),
    PortableTable(core.MemoryVersion, "version"),
    PortableTable(core.MemoryEvent, "event"),
    PortableTable(core.Tombstone, "tombstone", natural=("item_id",)),
    PortableTable(
        books.BookDigest,
        "book_digest",
        natural=("book_id",),
        foreign_json=frozenset(
            {"part_summaries", "themes", "insights", "concepts", "quotes", "models_found", "summaries"}
        ),
    ),
    PortableTable(books.BookChunk, "book_passage", natural=("item_id",)),
    PortableTable(outcomes.Exchange, "exchange", BY_TIME, foreign_json=frozenset({"tools"})),
    PortableTable(core.Turn, "turn", natural=("turn_id",)),
    PortableTable(
        outcomes.OutcomeEvent,
        "outcome",
        is_numbered=True,
        numbers={"reverts": "outcome"},
        moving=frozenset({"learned_at", "replaced_at", "reverts"}),
    ),
    PortableTable(outcomes.ActionTaken, "action", is_numbered=True, moving=frozenset({"verdict", "learned"})),
    PortableTable(outcomes.ConversationSignal, "signal"),
    PortableTable(
        outcomes.AgentSession,
        "agent_session",
        natural=("thread_id", "agent_id", "project_id"),
        foreign_json=frozenset({"tools"}),
    ),
    PortableTable(
        outcomes.ThreadDigest,
        "thread_digest",
        natural=("thread_id", "agent_id", "project_id"),
        foreign_json=frozenset({"bullets"}),
    ),
    PortableTable(outcomes.ThreadTitle, "thread_title", natural=("thread_id", "agent_id", "project_id")),
    PortableTable(core.Fact, "fact", BY_TIME, required={"bank_item_id": "memory"}),
    PortableTable(core.FactEvidence, "fact_evidence", required={"memory_id": "memory"}),
    PortableTable(core.FactEvent, "fact_event"),
    PortableTable(core.FactReview, "fact_review", BY_TIME, foreign_json=frozenset({"debate"})),
    PortableTable(
        core.DecidedMatter,
        "decided_matter",
        ("found_at", "pk"),
        numbers={"event_id": "outcome"},
        required={"item_id": "memory"},
    ),
    PortableTable(core.FactTombstone, "fact_tombstone", natural=("digest",)),
    PortableTable(core.FactEpisode, "episode", BY_TIME),
    PortableTable(core.FactRun, "consolidation", ("started_at", "pk")),
    PortableTable(core.EvaluationCase, "evaluation_case", BY_TIME, foreign_json=frozenset({"settings"})),
    PortableTable(
        core.EvaluationRun, "evaluation_run", BY_TIME, foreign_json=frozenset({"settings_a", "settings_b", "figures"})
    ),
    PortableTable(graphs.HotThread, "hot_thread", natural=("thread_id", "agent_id", "project_id")),
    PortableTable(graphs.HotTurn, "hot_turn", ("at", "pk")),
    PortableTable(graphs.NameDecision, "name_decision", natural=("first", "second")),
    describe_graph(graphs.GraphWork, "graph_work"),
    describe_graph(graphs.GraphedItem, "graphed_memory"),
    describe_graph(graphs.Entity, "entity"),
    describe_graph(graphs.Mention, "mention"),
    describe_graph(graphs.Edge, "edge"),
    # ln(1 + uses) times the success rate: past 1 from the third use on, with success alone from the second.
    describe_graph(graphs.Concept, "concept", weights=frozenset({"importance"})),
    describe_graph(graphs.RoutingStat, "routing"),
    describe_graph(graphs.Lesson, "lesson", numbers={"event_id": "outcome"}),
    describe_graph(graphs.ActionStat, "action_stat"),
    describe_graph(graphs.ActionExample, "action_example", numbers={"taken_id": "action"}),
    describe_graph(graphs.Solution, "solution"),
    describe_graph(graphs.SolutionCue, "solution_cue"),
    describe_graph(graphs.DocumentStat, "document_stat"),
)
TABLE_OF: Final = {table.model: table for table in TABLES}
TABLE_NAMED: Final = {table.name: table for table in TABLES}

# Tables with rows of a person that stay behind, each with the reason.
LEFT_BEHIND: Final[Mapping[type[Model], str]] = {
    core.MemoryVector: "vectors are embedded anew",
    core.TokenVectors: "vectors are embedded anew",
    core.MessageLabel: "messages are labelled anew, with the vocabulary of the installation they come to",
    core.LabelledTerm: "messages are labelled anew",
    records.RecordEmbedding: "made anew from records, exchanges and memories",
    core.MemoryAddress: "written by a trigger beside the memories",
    core.Speaker: "made anew from the memories",
    core.FactStream: "chosen anew with the next exchange",
    core.IdempotencyRecord: "answers of this installation, kept for a day",
    records.RecallLog: "a log of this installation, without words",
    core.Transfer: "a log of this installation, without words",
    core.TransferPart: "lines of an import that is not written yet",
    core.TransferDue: "a mark of the queue",
    core.PersonalLink: "a credential of this installation",
    core.WebhookEvent: "what this installation told others of, without words",
    core.WebhookDelivery: "an attempt to tell others of it, of this installation alone",
    books.BookJob: "how an upload went at this installation",
    books.BookUpload: "bytes that are not read yet",
    books.BooksDue: "a mark of the queue",
    core.FactsDue: "a mark of the queue",
    records.RecordsDue: "a mark of the queue",
    core.Space: "a store of the organisation, with its owner in place of a person",
    core.SpaceMember: "told as `membership` and never read: a place among others is given by a curator",
    core.SpaceShare: "told as `share` and never read: of the space, or a copy of the person's own memory",
    outcomes.ConversationWork: "a mark of the queue",
}
