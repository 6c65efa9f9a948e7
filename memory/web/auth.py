"""Authentication by bearer key, with scopes and rate limit."""

from collections.abc import Callable
from ipaddress import ip_address
from typing import Literal, TypeVar, cast
from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from memory.access.confinement import confine_request
from memory.access.keys import SCOPES, Principal, authenticate
from memory.access.membership import forget_member
from memory.access.ratelimit import check_rate
from memory.access.users import find_user, get_or_create_user, stand_in_for_stranger
from memory.conf import memory_conf
from memory.models import EndUser, Organization
from memory.web.idempotency import read_idempotency_key
from memory.web.problems import Problem, not_found, rate_limited, unavailable
from memory.web.scoping import read_request_scope

Request = TypeVar("Request", bound=HttpRequest)
Scope = Literal["read", "write", "admin"]
LOCAL_ORGANIZATION = "local"
FORWARDED = ("X-Forwarded-For", "X-Real-Ip", "Forwarded")


class BearerKey(HttpBearer):
    """Admits a key that holds a scope, for a user it may act for, within its rate.

    With ``is_whole`` none that is bound to an agent or a project: what is asked for is about the whole person.
    With ``is_everybodys`` none that acts for some people alone: what is asked for is about the whole organisation.
    """

    def __init__(self, scope: Scope, *, is_whole: bool = False, is_everybodys: bool = False) -> None:
        super().__init__()
        self.scope = scope
        self.is_whole = is_whole
        self.is_everybodys = is_everybodys

    def __call__(self, request: HttpRequest) -> Principal:
        principal = admit_key(request, self.scope, authenticate_request)
        if self.is_whole and principal.scope:
            raise Problem(403, "forbidden", "This is about the whole person; the key is bound to a part of them.")
        if self.is_everybodys and principal.user_ids is not None:
            raise Problem(403, "forbidden", "This is about the whole organisation; the key acts for some of its users.")
        external_id = request.resolver_match.kwargs.get("user_id") if request.resolver_match else None
        if external_id is not None and not principal.may_act_for(external_id):
            # Decided by the key's own list alone, so the answer is the same whether or not the user exists.
            raise forbidden_user()
        return principal

    def authenticate(self, request: HttpRequest, token: str) -> Principal:
        raise NotImplementedError


READ, WRITE, ADMIN = BearerKey("read"), BearerKey("write"), BearerKey("admin")
READ_WHOLE, WRITE_WHOLE = BearerKey("read", is_whole=True), BearerKey("write", is_whole=True)
ADMIN_WHOLE = BearerKey("admin", is_whole=True)


def admit_key(request: HttpRequest, scope: Scope, identify: Callable[[HttpRequest], Principal]) -> Principal:
    """The principal of a request, if its key holds the scope."""
    principal = admit_principal(request, identify)
    if scope not in principal.scopes:
        raise Problem(403, "forbidden", f"This key lacks the scope {scope}.")
    # What the body's reader asks: a key may refuse secrets in what is written.
    request.required_scope = scope  # type: ignore[attr-defined]
    if request.method == "POST":
        read_idempotency_key(request)  # A malformed Idempotency-Key is refused before anything happens.
    return principal


def forbidden_user() -> Problem:
    return Problem(403, "forbidden", "This key may not act for that user.")


def admit_principal(request: Request, identify: Callable[[Request], Principal]) -> Principal:
    """The principal of a request, if the system is enabled and the key within its rate limit.

    From here on the request works for the agent and project that the key is bound to or that the request names.
    """
    # Before the key is looked at, so that a memory that is off costs its database nothing.
    if not memory_conf().flags["system"]:
        raise unavailable("The memory is switched off by its operator.")
    principal = identify(request)
    verdict = check_rate(principal.key_id, principal.requests_per_second)
    if not verdict.admitted:
        raise rate_limited(verdict.limit, verdict.retry_after_s)
    confine_request(read_request_scope(request, principal), is_bound=bool(principal.scope))
    forget_member()
    return principal


def authenticate_request(request: HttpRequest) -> Principal:
    # Session cookies are never looked at: a console that is open in the browser lends its operator's rights to nobody.
    return authenticate_header(request, request.headers.get("Authorization", ""))


def authenticate_header(request: HttpRequest, header: str) -> Principal:
    if not header:
        if not memory_conf().require_auth and is_local(request):
            return get_local_principal()
        raise invalid_key("Send the header Authorization: Bearer <key>.")
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        # A valid key under another scheme is no unknown key.
        raise invalid_key("Send the key as Authorization: Bearer <key>; other schemes are not read.")
    principal = authenticate(token, now=timezone.now())
    if principal is None:
        raise invalid_key("The key is unknown, expired or revoked.", error="invalid_token")
    return principal


def invalid_key(detail: str, error: str = "") -> Problem:
    challenge = 'Bearer realm="commonplace"' + (f', error="{error}"' if error else "")
    return Problem(401, "unauthorised", detail, headers={"WWW-Authenticate": challenge})


def is_local(request: HttpRequest) -> bool:
    """Whether the client is a program on this machine, and neither a proxy nor a page of another site."""
    # Behind a proxy everybody seems to be on this machine.
    if any(name in request.headers for name in FORWARDED):
        return False
    origin = request.headers.get("Origin")
    # A page of another site, open in a browser here, also asks from this machine.
    if origin is not None and urlsplit(origin).netloc != request.get_host():
        return False
    if request.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def get_local_principal() -> Principal:
    organization, _ = Organization.objects.get_or_create(slug=LOCAL_ORGANIZATION, defaults={"name": "This machine"})
    return Principal(
        organization_id=organization.pk,
        key_id=0,
        name=LOCAL_ORGANIZATION,
        scopes=frozenset(SCOPES),
        user_ids=None,
        requests_per_second=None,
    )


def get_principal(request: HttpRequest) -> Principal:
    return cast("Principal", request.auth)  # type: ignore[attr-defined]


def lookup_user(request: HttpRequest, external_id: str) -> EndUser | None:
    return find_user(get_principal(request).organization_id, external_id)


def get_user_or_404(request: HttpRequest, external_id: str) -> EndUser:
    """The user, who must exist. Raises the same 404 as for anything missing."""
    user = lookup_user(request, external_id)
    if user is None:
        raise not_found()
    return user


def get_stranger(request: HttpRequest, external_id: str) -> EndUser:
    """Stands for a user nobody wrote to yet in what only reads: reading makes nobody."""
    return stand_in_for_stranger(get_principal(request).organization_id, external_id)


def create_request_user(request: HttpRequest, external_id: str) -> EndUser:
    """The user, made now unless another request was faster."""
    return get_or_create_user(get_principal(request).organization_id, external_id)


def get_actor(request: HttpRequest) -> str:
    """Who the events of this request's changes name."""
    return get_principal(request).actor
