"""The API keys of an installation: whose, what for, and whether they still open anything. Never the keys themselves."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from memory.management.organizations import resolve_organization
from memory.models import ApiKey

COLUMNS = (
    "KEY",
    "NAME",
    "ORGANISATION",
    "SCOPES",
    "USERS",
    "AGENT",
    "PROJECT",
    "SECRETS",
    "CREATED",
    "LAST USED",
    "STATE",
)


class Command(BaseCommand):
    help = "List the API keys: how each begins, its name, scopes and users, when it was last used, and its state."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--org", help="slug of the organisation; all by default")
        parser.add_argument("--active", action="store_true", help="leave out keys that are revoked or have expired")

    def handle(self, *args: object, **options: Any) -> None:
        now = timezone.now()
        keys = ApiKey.objects.select_related("organization").order_by("organization__slug", "created_at", "pk")
        if options["org"]:
            keys = keys.filter(organization=resolve_organization(options["org"]))
        # The beginning of a key is enough to tell it and useless to whoever reads over a shoulder.
        rows = [
            render_key(key, now)
            for key in keys
            if not options["active"] or describe_state(key, now).startswith("active")
        ]
        if not rows:
            self.stderr.write("no keys")
            return
        widths = [max(len(row[place]) for row in (COLUMNS, *rows)) for place in range(len(COLUMNS))]
        for row in (COLUMNS, *rows):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            self.stdout.write("  ".join(cells).rstrip())


def render_key(key: ApiKey, now: datetime) -> tuple[str, ...]:
    return (
        f"{key.hint}...",
        key.name,
        key.organization.slug,
        ",".join(key.scopes),
        ",".join(key.user_ids) if key.user_ids is not None else "all",
        key.agent_id or "any",
        key.project_id or "any",
        key.secrets,
        render_time(key.created_at),
        render_time(key.last_used_at) if key.last_used_at else "never",
        describe_state(key, now),
    )


def describe_state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return f"revoked {render_time(key.revoked_at)}"
    if key.expires_at is None:
        return "active"
    return f"{'expired' if key.expires_at <= now else 'active until'} {render_time(key.expires_at)}"


def render_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
