"""Sets the stage for a measurement of speed: users, a key, rows in bulk, a server; and clears it afterwards."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from django.utils import timezone

from config import databases
from memory.access.keys import SCOPES, issue_key
from memory.access.users import find_user, get_or_create_user
from memory.benchmarks import bulk
from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.serving import run_server
from memory.benchmarks.speed import SpeedFigures, SpeedMeasurement, SpeedPlan
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir, memory_conf
from memory.evaluation.loading import create_benchmark_organization
from memory.evaluation.timing import Pace
from memory.models import EndUser, Organization

# A usual key admits 100 requests a second; a little under that no call is turned away.
POLITE_PER_SECOND = 90
UNBOUND_PER_SECOND = 100_000
LONGEST_RUN = timedelta(hours=6)
OTHERS_EACH = 10_000
# Above this the vector index is built after the loading instead of row by row.
WORTH_REBUILDING = 20_000
MEASURED = "measured"

Say = Callable[[str], None]


class BenchmarkStageError(Exception):
    """The measurement cannot be set up here; the message says what to do."""


@dataclass(frozen=True, slots=True)
class BenchmarkStage:
    client: BenchmarkClient
    user: str
    writer: NoteWriter
    loading: str = ""
    # The measured user's row, where it can be reached.
    person: EndUser | None = None

    def measure(self, plan: SpeedPlan, say: Say) -> SpeedFigures:
        measurement = SpeedMeasurement(self.client, self.user, plan, self.writer, timezone.now(), say)
        measurement.figures.loading = self.loading
        return measurement.run()


@contextmanager
def stage_remote(url: str | None, key: str | None, plan: SpeedPlan) -> Iterator[BenchmarkStage]:
    """The product at an address, through a key like any other client's; the user is erased through the API."""
    if not url or not key:
        raise BenchmarkStageError("--url and --key belong together")
    if plan.others or plan.loaded_memories:
        raise BenchmarkStageError(
            "--others and more than 10,000 memories are loaded into the database: leave out --url"
        )
    user = f"benchmark-{uuid.uuid4().hex[:12]}"
    with BenchmarkClient(url.rstrip("/"), key, pace=Pace(POLITE_PER_SECOND)) as client:
        try:
            yield BenchmarkStage(client, user, NoteWriter(plan.seed))
        finally:
            client.erase(user)


@contextmanager
def stage_local(plan: SpeedPlan, *, keep: bool, say: Say, **environment: str) -> Iterator[BenchmarkStage]:
    """This installation, through a key of an organisation made for the run and erased after it."""
    now = timezone.now()
    kept_as = f"{plan.loaded_memories}-{plan.others}-{plan.seed}" if keep else ""
    with create_benchmark_organization(now, kept_as) as organization:
        writer = NoteWriter(plan.seed)
        loading = load_users(organization, plan, writer, say) if plan.loaded_memories or plan.others else ""
        _, key = issue_key(
            organization, "bench", SCOPES, now=now, lifetime=LONGEST_RUN, requests_per_second=UNBOUND_PER_SECOND
        )
        user = get_or_create_user(organization, MEASURED)
        with run_server(data_dir(), **environment) as url, BenchmarkClient(url, key) as client:
            yield BenchmarkStage(client, user.external_id, writer, loading, user)


def load_users(organization: Organization, plan: SpeedPlan, writer: NoteWriter, say: Say) -> str:
    """Fill the measured user and the others; what an earlier run kept is used again. Returns how it was made."""
    # Only there can vectors be made inside the database; to send a million over HTTP takes hours.
    if memory_conf().vector.backend != "pgvector":
        raise BenchmarkStageError("rows can be loaded directly only where pgvector is the vector index")
    sizes = {MEASURED: plan.loaded_memories}
    for number, start in enumerate(range(0, plan.others, OTHERS_EACH)):
        sizes[f"other-{number}"] = min(OTHERS_EACH, plan.others - start)
    missing = {name: size for name, size in sizes.items() if size and not find_user(organization, name)}
    if missing:
        fill_users(organization, missing, plan, writer, say)
    return bulk.HOW


def fill_users(
    organization: Organization, sizes: dict[str, int], plan: SpeedPlan, writer: NoteWriter, say: Say
) -> None:
    say(f"embedding a pool of {bulk.POOL:,} notes")
    loader = bulk.BulkLoader(bulk.build_cloud(writer, plan.seed), plan.seed)
    total, done = sum(sizes.values()), 0
    with closing(connect_as_owner()) as owner:
        is_worth_it = total >= WORTH_REBUILDING
        with bulk.defer_vector_index(owner, loader.dims, say) if is_worth_it else nullcontext():
            for name, size in sizes.items():
                say(f"loading {size:,} memories of {name} ({done:,} of {total:,} done)")
                loader.fill(get_or_create_user(organization, name), writer.notes(size), size, timezone.now())
                done += size
        bulk.refresh_statistics(owner)


def connect_as_owner() -> BaseDatabaseWrapper:
    """Indexes are changed by the role that owns them, over a connection of its own."""
    entry = databases.database_from_environment(data_dir(), "owner")
    return ConnectionHandler({"default": entry})["default"]
