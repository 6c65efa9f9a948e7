"""Runs the call of a caller. Runs in threads, so it may wait for the database."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from memory import tools
from memory.access.confinement import confine_to
from memory.access.users import find_user, get_or_create_user, stand_in_for_stranger
from memory.facade import MemoryFacade
from memory.guard.redaction.texts import JsonRedaction
from memory.tools import ToolError, ToolResult
from memory.web.callers import Caller
from memory.web.redaction import describe_finding


def run_tool(who: Caller, name: str, arguments: Mapping[str, Any] | None) -> ToolResult:
    """Raises ToolError for what the caller can correct, and the errors of the services below."""
    # The thread is not the one that read who calls.
    with confine_to(who.scope):
        return run_confined(who, name, arguments)


def run_confined(who: Caller, name: str, arguments: Mapping[str, Any] | None) -> ToolResult:
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
