"""An API key of an organisation, shown once."""

import re
from argparse import ArgumentParser, ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from memory.access.confinement import SCOPE_ID_PATTERN, SCOPE_ID_RULE, RowScope
from memory.access.keys import SCOPES, issue_key
from memory.access.users import EXTERNAL_ID_PATTERN
from memory.models import ApiKey, Organization
from memory.models.people import SecretHandling

_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_LONGEST = timedelta(days=3650)
# Organisations that are named beside a new one.
MOST_NAMED = 8


def parse_lifetime(text: str) -> timedelta:
    """``90d``, ``12h`` or ``6w``."""
    read = re.fullmatch(r"(\d{1,6})([hdw])", text)
    length = int(read[1]) * _UNITS[read[2]] if read else timedelta()
    if not timedelta() < length <= _LONGEST:
        raise ArgumentTypeError(f"{text!r} is not a time such as 90d, 12h or 6w, of at most ten years")
    return length


def parse_list(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def name_scope(row: ApiKey) -> list[tuple[str, str]]:
    return [("agent", row.agent_id), ("project", row.project_id)]


class Command(BaseCommand):
    help = (
        "Create an API key. The key is printed once, alone on standard output; everything else goes to standard error."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--org", required=True, help="slug of the organisation; created if it does not exist")
        parser.add_argument("--name", required=True, help="what the key is for, shown in the console")
        parser.add_argument("--scopes", type=parse_list, default=["read", "write"], help=f"some of {','.join(SCOPES)}")
        parser.add_argument("--user-ids", type=parse_list, help="the only users the key may act for; all by default")
        parser.add_argument(
            "--expires", type=parse_lifetime, metavar="90d", help="lifetime in h, d or w; unlimited by default"
        )
        parser.add_argument("--requests-per-second", type=int, help="a rate limit for this key")
        parser.add_argument("--agent", default="", help="the only agent it works for, beside the person's own")
        parser.add_argument("--project", default="", help="the only project it works for, beside the person's own")
        parser.add_argument(
            "--secrets",
            choices=[handling.value for handling in SecretHandling],
            default=SecretHandling.REDACT.value,
            help="what becomes of a write that holds a password or key: take it out (default), or refuse the write",
        )

    def handle(self, *args: object, **options: Any) -> None:
        self.refuse_bad(options)
        now = timezone.now()
        # So that one command leads from an empty database to a client that works; it says that it made one.
        organization, made = Organization.objects.get_or_create(
            slug=options["org"], defaults={"name": options["org"], "created_at": now}
        )
        if made:
            # A mistyped slug makes one whose memory is empty: who reads what else there is sees it.
            others = Organization.objects.exclude(pk=organization.pk).order_by("slug").values_list("slug", flat=True)
            beside = ", ".join(others[:MOST_NAMED])
            self.stderr.write(f"created organisation {organization.slug}{beside and f' beside {beside}'}")
        try:
            row, key = issue_key(
                organization,
                options["name"].strip(),
                options["scopes"],
                now=now,
                user_ids=options["user_ids"],
                lifetime=options["expires"],
                requests_per_second=options["requests_per_second"],
                secret_handling=SecretHandling(options["secrets"]),
                actor="command",
                scope=RowScope(options["agent"], options["project"]),
            )
        except ValueError as fault:
            raise CommandError(str(fault)) from None
        until = f"until {row.expires_at:%Y-%m-%d %H:%M} UTC" if row.expires_at else "no expiry"
        users = ", ".join(row.user_ids) if row.user_ids else "every user"
        self.stderr.write(f"{row.name}: {', '.join(row.scopes)} for {users} of {organization.slug}, {until}")
        if bound := [f"{kind} {name}" for kind, name in name_scope(row) if name]:
            self.stderr.write(f"bound to {', '.join(bound)}")
        if row.secrets == SecretHandling.REFUSE:
            self.stderr.write("writes that hold a secret are refused")
        # The key alone goes to standard output, so that a script can take it: KEY=$(manage.py create_key ...).
        self.stderr.write("the key is not shown again:")
        self.stdout.write(key)

    def refuse_bad(self, options: dict[str, Any]) -> None:
        try:
            validate_slug(options["org"])
        except ValidationError:
            raise CommandError("--org: a slug is made of letters, digits, - and _") from None
        if len(options["org"]) > 64:
            raise CommandError("--org: a slug has at most 64 characters")
        if not 0 < len(options["name"].strip()) <= 200:
            raise CommandError("--name: 1 to 200 characters")
        unknown = set(options["scopes"]) - set(SCOPES)
        if unknown or not options["scopes"]:
            raise CommandError(f"--scopes: some of {', '.join(SCOPES)}")
        if options["user_ids"] is not None:
            bad = [entry for entry in options["user_ids"] if not EXTERNAL_ID_PATTERN.fullmatch(entry)]
            if bad or not options["user_ids"]:
                raise CommandError("--user-ids: each is 1-128 of A-Z a-z 0-9 _ . @ : + | -")
        for option in ("agent", "project"):
            if options[option] and not SCOPE_ID_PATTERN.fullmatch(options[option]):
                raise CommandError(f"--{option}: {SCOPE_ID_RULE}")
        rate = options["requests_per_second"]
        if rate is not None and not 1 <= rate <= 100_000:
            raise CommandError("--requests-per-second: 1 to 100000")
