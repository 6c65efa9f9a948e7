"""The people, agents, apps and runs that have memories, and how all memories of one are deleted."""

import ast
import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from django.http import HttpResponse, JsonResponse
from django.utils import timezone

from memory.access.scope import user_scope
from memory.access.users import list_users
from memory.conf import memory_conf
from memory.facts.queries import FactFilter
from memory.mem0.adding import ScopeIn
from memory.mem0.door import Mem0Call, render_message, validate_fields
from memory.mem0.filters import FilterReader
from memory.mem0.finding import LAST_PAGE, build_page_url
from memory.mem0.people import find_person, require_named, resolve_filtered, resolve_person
from memory.mem0.scopes import SCOPE_NAMES, ScopeName, count_scopes, match_scope
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.models.facts import FactState
from memory.models.predicates import AllOf, Predicate
from memory.platform.deadline import Deadline
from memory.tiers import Status
from memory.web.problems import Problem, invalid_field, not_found, unavailable

PEOPLE_ON_PAGE: Final = 100
MOST_ON_PAGE: Final = 200
PAGING: Final = frozenset({"page", "page_size"})
# Of so many people an agent's or a run's memories are looked for in one request.
MOST_PEOPLE: Final = 1_000
DELETED_AT_ONCE: Final = 100
LONGEST_FILTER: Final = 4_000
MOST_FACTS: Final = 500
EVERY_STATUS: Final = tuple(Status)
KINDS: Final[dict[str, ScopeName]] = {"agent": "agent_id", "app": "app_id", "run": "run_id"}
ALL_DELETED, ENTITY_DELETED = "Memories deleted successfully!", "Entity deleted successfully!"


def delete_memories(call: Mem0Call) -> HttpResponse:
    """Of a person alone: the person is forgotten. With an agent, an app, a run or a filter: the memories of those."""
    asked = validate_fields(ScopeIn, {**call.query, "filters": read_filters(call.query.get("filters"))})
    conditions = [match_scope(name, [value]) for name in SCOPE_NAMES if (value := getattr(asked, name))]
    if not conditions and not asked.filters:
        erase_person(call, require_named(call, asked.user_id))
        return render_message(ALL_DELETED)
    person = resolve_filtered(call, asked.filters, asked.user_id)
    if asked.filters:
        if set(asked.filters) == {"user_id"} and not conditions:
            erase_person(call, person)
            return render_message(ALL_DELETED)
        conditions.append(FilterReader(person).read(asked.filters, "filters"))
    if user := find_person(call, person):
        delete_matching(call, user, AllOf(tuple(conditions)), start_deadline())
    return render_message(ALL_DELETED)


def read_filters(text: str | None) -> dict[str, Any] | None:
    """JSON, or what the Python client makes of a dictionary in an address. Raises Problem: a filter that was passed
    over would delete what it was to keep."""
    if text is None:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text) if len(text) <= LONGEST_FILTER else None
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(found, dict) and found:
            return found
    raise invalid_field("filters", "must be a JSON object that names at least one field")


def erase_person(call: Mem0Call, person: str) -> None:
    if call.principal.scope:
        raise Problem(403, "forbidden", "This is about the whole person; the key is bound to a part of them.")
    if user := find_person(call, person):
        call.memory.request_erasure(user, now=timezone.now())


def start_deadline() -> Deadline:
    return Deadline(memory_conf().deadlines.hard_s)


def delete_matching(call: Mem0Call, user: EndUser, wanted: Predicate, deadline: Deadline) -> None:
    """A hundred in a transaction. Raises Problem where there are more than a request has time for."""
    rows = RowConditions(where=wanted)
    while True:
        with user_scope(user):
            items, _ = call.memory.list_page(user, rows, statuses=EVERY_STATUS, start=0, limit=DELETED_AT_ONCE)
            for item in items:
                call.memory.remove_with_sources(user, item.pk, now=timezone.now())
        if len(items) < DELETED_AT_ONCE:
            return
        if deadline.is_expired:
            raise unavailable("Not all is deleted yet; send the same request again.")


def list_entities(call: Mem0Call) -> HttpResponse:
    """People, and the agents, apps and runs in their memories: all where no page is asked for, as the clients do."""
    if call.query.keys().isdisjoint(PAGING):
        people, count = list_admitted(call, start=0, limit=MOST_PEOPLE)
        page, size = MOST_PEOPLE // MOST_ON_PAGE, MOST_ON_PAGE
    else:
        page, size = read_page(call.query.get("page"), 1), read_page(call.query.get("page_size"), PEOPLE_ON_PAGE)
        size = min(size, MOST_ON_PAGE)
        people, count = list_admitted(call, start=(page - 1) * size, limit=size)
    entities = list(chain.from_iterable(describe_person(user) for user in people))
    return JsonResponse(
        {
            "count": count + sum(entity["type"] != "user" for entity in entities),
            "next": build_page_url(call, page + 1, size) if page * size < count else None,
            "previous": build_page_url(call, page - 1, size) if page > 1 and "page" in call.query else None,
            "results": entities,
        }
    )


def list_admitted(call: Mem0Call, *, start: int, limit: int) -> tuple[list[EndUser], int]:
    """The people the key may act for."""
    return list_users(call.principal.organization_id, call.principal.user_ids, start=start, limit=limit)


def read_page(text: str | None, usual: int) -> int:
    if text is None:
        return usual
    if text.isascii() and text.isdecimal() and len(text) < 7 and 1 <= int(text) <= LAST_PAGE:
        return int(text)
    raise invalid_field("page", "must be a whole number from 1 on")


def describe_person(user: EndUser) -> Iterator[dict[str, Any]]:
    counts = count_scopes(user)
    yield describe_entity("user", user.external_id, user, counts.total)
    for kind, name in KINDS.items():
        for value, number in counts.of(name).items():
            yield describe_entity(kind, value, user, number)


def describe_entity(kind: str, name: str, user: EndUser, memories: int) -> dict[str, Any]:
    created_at = user.created_at.isoformat()
    updated_at = (user.last_active_at or user.created_at).isoformat()
    # The owner of an agent or a run: two people may each have one of the same name.
    return {
        "id": name,
        "name": name,
        "type": kind,
        "owner": user.external_id,
        "total_memories": memories,
        "created_at": created_at,
        "updated_at": updated_at,
    }


def delete_entity(call: Mem0Call, kind: str, name: str) -> HttpResponse:
    if kind == "user":
        person = resolve_person(call, [name])
        if find_person(call, person) is None:
            raise not_found()
        erase_person(call, person)
        return render_message(ENTITY_DELETED)
    if kind not in KINDS:
        raise not_found()
    people, count = list_admitted(call, start=0, limit=MOST_PEOPLE)
    if count > MOST_PEOPLE:
        raise Problem(422, "validation_failed", f"{kind}: delete it for each user_id, by DELETE /v1/memories/")
    deadline = start_deadline()
    for user in people:
        delete_matching(call, user, match_scope(KINDS[kind], [name]), deadline)
    return render_message(ENTITY_DELETED)


def reset(call: Mem0Call) -> HttpResponse:
    """Forgets the people a key is limited to. One request is never taken for a whole organisation."""
    if call.principal.user_ids is None:
        raise Problem(
            403, "forbidden", "reset needs a key that is limited to people; delete others by DELETE /v2/entities/user/"
        )
    for person in sorted(call.principal.user_ids):
        erase_person(call, person)
    return render_message("All memories reset")


def get_profile(call: Mem0Call, name: str) -> HttpResponse:
    """What is held true of a person now, by what it says of them."""
    person = resolve_person(call, [name])
    user = find_person(call, person)
    if user is None:
        raise not_found()
    facts = call.memory.list_facts(user, FactFilter(FactState.ACTIVE), now=timezone.now(), limit=MOST_FACTS)
    profile: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        profile[fact.relation or fact.category].append(fact.statement)
    return JsonResponse(
        {
            "entity_type": "user",
            "entity_id": person,
            "profile": profile,
            "status": "succeeded" if facts else "insufficient_data",
            "updated_at": max((fact.last_seen for fact in facts), default=user.created_at).isoformat(),
            "generation_count": 1 if facts else 0,
        }
    )
