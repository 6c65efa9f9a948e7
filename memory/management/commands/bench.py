"""What the product measures of itself: speed, load, quality, learning, promotion, claims, the hot path, pairs, talk."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console

from memory.benchmarks import (
    cold,
    consolidation,
    exchanges,
    growth,
    insights,
    kills,
    overload,
    pages,
    promotion,
    streams,
    transfer,
    turns,
)
from memory.benchmarks.client import CallFailedError
from memory.benchmarks.staging import BenchmarkStageError
from memory.evaluation import (
    claims,
    constraints,
    contexts,
    conversations,
    hot,
    labelling,
    learning,
    pairs,
    probes,
    quality,
    report,
    staging,
)
from memory.evaluation.claims import ClaimFigures
from memory.evaluation.datasets import DatasetError, RetrievalDataset, limit_questions, read_dataset
from memory.evaluation.first_days import SETS as FIRST_DAYS
from memory.evaluation.hot import HotFigures
from memory.evaluation.labelling import LabelFigures
from memory.evaluation.loading import NotIndexedError
from memory.evaluation.pairs import PairFigures
from memory.evaluation.probes import ProbeFigures
from memory.evaluation.quality import QualityResults
from memory.evaluation.scenarios import read_scenario_set
from memory.management.bench_arguments import (
    add_claims_arguments,
    add_constraints_arguments,
    add_conversations_arguments,
    add_data_arguments,
    add_dataset_arguments,
    add_hot_arguments,
    add_labels_arguments,
    add_load_arguments,
    add_pairs_arguments,
    add_speed_arguments,
)
from memory.management.served import (
    collect_facts,
    measure_cold,
    measure_exchanges,
    measure_growth,
    measure_insights,
    measure_kills,
    measure_load,
    measure_overload,
    measure_pages,
    measure_speed,
    measure_streams,
    measure_turns,
)
from memory.platform.faults import Unavailable


class Command(BaseCommand):
    help = (
        "Measure how fast the running product is (speed), what many clients do to it (load) and how well it finds "
        "(quality)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True)
        speed_parser = kinds.add_parser("speed", help="store, index, search and context through HTTP")
        add_speed_arguments(speed_parser)
        quality_parser = kinds.add_parser("quality", help="recall, rank and gain on a data set, mode by mode")
        learning_parser = kinds.add_parser(
            "learning", help="the first hit over rounds of outcomes, beside the vectors alone"
        )
        add_data_arguments(quality_parser, learning_parser)
        load_parser = kinds.add_parser("load", help="many clients search while others write and the index is rebuilt")
        add_load_arguments(load_parser)
        overload.add_arguments(kinds.add_parser("overload", help="more requests than can be served"))
        insights.add_arguments(kinds.add_parser("insights", help="latency of insights, here and through HTTP"))
        pages.add_arguments(kinds.add_parser("pages", help="each page of the console, of a person with much"))
        cold.add_arguments(kinds.add_parser("cold", help="the first searches after a restart, and from disk"))
        growth.add_arguments(kinds.add_parser("growth", help="what the work costs at several sizes, with curves"))
        promotion.add_arguments(kinds.add_parser("promotion", help="a promotion pass over generated rows"))
        claims_parser = kinds.add_parser("claims", help="what is read from turns, and what should not be")
        add_claims_arguments(claims_parser)
        hot_parser = kinds.add_parser("hot", help="what the hot path reads from turns and lays beside them")
        add_hot_arguments(hot_parser)
        pairs_parser = kinds.add_parser("pairs", help="how two statements about a person are judged")
        add_pairs_arguments(pairs_parser)
        add_labels_arguments(kinds)
        exchanges.add_arguments(kinds.add_parser("exchanges", help="a burst of exchanges: stored, read, known"))
        turns.add_arguments(kinds.add_parser("turns", help="latency of the hot path, in this process and through HTTP"))
        kills.add_arguments(kinds.add_parser("kills", help="the hot path while its processes are killed"))
        streams.add_arguments(kinds.add_parser("streams", help="slow streams through the gateway while others search"))
        contexts_parser = kinds.add_parser("contexts", help="what contexts hold with each section on and off")
        add_dataset_arguments(contexts_parser)
        constraints_parser = kinds.add_parser("constraints", help="whether constraints stand where they matter")
        add_constraints_arguments(constraints_parser)
        conversations_parser = kinds.add_parser("conversations", help="what is still known of conversations, and later")
        add_conversations_arguments(conversations_parser)
        consolidation.add_arguments(kinds.add_parser("consolidation", help="a consolidation of generated facts"))
        transfer.add_arguments(kinds.add_parser("transfer", help="a person leaves as a file and arrives elsewhere"))
        for kind in kinds.choices.values():
            kind.add_argument("--json", type=Path, metavar="FILE", help="write every figure to this file as well")

    def handle(self, *args: object, **options: Any) -> None:
        # In a file or a pipe 80 columns would break the tables of several modes.
        console = Console(file=cast("IO[str]", self.stdout), width=None if self.stdout.isatty() else 160)
        measure = {
            "speed": measure_speed,
            "quality": measure_quality,
            "learning": measure_learning,
            "load": measure_load,
            "overload": measure_overload,
            "insights": measure_insights,
            "pages": measure_pages,
            "cold": measure_cold,
            "growth": measure_growth,
            "promotion": measure_promotion,
            "claims": measure_claims,
            "hot": measure_hot,
            "pairs": measure_pairs,
            "labels": measure_labels,
            "staged": measure_staged,
            "constraints": measure_constraints,
            "conversations": measure_conversations,
            "exchanges": measure_exchanges,
            "consolidation": measure_consolidation,
            "turns": measure_turns,
            "contexts": measure_contexts,
            "kills": measure_kills,
            "streams": measure_streams,
            "transfer": measure_transfer,
        }[options["kind"]]
        try:
            content = measure(console, options)
        except (CallFailedError, DatasetError, NotIndexedError, BenchmarkStageError, Unavailable) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            report.write_json(options["json"], content)


def measure_quality(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    dataset = choose_dataset(options)
    size = f"{len(dataset.stores)} stores, {dataset.memory_count:,} memories, {dataset.question_count:,} questions"
    console.print(f"{dataset.name}: {size}")
    modes = [*(options["modes"] or quality.list_available_modes()), *(f"-{name}" for name in options["without"])]
    with console.status("") as status:
        results = quality.evaluate_dataset(dataset, modes, options["k"], status.update)
    print_results(console, results)
    if options["misses"]:
        report.print_lines(console, [miss.render() for miss in results.misses])
    return {"dataset": dataset.name, "k": options["k"], **collect_facts(), **results.as_json()}


def measure_contexts(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    dataset = choose_dataset(options)
    console.print(f"{dataset.name}: {dataset.memory_count:,} memories, {dataset.question_count:,} questions")
    with console.status("") as status:
        found = contexts.measure_contexts(dataset, status.update)
    for left_out, figures in found.items():
        name = left_out if left_out == contexts.EVERYTHING else f"without {left_out}"
        report.print_lines(console, [f"{name}, {figures.asked:,} questions", *figures.rows()])
    return {"dataset": dataset.name, **collect_facts(), **{name: one.as_json() for name, one in found.items()}}


def measure_claims(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    return measure_files(console, options, claims.measure_claims)


def measure_pairs(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    return measure_files(console, options, lambda turns: pairs.measure_pairs(turns, pairs.compare_embeddings()))


def measure_labels(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    return measure_files(console, options, labelling.measure_labels)


def measure_staged(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for path in options["file"]:
        cases = staging.read_cases(path)
        with console.status("") as status:
            found = staging.measure_staged(cases, status.update)
        for mode, figures in found.items():
            report.print_lines(console, [f"{path.name}, {mode}: {name}: {value}" for name, value in figures.rows()])
        content[path.name] = {mode: figures.as_json() for mode, figures in found.items()}
    return content


def measure_hot(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    """Probes have a store; turns have the triples that they tell."""
    return measure_files(
        console,
        options,
        lambda rows: probes.measure_probes(rows) if "store" in rows[0] else hot.measure_hot(rows),
    )


def measure_files(
    console: Console,
    options: dict[str, Any],
    measure: Callable[[list[dict[str, Any]]], ClaimFigures | PairFigures | ProbeFigures | HotFigures | LabelFigures],
) -> dict[str, Any]:
    content = {}
    for path in options["file"]:
        figures = measure(claims.read_turns(path))
        report.print_lines(console, [f"{path.name}: {name}: {value}" for name, value in figures.rows()])
        if options["misses"]:
            report.print_lines(console, figures.misses)
        content[path.name] = figures.as_json()
    return content


def measure_conversations(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    content = {}
    for path in options["file"]:
        read = conversations.read_conversations(path)
        with console.status("") as status:
            found = conversations.measure_conversations(
                read, timedelta(days=options["later"]), status.update, nightly=options["nightly"]
            )
        for when, figures in found.items():
            report.print_lines(console, [f"{path.name}, {when}: {name}: {value}" for name, value in figures.rows()])
            if options["misses"]:
                report.print_lines(console, [*figures.misses, *figures.facts.misses])
        content[path.name] = {when: figures.as_json() for when, figures in found.items()}
    return content


def measure_constraints(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    content = {}
    fillers = constraints.read_rows(options["fillers"], "text") if options["fillers"] else []
    for path in options["file"]:
        rows = constraints.read_rows(path, "constraints", "facts", "kind", "question")
        with console.status("") as status:
            figures = constraints.measure_constraints(rows, fillers, status.update)
        report.print_lines(console, [f"{path.name}: {name}: {value}" for name, value in figures.rows()])
        if options["misses"]:
            report.print_lines(console, figures.misses)
        content[path.name] = figures.as_json()
    return content


def measure_promotion(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = promotion.PromotionPlan(options["memories"], options["users"], options["due"])
    figures = promotion.measure(plan, console)
    report.print_facts(console, collect_facts())
    promotion.print_figures(console, plan, figures)
    return {**collect_facts(), **figures.as_json()}


def measure_transfer(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = transfer.TransferPlan(options["memories"], options["seed"], options["vectors"])
    figures = transfer.measure(plan, console)
    report.print_facts(console, collect_facts())
    transfer.print_figures(console, plan, figures)
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


def measure_consolidation(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    plan = consolidation.ConsolidationPlan(options["facts"], options["again"], options["seed"])
    figures = consolidation.measure(plan, console)
    report.print_facts(console, collect_facts())
    consolidation.print_figures(console, plan, figures)
    return {"plan": asdict(plan), **collect_facts(), **figures.as_json()}


def choose_dataset(options: dict[str, Any]) -> RetrievalDataset:
    if options["file"]:
        dataset = read_dataset(options["file"])
    elif options["set"] in FIRST_DAYS:
        dataset = FIRST_DAYS[options["set"]](options["half"])
    else:
        dataset = read_scenario_set(options["set"], options["half"])
    return limit_questions(dataset, options["limit"]) if options["limit"] else dataset


def measure_learning(console: Console, options: dict[str, Any]) -> dict[str, Any]:
    dataset = learning.select_adversarial(choose_dataset(options))
    console.print(f"{dataset.name}: {dataset.question_count} questions in which similarity misleads")
    with console.status("") as status:
        curve = learning.measure_rounds(dataset, options["rounds"], status.update)
    report.print_quality(console, "the first hit, by rounds of outcomes", curve.build_table())
    return {"dataset": dataset.name, "rounds": options["rounds"], **collect_facts(), "curve": curve.as_json()}


def print_results(console: Console, results: QualityResults) -> None:
    report.print_quality(console, "overall", results.average_all())
    report.print_quality(console, "tokens to hold the evidence", results.average_costs())
    for label in results.list_labels():
        report.print_split(console, f"by {label}", results.split(label), quality.HEADLINES[results.form])
    report.print_spreads(console, "search in this process", results.watch.summarize())
    if results.fallbacks:
        console.print(f"[red]stages that did not answer: {dict(results.fallbacks)}[/red]")
    report.print_lines(console, [f"not stored, {key}: {rule}" for key, rule in results.refused.items()])
