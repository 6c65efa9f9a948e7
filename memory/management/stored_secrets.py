"""Takes the secrets out of what is stored already: written before redaction, or before it knew a form.

Two passes over a person's rows. The first finds secrets by their form and by the words around them; the second finds
each of them again where it stands bare: a password named in one message and repeated in another, or a concept of a
graph. Rows are changed in place, without a version, since the version would keep the secret.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, models

from knowledge_graph.models import GRAPH_TABLES, ActionExample, ActionStat, GraphedItem, GraphWork, Solution
from memory.access.scope import user_scope
from memory.facts.changes import mark_facts_due
from memory.guard.redaction.texts import JsonRedaction, RedactedText, find_secrets, render_mark, replace_spans
from memory.language.folding import WORD, fold_text
from memory.models import EndUser, Fact, IdempotencyRecord, MemoryItem, UserData
from memory.records.models import RecordEmbedding
from memory.store import rows
from memory.tiers import Indexing
from personality.editing import redact_stored_template
from personality.models import TEMPLATE_TABLES

ACTOR: Final = "command:redact_secrets"
BATCH: Final = 500
# Shorter, or a plain word: it may mean something else where nothing around it names a secret.
SHORTEST_BARE, SHORTEST_PIECE = 6, 4
# Digits alone are somebody's number as well, unless there are as many as a card has.
SHORTEST_NUMBER: Final = 13
# Written by the product, never by a person.
OWN_COLUMNS: Final = {
    *("content_hash", "vector_hash", "origin", "principal", "actor", "body_digest", "route", "digest", "signature"),
    *("model", "model_tag", "collection", "lang", "category", "relation", "tense", "key", "positions", "warnings"),
}
NAMED_BY_WORDS: Final = tuple(
    table for table in GRAPH_TABLES if table not in {GraphWork, GraphedItem, ActionExample, ActionStat, Solution}
)
KEY_COLUMNS: Final = ("key", "label", "source", "target")
LISTS_OF_KEYS: Final = ("keys", "aliases")


@dataclass(slots=True)
class StoredRedaction:
    """What was found of one person: rows of tables, and, for this run alone, the secrets themselves."""

    touched: set[tuple[str, str]] = field(default_factory=set)
    secrets: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> Counter[str]:
        return Counter(table for table, _ in self.touched)

    @property
    def kinds(self) -> list[str]:
        return sorted(set(self.secrets.values()))

    def redact_text(self, text: str) -> str:
        spans = find_secrets(text)
        for span in spans:
            self.secrets.setdefault(text[span.start : span.end], span.kind)
        return self.redact_bare(replace_spans(text, spans).text)

    def redact_bare(self, text: str) -> str:
        for secret, kind in self.secrets.items():
            if is_telling(secret) and secret in text:
                text = text.replace(secret, render_mark(kind))
        return text

    def redact_value(self, value: Any) -> Any:  # noqa: ANN401 -- any JSON
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, list):
            return [self.redact_value(inner) for inner in value]
        if isinstance(value, dict):
            inside = {self.redact_text(name): self.redact_value(inner) for name, inner in value.items()}
            # What only its name tells is a secret: {"pin": 4471}.
            return JsonRedaction().redact(inside)
        return value

    def list_folded_words(self) -> frozenset[str]:
        """The secrets as the graphs write words, whole and in the pieces that such words are cut into."""
        found: set[str] = set()
        for secret in self.secrets:
            folded = fold_text(secret)
            found.add(folded)
            if is_telling(secret):
                found.update(piece for piece in WORD.findall(folded) if len(piece) >= SHORTEST_PIECE)
        return frozenset(found)


def is_telling(secret: str) -> bool:
    return (
        len(secret) >= SHORTEST_BARE
        and not secret.isalpha()
        and not (secret.isdigit() and len(secret) < SHORTEST_NUMBER)
    )


def redact_stored_secrets(user: EndUser, *, now: datetime, dry_run: bool = False) -> StoredRedaction:
    """One transaction a batch; what is stopped halfway goes on where it was when it is run again."""
    found = StoredRedaction()
    for model in list_tables():
        redact_table(user, model, found, now=now, dry_run=dry_run)
    # A secret found late may stand bare in what was read early.
    if found.secrets:
        for model in list_tables():
            redact_table(user, model, found, now=now, dry_run=dry_run)
        for model in NAMED_BY_WORDS:
            remove_names(user, model, found, dry_run=dry_run)
    return found


def list_tables() -> list[type[models.Model]]:
    """Every table with words of a person, memories last: the other rows say what a bare word was."""
    words = [model for model in apps.get_models() if has_user(model) and list_columns(model)]
    others = [model for model in words if model not in GRAPH_TABLES and model is not MemoryItem]
    return [*others, ActionExample, Solution, MemoryItem]


def has_user(model: type[models.Model]) -> bool:
    # Django's log of its own administration has a user too, who is an operator.
    return any(column.name == "user" and column.related_model is EndUser for column in model._meta.fields)


def list_columns(model: type[models.Model]) -> list[str]:
    return [column.name for column in model._meta.fields if is_free_text(column)]


def is_free_text(column: Any) -> bool:  # noqa: ANN401 -- a field of any type
    if column.name in OWN_COLUMNS or column.choices:
        return False
    if isinstance(column, ArrayField):
        return isinstance(column.base_field, models.CharField)
    return isinstance(column, models.CharField | models.TextField | models.JSONField)


def redact_table(
    user: EndUser, model: type[models.Model], found: StoredRedaction, *, now: datetime, dry_run: bool
) -> None:
    columns = list_columns(model)
    for batch in iterate_batches(user, model):
        with user_scope(user):
            for row in model._default_manager.filter(user=user, pk__in=batch).order_by("pk"):
                changes = find_changes(row, columns, found)
                if changes:
                    found.touched.add((model._meta.db_table, str(row.pk)))
                    if not dry_run:
                        write_changes(user, row, changes, now)


def iterate_batches(user: EndUser, model: type[models.Model]) -> Iterator[list[Any]]:
    with user_scope(user):
        ids = list(model._default_manager.filter(user=user).order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), BATCH):
        yield ids[start : start + BATCH]


def find_changes(row: models.Model, columns: list[str], found: StoredRedaction) -> dict[str, Any]:
    changes = {}
    for column in columns:
        value = getattr(row, column)
        if isinstance(row, UserData) and column == "value":
            # Its key says what the value is.
            ((_, redacted),) = found.redact_value({row.key: value}).items()
        elif isinstance(row, TEMPLATE_TABLES) and column == "content":
            redacted = redact_stored_template(value, lambda text: RedactedText(found.redact_text(text)))
        else:
            redacted = found.redact_value(value)
        if redacted != value:
            changes[column] = redacted
    return changes


def write_changes(user: EndUser, row: models.Model, changes: dict[str, Any], now: datetime) -> None:
    if isinstance(row, IdempotencyRecord):
        # A stored answer that is no longer true: a repeat of the request is a new one.
        row.delete()
    elif isinstance(row, MemoryItem):
        write_memory(user, row, changes, now)
    else:
        write_row(user, row, changes, now)


def write_row(user: EndUser, row: models.Model, changes: dict[str, Any], now: datetime) -> None:
    for name, value in changes.items():
        limit = getattr(row._meta.get_field(name), "max_length", None)
        changes[name] = value[:limit] if isinstance(value, str) and limit else value
    if isinstance(row, Fact):
        changes |= {"vector": None, "indexing": Indexing.PENDING, "revision": row.revision + 1}
        mark_facts_due(user, now)
    elif isinstance(row, RecordEmbedding):
        changes |= {"vector": None, "state": Indexing.PENDING, "revision": row.revision + 1, "due_at": now}
    same = type(row)._default_manager.filter(user=user, pk=row.pk)
    try:
        with user_scope(user, savepoint=True):
            same.update(**changes)
    except IntegrityError:
        # Without the secret it says what another row says.
        same.delete()


def write_memory(user: EndUser, item: MemoryItem, changes: dict[str, Any], now: datetime) -> None:
    for name, value in changes.items():
        setattr(item, name, value)
    # Words, hash, vector and what the graphs read of it are made anew from the text.
    rows.set_text(item, item.text)
    item.updated_at = now
    item.save()
    rows.record_event(item, "redacted", reason="a secret was taken out", now=now, actor=ACTOR)
    rows.mark_index_due(user, now)
    rows.announce_change(user, "revised", [item])
    rows.announce_wording(user, [item])


def remove_names(user: EndUser, model: type[models.Model], found: StoredRedaction, *, dry_run: bool) -> None:
    """Rows of a graph that are named by a secret, and secrets among the names that a row lists."""
    names = {column.name for column in model._meta.fields}
    secret_words = found.list_folded_words()

    def is_secret(name: str) -> bool:
        return not secret_words.isdisjoint({name, *WORD.findall(fold_text(name))})

    with user_scope(user):
        for row in model._default_manager.filter(user=user).only(*names & {"id", *KEY_COLUMNS, *LISTS_OF_KEYS}):
            same = model._default_manager.filter(user=user, pk=row.pk)
            lists = {name: getattr(row, name) for name in LISTS_OF_KEYS if name in names}
            kept = {name: [key for key in keys if not is_secret(key)] for name, keys in lists.items()}
            is_named = any(is_secret(getattr(row, name)) for name in KEY_COLUMNS if name in names)
            if is_named or kept != lists:
                found.touched.add((model._meta.db_table, str(row.pk)))
                if not dry_run:
                    _ = same.delete() if is_named else same.update(**kept)
