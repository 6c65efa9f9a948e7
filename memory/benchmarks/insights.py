"""How long experience takes to answer for a user with large graphs and many judged memories: here and through HTTP."""

import gc
import random
import time
import uuid
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.db import connection, models

from knowledge_graph.extraction.concepts import extract_concepts, select_problem_keys
from knowledge_graph.extraction.context_types import CONTEXT_TYPES
from knowledge_graph.models import ActionStat, Concept, Edge, Entity, Mention, RoutingStat, Solution, SolutionCue
from memory.access.scope import UNHURRIED, user_scope
from memory.benchmarks.bulk import CHUNK, MARK, build_ready_row
from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.synthetic import NoteWriter, SyntheticNote
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Stopwatch
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.tiers import Outcome, Tier

TARGETS = {"in this process": BenchmarkTarget(10), "through HTTP": BenchmarkTarget(10)}
BANK = 1_000
JUDGED_SHARE = 0.15
FAILED_SHARE = 0.4
EXCHANGE_SHARE = 0.1
PROBLEMS = 2_000
EDGES_EACH = 2
WARM_UP = 20
ACTIONS = ("search_memory", "record_response", "add_to_memory_bank", "web_search", "run_code", "docling_convert")
ANALYSED = ("memory_item", "graph_concept", "graph_routing", "graph_entity", "graph_edge", "graph_mention")
VACUUMED_WITHIN_S = 60.0
# With the share and the least number of new rows that have a table vacuumed unless a server is set up otherwise.
NOT_VACUUMED = """
SELECT count(*) FROM pg_stat_user_tables
WHERE relname = ANY(%s) AND n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
"""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class InsightsPlan:
    concepts: int = 50_000
    memories: int = 20_000
    queries: int = 300
    seed: int = 1

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def add_arguments(parser: ArgumentParser) -> None:
    usual = InsightsPlan()
    parser.add_argument("--concepts", type=int, default=usual.concepts, help="concepts of the user's graph")
    parser.add_argument("--memories", type=int, default=usual.memories)
    parser.add_argument("--queries", type=int, default=usual.queries)
    parser.add_argument("--seed", type=int, default=usual.seed)


def measure(
    user: EndUser, client: BenchmarkClient, plan: InsightsPlan, now: datetime, say: Say
) -> dict[str, LatencySpread]:
    """Fills the user, then asks. No question is asked twice, so none is answered from what was just read."""
    writer = NoteWriter(plan.seed)
    GraphFiller(user, plan, now, say).run(writer)
    # As in the web process: the garbage of filling is not looked through while somebody waits.
    gc.collect()
    gc.freeze()
    questions = writer.draw_questions(WARM_UP + 2 * plan.queries)
    say(f"asking {2 * plan.queries} questions")
    memory, watch = MemoryFacade("bench"), Stopwatch()
    for number, question in enumerate(questions[: WARM_UP + plan.queries]):
        if number < WARM_UP:
            memory.get_insights(user, question, now=now, thread_id="benchmark")
            continue
        with watch.measure("in this process"):
            memory.get_insights(user, question, now=now, thread_id="benchmark")
    with client.pause_counting():
        for question in questions[:WARM_UP]:
            client.gather_insights(user.external_id, question)
    for question in questions[WARM_UP + plan.queries :]:
        client.gather_insights(user.external_id, question)
    spreads = client.watch.summarize()
    return watch.summarize() | {"through HTTP": spreads["insights"]}


@dataclass(slots=True)
class GraphFiller:
    """Rows as outcomes and learning would have left them."""

    user: EndUser
    plan: InsightsPlan
    now: datetime
    say: Say

    def run(self, writer: NoteWriter) -> None:
        self.say(f"loading {self.plan.memories:,} memories and {self.plan.concepts:,} concepts")
        rng = random.Random(f"insights {self.plan.seed}")  # noqa: S311  (figures, not secrets)
        keys: dict[str, str] = {}
        items: list[MemoryItem] = []
        notes = writer.notes(self.plan.memories)
        while rows := [self.build_item(rng, note) for note in islice(notes, CHUNK)]:
            for row in rows:
                keys |= {concept.key: concept.label for concept in extract_concepts(row.text)}
            self.write(MemoryItem, rows)
            items += rows
        for number in range(len(keys), self.plan.concepts):
            keys[f"matter {number}"] = f"matter {number}"
        concepts = list(keys.items())[: self.plan.concepts]
        self.write_concepts(rng, concepts)
        self.write_entities(rng, concepts, [row for row in items if row.tier == Tier.MEMORY_BANK])
        self.write_problems([row for row in items if row.uses][:PROBLEMS])
        with connection.cursor() as cursor:
            for table in ANALYSED:
                cursor.execute(f"ANALYZE {table}")
        self.wait_for_vacuum()

    def wait_for_vacuum(self) -> None:
        """Until the server has been through what was loaded: rows seldom come by the ten thousand just before."""
        until = time.monotonic() + VACUUMED_WITHIN_S
        with connection.cursor() as cursor:
            while time.monotonic() < until:
                cursor.execute(NOT_VACUUMED, [list(ANALYSED)])
                if not cursor.fetchone()[0]:
                    return
                time.sleep(1)

    def build_item(self, rng: random.Random, note: SyntheticNote) -> MemoryItem:
        if rng.random() < min(0.5, BANK / self.plan.memories):
            return build_ready_row(self.user, note, self.now, Tier.MEMORY_BANK)
        row = build_ready_row(self.user, note, self.now)
        if rng.random() < JUDGED_SHARE:
            failed = rng.random() < FAILED_SHARE
            row.uses = row.failed = row.worked = rng.randint(1, 5)
            row.worked, row.failed = (0, row.uses) if failed else (row.uses, 0)
            row.score = 0.1 if failed else 0.9
            row.last_outcome = Outcome.FAILED if failed else Outcome.WORKED
            row.last_used_at = self.now - timedelta(days=rng.randint(0, 300))
        elif rng.random() < EXCHANGE_SHARE:
            row.source, row.thread_id = {"kind": "exchange"}, f"thread-{rng.randint(1, 50)}"
        return row

    def write(self, model: type[models.Model], rows: Sequence[models.Model]) -> None:
        with user_scope(self.user, settings=UNHURRIED):
            # A worker of the installation reads names out of what is loaded meanwhile, and may come first.
            is_read_too = model in {Entity, Edge, Mention}
            model._default_manager.bulk_create(rows, batch_size=CHUNK, ignore_conflicts=is_read_too)

    def write_concepts(self, rng: random.Random, concepts: Sequence[tuple[str, str]]) -> None:
        for part in split_chunks(concepts):
            seen = {"first_seen": self.now, "last_seen": self.now}
            self.write(Concept, [Concept(user=self.user, key=k, label=name, uses=4, **seen) for k, name in part])
            self.write(RoutingStat, list(self.build_routing(rng, part)))
        stats = [
            ActionStat(user=self.user, context_type=kind, action=action, worked=8, failed=3, last_used_at=self.now)
            for kind in CONTEXT_TYPES
            for action in ACTIONS
        ]
        self.write(ActionStat, stats)

    def build_routing(self, rng: random.Random, part: Sequence[tuple[str, str]]) -> Iterator[RoutingStat]:
        for key, _ in part:
            for tier in rng.sample(list(Tier), 2):
                counts = {"worked": rng.randint(0, 20), "failed": rng.randint(0, 10)}
                yield RoutingStat(user=self.user, key=key, tier=tier, last_used_at=self.now, **counts)

    def write_entities(
        self, rng: random.Random, concepts: Sequence[tuple[str, str]], bank: Sequence[MemoryItem]
    ) -> None:
        keys = [key for key, _ in concepts]
        for part in split_chunks(concepts):
            seen = {"first_seen": self.now, "last_seen": self.now}
            self.write(Entity, [Entity(user=self.user, key=k, label=name, kind="thing", **seen) for k, name in part])
            pairs = {(key, rng.choice(keys)) for key, _ in part for _ in range(EDGES_EACH)}
            edges = [Edge(user=self.user, source=a, target=b, kind="with", weight=2) for a, b in pairs if a != b]
            self.write(Edge, edges)
        mentions = {(row.pk, concept.key) for row in bank for concept in extract_concepts(row.text)}
        marks = {"tier": Tier.MEMORY_BANK, "quality": 0.5, "seen_at": self.now}
        self.write(Mention, [Mention(user=self.user, item_id=item, key=key, **marks) for item, key in sorted(mentions)])

    def write_problems(self, judged: Sequence[MemoryItem]) -> None:
        for row in judged:
            words = select_problem_keys([concept.key for concept in extract_concepts(row.text)])
            signature = uuid.uuid5(uuid.NAMESPACE_URL, " ".join(words)).hex
            self.write(
                Solution,
                [
                    Solution(
                        user=self.user, signature=signature, size=len(words), query=MARK, item_id=row.pk,
                        tier=row.tier, worked=row.worked, failed=row.failed, last_used_at=self.now,
                    )
                ],
            )  # fmt: skip
            cues = [SolutionCue(user=self.user, key=word, signature=signature) for word in words]
            with user_scope(self.user):
                SolutionCue.objects.bulk_create(cues, ignore_conflicts=True)


def split_chunks(concepts: Sequence[tuple[str, str]]) -> Iterator[Sequence[tuple[str, str]]]:
    for start in range(0, len(concepts), CHUNK):
        yield concepts[start : start + CHUNK]
