"""Tables of what the work costs by size, and curves through them carried on to sizes that nobody measured."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from memory.benchmarks.curves import PowerCurve, fit_curve
from memory.benchmarks.growth import SizeFigures
from memory.benchmarks.population import HOW

CARRIED_TO = (10_000_000, 100_000_000)
MIB = 2**20
Read = Callable[[SizeFigures], Mapping[str, float]]


def print_figures(console: Console, figures: Mapping[int, SizeFigures]) -> None:
    console.print(HOW)
    for title, read in list_tables().items():
        print_table(console, title, {size: read(one) for size, one in figures.items()})


def list_tables() -> dict[str, Read]:
    return {
        "processor time a call, milliseconds: all of it": lambda one: {k: v.total for k, v in one.costs.items()},
        "of it in Postgres": lambda one: {k: v.postgres for k, v in one.costs.items()},
        "as a client sees it, milliseconds: p50": lambda one: {k: v.p50 for k, v in one.spreads.items()},
        "p95": lambda one: {k: v.p95 for k, v in one.spreads.items()},
        "on disk, MiB": lambda one: {k: v / MIB for k, v in one.stored.items()},
    }


def print_table(console: Console, title: str, by_size: Mapping[int, Mapping[str, float]]) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for size in by_size:
        table.add_column(f"{size:,}", justify="right")
    table.add_column("exponent", justify="right")
    for size in CARRIED_TO:
        table.add_column(f"[dim]{size:,}[/dim]", justify="right")
    for name, curve in fit_curves(by_size).items():
        measured = [f"{figures[name]:,.1f}" if name in figures else "" for figures in by_size.values()]
        carried = [f"[dim]{curve.at(size):,.0f}[/dim]" if curve else "" for size in CARRIED_TO]
        table.add_row(name, *measured, f"{curve.exponent:.2f}" if curve else "", *carried)
    console.print(table)
    console.print()


def fit_curves(by_size: Mapping[int, Mapping[str, float]]) -> dict[str, PowerCurve | None]:
    names = dict.fromkeys(name for figures in by_size.values() for name in figures)
    return {name: fit_curve({size: row[name] for size, row in by_size.items() if name in row}) for name in names}


def as_json(figures: Mapping[int, SizeFigures]) -> dict[str, Any]:
    curves = {}
    for title, read in list_tables().items():
        fitted = fit_curves({size: read(one) for size, one in figures.items()})
        curves[title] = {name: asdict(curve) for name, curve in fitted.items() if curve}
    return {"sizes": {size: asdict(one) for size, one in figures.items()}, "curves": curves}
