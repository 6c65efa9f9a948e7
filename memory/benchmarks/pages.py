"""How long each page of the console takes for a person of whom much is kept: through HTTP, as an operator reads it."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote_plus

import httpx
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import models
from django.urls import reverse
from rich.console import Console
from rich.table import Table

from memory.access.scope import UNHURRIED, user_scope
from memory.benchmarks import bulk, consolidation
from memory.benchmarks.client import CallFailedError
from memory.benchmarks.cpu import CpuCost, CpuMeter
from memory.benchmarks.insights import GraphFiller, InsightsPlan
from memory.benchmarks.page_addresses import ACTOR, FRESH, PageAddresses, find_subjects
from memory.benchmarks.staging import WORTH_REBUILDING, connect_as_owner
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Stopwatch
from memory.facade import MemoryFacade
from memory.models import EndUser, Membership, MemoryEvent, MemoryItem, Operator
from memory.models.people import OperatorRole
from outcomes.models import Exchange

TARGET = BenchmarkTarget(100)
FACTS = 2_000
WARM_UP = 2
READER = "benchmark-reader"
LINK_FOR = timedelta(hours=1)

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
    say("opening the pages")
    subjects = find_subjects(user, writer, now)
    [question] = writer.draw_questions(1)
    round_ = PageRound(url, plan.times, PageAddresses(user, subjects, question, now), writer)
    round_.open_everything()
    return round_.watch.summarize(), round_.meter.costs


@dataclass(slots=True)
class PageRound:
    """Every page, by who may see it."""

    url: str
    times: int
    addresses: PageAddresses
    writer: NoteWriter
    watch: Stopwatch = field(default_factory=Stopwatch)
    meter: CpuMeter = field(default_factory=lambda: CpuMeter(data_dir()))

    def open_everything(self) -> None:
        user, pages = self.addresses.user, self.addresses
        with sign_in(user) as session:
            self.open_pages(
                session, pages.list_of_person() | pages.list_of_single_things() | pages.list_of_organization()
            )
        with sign_in(user, is_superuser=True) as session:
            self.open_pages(session, pages.list_of_installation())
        _link, token = MemoryFacade(ACTOR).make_personal_link(user, LINK_FOR, now=pages.now)
        with open_reader(self.url, {}) as reader:
            cookie = reader.get(reverse("personal:enter", args=[token])).cookies
        self.open_pages(dict(cookie), pages.list_of_own_page())

    def open_pages(self, session: Mapping[str, str], pages: Mapping[str, str]) -> None:
        with open_reader(self.url, session) as reader:
            for name, address in pages.items():
                paths = list(self.renew_questions(address, WARM_UP + self.times))
                for path in paths[:WARM_UP]:
                    open_page(reader, path)
                with self.meter.measure(name, self.times):
                    for path in paths[WARM_UP:]:
                        with self.watch.measure(name):
                            open_page(reader, path)

    def renew_questions(self, address: str, count: int) -> Iterator[str]:
        """What was asked a moment ago may be answered from memory: every search is a new one."""
        questions = self.writer.draw_questions(count) if FRESH in address else [""] * count
        return (address.replace(FRESH, quote_plus(question)) for question in questions)


def open_reader(url: str, cookies: Mapping[str, str]) -> httpx.Client:
    return httpx.Client(base_url=url, cookies=dict(cookies), trust_env=False, timeout=60)


def open_page(reader: httpx.Client, path: str) -> None:
    answer = reader.get(path)
    if answer.status_code != httpx.codes.OK:
        raise CallFailedError(f"{path} answered {answer.status_code}")


@contextmanager
def sign_in(user: EndUser, *, is_superuser: bool = False) -> Iterator[dict[str, str]]:
    """The cookie of an operator made for the run, who may see this organisation alone unless they are a superuser; both
    are gone afterwards."""
    operator = Operator(username=f"{READER}-{user.organization_id}", is_superuser=is_superuser)
    operator.set_unusable_password()
    operator.save()
    Membership.objects.create(operator=operator, organization=user.organization, role=OperatorRole.OWNER)
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
        super().write(MemoryEvent, [self.build_event(row) for row in items])
        super().write(Exchange, [self.build_exchange(row) for row in items if row.source.get("kind") == "exchange"])
        with user_scope(self.user, settings=UNHURRIED):
            self.loader.write_vectors(self.user, [row.pk for row in items], self.now)

    def build_event(self, row: MemoryItem) -> MemoryEvent:
        at = row.occurred_at or self.now
        return MemoryEvent(user=self.user, item=row, kind="stored", after={"tier": row.tier}, actor=bulk.MARK, at=at)

    def build_exchange(self, row: MemoryItem) -> Exchange:
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
