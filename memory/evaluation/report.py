"""Prints figures as tables and writes them as JSON."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from memory.evaluation.timing import LatencySpread
from memory.measuring.metrics import Average

# Token counts are whole numbers in the hundreds; everything else of a quality table lies between 0 and 1.
_WHOLE = "tok"


@dataclass(frozen=True, slots=True)
class BenchmarkTarget:
    """A figure to reach, and whether larger is better."""

    figure: float
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        return value >= self.figure if self.at_least else value <= self.figure


def print_facts(console: Console, facts: Mapping[str, str]) -> None:
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in facts.items():
        table.add_row(f"[dim]{name}[/dim]", value)
    console.print(table)
    console.print()


def print_spreads(
    console: Console,
    title: str,
    spreads: Mapping[str, LatencySpread],
    targets: Mapping[str, BenchmarkTarget] | None = None,
) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("milliseconds")
    for heading in ("n", "p50", "p95", "max", "p95 wanted"):
        table.add_column(heading, justify="right")
    for stage, spread in spreads.items():
        target = (targets or {}).get(stage)
        table.add_row(
            stage,
            str(spread.count),
            _format_ms(spread.p50),
            _format_ms(spread.p95),
            _format_ms(spread.worst),
            _format_verdict(target, spread.p95),
        )
    console.print(table)
    console.print()


def print_rate(console: Console, name: str, rate: float, unit: str, target: BenchmarkTarget | None = None) -> None:
    suffix = f"  (wanted {_format_verdict(target, rate)})" if target else ""
    console.print(f"{name}: [bold]{rate:,.0f}[/bold] {unit}{suffix}")


def print_quality(console: Console, title: str, rows: Mapping[str, Average]) -> None:
    """One line per row name; the columns are the figures of the first row."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("n", justify="right")
    names = list(next(iter(rows.values())).figures) if rows else []
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    for label, average in rows.items():
        table.add_row(label, str(average.count), *(_format_figure(name, average.figures[name]) for name in names))
    console.print(table)
    console.print()


def print_split(
    console: Console, title: str, split: Mapping[str, Mapping[str, Average]], headlines: Sequence[str]
) -> None:
    """One line per value of a label; for each headline figure, the modes side by side."""
    table = Table(title=title, title_justify="left")
    table.add_column("")
    table.add_column("n", justify="right")
    modes = list(split)
    shown = [name for name in headlines if _has_figure(split, name)]
    for name in shown:
        for mode in modes:
            table.add_column(f"{name}\n{mode}", justify="right", no_wrap=True)
    values = next(iter(split.values()), {})
    for value in values:
        cells = (_format_figure(name, split[mode][value].figures[name]) for name in shown for mode in modes)
        table.add_row(value, str(values[value].count), *cells)
    console.print(table)
    console.print()


def _has_figure(split: Mapping[str, Mapping[str, Average]], name: str) -> bool:
    return any(name in average.figures for groups in split.values() for average in groups.values())


def print_lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _format_figure(name: str, value: float) -> str:
    return f"{value:.0f}" if name.startswith(_WHOLE) else f"{value:.3f}"


def _format_ms(value: float) -> str:
    return f"{value:.1f}"


def _format_verdict(target: BenchmarkTarget | None, value: float) -> str:
    if target is None:
        return ""
    colour = "green" if target.is_met(value) else "red"
    return f"[{colour}]{'>=' if target.at_least else '<='} {target.figure:g}[/{colour}]"
