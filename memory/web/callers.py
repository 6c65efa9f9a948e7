"""Whom a door acts for that names the person in a header and not in the address: MCP, hooks, compatible APIs."""

from dataclasses import dataclass

from memory.access.confinement import EVERYTHING, RowScope, current_scope
from memory.access.keys import Principal
from memory.access.users import EXTERNAL_ID_PATTERN
from memory.web.problems import Problem, invalid_field

DEFAULT_USER = "default"
USER_HEADER = "X-User-Id"
# Sent by Open WebUI where it is told to forward who its user is.
OPEN_WEBUI_USER = "X-OpenWebUI-User-Id"


@dataclass(frozen=True, slots=True)
class Caller:
    """A key, the external id of the user it acts for, and the agent and project the call works for.

    ``site`` is the address it came to, where the door knows one.
    """

    principal: Principal
    external_id: str
    named_scope: RowScope = EVERYTHING
    site: str = ""

    @property
    def scope(self) -> RowScope:
        """Never wider than the key's own."""
        return self.named_scope or self.principal.scope


def resolve_caller(principal: Principal, named: str | None, field: str = USER_HEADER) -> Caller:
    """The user a key acts for: the one named, else the only one it is limited to, else ``default``. Raises Problem."""
    allowed = principal.user_ids
    external_id = named or (next(iter(allowed)) if allowed is not None and len(allowed) == 1 else DEFAULT_USER)
    if not EXTERNAL_ID_PATTERN.fullmatch(external_id):
        raise invalid_field(field, "a user id is 1-128 of A-Z a-z 0-9 _ . @ : + | -")
    if not principal.may_act_for(external_id):
        raise Problem(403, "forbidden", "This key may not act for that user.")
    # The key has been admitted, which has read what it is bound to and what the request names.
    return Caller(principal, external_id, current_scope())
