"""An installation of a size that grows: a tenth of all memories are one person's, the others have 10,000 each.

What an earlier run loaded is kept, so that a larger size costs the difference only.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from datetime import datetime

import numpy as np
from django.db import connection
from django.utils import timezone

from memory.access.scope import UNHURRIED, user_scope
from memory.access.users import find_user, get_or_create_user
from memory.benchmarks import bulk
from memory.benchmarks.staging import MEASURED, WORTH_REBUILDING, BenchmarkStageError, connect_as_owner
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir, memory_conf
from memory.evaluation.loading import create_benchmark_organization
from memory.inference import embedder
from memory.models import EndUser, MemoryItem, Organization

EACH = 10_000
LARGE_SHARE = 10
FIRST_OTHER = "other-0"
HOW = (
    f"one person has a tenth of all memories, the others {EACH:,} each, with the same texts as one another; {bulk.HOW}"
)
# Left to the table: the order of arrival and what the indexing counts.
OWN_COLUMNS = frozenset({"id", "user_id", "lexemes", "arrival", "revision"})
# A word of the full-text index begins with its owner's number. In text, as no function puts another prefix before each.
COPY = """
INSERT INTO memory_item (id, user_id, lexemes, {columns})
SELECT gen_random_uuid(), %(user)s,
    regexp_replace(lexemes::text, %(theirs)s, %(own)s, 'g')::tsvector, {columns}
FROM bench_copied LIMIT %(count)s
RETURNING id
"""

Say = Callable[[str], None]


@contextmanager
def open_population(memories: int, seed: int, say: Say) -> Iterator[Organization]:
    """The organisation with at least so many memories. It is kept: the next size grows out of it."""
    if memory_conf().vector.backend != "pgvector":
        raise BenchmarkStageError("rows can be loaded directly only where pgvector is the vector index")
    with create_benchmark_organization(timezone.now(), f"population-{seed}") as organization:
        grow_population(organization, share_memories(memories), seed, say)
        yield organization


def share_memories(memories: int) -> dict[str, int]:
    """How many each person has, by name."""
    large = memories // LARGE_SHARE
    sizes = {MEASURED: large}
    for number, start in enumerate(range(0, memories - large, EACH)):
        sizes[f"other-{number}"] = min(EACH, memories - large - start)
    return sizes


def list_small_people(organization: Organization) -> list[EndUser]:
    return list(EndUser.objects.filter(organization=organization, external_id__startswith="other-").order_by("pk"))


def count_memories(organization: Organization, name: str) -> int:
    user = find_user(organization, name)
    if user is None:
        return 0
    with user_scope(user):
        return MemoryItem.objects.for_user(user).count()


def grow_population(organization: Organization, sizes: Mapping[str, int], seed: int, say: Say) -> None:
    known = {name: count_memories(organization, name) for name in sizes}
    missing = {name: size - known[name] for name, size in sizes.items() if size > known[name]}
    total, done, now = sum(missing.values()), 0, timezone.now()
    if not total:
        return
    # Of a seed that no earlier size had, so that nobody gets a text twice.
    writer = NoteWriter(seed + sum(known.values()))
    loader = bulk.BulkLoader(keep_cloud(writer, seed), seed)
    with closing(connect_as_owner()) as owner:
        is_worth_it = total >= WORTH_REBUILDING
        with bulk.defer_vector_index(owner, loader.dims, say) if is_worth_it else nullcontext():
            for name, size in missing.items():
                say(f"loading {size:,} memories of {name} ({done:,} of {total:,} done)")
                user = get_or_create_user(organization, name)
                if name in (MEASURED, FIRST_OTHER) or known[name]:
                    loader.fill(user, writer.notes(size), size, now)
                else:
                    copy_memories(loader, get_or_create_user(organization, FIRST_OTHER), user, size, now)
                done += size
        bulk.refresh_statistics(owner)


def keep_cloud(writer: NoteWriter, seed: int) -> bulk.VectorCloud:
    """What vectors are made of, read from a file after the first time: to embed it takes minutes of a busy machine."""
    path = data_dir() / "benchmarks" / f"cloud-{embedder().model.rpartition('/')[2]}-{seed}.npz"
    if not path.exists():
        cloud = bulk.build_cloud(writer, seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, pool=cloud.pool, directions=cloud.directions)
    with np.load(path) as kept:
        return bulk.VectorCloud(kept["pool"], kept["directions"])


def copy_memories(loader: bulk.BulkLoader, source: EndUser, user: EndUser, count: int, now: datetime) -> None:
    """The same memories for somebody else, with vectors of their own: most of the time goes into reading texts."""
    columns = ", ".join(
        field.column for field in MemoryItem._meta.concrete_fields if field.column and field.column not in OWN_COLUMNS
    )
    with user_scope(source, settings=UNHURRIED), connection.cursor() as cursor:
        # Between two scopes: no statement sees the rows of two people.
        cursor.execute("CREATE TEMPORARY TABLE IF NOT EXISTS bench_copied AS SELECT * FROM memory_item")
    with user_scope(user, settings=UNHURRIED):
        with connection.cursor() as cursor:
            prefixes = {"theirs": f"'{source.pk}~", "own": f"'{user.pk}~"}
            cursor.execute(COPY.format(columns=columns), {"user": user.pk, "count": count, **prefixes})
            ids = [row[0] for row in cursor.fetchall()]
        loader.write_vectors(user, ids, now)
