"""Makes and ends spaces, and says who belongs to one: the acts of its curators, or of an operator.

Called with the rights of whoever acts (`memory.access.membership`). The database asks for their role once more, and
what is checked here is so that the refusal can be told.
"""

import secrets
import string
from datetime import datetime

from django.db import connection, transaction
from django.utils.text import slugify

from memory.access.membership import act_as_service
from memory.access.scope import user_scope
from memory.access.spaces import MOST_SPACES, SpaceAccess, list_memberships, name_partition
from memory.lifecycle import erasure
from memory.models import EndUser, Erasure, IdempotencyRecord, Space, SpaceMember
from memory.models.spaces import FIRST_SPACE, SPACE_NAME_CHARS, Role
from memory.store.admission import WriteRefused, validate_field_text

SLUG_LETTERS = string.ascii_lowercase + string.digits
SLUG_ENDING = 6
SLUG_STEM = 40
MOST_MEMBERS = 1_000


class NotAllowed(Exception):
    """The role of the person does not reach so far. The message says which role does."""


def require_role(access: SpaceAccess, *roles: Role) -> None:
    if access.role not in roles:
        raise NotAllowed(f"This takes the role {' or '.join(roles)} in the space.")


def require_curator(access: SpaceAccess) -> None:
    require_role(access, Role.CURATOR)


def validate_name(name: str) -> str:
    return validate_field_text(name, SPACE_NAME_CHARS, field_name="name")


def choose_slug(name: str) -> str:
    ending = "".join(secrets.choice(SLUG_LETTERS) for _ in range(SLUG_ENDING))
    return f"{slugify(name)[:SLUG_STEM].strip('-') or 'space'}-{ending}"


def make_space(organization_id: int, name: str, *, curator: EndUser | None, actor: str, now: datetime) -> SpaceAccess:
    """A space with one member, or with none where an operator makes it."""
    name = validate_name(name)
    if curator is not None:
        require_room(curator)
    with transaction.atomic():
        space_id = FIRST_SPACE + draw_next_number()
        owner = EndUser.objects.create(
            pk=space_id, organization_id=organization_id, external_id=name_partition(space_id), created_at=now
        )
        space = Space.objects.create(
            owner=owner, organization_id=organization_id, slug=choose_slug(name), name=name, created_at=now
        )
        access = SpaceAccess.of(space)
        if curator is not None:
            # Nobody is a curator before the first is.
            with act_as_service():
                write_member(access, curator, Role.CURATOR, actor=actor, now=now)
    return access


def draw_next_number() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('memory_space_number')")
        return int(cursor.fetchone()[0])


def require_room(user: EndUser) -> None:
    if len(list_memberships(user)) >= MOST_SPACES:
        raise WriteRefused("member", f"belongs to {MOST_SPACES} spaces already, as many as one person may")


def rename_space(access: SpaceAccess, name: str) -> SpaceAccess:
    """Its slug stays: it stands in addresses that clients keep."""
    require_curator(access)
    name = validate_name(name)
    Space.objects.filter(pk=access.space_id).update(name=name)
    return SpaceAccess(access.space_id, access.organization_id, access.slug, name, access.role)


def delete_space(access: SpaceAccess, *, now: datetime) -> Erasure:
    """Nobody reaches it from now on; its rows and vectors are erased as a person's are, by the task this returns."""
    require_curator(access)
    members = [row.user for row in list_members(access)]
    with transaction.atomic():
        with act_as_service(), user_scope(access.partition):
            SpaceMember.objects.filter(space_id=access.space_id).delete()
        Space.objects.filter(pk=access.space_id).delete()
        requested = erasure.request_erasure(access.partition, now=now)
    for member in members:
        forget_answers(member, access.slug)
    return requested


def list_members(access: SpaceAccess) -> list[SpaceMember]:
    """The first added first, with the person of each."""
    with user_scope(access.partition):
        rows = SpaceMember.objects.filter(space_id=access.space_id).select_related("user").order_by("pk")
        return list(rows[:MOST_MEMBERS])


def set_member(access: SpaceAccess, member: EndUser, role: Role, *, actor: str, now: datetime) -> SpaceMember:
    """Invite, or change the role. The last curator stays one."""
    require_curator(access)
    is_known = any(held.space_id == access.space_id for held in list_memberships(member))
    if not is_known:
        require_room(member)
    with transaction.atomic():
        if role is not Role.CURATOR:
            require_other_curator(access, member, "role")
        return write_member(access, member, role, actor=actor, now=now)


def write_member(access: SpaceAccess, member: EndUser, role: Role, *, actor: str, now: datetime) -> SpaceMember:
    with user_scope(access.partition):
        row, _ = SpaceMember.objects.update_or_create(
            user=member,
            space_id=access.space_id,
            defaults={"role": role},
            create_defaults={"role": role, "added_by": actor, "added_at": now},
        )
    return row


def remove_member(access: SpaceAccess, member: EndUser, *, is_self: bool) -> bool:
    """By a curator, or by the person who leaves. What they shared stays, until they or a curator take it back."""
    if not is_self:
        require_curator(access)
    with transaction.atomic():
        require_other_curator(access, member, "member")
        with user_scope(member if is_self else access.partition):
            gone, _ = SpaceMember.objects.filter(user=member, space_id=access.space_id).delete()
    if gone:
        forget_answers(member, access.slug)
    return bool(gone)


def require_other_curator(access: SpaceAccess, member: EndUser, field: str) -> None:
    """Raises WriteRefused where a space with members would be left to nobody."""
    # The lock lets two curators who leave at once see each other.
    Space.objects.select_for_update().filter(pk=access.space_id).first()
    with act_as_service(), user_scope(access.partition):
        curators = SpaceMember.objects.filter(space_id=access.space_id, role=Role.CURATOR)
        holders = set(curators.values_list("user_id", flat=True))
    if holders == {member.pk}:
        raise WriteRefused(field, "is the last curator: name another first, or delete the space")


def forget_answers(member: EndUser, slug: str) -> None:
    """Answers that are kept for repeated requests: whoever is no member is not told the space's words once more."""
    with user_scope(member):
        IdempotencyRecord.objects.filter(user=member, response__body__icontains=slug).delete()
