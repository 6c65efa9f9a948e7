"""Who asks: a key with the scope admin, or an operator by their session; and which organisations are theirs."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from memory.access.keys import Principal
from memory.access.ratelimit import RateDecision, check_rate
from memory.models import Operator, Organization
from memory.web.auth import admit_key, authenticate_request
from memory.web.problems import Problem
from memory.web.viewing import (
    can_see_everybody,
    governs_everything,
    list_owned_organizations,
    list_visible_organizations,
)

READING = ("GET", "HEAD", "OPTIONS")
# Of one operator: a page asks for a handful, a script that needs more takes a key.
OPERATOR_RATE = 20


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """A program that speaks by a key, where the framework expects a user."""

    principal: Principal
    is_authenticated: bool = True
    is_active: bool = True

    @property
    def pk(self) -> int:
        return self.principal.key_id

    def __str__(self) -> str:
        return self.principal.audit_actor


class AdminKeyAuthentication(BaseAuthentication):
    """A key with the scope admin of the whole organisation: not of some people, one agent or one project."""

    def authenticate(self, request: Request) -> tuple[KeyHolder, Principal] | None:
        if not request.headers.get("Authorization"):
            return None
        principal = admit_key(request._request, "admin", authenticate_request)
        if principal.user_ids is not None or principal.scope:
            raise Problem(403, "forbidden", "This is about the whole organisation; the key is bound to a part of it.")
        return KeyHolder(principal), principal

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="commonplace"'


class OperatorSession(SessionAuthentication):
    """The session of the console; whatever changes something needs its CSRF token."""


class AdmittedCaller(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return isinstance(request.user, Operator | KeyHolder)


class InstallationCaller(AdmittedCaller):
    """Whoever sees every organisation, and to change something governs every one."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        user: Any = request.user
        if isinstance(user, Operator):
            may = can_see_everybody if request.method in READING else governs_everything
            return may(user)
        return not Organization.objects.exclude(pk=user.principal.organization_id).exists()


class OperatorThrottle(BaseThrottle):
    """By the counters of keys, which all processes share. A key was counted when it was admitted."""

    decision: RateDecision | None = None

    def allow_request(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, Operator):
            return True
        # Below zero there is no key.
        self.decision = check_rate(-request.user.pk, OPERATOR_RATE)
        return self.decision.admitted

    def wait(self) -> float | None:
        return self.decision.retry_after_s if self.decision else None


def list_organizations(request: Request) -> "QuerySet[Organization, Organization]":
    """Those the caller may read, or where the request changes something those the caller governs."""
    user: Any = request.user
    if isinstance(user, KeyHolder):
        return Organization.objects.filter(pk=user.principal.organization_id)
    if not isinstance(user, Operator):
        return Organization.objects.none()
    return list_visible_organizations(user) if request.method in READING else list_owned_organizations(user)


def name_actor(request: Request) -> str:
    user: Any = request.user
    return user.principal.audit_actor if isinstance(user, KeyHolder) else user.actor
