"""Make the graphs anew from the memories and the recorded outcomes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from knowledge_graph.queries.browsing import count_graph_rows
from knowledge_graph.rebuilding import rebuild_graphs
from memory.management.organizations import add_users_argument, resolve_users
from memory.management.progress import show_progress


class Command(BaseCommand):
    help = (
        "Make the graphs of one user, one organisation or everybody anew from the memories and the recorded outcomes: "
        "after ENABLE_KG was off for a while, or when they are in doubt."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)

    def handle(self, *args: object, **options: Any) -> None:
        users = resolve_users(options["user"], options["org"])
        learned = 0
        with show_progress(self.stdout, "users", len(users)) as advance:
            for user in users:
                learned += rebuild_graphs(user, now=timezone.now())
                advance(1)
        self.stdout.write(f"{len(users):,} users, {learned:,} memories, outcomes and actions learned")
        if options["user"]:
            self.stdout.write(", ".join(f"{number:,} {name}" for name, number in count_graph_rows(users[0]).items()))
