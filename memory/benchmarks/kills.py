"""Whether the hot path keeps its word while its processes die: interleaved turns of several clients, kill -9 of each.

Two web processes serve; after so many turns one of them is killed, with turns of other clients on their way, and the
server starts it again. A client that got no answer sends its turn again under the same Idempotency-Key. Afterwards the
store is held against what was told: each home of each friend, in order, by as many pieces of evidence as it was told.
"""

import itertools
import os
import random
import signal
import threading
import time
import uuid
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from knowledge_graph.models import HotThread, HotTurn
from memory.access.scope import user_scope
from memory.benchmarks.client import BenchmarkClient, CallFailedError
from memory.conf import memory_conf
from memory.evaluation.probes import count_repeated
from memory.evaluation.timing import run_clients
from memory.models import EndUser, Fact
from memory.models.facts import FactState

CLIENTS: Final = 4
# Turns of a conversation, of which two go on at once; every client takes part in both.
IN_THREAD: Final = 40
MOST_REPEATED: Final = 0.1
# Where the other one still starts when one is killed, nobody answers for a while.
PATIENCE_S: Final = 180.0
PAUSE_S: Final = 0.25
SERVER_MARK: Final = b"granian"
FRIENDS: Final = (
    "Priya", "Tom", "Luca", "Hanna", "Omer", "Bea", "Jonas", "Rui", "Maud", "Piet", "Ulla", "Vera", "Anna", "Ben",
    "Clara", "Daniel", "Emma", "Felix", "Greta", "Hugo", "Ines", "Julia", "Karim", "Laura", "Marcus", "Nadia", "Oscar",
    "Paul", "Quentin", "Ruth", "Sofia", "Tamar", "Ursula", "Victor", "Wanda", "Yara", "Zoe", "Adam", "Bruno", "Celia",
)  # fmt: skip
PLACES: Final = (
    "Leeds", "Porto", "Ghent", "Turku", "Lyon", "Bergen", "Graz", "Cork", "Vigo", "Ulm", "Brno", "Lugano", "Oslo",
    "Turin", "Seville", "Krakow", "Bilbao", "Uppsala", "Galway", "Tallinn",
)  # fmt: skip
TELLING: Final = "My friend {name} moved to {place}."
ASKING: Final = "Where does {name} live?"
CHATTER: Final = (
    "thanks, that helps a lot",
    "{name} said hello yesterday",
    "ok, and now to something else",
    "I'll call {name} later",
    "can you shorten the last paragraph?",
)

Say = Callable[[str], None]
Bullet = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class KillPlan:
    turns: int = 10_000
    every: int = 250
    seed: int = 1


@dataclass(slots=True)
class KillFigures:
    """``wrong`` are facts that are missing, doubled or out of order; ``stale`` bullets that named a former home."""

    turns: int = 0
    seconds: float = 0.0
    kills: int = 0
    resent: int = 0
    told: int = 0
    asked: int = 0
    stale: int = 0
    unanswered: int = 0
    bullets: int = 0
    repeated: int = 0
    wrong: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def notes(self) -> Iterator[str]:
        yield f"{self.turns:,} turns in {self.seconds:.0f} s, {self.kills} kills, {self.resent} turns sent again"
        colour = "red" if self.wrong else "green"
        yield f"{self.told:,} told; lost, doubled or out of order: [{colour}]{len(self.wrong)}[/{colour}]"
        colour = "red" if self.stale or self.unanswered else "green"
        yield f"{self.asked:,} asked; [{colour}]{self.stale} stale, {self.unanswered} without the answer[/{colour}]"
        share = self.repeated / max(1, self.bullets)
        colour = "red" if share >= MOST_REPEATED else "green"
        yield f"{self.bullets:,} bullets; said again within the turns of rest: [{colour}]{share:.3f}[/{colour}] (< 0.1)"
        yield from self.wrong[:20]


def add_arguments(parser: ArgumentParser) -> None:
    usual = KillPlan()
    parser.add_argument("--turns", type=int, default=usual.turns, help=f"of {CLIENTS} clients together")
    parser.add_argument("--every", type=int, default=usual.every, help="turns between two kills")
    parser.add_argument("--seed", type=int, default=usual.seed)


@dataclass(slots=True)
class FriendHistory:
    """The homes of a friend in the order they were told, each with how often it was told while it held."""

    homes: list[tuple[str, int]] = field(default_factory=list)

    def tell(self, place: str) -> None:
        if self.homes and self.homes[-1][0] == place:
            self.homes[-1] = (place, self.homes[-1][1] + 1)
        else:
            self.homes.append((place, 1))

    @property
    def home(self) -> str:
        return self.homes[-1][0] if self.homes else ""

    @property
    def times(self) -> int:
        return sum(times for _, times in self.homes)


@dataclass(slots=True)
class KillRun:
    client: BenchmarkClient
    person: EndUser
    plan: KillPlan
    say: Say
    figures: KillFigures = field(default_factory=KillFigures)
    friends: dict[str, FriendHistory] = field(default_factory=lambda: {name: FriendHistory() for name in FRIENDS})
    said: dict[str, list[tuple[int, Bullet]]] = field(default_factory=lambda: defaultdict(list))
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _run: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> KillFigures:
        self.say(f"{self.plan.turns:,} turns of {CLIENTS} clients, a kill after each {self.plan.every}")
        started = time.perf_counter()
        run_clients(self.talk, range(CLIENTS), CLIENTS)
        self.figures.seconds = time.perf_counter() - started
        self.figures.bullets = sum(map(len, self.said.values()))
        turns_of_rest = memory_conf().hot.novelty_turns
        self.figures.repeated = sum(count_repeated(sorted(said), turns_of_rest) for said in self.said.values())
        self.figures.wrong = [*self.compare_facts(), *self.compare_turns()]
        return self.figures

    def talk(self, client: int) -> None:
        """One client: a third of its turns tells something of friends that no other speaks of, a third asks."""
        rng = random.Random(f"kills {self.plan.seed} {client}")  # noqa: S311  (figures, not secrets)
        own = FRIENDS[client::CLIENTS]
        while (number := next(self._numbers)) < self.plan.turns:
            name, kind = rng.choice(own), rng.randrange(3)
            if kind == 0:
                self.tell(number, name, rng.choice(PLACES))
            elif kind == 1 and self.friends[name].home:
                self.ask(number, name)
            else:
                self.take_turn(number, rng.choice(CHATTER).format(name=name))

    def tell(self, number: int, name: str, place: str) -> None:
        self.take_turn(number, TELLING.format(name=name, place=place))
        self.friends[name].tell(place)
        with self._lock:
            self.figures.told += 1

    def ask(self, number: int, name: str) -> None:
        """In either conversation: what was told in the other one a turn ago is known here."""
        home = self.friends[name].home.casefold()
        answer = self.take_turn(number, ASKING.format(name=name))
        homes = {
            bullet["d"].casefold()
            for bullet in answer["bullets"]
            if (bullet["s"].casefold(), bullet["r"]) == (name.casefold(), "lives_in")
        }
        with self._lock:
            self.figures.asked += 1
            self.figures.stale += bool(homes - {home})
            self.figures.unanswered += home not in homes

    def take_turn(self, number: int, text: str) -> dict[str, Any]:
        """Sends it until it is answered: whoever dies meanwhile, it happens once."""
        thread = f"{self._run}-{number // IN_THREAD}-{number % 2}"
        key = f"{self._run}-{number}"
        give_up_at = time.monotonic() + PATIENCE_S
        while True:
            try:
                answer = self.client.take_turn("hot/turn", self.person.external_id, thread, text, key=key)
            except CallFailedError:
                if time.monotonic() > give_up_at:
                    raise
                with self._lock:
                    self.figures.resent += 1
                time.sleep(PAUSE_S)
                continue
            with self._lock:
                self.figures.turns += 1
                triples = [(bullet["s"], bullet["r"], bullet["d"]) for bullet in answer["bullets"]]
                self.said[thread] += [(answer["turn"], triple) for triple in triples]
                if self.figures.turns % self.plan.every == 0:
                    self.kill_worker()
            return answer

    def kill_worker(self) -> None:
        """The one that has lived longest, so that each has its turn."""
        if workers := list_web_workers():
            os.kill(workers[0], signal.SIGKILL)
            self.figures.kills += 1

    def compare_facts(self) -> Iterator[str]:
        with user_scope(self.person):
            known = list(Fact.objects.for_user(self.person).defer("vector").order_by("created_at", "pk"))
        for name, history in self.friends.items():
            key = name.casefold()
            homes = [fact for fact in known if (fact.subject_key, fact.relation) == (key, "lives_in")]
            found = [(fact.object_key, fact.evidence_count) for fact in homes]
            if found != [(place.casefold(), times) for place, times in history.homes]:
                yield f"{name}: {found[-3:]} and not {history.homes[-3:]}"
            holding = [fact.object_key for fact in homes if fact.state == FactState.ACTIVE]
            if holding != [history.home.casefold()] * bool(history.homes):
                yield f"{name}: {holding} hold, and not {history.home}"
            named = [fact.evidence_count for fact in known if (fact.relation, fact.object_key) == ("friend_of", key)]
            if named != [history.times] * bool(history.homes):
                yield f"{name}: a friend by {named} pieces of evidence, and not {history.times}"

    def compare_turns(self) -> Iterator[str]:
        """Every turn is kept once, and the numbers of a conversation have no gap."""
        with user_scope(self.person):
            threads = dict(HotThread.objects.filter(user=self.person).values_list("thread_id", "turn"))
            kept: dict[str, list[int]] = defaultdict(list)
            rows = HotTurn.objects.filter(user=self.person).order_by("number")
            for thread, number in rows.values_list("thread_id", "number"):
                kept[thread].append(number)
        if sum(map(len, kept.values())) != self.figures.turns:
            yield f"{sum(map(len, kept.values()))} turns are kept, and not {self.figures.turns}"
        for thread, last in threads.items():
            if kept[thread] != list(range(1, last + 1)):
                yield f"{thread}: {last} turns, of which {len(kept[thread])} are kept"


def list_web_workers() -> list[int]:
    """The web processes that this process has started, the oldest first; none of a server that ran before."""
    servers = [pid for pid in list_children(os.getpid()) if SERVER_MARK in read_process(pid, "cmdline")]
    workers = [pid for server in servers for pid in list_children(server)]
    return sorted(pid for pid in workers if SERVER_MARK in read_process(pid, "cmdline"))


def list_children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.glob("*/children") for child in read_text(task).split()]


def read_process(pid: int, name: str) -> bytes:
    """Empty for a process that has ended."""
    return read_text(Path(f"/proc/{pid}/{name}"))


def read_text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
