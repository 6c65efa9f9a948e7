"""Label messages with the terms of the organisation's vocabulary: what is new, or everything since a day."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.conf import memory_conf
from memory.enrichment.tasks import label_person
from memory.management.moments import parse_moment
from memory.management.organizations import add_users_argument, resolve_users
from memory.vocabulary.suggestions import count_suggestions


class Command(BaseCommand):
    help = (
        "Label messages by the organisation's vocabulary: those of the last 30 days that have no label of its present "
        "version, or all since a day; then count what fitted no topic. The worker does the same by itself for what is "
        "new. May be stopped and repeated."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--since", type=parse_moment, metavar="DATE", help="also what was said at or after this")

    def handle(self, *args: object, **options: Any) -> None:
        if not memory_conf().flags["enrichment"]:
            raise CommandError("labelling is switched off by ENABLE_ENRICHMENT")
        users = resolve_users(options["user"], options["org"])
        now, total = timezone.now(), 0
        for user in users:
            labelled = label_person(user, now=now, since=options["since"])
            self.stdout.write(f"{user.organization.slug}/{user.external_id}: {labelled:,} messages")
            total += labelled
        for organization_id in sorted({user.organization_id for user in users}):
            count_suggestions(organization_id, now=now)
        self.stdout.write(self.style.SUCCESS(f"{len(users):,} people, {total:,} messages"))
