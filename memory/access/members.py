"""Who governs an organisation: its operators and their roles. One with an owner never loses the last of them."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Q

from memory.access.audit import record_change
from memory.models import Membership, Operator, Organization
from memory.models.administration import AuditAction
from memory.models.people import OperatorRole


class MemberRefused(Exception):
    """Nothing was changed. ``field`` is the one that breaks the rule, which ``str`` says."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(rule)
        self.field = field


def is_owner(operator: Operator, organization_id: int) -> bool:
    """Superusers own every organisation."""
    if operator.is_superuser:
        return True
    rows = Membership.objects.filter(operator=operator, organization_id=organization_id)
    return rows.filter(role=OperatorRole.OWNER.value).exists()


def is_owner_named(actor: str, organization_id: int) -> bool:
    """Whether the operator that events call by this name ("operator:vera") owns the organisation now."""
    kind, _colon, username = actor.partition(":")
    operator = Operator.objects.filter(username=username, is_active=True).first() if kind == "operator" else None
    return operator is not None and is_owner(operator, organization_id)


def list_owners(organization: Organization | None) -> list[str]:
    """Whom to ask: the names of who governs this organisation, or every one of them where it is None."""
    governed = Organization.objects.all() if organization is None else Organization.objects.filter(pk=organization.pk)
    owned = Q(membership__role=OperatorRole.OWNER.value, membership__organization__in=governed)
    active = Operator.objects.filter(is_active=True).annotate(owned=Count("membership", filter=owned))
    owners = active.filter(owned=governed.count(), owned__gt=0) or active.filter(is_superuser=True)
    return sorted(one.get_username() for one in owners)


def choose_first_role(organization: Organization) -> OperatorRole:
    """Of somebody added without a role: an organisation that nobody governs is theirs."""
    owned = Membership.objects.filter(organization=organization, role=OperatorRole.OWNER.value).exists()
    return OperatorRole.MEMBER if owned else OperatorRole.OWNER


def add_member(
    organization: Organization, username: str, role: OperatorRole, *, now: datetime, actor: str
) -> tuple[Membership, str]:
    """The membership, and the password of an operator that was made for it; empty for one there was."""
    with transaction.atomic():
        operator, password = Operator.objects.filter(username=username).first(), ""
        if operator is None:
            operator, password = create_operator(username)
        row, is_new = Membership.objects.get_or_create(
            operator=operator, organization=organization, defaults={"role": role.value}
        )
        if not is_new:
            raise MemberRefused("username", f"{username} is a member already")
        added = {"role": role.value, "is_new": bool(password)}
        record_change(organization.pk, AuditAction.MEMBER_ADDED, actor=actor, now=now, subject=username, **added)
    return row, password


def create_operator(username: str) -> tuple[Operator, str]:
    """Somebody who may sign in, with a password that is stored nowhere in plain. Raises MemberRefused."""
    operator, password = Operator(username=username, is_staff=True), secrets.token_urlsafe(15)
    try:
        operator.full_clean(exclude=["password"])
    except ValidationError as fault:
        raise MemberRefused("username", " ".join(fault.messages)) from None
    operator.set_password(password)
    operator.save()
    return operator, password


def change_role(row: Membership, role: OperatorRole, *, now: datetime, actor: str) -> OperatorRole:
    """Returns the role before. Raises MemberRefused for the last owner."""
    with lock_members(row) as current:
        before = OperatorRole(current.role)
        if before == role:
            return before
        if before == OperatorRole.OWNER:
            require_other_owner(current)
        Membership.objects.filter(pk=current.pk).update(role=role.value)
        moved = {"role": role.value, "before": before.value}
        named = current.operator.get_username()
        record_change(current.organization_id, AuditAction.MEMBER_CHANGED, actor=actor, now=now, subject=named, **moved)
    row.role = role.value
    return before


def remove_member(row: Membership, *, now: datetime, actor: str) -> OperatorRole:
    """Take somebody out of the organisation; their account stays. Returns the role they had.

    Raises MemberRefused for the last owner.
    """
    with lock_members(row) as current:
        role = OperatorRole(current.role)
        if role == OperatorRole.OWNER:
            require_other_owner(current)
        named = current.operator.get_username()
        current.delete()
        record_change(
            row.organization_id, AuditAction.MEMBER_REMOVED, actor=actor, now=now, subject=named, role=role.value
        )
    return role


@contextmanager
def lock_members(row: Membership) -> Iterator[Membership]:
    """The membership as it is now. Of two who demote each other the second waits here, and sees what the first did."""
    with transaction.atomic():
        Organization.objects.select_for_update().get(pk=row.organization_id)
        current = Membership.objects.select_related("operator").filter(pk=row.pk).first()
        if current is None:
            raise MemberRefused("member", "is no member any more")
        yield current


def require_other_owner(row: Membership) -> None:
    others = Membership.objects.filter(organization_id=row.organization_id, role=OperatorRole.OWNER.value)
    # Somebody who may not sign in governs nothing.
    if not others.exclude(pk=row.pk).filter(operator__is_active=True).exists():
        raise MemberRefused("role", "this is the last owner: make somebody else an owner first")
