"""How long each page of the console takes for a person of whom much is kept: through HTTP, as an operator reads it."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import httpx
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import models
from django.urls import reverse
from rich.console import Console
from rich.table import Table

from knowledge_graph.models import Concept
from memory.access.scope import user_scope
from memory.benchmarks import bulk, consolidation
from memory.benchmarks.client import CallFailedError
from memory.benchmarks.cpu import CpuCost, CpuMeter
from memory.benchmarks.insights import GraphFiller, InsightsPlan
from memory.benchmarks.staging import WORTH_REBUILDING, connect_as_owner
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Stopwatch
from memory.models import EndUser, Fact, Membership, MemoryEvent, MemoryItem, Operator
from memory.models.inbox import MatterKind
from outcomes.models import Exchange

TARGET = BenchmarkTarget(100)
FACTS = 2_000
SPACE_OF_DAYS = timedelta(days=30)
WARM_UP = 2
READER = "benchmark-reader"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PagesPlan:
    memories: int = 100_000
    concepts: int = 50_000
    facts: int = FACTS
    times: int = 20
    seed: int = 1


def add_arguments(parser: ArgumentParser) -> None:
    usual = PagesPlan()
    parser.add_argument("--memories", type=int, default=usual.memories)
    parser.add_argument("--concepts", type=int, default=usual.concepts, help="concepts of the person's graph")
    parser.add_argument("--facts", type=int, default=usual.facts)
    parser.add_argument("--times", type=int, default=usual.times, help="how often each page is opened")
    parser.add_argument("--seed", type=int, default=usual.seed)


def measure(
    user: EndUser, url: str, plan: PagesPlan, now: datetime, say: Say
) -> tuple[dict[str, LatencySpread], dict[str, CpuCost]]:
    """Fills the person, then opens every page about them. A page that is refused ends the run."""
    writer = NoteWriter(plan.seed)
    PersonFiller.fill(user, plan, writer, now, say)
    return open_pages(url, sign_in(user), list_pages(user, writer, now), plan.times)


def open_pages(
    url: str, signed_in: AbstractContextManager[dict[str, str]], pages: Mapping[str, str], times: int
) -> tuple[dict[str, LatencySpread], dict[str, CpuCost]]:
    watch, meter = Stopwatch(), CpuMeter(data_dir())
    with signed_in as session, open_reader(url, session) as reader:
        for name, address in pages.items():
            # What was asked a moment ago may be answered from memory: every search is a new one.
            paths = [address.replace(FRESH, f"{number} {name}") for number in range(WARM_UP + times)]
            for path in paths[:WARM_UP]:
                open_page(reader, path)
            with meter.measure(name, times):
                for path in paths[WARM_UP:]:
                    with watch.measure(name):
                        open_page(reader, path)
    return watch.spreads(), meter.costs


def open_reader(url: str, cookies: dict[str, str]) -> httpx.Client:
    return httpx.Client(base_url=url, cookies=cookies, trust_env=False, timeout=60)


def open_page(reader: httpx.Client, path: str) -> None:
    answer = reader.get(path)
    if answer.status_code != httpx.codes.OK:
        raise CallFailedError(f"{path} answered {answer.status_code}")


@contextmanager
def sign_in(user: EndUser) -> Iterator[dict[str, str]]:
    """The cookie of an operator made for the run, who may see this organisation alone; both are gone afterwards."""
    operator = Operator(username=f"{READER}-{user.organization_id}")
    operator.set_unusable_password()
    operator.save()
    Membership.objects.create(operator=operator, organization=user.organization)
    session = SessionStore()
    session[SESSION_KEY] = str(operator.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = operator.get_session_auth_hash()
    session.save()
    try:
        yield {settings.SESSION_COOKIE_NAME: str(session.session_key)}
    finally:
        session.delete()
        operator.delete()


FRESH = "FRESH"


def list_pages(user: EndUser, writer: NoteWriter, now: datetime) -> dict[str, str]:
    person = user.organization.slug, user.external_id
    with user_scope(user):
        item = MemoryItem.objects.for_user(user).filter(uses__gt=0).earliest("pk")
        fact = Fact.objects.for_user(user).earliest("pk")
        exchange = Exchange.objects.filter(user=user).earliest("pk")
        concept = Concept.objects.filter(user=user).earliest("pk").key
    [question] = writer.draw_questions(1)

    def page(view: str, *more: object, **query: object) -> str:
        address = reverse(f"console:{view}", args=[*person, *more])
        return f"{address}?{urlencode(query)}" if query else address

    day = (now - SPACE_OF_DAYS).date().isoformat()
    asked = {name: page(name, query=f"{question} {FRESH}") for name in ("search", "context", "replay", "recall")}
    fixed = ("overview", "memories", "bank", "facts", "nights", "reviews", "suspects", "hot", "graph", "timeline",
             "conversations", "books", "measure", "personality", "connect", "transfer", "links", "spaces")  # fmt: skip
    kinds = set(MatterKind) - {MatterKind.CONTRADICTIONS, MatterKind.SUSPECTED}
    return (
        {name: page(name) for name in fixed}
        | {f"{name}, asked": address for name, address in asked.items()}
        | {f"inbox, {kind.value}": page("inbox", kind.value) for kind in sorted(kinds)}
        | {
            "people": reverse("console:people"),
            "find": page("find", q=question.split()[-1]),
            "memories, by words": page("memories", q=question.split()[-1]),
            "memories, archived": page("memories", status="archived"),
            "memories, best first": page("memories", order="score"),
            "memory": page("item", item.pk),
            "memory, edited": page("edit", item.pk),
            "fact": page("fact", fact.pk),
            "facts, all": page("facts", state="all"),
            "timeline, of a day": page("timeline", as_of=day),
            "graph, around one": page("graph", name=concept),
            "graph, of a day": page("graph", back=30),
            "conversation": page("conversations", thread=exchange.thread_id),
        }
    )


class PersonFiller(GraphFiller):
    """A person with vectors, exchanges and a history besides the graph."""

    loader: bulk.BulkLoader

    @classmethod
    def fill(cls, user: EndUser, plan: PagesPlan, writer: NoteWriter, now: datetime, say: Say) -> None:
        filler = cls(user, InsightsPlan(plan.concepts, plan.memories, seed=plan.seed), now, say)
        say(f"embedding a pool of {bulk.POOL:,} notes")
        filler.loader = bulk.BulkLoader(bulk.build_cloud(writer, plan.seed), plan.seed)
        if plan.memories < WORTH_REBUILDING:
            filler.run(writer)
        else:
            with closing(connect_as_owner()) as owner:
                with bulk.defer_vector_index(owner, filler.loader.dims, say):
                    filler.run(writer)
                bulk.refresh_statistics(owner)
        say(f"stating {plan.facts:,} facts")
        consolidation.load_facts(user, consolidation.ConsolidationPlan(plan.facts, seed=plan.seed), now)

    def write(self, model: type[models.Model], rows: Sequence[models.Model]) -> None:
        super().write(model, rows)
        items = [row for row in rows if isinstance(row, MemoryItem)]
        if not items:
            return
        super().write(MemoryEvent, [self.event(row) for row in items])
        super().write(Exchange, [self.exchange(row) for row in items if row.source.get("kind") == "exchange"])
        with user_scope(self.user, settings=bulk.UNHURRIED):
            self.loader.write_vectors(self.user, [row.pk for row in items], self.now)

    def event(self, row: MemoryItem) -> MemoryEvent:
        at = row.occurred_at or self.now
        return MemoryEvent(user=self.user, item=row, kind="stored", after={"tier": row.tier}, actor=bulk.MARK, at=at)

    def exchange(self, row: MemoryItem) -> Exchange:
        question, _, answer = row.text.partition(". ")
        at = row.occurred_at or self.now
        read = {"profiled_at": self.now, "detection": "skipped", "detection_at": self.now, "created_at": at}
        return Exchange(
            user=self.user,
            thread_id=row.thread_id,
            memory_id=row.pk,
            user_message=question,
            assistant_message=answer or "Noted.",
            **read,
        )


def print_costs(console: Console, costs: Mapping[str, CpuCost]) -> None:
    table = Table(title="processor time of a page", title_justify="left")
    table.add_column("milliseconds")
    for heading in ("Postgres", "the rest", "together"):
        table.add_column(heading, justify="right")
    for name, cost in costs.items():
        table.add_row(name, f"{cost.postgres:.1f}", f"{cost.product:.1f}", f"{cost.total:.1f}")
    console.print(table)
    console.print()


def as_json(plan: PagesPlan, spreads: Mapping[str, LatencySpread], costs: Mapping[str, CpuCost]) -> dict[str, Any]:
    return {
        "plan": asdict(plan),
        "spreads": {name: asdict(spread) for name, spread in spreads.items()},
        "costs": {name: asdict(cost) for name, cost in costs.items()},
    }
