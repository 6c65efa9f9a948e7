"""How long a turn of the hot path takes for a person of whom thousands of facts are known.

Triples are brought in through `POST hot/triples`, as many at once as it takes, and turns asked through HTTP and in this
process.
"""

import gc
import random
import time
import uuid
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from django.utils import timezone

from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn, warm_up
from memory.access.scope import user_scope
from memory.benchmarks.client import POLL_S, STALLED_S, BenchmarkClient, CallFailedError
from memory.benchmarks.synthetic import load_languages
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Stopwatch
from memory.models import EndUser, Fact
from memory.tiers import Indexing

BATCH: Final = 500
WARM_UP: Final = 20
# Turns of a thread: a conversation has a window, and facts that rest.
IN_THREAD: Final = 20
IMPORT, TURN, HERE, HERE_CPU = "import 500 triples", "hot/turn", "a turn in this process", "processor time of it"
TARGETS: Final = {TURN: BenchmarkTarget(30), "  extraction": BenchmarkTarget(10)}
# A third tells something, a third asks for what is known, the rest does neither.
SAYINGS: Final = (
    "My friend {first} {last} moved to {city}.",
    "We went to {sight} in {city} and I loved it.",
    "I live in {city} and I work at {last} Press.",
    "Actually I live in {city}, not in {city2}.",
    "I really like {dish} with {ingredient}.",
    "Vivo en {city} y mi amigo {first} vive en {city2}.",
    "Where does {first} {last} live?",
    "What does {first} like to eat?",
    "Wo wohnt {first} {last}?",
    "Which places in {city} have I been to?",
    "Do I know anybody in {city}?",
    "What should I cook for {first} tonight?",
    "Where do I live?",
    "thanks, that helps a lot",
    "Can you explain how a heat pump works, step by step?",
    "Write a short mail to the landlord about the noise in the yard and keep it friendly.",
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TurnPlan:
    facts: int = 5_000
    turns: int = 400
    seed: int = 1

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class TurnFigures:
    """``counts`` are what became of the triples of the turns, and how many bullets there were."""

    spreads: dict[str, LatencySpread] = field(default_factory=dict)
    facts: int = 0
    counts: dict[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def notes(self) -> Iterator[str]:
        yield ", ".join(f"{name}: {number:,}" for name, number in sorted(self.counts.items()))


def add_arguments(parser: ArgumentParser) -> None:
    usual = TurnPlan()
    parser.add_argument("--facts", type=int, default=usual.facts, help="facts of the person")
    parser.add_argument("--turns", type=int, default=usual.turns, help="through HTTP, and as many in this process")
    parser.add_argument("--seed", type=int, default=usual.seed)


class TurnWriter:
    """Triples and turns about the same people, places and dishes, in the words of six languages."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"turns {seed}")  # noqa: S311  (figures, not secrets)
        self._languages = load_languages().entries

    def list_triples(self, number: int) -> list[dict[str, str]]:
        found: dict[tuple[str, str, str], None] = {}
        while len(found) < number:
            found |= dict.fromkeys(self._tell_of_person() if self._rng.random() < 0.6 else self._tell_of_self())
        return [{"s": s, "r": r, "d": d} for s, r, d in list(found)[:number]]

    def write_turn(self) -> str:
        return self.fill(self._rng.choice(SAYINGS))

    def fill(self, text: str) -> str:
        words = self._rng.choice(self._languages).words
        slots = {slot: words[slot].draw(self._rng) for slot in ("first", "last", "city", "sight", "dish", "ingredient")}
        return text.format(**slots, city2=words["city"].draw(self._rng))

    def _tell_of_person(self) -> list[tuple[str, str, str]]:
        name = self.fill("{first} {last}")
        told = [("lives_in", "{city}"), ("works_at", "{last} Press"), ("likes", "{dish}"), ("went_to", "{sight}")]
        return [("you", "friend_of", name), *((name, relation, self.fill(value)) for relation, value in told)]

    def _tell_of_self(self) -> list[tuple[str, str, str]]:
        told = (("likes", "{dish} with {ingredient}"), ("went_to", "{sight} in {city}"), ("owns", "a map of {city}"))
        relation, value = self._rng.choice(told)
        return [("you", relation, self.fill(value))]


@dataclass(slots=True)
class TurnMeasurement:
    client: BenchmarkClient
    person: EndUser
    plan: TurnPlan
    say: Say
    figures: TurnFigures = field(default_factory=TurnFigures)

    def run(self) -> TurnFigures:
        writer = TurnWriter(self.plan.seed)
        self.fill_person(writer)
        self.ask_through_http([writer.write_turn() for _ in range(WARM_UP + self.plan.turns)])
        watch = self.ask_here([writer.write_turn() for _ in range(WARM_UP + self.plan.turns)])
        self.figures.spreads = self.client.watch.summarize() | watch.summarize()
        return self.figures

    def fill_person(self, writer: TurnWriter) -> None:
        self.say(f"importing {self.plan.facts:,} triples, {BATCH} at once, until the worker has embedded them")
        triples = writer.list_triples(self.plan.facts)
        for start in range(0, len(triples), BATCH):
            self.client.import_triples(IMPORT, self.person.external_id, triples[start : start + BATCH])
        self.figures.facts = wait_until_embedded(self.person)

    def ask_through_http(self, texts: list[str]) -> None:
        self.say(f"{self.plan.turns:,} turns through HTTP")
        run = uuid.uuid4().hex[:8]
        for number, text in enumerate(texts):
            thread = f"{run}-{number // IN_THREAD}"
            if number < WARM_UP:
                with self.client.pause_counting():
                    self.client.take_turn(TURN, self.person.external_id, thread, text)
                continue
            self.count(self.client.take_turn(TURN, self.person.external_id, thread, text))

    def count(self, answer: dict[str, Any]) -> None:
        counts = self.figures.counts
        for fact in answer["facts"]:
            counts[fact["status"]] = counts.get(fact["status"], 0) + 1
        counts["superseded"] = counts.get("superseded", 0) + len(answer["superseded"])
        counts["bullets"] = counts.get("bullets", 0) + len(answer["bullets"])

    def ask_here(self, texts: list[str]) -> Stopwatch:
        """As a web process takes them: the words are loaded, and the garbage of filling is not looked through."""
        self.say(f"{self.plan.turns:,} turns in this process")
        warm_up()
        gc.collect()
        gc.freeze()
        watch = Stopwatch()
        for number, text in enumerate(texts):
            new = NewHotTurn(f"here-{number // IN_THREAD}", text)
            started, cpu = time.perf_counter(), time.thread_time()
            run_hot_turn(self.person, new, now=timezone.now(), actor="bench")
            if number >= WARM_UP:
                watch.add(HERE, (time.perf_counter() - started) * 1000)
                watch.add(HERE_CPU, (time.thread_time() - cpu) * 1000)
        return watch


def wait_until_embedded(person: EndUser) -> int:
    """How many facts hold, once none waits for its vector. Raises CallFailedError when that number stops falling."""
    left, moved_at = -1, time.monotonic()
    while True:
        with user_scope(person):
            facts = Fact.objects.for_user(person).active()
            waiting = facts.filter(indexing=Indexing.PENDING).count()
            if not waiting:
                return facts.count()
        if waiting != left:
            left, moved_at = waiting, time.monotonic()
        elif time.monotonic() - moved_at > STALLED_S:
            raise CallFailedError(f"{waiting} facts still wait for their vectors; does a worker run?")
        time.sleep(POLL_S)
