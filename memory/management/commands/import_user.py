"""What an export holds into a person's memory."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.users import find_user, get_or_create_user, stand_in_for_stranger
from memory.facade import MemoryFacade
from memory.management.organizations import add_organization_argument, resolve_organization, validate_external_id
from memory.management.progress import show_progress
from memory.models import Organization
from memory.models.transfers import TransferState
from memory.portability.checking import BrokenFile, FileCheck
from memory.portability.restoring import LEARNED, NEW, REFUSED, THERE

ACTOR = "command:import_user"


class Command(BaseCommand):
    help = (
        "Add what export_user wrote to a person's memory. All of the file is checked first, all of it is written or "
        "nothing; the same file twice adds nothing, and what was deleted here stays deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER", help="the person to import for, by the id your client uses")
        parser.add_argument("file", type=Path, metavar="FILE")
        add_organization_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="check the file and say what would happen")

    def handle(self, *args: object, **options: Any) -> None:
        organization = resolve_organization(options["org"])
        validate_external_id(options["user"])
        try:
            with options["file"].open("rb") as stream:
                check = self.check_file(stream, options["file"].name)
                stream.seek(0)
                if options["dry_run"]:
                    self.preview(organization, options["user"], stream)
                else:
                    self.write(organization, options["user"], stream, check)
        except OSError as fault:
            raise CommandError(f"{options['file']} cannot be read: {fault.strerror}") from None

    def check_file(self, stream: IO[bytes], name: str) -> FileCheck:
        try:
            with show_progress(self.stdout, "checked lines") as advance:
                return MemoryFacade(ACTOR).check_export_file(stream, advance)
        except BrokenFile as broken:
            faults = "\n".join(map(str, broken.faults))
            raise CommandError(f"{faults}\nNothing was imported from {name}.") from None

    def preview(self, organization: Organization, external_id: str, stream: IO[bytes]) -> None:
        user = find_user(organization, external_id) or stand_in_for_stranger(organization, external_id)
        counts = MemoryFacade(ACTOR).preview_import(user, stream, now=timezone.now())
        self.stdout.write(f"would import for {external_id}: {describe_counts(counts)}; nothing was written")

    def write(self, organization: Organization, external_id: str, stream: IO[bytes], check: FileCheck) -> None:
        memory, user = MemoryFacade(ACTOR), get_or_create_user(organization, external_id)
        staged = memory.stage_import(user, stream, check, now=timezone.now())
        job = memory.write_import(user, staged.pk, now=timezone.now())
        if job is None:
            self.stdout.write(f"{check.lines:,} lines are checked; the worker writes them")
        elif job.state == TransferState.FAILED:
            raise CommandError(job.error)
        else:
            self.stdout.write(self.style.SUCCESS(f"imported for {external_id}: {describe_counts(job.counts)}"))


def describe_counts(counts: Mapping[str, Mapping[str, int]]) -> str:
    total = Counter[str]()
    for counted in counts.values():
        total.update(counted)
    told = [f"{total[NEW]:,} new", f"{total[THERE]:,} already there"]
    told += [f"{total[REFUSED]:,} deleted here before"] if total[REFUSED] else []
    told += [f"{total[LEARNED]:,} of the graphs learned again"] if total[LEARNED] else []
    return ", ".join(told)
