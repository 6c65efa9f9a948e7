"""A user's exchanges as JSON Lines."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.management.organizations import add_user_argument, resolve_organization
from memory.models import EndUser


class Command(BaseCommand):
    help = "Write a user's exchanges as JSON Lines, oldest first: one object a line, with its outcome and signals."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--thread", default="", help="only this thread")
        parser.add_argument("--out", type=Path, help="the file to write; standard output when left out")

    def handle(self, *args: object, **options: Any) -> None:
        user = find_user(resolve_organization(options["org"]), options["user"])
        if user is None:
            raise CommandError(f"--user: nobody is known as {options['user']}")
        if options["out"] is None:
            self.write_lines(user, options["thread"], self.stdout)
            return
        partial = options["out"].with_name(options["out"].name + ".part")
        try:
            with partial.open("w", encoding="utf-8") as file:
                written = self.write_lines(user, options["thread"], file)
            # A file of that name is whole or is not there.
            partial.replace(options["out"])
        except OSError as fault:
            raise CommandError(f"--out: {fault.strerror}: {options['out']}") from None
        self.stderr.write(f"{written} exchanges written to {options['out']}")

    def write_lines(self, user: EndUser, thread_id: str, out: OutputWrapper | TextIO) -> int:
        number = 0
        for record in MemoryFacade("command").export_exchanges(user, thread_id=thread_id):
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
            number += 1
        return number
