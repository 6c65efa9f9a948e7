"""Revokes an API key: from the next request on no process accepts it."""

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.keys import find_keys, revoke_key
from memory.management.organizations import resolve_organization


class Command(BaseCommand):
    help = "Revoke an API key at once, by its name, by how it begins in list_keys, or by the key itself."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("key", metavar="KEY", help="name, beginning (cpl_ and six characters), or the whole key")
        parser.add_argument("--org", help="slug of the organisation, where several have a key of that name")

    def handle(self, *args: object, **options: Any) -> None:
        organization = resolve_organization(options["org"]) if options["org"] else None
        found = find_keys(options["key"].removesuffix("..."), organization)
        active = [key for key in found if key.revoked_at is None]
        if not found:
            raise CommandError("there is no such key; manage.py list_keys shows them")
        if not active:
            self.stderr.write(f"{found[0].name} ({found[0].hint}...) was revoked before")
            return
        if len(active) > 1:
            which = ", ".join(f"{key.hint}... ({key.name} of {key.organization.slug})" for key in active)
            raise CommandError(f"several keys are meant: {which}; name one by how it begins")
        [key] = active
        revoke_key(key, now=timezone.now(), actor=f"command:{getpass.getuser()}")
        self.stderr.write(f"revoked {key.name} ({key.hint}...) of {key.organization.slug}")
