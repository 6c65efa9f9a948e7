"""The table of what the product promises, proved on an installation of its own."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from os import getloadavg
from pathlib import Path
from typing import IO, Any, cast

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.table import Table

from memory.evaluation.timing import read_machine_facts
from memory.proving.installation import InstallationError
from memory.proving.promises import PromiseVerdict, ProvenRow, prove_rows
from memory.proving.register import ROWS
from memory.proving.stage import stage_installation

COLOURS = {PromiseVerdict.KEPT: "green", PromiseVerdict.BROKEN: "red", PromiseVerdict.NOT_RUN: "dim"}


def parse_rows(text: str) -> set[int]:
    known = {row.number for row in ROWS}
    words = [word.strip() for word in text.split(",")]
    if not all(word.isdecimal() and int(word) in known for word in words):
        raise ArgumentTypeError(f"numbers with commas, each of 1 to {max(known)}")
    return {int(word) for word in words}


class Command(BaseCommand):
    help = (
        "Prove what the product promises, row by row, on an installation of its own in a temporary directory, which is "
        "removed afterwards. Your data is not touched. Ends with 1 when a promise is broken."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--nightly", action="store_true", help="more of everything: hours instead of half an hour")
        parser.add_argument("--rows", type=parse_rows, metavar="1,6,16", help="only these")
        parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table to this file as well")

    def handle(self, *args: object, **options: Any) -> None:
        console = Console(file=cast("IO[str]", self.stdout), width=None if self.stdout.isatty() else 160)
        wanted = [row for row in ROWS if options["rows"] is None or row.number in options["rows"]]
        try:
            with stage_installation(is_brief=not options["nightly"], say=console.print) as stage:
                proven = list(prove_rows(wanted, stage))
        except InstallationError as fault:
            raise CommandError(f"the installation did not start: {str(fault)[-2000:]}") from None
        except KeyboardInterrupt:
            raise CommandError("interrupted; its installation is removed") from None
        print_rows(console, proven)
        if options["markdown"]:
            options["markdown"].write_text(write_table(proven, is_brief=not options["nightly"]), encoding="utf-8")
        if broken := [str(row.number) for row in proven if row.verdict == PromiseVerdict.BROKEN]:
            raise CommandError(f"broken: row {', '.join(broken)}")


def print_rows(console: Console, proven: list[ProvenRow]) -> None:
    table = Table(title="What is promised", title_justify="left", show_lines=True)
    for heading in ("row", "promise", "figure", "verdict"):
        table.add_column(heading, overflow="fold")
    for row in proven:
        table.add_row(str(row.number), row.promise, row.figure, f"[{COLOURS[row.verdict]}]{row.verdict}[/]")
    console.print(table)


def write_table(proven: list[ProvenRow], *, is_brief: bool) -> str:
    machine = ", ".join(f"{name} {value}" for name, value in read_machine_facts().items())
    size = "five-minute" if is_brief else "nightly"
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, the {size} size, {machine}, load {getloadavg()[0]:.1f}.",
        "",
        "| row | promise | figure | verdict | s |",
        "| ---: | --- | --- | --- | ---: |",
    ]
    for row in proven:
        figure = row.figure.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {row.number} | {row.promise} | {figure} | {row.verdict} | {row.seconds:.0f} |")
    return "\n".join(lines) + "\n"
