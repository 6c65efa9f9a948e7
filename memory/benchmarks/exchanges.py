"""How fast exchanges are stored and read: a burst of them through HTTP, and how long their facts take to be known."""

import random
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memory.access.scope import user_scope
from memory.benchmarks.client import STALLED_S, BenchmarkClient, CallFailedError
from memory.benchmarks.synthetic import NoteWriter
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Pace, Stopwatch, run_clients, summarize_latencies
from memory.models import EndUser
from memory.platform import redis
from outcomes.exchanges import profiling, reading_queue
from outcomes.models import Exchange

STORE, READ, KNOWN = "store an exchange", "read a turn, in this process", "from stored to read"
REMINDED = "from stored to brought to mind"
PROMPT_S = 2.0
TARGETS = {
    STORE: BenchmarkTarget(25),
    KNOWN: BenchmarkTarget(PROMPT_S * 1000),
    REMINDED: BenchmarkTarget(PROMPT_S * 1000),
}
SHARE_TARGET = BenchmarkTarget(0.95, at_least=True)
WARM_UP = 3
POLL_S = 0.1
STREAM_POLL_S = 0.02
# Half of the turns state something, more than in any conversation: reading them costs the embedder's time as well.
STATEMENTS = (
    "By the way, I live in {place} now.",
    "My {kin}'s name is {name}, did I say that?",
    "I'm allergic to {food}, so keep that in mind.",
    "Hi! I work as a {job} in {place}.",
    "Remember that my {kin} {name} does not eat {food}.",
)
WORDS = {
    "place": ("Leeds", "Porto", "Ghent", "Turku", "Lyon", "Bergen", "Graz", "Cork", "Vigo", "Ulm", "Brno", "Lugano"),
    "kin": ("sister", "brother", "aunt", "daughter", "son", "neighbour", "cousin", "colleague"),
    "name": ("Priya", "Tom", "Inés", "Luca", "Hanna", "Omer", "Bea", "Jonas", "Rui", "Maud", "Yael", "Piet"),
    "food": ("peanuts", "shrimp", "gluten", "kiwis", "celery", "sesame", "mustard", "lupins"),
    "job": ("nurse", "carpenter", "teacher", "baker", "surveyor", "translator", "welder", "librarian"),
}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ExchangePlan:
    exchanges: int = 159
    people: int = 1
    clients: int = 1
    per_second: float = 0.0
    streams: int = 0
    seed: int = 1


@dataclass(slots=True)
class ExchangeFigures:
    """``prompt`` is the share that was read within 2 s; ``messages`` counts what was sent to the worker.

    ``reminded`` is the share of threads of which it was chosen within 2 s what their next turn is reminded of.
    """

    spreads: dict[str, LatencySpread] = field(default_factory=dict)
    prompt: float = 0.0
    reminded: float | None = None
    messages: int = 0
    burst_s: float = 0.0
    out_of_order: int = 0

    def notes(self) -> Iterator[str]:
        yield f"stored within {self.burst_s:.1f} s; tasks sent to the worker until all was read: {self.messages}"
        yield f"read within {PROMPT_S:.0f} s: {self.prompt:.3f} (wanted {SHARE_TARGET.figure})"
        if self.reminded is not None:
            yield f"brought to mind within {PROMPT_S:.0f} s: {self.reminded:.3f} (wanted {SHARE_TARGET.figure})"
        if self.out_of_order:
            yield f"[red]read before what was said earlier: {self.out_of_order}[/red]"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def add_arguments(parser: ArgumentParser) -> None:
    usual = ExchangePlan()
    parser.add_argument("--exchanges", type=int, default=usual.exchanges, help="of all people together")
    parser.add_argument("--people", type=int, default=usual.people)
    parser.add_argument("--clients", type=int, default=usual.clients, help="calls at once")
    parser.add_argument("--per-second", type=float, default=usual.per_second, help="of all clients; 0 for no pause")
    parser.add_argument("--streams", type=int, default=usual.streams, help="threads waited for, one after the other")
    parser.add_argument("--seed", type=int, default=usual.seed)


@dataclass(slots=True)
class ExchangeMeasurement:
    """Stores everything at once, as an import through the API does, and waits until the worker has read it."""

    client: BenchmarkClient
    person: EndUser
    plan: ExchangePlan
    now: datetime
    say: Say

    def run(self) -> ExchangeFigures:
        self.warm_up()
        figures, before, start = ExchangeFigures(), count_messages(), time.perf_counter()
        self.say(f"storing {self.plan.exchanges:,} exchanges of {self.plan.people} people, {self.plan.clients} at once")
        self.client.pace = Pace(self.plan.per_second) if self.plan.per_second else None
        run_clients(self.store, list(enumerate(self.write_messages())), self.plan.clients)
        figures.burst_s = time.perf_counter() - start
        self.say("waiting until all are read")
        people = self.list_people()
        read = [exchange for person in people for exchange in self.wait_until_read(person)]
        figures.messages = count_messages() - before
        delays = [(one.profiled_at - one.created_at).total_seconds() * 1000 for one in read if one.profiled_at]
        figures.prompt = sum(delay <= PROMPT_S * 1000 for delay in delays) / len(delays)
        figures.out_of_order = sum(count_inversions(self.wait_until_read(person)) for person in people)
        figures.spreads = {STORE: self.client.watch.summarize()[STORE], KNOWN: summarize_latencies(delays)}
        figures.spreads |= measure_reading(people[0])
        if delays := [self.wait_until_reminded(number) for number in range(self.plan.streams)]:
            figures.spreads[REMINDED] = summarize_latencies(delays)
            figures.reminded = sum(delay <= PROMPT_S * 1000 for delay in delays) / len(delays)
        return figures

    def wait_until_reminded(self, number: int) -> float:
        """Milliseconds from the answer to an exchange of a new thread until its stream can be read."""
        message = f"By the way, I live in {WORDS['place'][number % len(WORDS['place'])]} now, and what should I cook?"
        thread = f"reminded-{number}"
        self.client.store_exchange(self.person.external_id, thread, message, self.now)
        started = time.perf_counter()
        while not self.client.is_reminded(self.person.external_id, thread):
            if time.perf_counter() - started > STALLED_S:
                raise CallFailedError(f"nothing was brought to mind within {STALLED_S:.0f} s; does a worker run?")
            time.sleep(STREAM_POLL_S)
        return (time.perf_counter() - started) * 1000

    def warm_up(self) -> None:
        """A worker that was started a moment ago takes seconds to begin."""
        with self.client.pause_counting():
            for number in range(WARM_UP):
                self.client.store_exchange(self.person.external_id, "warm-up", f"I live in Oslo {number}.", self.now)
        self.wait_until_read(self.person)

    def list_people(self) -> list[EndUser]:
        found = EndUser.objects.filter(organization=self.person.organization).exclude(pk=self.person.pk)
        return list(found.order_by("pk"))

    def write_messages(self) -> Sequence[str]:
        rng = random.Random(f"exchanges {self.plan.seed}")  # noqa: S311  (figures, not secrets)
        questions = NoteWriter(self.plan.seed).draw_questions(self.plan.exchanges)
        return [
            rng.choice(STATEMENTS).format(**{slot: rng.choice(words) for slot, words in WORDS.items()})
            if number % 2
            else question
            for number, question in enumerate(questions)
        ]

    def store(self, numbered: tuple[int, str]) -> None:
        number, message = numbered
        who = f"{self.person.external_id}-{number % self.plan.people}"
        said_at = self.now - timedelta(minutes=self.plan.exchanges - number)
        self.client.store_exchange(who, f"thread-{number // 20}", message, said_at)

    def wait_until_read(self, person: EndUser) -> list[Exchange]:
        """The person's exchanges in the order they were said. Raises CallFailedError when reading stops."""
        left, moved_at = -1, time.monotonic()
        while True:
            with user_scope(person):
                found = list(Exchange.objects.filter(user=person).order_by("created_at", "pk"))
            waiting = sum(one.profiled_at is None for one in found)
            if not waiting:
                return found
            if waiting != left:
                left, moved_at = waiting, time.monotonic()
            elif time.monotonic() - moved_at > STALLED_S:
                raise CallFailedError(f"{waiting} exchanges still wait to be read; does a worker run?")
            time.sleep(POLL_S)


def count_inversions(exchanges: Sequence[Exchange]) -> int:
    """Exchanges read before one said well before them: of a batch those that tell nothing are settled last."""
    moments = [one.profiled_at for one in exchanges if one.profiled_at]
    return sum(later < earlier for earlier, later in zip(moments, moments[profiling.AT_ONCE :], strict=False))


def measure_reading(person: EndUser) -> dict[str, LatencySpread]:
    """What reading costs for each turn: the rules, the embedder and the look for a twin in the bank."""
    watch = Stopwatch()
    with user_scope(person):
        rows = list(Exchange.objects.filter(user=person).order_by("created_at", "pk"))
        turns = list(reading_queue.recall_threads(person, rows, rows))
    for turn in turns:
        with watch.measure(READ):
            profiling.draft_facts(person, turn)
    return watch.summarize()


def count_messages() -> int:
    """Messages ever sent through this Redis: the broker's transport pushes each onto a list, and nothing else does."""
    stats = redis.call_or_raise(lambda client: client.info("commandstats"))
    return int(stats.get("cmdstat_lpush", {}).get("calls", 0))
