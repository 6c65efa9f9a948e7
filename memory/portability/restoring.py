"""Writes the lines of a checked file, in the transaction and scope of the caller: all of them or none.

What is here already stays as it is, with its history; what was deleted here stays deleted. Of the graphs nothing is
added up twice: they are written as the file has them for a person nothing was learned of yet, and otherwise learned
again from what was added.
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import Any, Final

from django.db import connection
from django.db.models import Model

from books.models import Book
from knowledge_graph.models import GRAPH_TABLES
from memory.facts.changes import mark_facts_due
from memory.facts.keys import digest_fact
from memory.guard.redaction.texts import JsonRedaction
from memory.models import EndUser, Fact, FactTombstone, MemoryItem, Tombstone, UserData
from memory.models.facts import FactState
from memory.portability import following
from memory.portability.checking import ReadLine
from memory.portability.identities import UUID_TEXT, Identities
from memory.portability.tables import PortableTable
from memory.store import rows
from memory.store.speakers import save_speaker_names
from outcomes.models import ActionTaken, Exchange, OutcomeEvent
from personality.editing import redact_stored_template
from personality.models import TEMPLATE_TABLES

BATCH: Final = 500
NEW, THERE, REFUSED, LEARNED, PASSED = "new", "already_there", "refused", "learned_again", "passed_over"

Counts = dict[str, Counter[str]]


class IdsTaken(Exception):
    """Rows of this file are here under ids of this person's own, so all of it has to be read so."""


class Restoration:
    """One import. ``is_dry`` counts what would happen and writes nothing."""

    def __init__(
        self, user: EndUser, *, now: datetime, actor: str, has_own_ids: bool = False, is_dry: bool = False
    ) -> None:
        self.user, self.now, self.actor, self.is_dry = user, now, actor, is_dry
        self.ids = Identities(user, has_own_ids=has_own_ids)
        self.counts: Counts = defaultdict(Counter)
        # Ids of the file, by type: their rows were here before, or must not come back.
        self.there: dict[str, set[uuid.UUID]] = defaultdict(set)
        self.refused: dict[str, set[uuid.UUID]] = defaultdict(set)
        # Ids here of numbered rows, by type and number.
        self.numbers: dict[str, dict[int, int]] = defaultdict(dict)
        self.is_untaught = not has_learned(user)
        # In the file there may be tombstones of its own, which refuse nothing of it.
        self.forgotten = set(FactTombstone.objects.filter(user=user).values_list("digest", flat=True))

    def restore(self, lines: Iterable[ReadLine]) -> Counts:
        for table, same in groupby(lines, key=lambda line: line.table):
            for batch in take_batches(same):
                self.restore_batch(table, batch)
        if not self.is_dry:
            rows.mark_index_due(self.user, self.now)
            rows.mark_learning_due(self.user, self.now)
            mark_facts_due(self.user, self.now)
        return self.counts

    def pass_over(self, kind: str) -> None:
        """Count a line that is for the person to read."""
        self.counts[kind][PASSED] += 1

    def restore_batch(self, table: PortableTable, batch: list[ReadLine]) -> None:
        counts = self.counts[table.name]
        if table.is_learned and not self.is_untaught:
            counts[LEARNED] += len(batch)
            return
        admitted = [line for line in batch if self.admit(table, line, counts)]
        fresh = self.drop_known(table, self.drop_deleted(table, admitted, counts), counts)
        counts[NEW] += len(fresh)
        if fresh and not self.is_dry:
            self.write(table, fresh)
        elif fresh and table.is_numbered:
            self.numbers[table.name].update((int(str(line.key)), 0) for line in fresh)

    def admit(self, table: PortableTable, line: ReadLine, counts: Counter[str]) -> bool:
        """A row goes with the row it belongs to: refused with it, or here already with it."""
        names = {**table.owners, **({} if table.model is Fact else table.required)}
        if table.model is Exchange:
            names["memory_id"] = "memory"
        for name, kind in names.items():
            if line.values[name] in self.refused[kind]:
                counts[REFUSED] += 1
                return False
        if any(line.values[name] in self.there[kind] for name, kind in table.owners.items()):
            counts[THERE] += 1
            return False
        if table.model is MemoryItem and self.is_of_known_book(line):
            self.there[table.name].add(uuid.UUID(str(line.key)))
            counts[THERE] += 1
            return False
        return True

    def is_of_known_book(self, line: ReadLine) -> bool:
        """Whether it is a passage of a book that is here, if under another id: the same file was read here too."""
        doc_id = str(line.values["source"].get("doc_id") or "")
        return bool(UUID_TEXT.fullmatch(doc_id)) and uuid.UUID(doc_id) in self.there["book"]

    def drop_deleted(self, table: PortableTable, batch: list[ReadLine], counts: Counter[str]) -> list[ReadLine]:
        """Without what this person had deleted or forgotten here."""
        if table.model in {MemoryItem, Book}:
            gone = self.find_deleted(batch)
        elif table.model is Fact:
            gone = {line.key for line in batch if self.is_forgotten(line)}
        else:
            return batch
        self.refused[table.name].update(key for key in gone if isinstance(key, uuid.UUID))
        counts[REFUSED] += len(gone)
        return [line for line in batch if line.key not in gone]

    def find_deleted(self, batch: list[ReadLine]) -> set[Any]:
        keys = [line.key for line in batch if isinstance(line.key, uuid.UUID)]
        buried = Tombstone.objects.filter(user=self.user)
        wanted = [*keys, *map(self.ids.translate, keys)]
        ids = set(buried.filter(item_id__in=wanted).values_list("item_id", flat=True))
        origins = [origin for line in batch if (origin := line.values.get("origin"))]
        gone = set(buried.filter(origin__in=origins).values_list("origin", flat=True)) if origins else set()
        gone.discard(None)
        return {
            key
            for line in batch
            if isinstance(key := line.key, uuid.UUID)
            and (key in ids or self.ids.translate(key) in ids or line.values.get("origin") in gone)
        }

    def is_forgotten(self, line: ReadLine) -> bool:
        words = [line.values[name] for name in ("subject_key", "relation", "object_key", "statement")]
        return line.values["state"] != FactState.FORGOTTEN and digest_fact(*words) in self.forgotten

    def drop_known(self, table: PortableTable, batch: list[ReadLine], counts: Counter[str]) -> list[ReadLine]:
        """Without what is here already."""
        if table.has_uuid:
            known = following.find_known_ids(self.user, table, batch, self.ids)
            self.there[table.name].update(known)
            if not self.ids.has_own_ids and any(here == self.ids.derive(given) for given, here in known.items()):
                raise IdsTaken
            self.ids.aliases.update({given: here for given, here in known.items() if given != here})
            fresh = [line for line in batch if line.key not in known]
        elif table.owners:
            return batch
        else:
            matches = following.match_rows(self.user, table, [self.translate(line) for line in batch])
            fresh = [line for line, match in zip(batch, matches, strict=True) if match is None]
            for line, match in zip(batch, matches, strict=True):
                if match is not None and isinstance(line.key, int):
                    self.numbers[table.name][line.key] = match
        counts[THERE] += len(batch) - len(fresh)
        return fresh

    def translate(self, line: ReadLine) -> dict[str, Any]:
        """The columns as they are here: ids, numbers, no secrets."""
        values = self.ids.translate_row(line.table, line.values)
        for name, kind in line.table.numbers.items():
            if values[name] is not None:
                values = {**values, name: self.numbers[kind].get(values[name])}
        return redact_values(line.table, values)

    def write(self, table: PortableTable, batch: list[ReadLine]) -> None:
        if table.is_numbered:
            # Before they are written, as a line may refer to another of the same batch.
            reserved = zip(batch, reserve_keys(table.model, len(batch)), strict=True)
            self.numbers[table.name].update({int(str(line.key)): key for line, key in reserved})
        made = [self.build(table, line) for line in batch]
        if table.model is Exchange:
            following.date_exchanges(self.user, made)
        table.model._default_manager.bulk_create(made, batch_size=BATCH)
        self.follow(made)

    def build(self, table: PortableTable, line: ReadLine) -> Model:
        values = self.translate(line)
        if isinstance(line.key, uuid.UUID):
            values["id"] = self.ids.translate(line.key)
        elif isinstance(line.key, int):
            values["id"] = self.numbers[table.name][line.key]
        row = table.model(user=self.user, **values)
        if isinstance(row, MemoryItem):
            rows.set_text(row, row.text)
        elif isinstance(row, Fact) and line.values["bank_item_id"] in self.refused["memory"]:
            row.bank_item_id = None
        elif isinstance(row, OutcomeEvent) and not self.is_untaught:
            row.learned_at = None
        elif isinstance(row, ActionTaken) and not self.is_untaught:
            row.learned = ""
        return row

    def follow(self, made: Sequence[Any]) -> None:
        """What else is kept of a row, made anew."""
        if isinstance(made[0], MemoryItem):
            save_speaker_names(self.user, [row.speaker for row in made])
            if not self.is_untaught:
                rows.announce_change(self.user, "stored", made)
        following.queue_texts(self.user, made, self.now)


def reserve_keys(model: type[Model], count: int) -> list[int]:
    with connection.cursor() as cursor:
        sequence = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        cursor.execute(sequence, [model._meta.db_table, count])
        return [key for (key,) in cursor.fetchall()]


def take_batches(lines: Iterator[ReadLine]) -> Iterator[list[ReadLine]]:
    while batch := list(islice(lines, BATCH)):
        yield batch


def has_learned(user: EndUser) -> bool:
    """Whether there is anything to which the graphs of a file would have to be added."""
    tables: tuple[type[Model], ...] = (MemoryItem, OutcomeEvent, ActionTaken, *GRAPH_TABLES)
    return any(model._default_manager.filter(user=user).exists() for model in tables)


def redact_values(table: PortableTable, values: dict[str, Any]) -> dict[str, Any]:
    """A file may come from anywhere, so its texts lose their secrets as those of a request do."""
    redaction = JsonRedaction()
    if table.model in TEMPLATE_TABLES:
        values = {**values, "content": redact_stored_template(values["content"])}
    if table.model is UserData:
        # Its key says what the value is.
        ((_, value),) = redaction.redact({values["key"]: values["value"]}).items()
        return {**values, "value": value}
    redacted: dict[str, Any] = {}
    for column in table.columns:
        name, value = column.attname, values[column.attname]
        is_text = isinstance(value, str | dict | list) and value and not column.choices
        is_text = is_text and name not in OWN_WORDS and not (name == "content" and table.model in TEMPLATE_TABLES)
        clean = redaction.redact({name: value})[name] if is_text else value
        redacted[name] = clean[: column.max_length] if isinstance(clean, str) and column.max_length else clean
    return redacted


# Written by the product: digests, names and ids, which would look like keys.
OWN_WORDS: Final = frozenset(
    {
        *("content_hash", "origin", "principal", "actor", "digest", "signature", "prompt_key", "told_hash"),
        *("parents", "scored_ids", "learned_ids", "memory_ids", "doc_ids", "positions", "memories", "edges"),
        *("sections", "expected_ids", "settings", "settings_a", "settings_b", "figures", "results"),
        *("thread_id", "lang", "category", "relation", "tense", "warnings", "lines", "recent", "shown", "counts"),
    }
)
