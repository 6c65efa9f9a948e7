"""Read into facts what is stored already: exchanges and imported chats."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.management.learned import describe_counts
from memory.management.moments import parse_moment
from memory.management.organizations import add_users_argument, resolve_users
from memory.management.progress import show_progress
from memory.models import EndUser
from outcomes.exchanges.rereading import ReadingCounts

ACTOR = "command:extract_facts"


class Command(BaseCommand):
    help = (
        "Read into facts what people said before facts were kept: their exchanges and imported chats, in the order "
        "they were said. What was read before is read again and counted once, so that it may be stopped and repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--since", type=parse_moment, metavar="DATE", help="only what was said at or after this")
        parser.add_argument("--dry-run", action="store_true", help="change nothing, count what would be found")

    def handle(self, *args: object, **options: Any) -> None:
        if not memory_conf().flags["profile_detection"]:
            raise CommandError("looking for facts is switched off by ENABLE_PROFILE_DETECTION")
        users, total = resolve_users(options["user"], options["org"]), ReadingCounts()
        with show_progress(self.stdout, "read turns") as advance:
            for user in users:
                counts = ReadingCounts()
                try:
                    MemoryFacade(ACTOR).extract_facts(
                        user,
                        now=timezone.now(),
                        since=options["since"],
                        dry_run=options["dry_run"],
                        on_turns=advance,
                        counts=counts,
                    )
                except KeyboardInterrupt:
                    raise CommandError(explain_stop(user, counts), returncode=130) from None
                self.stdout.write(
                    f"{user.organization.slug}/{user.external_id}: "
                    f"{describe_counts(counts, dry_run=options['dry_run'])}"
                )
                total.turns += counts.turns
        ending = "; nothing was written" if options["dry_run"] else ""
        self.stdout.write(self.style.SUCCESS(f"{len(users):,} people, {total.turns:,} turns{ending}"))


def explain_stop(user: EndUser, counts: ReadingCounts) -> str:
    since = f" --since {counts.until:%Y-%m-%dT%H:%M:%SZ}" if counts.until else ""
    return (
        f"stopped at {user.external_id} after {counts.turns:,} turns; the same command again repeats nothing, "
        f"and --user {user.external_id}{since} goes on from there"
    )
