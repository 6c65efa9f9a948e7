"""The measures of `manage.py bench` that are taken of the running product, through HTTP."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import Any

from django.db import connection
from django.utils import timezone
from rich.console import Console

from memory.benchmarks import (
    cold,
    exchanges,
    growth,
    growth_report,
    insights,
    kills,
    load,
    overload,
    pages,
    streams,
    turns,
)
from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.serving import find_free_port
from memory.benchmarks.speed import INGEST_TARGET, SpeedFigures, SpeedPlan, list_targets
from memory.benchmarks.staging import BenchmarkStageError, stage_local, stage_remote
from memory.evaluation import report
from memory.evaluation.timing import read_machine_facts
from memory.models import EndUser


def measure_speed(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = SpeedPlan(options["memories"], options["others"], options["queries"], options["clients"], options["seed"])
    with ExitStack() as stack:
        if options["url"] or options["key"]:
            stage = stack.enter_context(stage_remote(options["url"], options["key"], plan))
        else:
            stage = stack.enter_context(stage_local(plan, keep=options["keep"], say=console.print))
        figures = stage.measure(plan, console.print)
    report.print_facts(console, collect_facts())
    print_figures(console, plan, figures)
    return {"plan": plan.as_json(), **collect_facts(), **figures.as_json()}


def measure_load(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    names = ("memories", "clients", "searches", "writes", "seconds", "seed", "rebuild")
    plan = load.LoadPlan(**{name: options[name] for name in names})
    with stage_local(SpeedPlan(plan.memories, 0, 1, plan.clients, plan.seed), keep=False, say=console.print) as stage:
        run = load.LoadRun(stage.client, stage.user, plan, stage.writer, timezone.now(), console.print)
        figures = run.run()
    report.print_facts(console, collect_facts())
    spreads = {"quiet": figures.quiet, "under load": figures.busy}
    report.print_spreads(console, f"search, {plan.clients} clients", {k: v for k, v in spreads.items() if v})
    report.print_lines(console, figures.notes())
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


def measure_overload(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = overload.OverloadPlan(**{name: options[name] for name in ("times", "seconds", "memories", "seed")})
    with stage_local(SpeedPlan(plan.memories, 0, 1, 1, plan.seed), keep=False, say=console.print) as stage:
        run = overload.OverloadRun(stage.client, stage.user, plan, stage.writer, timezone.now(), console.print)
        figures = run.run()
    report.print_facts(console, collect_facts())
    report.print_spreads(console, f"{plan.times:g} times as many requests as can be served", figures.spreads)
    report.print_lines(console, figures.notes())
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


@contextmanager
def stage_person(what: str, console: Console, seed: int, clients: int = 1) -> Iterator[tuple[BenchmarkClient, EndUser]]:
    """Somebody whom the measure fills itself. Raises BenchmarkStageError where this installation is not its own."""
    with stage_local(SpeedPlan(1, 0, 1, clients, seed), keep=False, say=console.print) as stage:
        if stage.person is None:
            raise BenchmarkStageError(f"{what} are measured on this installation only")
        yield stage.client, stage.person


def measure_insights(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = insights.InsightsPlan(**{name: options[name] for name in ("concepts", "memories", "queries", "seed")})
    with stage_person("insights", console, plan.seed) as (client, person):
        spreads = insights.measure(person, client, plan, timezone.now(), console.print)
    report.print_facts(console, collect_facts())
    title = f"insights, {plan.concepts:,} concepts and {plan.memories:,} memories of the user"
    report.print_spreads(console, title, spreads, insights.TARGETS)
    return {
        "plan": plan.as_json(),
        **collect_facts(),
        "spreads": {name: asdict(spread) for name, spread in spreads.items()},
    }


def measure_pages(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = pages.PagesPlan(**{name: options[name] for name in ("memories", "concepts", "facts", "times", "seed")})
    with stage_person("pages", console, plan.seed) as (client, person):
        spreads, costs = pages.measure(person, client.url, plan, timezone.now(), console.print)
    report.print_facts(console, collect_facts())
    title = f"pages of the console, {plan.memories:,} memories and {plan.facts:,} facts of the person, through HTTP"
    report.print_spreads(console, title, spreads, dict.fromkeys(spreads, pages.TARGET))
    pages.print_costs(console, costs)
    return {**collect_facts(), **pages.as_json(plan, spreads, costs)}


def measure_cold(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = cold.ColdPlan(**{name: options[name] for name in ("memories", "queries", "rounds", "seed")})
    starts = cold.measure(plan, console.print)
    report.print_facts(console, collect_facts())
    cold.print_starts(console, plan, starts)
    return {**collect_facts(), **cold.as_json(plan, starts)}


def measure_growth(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = growth.GrowthPlan(options["sizes"], options["queries"], options["seed"])
    figures = growth.measure(plan, console.print, again=options["again"])
    report.print_facts(console, collect_facts())
    growth_report.print_figures(console, figures)
    return {"plan": asdict(plan), **collect_facts(), **growth_report.as_json(figures)}


def measure_exchanges(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    names = ("exchanges", "people", "clients", "per_second", "streams", "seed")
    plan = exchanges.ExchangePlan(**{name: options[name] for name in names})
    with stage_person("exchanges", console, plan.seed, plan.clients) as (client, person):
        figures = exchanges.ExchangeMeasurement(client, person, plan, timezone.now(), console.print).run()
    report.print_facts(console, collect_facts())
    title = f"{plan.exchanges:,} exchanges of {plan.people} people, {plan.clients} at once, through HTTP"
    report.print_spreads(console, title, figures.spreads, exchanges.TARGETS)
    report.print_lines(console, figures.notes())
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


def measure_turns(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = turns.TurnPlan(**{name: options[name] for name in ("facts", "turns", "seed")})
    with stage_person("turns", console, plan.seed) as (client, person):
        figures = turns.TurnMeasurement(client, person, plan, console.print).run()
    report.print_facts(console, collect_facts())
    report.print_spreads(
        console, f"the hot path, {figures.facts:,} facts of the person", figures.spreads, turns.TARGETS
    )
    report.print_lines(console, figures.notes())
    return {"plan": plan.as_json(), **collect_facts(), **figures.as_json()}


def measure_kills(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = kills.KillPlan(options["turns"], options["every"], options["seed"])
    with stage_person("kills", console, plan.seed) as (client, person):
        if not kills.list_web_workers():
            raise BenchmarkStageError("only web processes of its own are killed: stop the server that runs here")
        figures = kills.KillRun(client, person, plan, console.print).run()
    report.print_facts(console, collect_facts())
    report.print_spreads(console, "turns while processes die", client.watch.summarize())
    report.print_lines(console, figures.notes())
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


def measure_streams(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    names = ("streams", "events", "searches", "seconds", "rounds", "memories", "seed")
    plan, port = streams.StreamPlan(**{name: options[name] for name in names}), find_free_port()
    with ExitStack() as stack:
        stack.enter_context(streams.serve_slow_model(port, plan))
        speed_plan = SpeedPlan(plan.memories, 0, 1, 1, plan.seed)
        behind = {"CHAT_BASE_URL": f"http://127.0.0.1:{port}/v1", "CHAT_MODEL": "slow"}
        stage = stack.enter_context(stage_local(speed_plan, keep=False, say=console.print, **behind))
        figures = streams.StreamMeasurement(
            stage.client, stage.user, plan, stage.writer, timezone.now(), console.print
        ).run()
    report.print_facts(console, collect_facts())
    title = (
        f"{plan.streams:,} streams of {plan.events:g} events a second, {plan.searches:g} searches a second beside them"
    )
    report.print_spreads(console, title, figures.spreads, figures.targets)
    report.print_lines(console, figures.notes())
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


def print_figures(console: Console, plan: SpeedPlan, figures: SpeedFigures) -> None:
    if figures.loading:
        console.print(figures.loading)
    for note in figures.notes():
        console.print(note)
    if figures.indexed_per_second:
        report.print_rate(console, "ingest to fully indexed", figures.indexed_per_second, "memories/s", INGEST_TARGET)
    title = f"{plan.memories:,} memories of the user, {plan.others:,} of others, {plan.clients} at once, through HTTP"
    report.print_spreads(console, title, figures.spreads, list_targets(plan.memories))


def collect_facts() -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version')")
        return read_machine_facts() | {"postgres": str(cursor.fetchone()[0])}
