"""Which spaces a person belongs to, and in what role: one indexed read, made anew by every request.

Nothing is cached, so who is removed is out with the next request of any process.
"""

from dataclasses import dataclass

from django.db import connection

from memory.access.scope import user_scope
from memory.access.users import is_stranger
from memory.models import EndUser, Space
from memory.models.spaces import FIRST_SPACE, PARTITION_NAME, Role

# Of a person. A search asks each of them, so it is also how many times longer a search may take.
MOST_SPACES = 20

MEMBERSHIPS = """
SELECT space.owner_id, space.organization_id, space.slug, space.name, member.role
FROM memory_space_member AS member JOIN memory_space AS space ON space.owner_id = member.space_id
WHERE member.user_id = %s ORDER BY lower(space.name), space.owner_id
"""


@dataclass(frozen=True, slots=True)
class SpaceAccess:
    """A space as one of its members has it; for the installation and its operators as a curator has it."""

    space_id: int
    organization_id: int
    slug: str
    name: str
    role: Role

    @classmethod
    def of(cls, space: Space, role: Role = Role.CURATOR) -> "SpaceAccess":
        return cls(space.pk, space.organization_id, space.slug, space.name, role)

    @property
    def partition(self) -> EndUser:
        """The owner of its rows."""
        return EndUser(
            pk=self.space_id,
            organization_id=self.organization_id,
            external_id=name_partition(self.space_id),
        )


def name_partition(space_id: int) -> str:
    return PARTITION_NAME.format(number=space_id - FIRST_SPACE)


def list_memberships(user: EndUser) -> list[SpaceAccess]:
    """By name."""
    if is_stranger(user):
        return []
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(MEMBERSHIPS, [user.pk])
        rows = cursor.fetchall()
    return [SpaceAccess(owner, organization, slug, name, Role(role)) for owner, organization, slug, name, role in rows]


def find_membership(user: EndUser, slug: str) -> SpaceAccess | None:
    """None for a space that is not there as for one the person does not belong to."""
    return next((access for access in list_memberships(user) if access.slug == slug), None)


def find_space(organization_id: int, slug: str) -> SpaceAccess | None:
    """For operators: whoever belongs to it."""
    row = Space.objects.filter(organization_id=organization_id, slug=slug).first()
    return None if row is None else SpaceAccess.of(row)
