"""A person who may sign in to the console."""

import getpass
import secrets
import sys
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from memory.access.audit import record_change
from memory.access.members import choose_first_role
from memory.management.organizations import resolve_organization
from memory.models import Membership, Operator, Organization
from memory.models.administration import AuditAction
from memory.models.people import OperatorRole


class Command(BaseCommand):
    help = "Create a console operator. The password is asked for on a terminal, otherwise made up and shown once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("--org", action="append", help="organisation whose users they see; may be repeated")
        parser.add_argument(
            "--role",
            choices=[role.value for role in OperatorRole],
            help="what they may do there; left out, owner of an organisation that has none, and else member",
        )
        parser.add_argument("--superuser", action="store_true", help="sees every organisation")
        parser.add_argument("--generate", action="store_true", help="make a password up even on a terminal")

    def handle(self, *args: object, **options: Any) -> None:
        if not options["org"] and not options["superuser"]:
            raise CommandError("name an organisation with --org, or make a --superuser")
        organizations = [resolve_organization(slug) for slug in options["org"] or []]
        operator = Operator(username=options["username"], is_staff=True, is_superuser=options["superuser"])
        try:
            # Before the password is asked for: nobody should type one twice for a name that is taken.
            operator.full_clean(exclude=["password"])
        except ValidationError as fault:
            raise CommandError("; ".join(fault.messages)) from None
        is_asked = sys.stdin.isatty() and not options["generate"]
        password = self.prompt_password(operator) if is_asked else secrets.token_urlsafe(15)
        operator.set_password(password)
        with transaction.atomic():
            operator.save()
            for organization in organizations:
                join_organization(operator, organization, options["role"])
        sees = "every organisation" if operator.is_superuser else ", ".join(row.slug for row in organizations)
        self.stderr.write(f"operator {operator.username} sees {sees}")
        if not is_asked:
            self.stderr.write("the password is not shown again:")
            self.stdout.write(password)

    def prompt_password(self, operator: Operator) -> str:
        """Until two entries agree and satisfy the rules for passwords."""
        while True:
            password = getpass.getpass("Password: ")
            if password != getpass.getpass("Password (again): "):
                self.stderr.write("the two are not the same")
                continue
            try:
                validate_password(password, operator)
            except ValidationError as fault:
                self.stderr.write("\n".join(fault.messages))
                continue
            return password


def join_organization(operator: Operator, organization: Organization, wanted: str | None) -> None:
    role = OperatorRole(wanted) if wanted else choose_first_role(organization)
    Membership.objects.create(operator=operator, organization=organization, role=role.value)
    record_change(
        organization.pk,
        AuditAction.MEMBER_ADDED,
        actor="command",
        now=timezone.now(),
        subject=operator.username,
        role=role.value,
    )
