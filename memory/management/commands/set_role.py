"""What an operator may do in an organisation, said by whoever runs the installation."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.members import MemberRefused, change_role
from memory.management.organizations import add_organization_argument, resolve_organization
from memory.models import Membership
from memory.models.people import OperatorRole


class Command(BaseCommand):
    help = "Make a member of an organisation its owner, who governs keys, members and people, or a member again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", metavar="USERNAME")
        parser.add_argument("role", choices=[role.value for role in OperatorRole])
        add_organization_argument(parser)

    def handle(self, *args: object, **options: Any) -> None:
        organization = resolve_organization(options["org"])
        row = Membership.objects.filter(organization=organization, operator__username=options["username"]).first()
        if row is None:
            raise CommandError(f"{options['username']} is no member of {organization.slug}")
        try:
            before = change_role(row, OperatorRole(options["role"]), now=timezone.now(), actor="command")
        except MemberRefused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{options['username']}: {row.role} of {organization.slug}, was {before.value}")
