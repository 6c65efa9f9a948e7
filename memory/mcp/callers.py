"""Authenticates the caller and runs the call. Runs in threads, so it may wait for the database."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory import tools
from memory.access.keys import Principal
from memory.access.users import EXTERNAL_ID_PATTERN, find_user, get_or_create_user, stand_in_for_stranger
from memory.facade import MemoryFacade
from memory.guard.redaction.texts import JsonRedaction
from memory.tools import ToolError, ToolResult
from memory.web.problems import Problem, invalid_field
from memory.web.redaction import describe_finding

DEFAULT_USER = "default"


@dataclass(frozen=True, slots=True)
class Caller:
    """A key, and the external id of the user it acts for."""

    principal: Principal
    external_id: str


def resolve_caller(principal: Principal, named: str | None) -> Caller:
    """The user a key acts for: the one named, else the only one it is limited to, else ``default``. Raises Problem."""
    allowed = principal.user_ids
    external_id = named or (next(iter(allowed)) if allowed is not None and len(allowed) == 1 else DEFAULT_USER)
    if not EXTERNAL_ID_PATTERN.fullmatch(external_id):
        raise invalid_field("X-User-Id", "a user id is 1-128 of A-Z a-z 0-9 _ . @ : -")
    if not principal.may_act_for(external_id):
        raise Problem(403, "forbidden", "This key may not act for that user.")
    return Caller(principal, external_id)


def run_tool(who: Caller, name: str, arguments: Mapping[str, Any] | None) -> ToolResult:
    """Raises ToolError for what the caller can correct, and the errors of the services below."""
    redaction = JsonRedaction()
    call = tools.read_call(name, redaction.redact(dict(arguments or {})))
    if call.tool.scope not in who.principal.scopes:
        raise ToolError([("", f"this key lacks the scope {call.tool.scope}, which {call.tool.name} needs")])
    if redaction.found and who.principal.refuses_secrets and call.tool.scope != "read":
        raise ToolError([describe_finding(path, kinds) for path, kinds in redaction.found.items()])
    organization, external_id = who.principal.organization_id, who.external_id
    memory = MemoryFacade(actor=who.principal.actor)
    known = find_user(organization, external_id)
    if known is None and call.tool.scope == "read":
        known = stand_in_for_stranger(organization, external_id)
    now = timezone.now()
    with tools.record_failures(memory, lambda: known, call, now=now):
        prepared = tools.prepare_call(memory, known, call, now=now)
        if known is not None:
            return prepared(known)
    with transaction.atomic():
        # A first write that is refused leaves no user behind.
        return prepared(get_or_create_user(organization, external_id))
