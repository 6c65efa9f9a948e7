"""Measures the search on people's own questions, under two settings."""

import json
import uuid
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from memory.facade import MemoryFacade
from memory.management.organizations import add_users_argument, resolve_users
from memory.measuring.everybody import add_up
from memory.measuring.exporting import iterate_scenarios
from memory.measuring.intervals import FEWEST
from memory.measuring.labels import ChosenQuestions
from memory.measuring.runs import NewRun
from memory.models import EndUser, EvaluationRun
from memory.retrieval.variants import BadSetting, parse_assignments
from memory.store.admission import WriteRefused

ACTOR = "command:measure"
EXAMPLES = "tiers=history,memory_bank, limit=5, without=date,outcomes, skip=rerank, fusion=rrf"


class Command(BaseCommand):
    help = (
        "Ask people's own questions under two settings and say what differs, and what is noise: turns whose outcome "
        "was reported as worked, and questions somebody saved. Each person is asked in their own memories. No model "
        "judges, and nothing is changed; the run is kept beside those of the console."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=f"the change: {EXAMPLES}")
        parser.add_argument("--base", action="append", default=[], metavar="NAME=VALUE", help="what it is compared to")
        parser.add_argument("--questions", choices=list(ChosenQuestions), default=ChosenQuestions.ALL.value)
        parser.add_argument("--json", action="store_true", help="the figures as JSON")
        parser.add_argument("--export", type=Path, metavar="FILE", help="write the questions for `bench quality`")

    def handle(self, *args: object, **options: Any) -> None:
        users, chosen = resolve_users(options["user"], options["org"]), ChosenQuestions(options["questions"])
        if options["export"] is not None:
            self.export(users, chosen, options["export"])
            return
        try:
            new = NewRun(parse_assignments(options["set"]), parse_assignments(options["base"]), chosen)
        except BadSetting as error:
            raise CommandError(f"--set or --base: {error}") from None
        figures = measure_people(users, new, self.stderr.write)
        if options["json"]:
            self.stdout.write(json.dumps(figures, indent=2))
            return
        print_figures(Console(file=cast("TextIO", self.stdout), width=120), figures)

    def export(self, users: Sequence[EndUser], chosen: ChosenQuestions, path: Path) -> None:
        facade, written = MemoryFacade(ACTOR), 0
        try:
            with path.open("w", encoding="utf-8") as file:
                for user in users:
                    for row in iterate_scenarios(user, facade.read_questions(user, chosen).questions, timezone.now()):
                        file.write(json.dumps(row, ensure_ascii=False) + "\n")
                        written += 1
        except OSError as fault:
            raise CommandError(f"--export: {fault.strerror}: {path}") from None
        self.stderr.write(f"{written:,} questions written to {path}")


def measure_people(users: Sequence[EndUser], new: NewRun, say: Callable[[str], object]) -> dict[str, Any]:
    """Of all of them together; whoever has no question is passed over."""
    figures = add_up(measure_each(users, new, say))
    if not figures["questions"]:
        raise CommandError("nobody has a question to measure with yet")
    return figures


def measure_each(users: Sequence[EndUser], new: NewRun, say: Callable[[str], object]) -> Iterator[EvaluationRun]:
    facade, batch = MemoryFacade(ACTOR), uuid.uuid4() if len(users) > 1 else None
    for user in users:
        try:
            yield facade.measure(user, new, clock=timezone.now, batch_id=batch)
        except WriteRefused as refusal:
            say(f"{user.organization.slug}/{user.external_id}: {refusal.rule}")


def print_figures(console: Console, figures: Mapping[str, Any]) -> None:
    told = f"{figures['questions']:,} questions of {figures['people']:,} people"
    table = Table(title=f"{told}: {figures['of_turns']:,} of turns, {figures['saved']:,} saved", title_justify="left")
    for heading in ("", "A", "B", "difference", "better", "worse"):
        table.add_column(heading, justify="right" if heading else "left", no_wrap=True)
    table.add_column("")
    for name, found in figures["measures"].items():
        digits = 0 if name == "tokens" else 3
        sides = (format_interval(found[side], digits) for side in ("a", "b", "difference"))
        table.add_row(name, *sides, str(found["better"]), str(found["worse"]), found["verdict"])
    console.print(table)
    if figures["questions"] < FEWEST:
        console.print(f"Fewer than {FEWEST} questions: take the intervals for hints.")
    if figures["left_out"]:
        console.print("left out: " + ", ".join(f"{count} {why}" for why, count in figures["left_out"].items()))
    if figures["fallbacks"]:
        console.print("stages that failed: " + ", ".join(f"{name} {n}" for name, n in figures["fallbacks"].items()))


def format_interval(values: Sequence[float], digits: int) -> str:
    mean, low, high = (f"{value:,.{digits}f}" for value in values)
    return f"{mean} [{low}, {high}]"
