"""Whom a call is about: the person it names, or the owner of the memory it names."""

from collections.abc import Iterable
from uuid import UUID

from memory.access.users import EXTERNAL_ID_PATTERN, find_owner, find_user
from memory.mem0.door import Mem0Call
from memory.mem0.filters import list_persons
from memory.models import EndUser, MemoryItem
from memory.web.auth import forbidden_user
from memory.web.callers import DEFAULT_USER
from memory.web.patterns import PATTERN_RULES, USER_PATTERN
from memory.web.problems import Problem, invalid_field, not_found


def resolve_person(call: Mem0Call, named: Iterable[str | None], field: str = "user_id") -> str:
    """The one person that is named, else the only one of the key, else ``default``. Raises Problem."""
    persons = sorted({person for person in named if person})
    if len(persons) > 1:
        raise invalid_field(field, f"names {len(persons)} people ({', '.join(persons)[:200]}); ask for one at a time")
    allowed = call.principal.user_ids
    only = next(iter(allowed)) if allowed is not None and len(allowed) == 1 else DEFAULT_USER
    person = persons[0] if persons else only
    if not persons and not call.principal.may_act_for(person):
        raise invalid_field(field, "name one of the people that this key may act for")
    if not EXTERNAL_ID_PATTERN.fullmatch(person):
        raise invalid_field(field, PATTERN_RULES[USER_PATTERN])
    if not call.principal.may_act_for(person):
        # By the key's list alone, so that the answer does not tell whether the person exists.
        raise forbidden_user()
    return person


def resolve_filtered(call: Mem0Call, filters: object, *named: str | None) -> str:
    return resolve_person(call, [*named, *list_persons(filters)])


def find_person(call: Mem0Call, person: str) -> EndUser | None:
    return find_user(call.principal.organization_id, person)


def parse_memory_id(text: str, field: str = "") -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        # What cannot be an id names nothing; in a body it is a mistake worth naming.
        raise (invalid_field(field, "must be the id of a memory") if field else not_found()) from error


def find_owner_or_404(call: Mem0Call, memory_id: UUID) -> EndUser:
    """Whose memory it is. The same answer for none, for another organisation's and for a person the key may not see."""
    owner = find_owner(call.principal.organization_id, memory_id)
    if owner is None or not call.principal.may_act_for(owner.external_id):
        raise not_found()
    return owner


def find_memory_or_404(call: Mem0Call, memory_id: str) -> tuple[EndUser, MemoryItem]:
    key = parse_memory_id(memory_id)
    owner = find_owner_or_404(call, key)
    item = call.memory.get(owner, key)
    if item is None:
        raise not_found()
    return owner, item


def require_named(call: Mem0Call, *named: str | None) -> str:
    """As ``resolve_person``, where a call would be about too much without a name."""
    if not any(named) and (call.principal.user_ids is None or len(call.principal.user_ids) != 1):
        raise Problem(422, "validation_failed", "user_id: name the person whose memories are meant")
    return resolve_person(call, named)
