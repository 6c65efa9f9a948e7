"""The memory's tools for a program on this machine, over standard input and output."""

from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.keys import SCOPES, Principal, authenticate
from memory.management import demo
from memory.mcp import stdio
from memory.models import Organization
from memory.web.callers import Caller, resolve_caller
from memory.web.problems import Problem


class Command(BaseCommand):
    help = (
        "Serve the memory's tools over MCP on standard input and output. Who can run this can read the database, so no "
        "key is asked for; with one, its organisation, users and scopes hold."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="the user, by your own id (default: the demo's user, or default)")
        whose = parser.add_mutually_exclusive_group()
        whose.add_argument(
            "--org",
            "--organization",
            dest="organization",
            default=demo.SLUG,
            help="slug of the organisation (default: the demo's)",
        )
        whose.add_argument("--key", help="an API key to act with")

    def handle(self, *args: object, **options: Any) -> None:
        is_demo = not options["key"] and options["organization"] == demo.SLUG
        named = options["user"] or (demo.USER_ID if is_demo else None)
        if options["key"]:
            identify = partial(identify_by_key, options["key"], named)
        else:
            principal = self.build_operator(options["organization"])
            identify = partial(resolve_caller, principal, named)
        try:
            identify()
        except Problem as problem:
            raise CommandError(f"{'--key' if problem.status == 401 else '--user'}: {problem.detail}") from None
        stdio.serve_stdio(identify)

    def build_operator(self, slug: str) -> Principal:
        organization = Organization.objects.filter(slug=slug).first()
        if organization is None:
            slugs = ", ".join(Organization.objects.order_by("slug").values_list("slug", flat=True)[:20]) or "none yet"
            raise CommandError(f"--org: there is no {slug}; there are: {slugs}")
        return Principal(
            organization_id=organization.pk,
            key_id=0,
            name="stdio",
            scopes=frozenset(SCOPES),
            user_ids=None,
            requests_per_second=None,
        )


def identify_by_key(key: str, named: str | None) -> Caller:
    principal = authenticate(key, now=timezone.now())
    if principal is None:
        raise Problem(401, "unauthorised", "the key is unknown, expired or revoked")
    return resolve_caller(principal, named)
