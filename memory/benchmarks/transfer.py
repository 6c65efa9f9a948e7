"""How long a person takes to leave and to arrive, in how much memory, and whether what arrived equals what left.

The two commands are run as a person runs them, each in a process of its own, so that its memory is the command's alone.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

from django.utils import timezone
from rich.console import Console

from memory.access.scope import UNHURRIED, user_scope
from memory.access.users import get_or_create_user
from memory.benchmarks.staging import BenchmarkStageError
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir
from memory.evaluation.loading import create_benchmark_organization
from memory.facade import MemoryFacade
from memory.guard import redact_secrets
from memory.indexing import queue
from memory.models import EndUser, MemoryEvent, MemoryItem, Organization
from memory.models.transfers import TransferKind, TransferState
from memory.retrieval.results import LEXICAL, STAGES, SearchRequest
from memory.store import rows
from memory.store.admission import NewMemory
from memory.tiers import Tier

CHUNK: Final = 1000
# Every so many memories one was worded otherwise before.
REVISED_EACH: Final = 100
QUESTIONS: Final = 20
HITS: Final = 10
FEW: Final = 10
"""Memories of the person whose export tells what the command itself takes."""
BEGUN_AGAIN_S: Final = 0.5
MANAGE: Final = Path(__file__).parents[2] / "manage.py"
UUID: Final = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

END_LINE: Final = re.compile(rb'\{"type": ?"end"')


@dataclass(frozen=True)
class TransferPlan:
    memories: int = 2000
    seed: int = 1
    has_vectors: bool = False


@dataclass(frozen=True, slots=True)
class CommandCost:
    seconds: float
    peak_mb: float


@dataclass(slots=True)
class TransferFigures:
    loading_s: float = 0.0
    file_mb: float = 0.0
    lines: int = 0
    small_export: CommandCost = field(default_factory=lambda: CommandCost(0, 0))
    export: CommandCost = field(default_factory=lambda: CommandCost(0, 0))
    load: CommandCost = field(default_factory=lambda: CommandCost(0, 0))
    differing_lines: int = 0
    differing_searches: int = 0
    searches: int = 0

    @property
    def is_equal(self) -> bool:
        return not self.differing_lines and not self.differing_searches

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "equal": self.is_equal}

    def notes(self, plan: TransferPlan) -> list[str]:
        searched = "meaning and words" if plan.has_vectors else "words"
        differ = (
            f"{self.differing_lines:,} lines and {self.differing_searches} of {self.searches} searches by {searched}"
        )
        return [
            f"filled in {self.loading_s:.1f} s",
            f"export: {self.export.seconds:.1f} s, {self.lines:,} lines, {self.file_mb:.1f} MB, peak memory "
            f"{self.export.peak_mb:.0f} MB ({self.small_export.peak_mb:.0f} MB with {FEW} memories, "
            f"{self.small_export.seconds:.1f} s)",
            f"import: {self.load.seconds:.1f} s, peak memory {self.load.peak_mb:.0f} MB",
            "what arrived equals what left" if self.is_equal else f"[red]{differ} differ[/red]",
        ]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--memories", type=int, default=TransferPlan.memories)
    parser.add_argument("--seed", type=int, default=TransferPlan.seed)
    parser.add_argument("--vectors", action="store_true", help="embed both, and search by meaning as well")


def measure(plan: TransferPlan, console: Console) -> TransferFigures:
    figures, now = TransferFigures(), timezone.now()
    folder = data_dir() / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=folder) as place,
        create_benchmark_organization(now) as left,
        create_benchmark_organization(now) as arrived,
    ):
        writer = NoteWriter(plan.seed)
        small = fill_person(left, "small", writer, FEW, now)
        started = time.perf_counter()
        console.print(f"filling a person with {plan.memories:,} memories")
        person = fill_person(left, "large", writer, plan.memories, now)
        figures.loading_s = time.perf_counter() - started
        file, back = Path(place) / "large.jsonl", Path(place) / "back.jsonl"
        figures.small_export = export_person(small, Path(place) / "small.jsonl")
        console.print("exporting and importing")
        figures.export = export_person(person, file)
        figures.file_mb = file.stat().st_size / 1e6
        figures.load = import_person(arrived, file)
        copy = get_or_create_user(arrived, person.external_id)
        export_person(copy, back)
        console.print("comparing")
        figures.lines, figures.differing_lines = compare_files(file, back)
        if plan.has_vectors:
            console.print("embedding both")
            embed_all(person)
            embed_all(copy)
        questions = writer.draw_questions(QUESTIONS)
        figures.searches = len(questions)
        figures.differing_searches = sum(
            list_found(person, question, plan, now) != list_found(copy, question, plan, now) for question in questions
        )
        console.print("clearing away")
    return figures


def fill_person(organization: Organization, name: str, writer: NoteWriter, count: int, now: datetime) -> EndUser:
    """Memories as the write path makes them, each with its event and some with a wording of before."""
    user = get_or_create_user(organization, name)
    notes = writer.notes(count)
    while chunk := list(islice(notes, CHUNK)):
        made = [
            rows.build_row(
                user,
                NewMemory(
                    # As every door stores it: an import would take them out of it.
                    redact_secrets(note.text).text,
                    tier=Tier.HISTORY,
                    tags=(note.topic,),
                    occurred_at=now - timedelta(days=note.days_ago),
                ),
                now,
                "benchmark",
            )
            for note in chunk
        ]
        with user_scope(user, settings=UNHURRIED):
            MemoryItem.objects.bulk_create(made)
            MemoryEvent.objects.bulk_create(
                MemoryEvent(user=user, item=row, kind="stored", after={"tier": row.tier}, actor="benchmark", at=now)
                for row in made
            )
        for row in made[::REVISED_EACH]:
            MemoryFacade("benchmark").revise(user, row.pk, {"text": f"{row.text} Still so."}, now=now)
    return user


def export_person(user: EndUser, file: Path) -> CommandCost:
    return run_command("export_user", user.external_id, "--org", user.organization.slug, "--out", str(file))


def import_person(organization: Organization, file: Path) -> CommandCost:
    cost = run_command("import_user", file.stem, str(file), "--org", organization.slug)
    user, started = get_or_create_user(organization, file.stem), time.perf_counter()
    # Where the worker was faster than the command, it writes the file.
    while (job := find_import(user)) in {TransferState.PENDING, TransferState.PROCESSING}:
        time.sleep(BEGUN_AGAIN_S)
    if job != TransferState.COMPLETED:
        raise BenchmarkStageError("the import failed")
    return CommandCost(cost.seconds + time.perf_counter() - started, cost.peak_mb)


def find_import(user: EndUser) -> str:
    taken = MemoryFacade().list_transfers(user, HITS)
    return next((job.state for job in taken if job.kind == TransferKind.IMPORT), TransferState.FAILED)


def run_command(*words: str) -> CommandCost:
    """Raises BenchmarkStageError with what the command said."""
    started = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen([sys.executable, str(MANAGE), *words], stdout=said, stderr=subprocess.STDOUT)
        # Of this child alone: what `resource` tells of children is the largest there ever was.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - started
        if process.returncode:
            said.seek(0)
            raise BenchmarkStageError(f"{words[0]}: {said.read().decode(errors='replace').strip()[-500:]}")
    # In kilobytes, and in bytes on a Mac.
    unit = 1 if sys.platform == "darwin" else 1024
    return CommandCost(seconds, used.ru_maxrss * unit / 1e6)


def compare_files(left: Path, right: Path) -> tuple[int, int]:
    """How many lines the first has, and how many of either the other does not have, whatever their ids."""
    told, back = digest_lines(left), digest_lines(right)
    return told.total(), ((told - back) + (back - told)).total()


def digest_lines(file: Path) -> Counter[bytes]:
    """The rows alone: the first line says when it was written, the last how many there are."""
    with file.open("rb") as stream:
        told = (line for line in islice(stream, 1, None) if not END_LINE.match(line))
        return Counter(hashlib.blake2b(UUID.sub(b"", line), digest_size=12).digest() for line in told)


def embed_all(user: EndUser) -> None:
    while queue.index_batch(user, now=timezone.now() + timedelta(minutes=5)):
        pass


def list_found(user: EndUser, question: str, plan: TransferPlan, now: datetime) -> list[str]:
    """What a search finds, in order, as scores and texts: ids differ between the two."""
    stages = STAGES if plan.has_vectors else frozenset({LEXICAL})
    request = SearchRequest(question, limit=HITS, stages=stages, boosts=())
    found = MemoryFacade().search(user, request, now=now, remember=False)
    return [f"{hit.final_score:.6f} {hit.item.text}" for hit in found.hits]


def print_figures(console: Console, plan: TransferPlan, figures: TransferFigures) -> None:
    console.print(f"{plan.memories:,} memories, each with an event")
    for line in figures.notes(plan):
        console.print(f"  {line}")
