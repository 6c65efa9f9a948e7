"""Who looks at the console: a member of Ann's organisation, a member of another one, and nobody."""

from typing import TYPE_CHECKING

import pytest
from django.test import Client

from memory.models import EndUser, Membership, Operator, Organization
from memory.models.people import OperatorRole
from tests.factories import OperatorFactory

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

PASSWORD = "correct horse battery"


class Console(Client):
    """A browser without JavaScript, or htmx asking for a part."""

    def part(self, path: str, **headers: str) -> "Response":
        return self.get(path, headers={"HX-Request": "true", **headers})

    def post_part(self, path: str, data: dict[str, object]) -> "Response":
        return self.post(path, data, headers={"HX-Request": "true"})


def member_of(organization: Organization, username: str) -> Operator:
    operator = OperatorFactory.create(username=username)
    Membership.objects.create(operator=operator, organization=organization)
    return operator


def owner_of(organization: Organization, name: str) -> Operator:
    operator = member_of(organization, name)
    Membership.objects.filter(operator=operator).update(role=OperatorRole.OWNER)
    return operator


def console_for(operator: Operator) -> Console:
    console = Console()
    console.force_login(operator)
    return console


@pytest.fixture
def operator(organization: Organization) -> Operator:
    return member_of(organization, "olga")


@pytest.fixture
def console(operator: Operator) -> Console:
    return console_for(operator)


@pytest.fixture
def owner(organization: Organization) -> Operator:
    return owner_of(organization, "vera")


@pytest.fixture
def governing(owner: Operator) -> Console:
    return console_for(owner)


@pytest.fixture
def outsider(other_organization: Organization) -> Console:
    """Signed in, and a member of the other organisation only."""
    return console_for(member_of(other_organization, "otto"))


@pytest.fixture
def nobody(db: None) -> Console:
    return Console()


@pytest.fixture
def place(user: EndUser) -> str:
    return f"/console/{user.organization.slug}/{user.external_id}"
