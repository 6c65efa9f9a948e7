"""Searching and listing: the short statements, and an exchange only where none of them says what it told."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from pydantic import AliasChoices, BeforeValidator, Field

from memory.language.exchanges import take_question
from memory.mem0.adding import ScopeIn
from memory.mem0.door import Mem0Call, validate_fields
from memory.mem0.filters import PERSON, FilterReader, build_row_conditions, list_persons
from memory.mem0.people import find_person, resolve_filtered
from memory.mem0.scopes import SCOPE_NAMES, match_unexpired, read_expiry
from memory.mem0.shapes import render_hit, render_memory, select_fields
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.models.facts import FactState
from memory.models.predicates import AllOf, AnyOf, ColumnIs, IdIs, IsEnded, IsTold, Not, Predicate
from memory.retrieval.results import SearchHit, SearchRequest
from memory.tiers import Tier
from memory.web.fields import QueryText
from memory.web.idempotency import store_after
from memory.web.problems import invalid_field

# What the clients ask for where they name no number.
USUAL_RESULTS: Final = 10
MOST_RESULTS: Final = 100
# An exchange gives way to the statements read out of it, so more are looked for than are told.
SPARE: Final = 2
USUAL_PAGE: Final = 100
MOST_ON_PAGE: Final = 200
LAST_PAGE: Final = 100_000
STATEMENTS: Final = frozenset({Tier.MEMORY_BANK, Tier.PATTERNS})
ENDED: Final = frozenset({FactState.SUPERSEDED, FactState.RETRACTED})
# Of what was said the part that was read as statements, from which on it says nothing else: all but a greeting.
WHOLE: Final = 0.6
STATEMENT_TIERS: Final = tuple(sorted(tier.value for tier in STATEMENTS))


def split_names(value: object) -> object:
    return [part for part in value.split(",") if part] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(split_names), Field(max_length=100)]


class WantedIn(ScopeIn):
    """What narrows a search and a list alike. Beside ``filters`` as the older clients have it, or in them."""

    categories: Names | None = None
    metadata: dict[str, Any] | None = None
    show_expired: bool | None = None
    fields: Names | None = None
    output_format: str | None = None
    start_date: str | None = None
    end_date: str | None = None

    def build_conditions(self, person: str) -> RowConditions:
        return build_row_conditions([*self.list_conditions(person), *self.list_expiry()])

    def list_expiry(self) -> list[Predicate]:
        return [] if self.show_expired else [match_unexpired(timezone.now().date())]

    def list_conditions(self, person: str) -> list[Predicate]:
        """What the filters and the fields beside them say together."""
        reader = FilterReader(person)
        beside: dict[str, Any] = {name: getattr(self, name) for name in SCOPE_NAMES if getattr(self, name)}
        beside |= {name: value for name in ("categories", "metadata") if (value := getattr(self, name))}
        period = {"gte": self.start_date, "lte": self.end_date}
        if dates := {name: value for name, value in period.items() if value}:
            beside["created_at"] = dates
        parts: list[Predicate] = [reader.read(beside, "filters")] if beside else []
        # That it is about the person is so of every row that can be found.
        about = {PERSON: person}
        return parts + ([reader.read(self.filters, "filters")] if self.filters and self.filters != about else [])


class Mem0SearchIn(WantedIn):
    query: QueryText
    top_k: int = Field(default=USUAL_RESULTS, ge=1, le=10_000, validation_alias=AliasChoices("top_k", "limit"))
    threshold: float | None = Field(default=None, allow_inf_nan=False)


class Mem0PageIn(WantedIn):
    page: int | None = Field(default=None, ge=1, le=LAST_PAGE)
    page_size: int | None = Field(default=None, ge=1, le=10_000, validation_alias=AliasChoices("page_size", "limit"))


def search_wrapped(call: Mem0Call) -> HttpResponse:
    return answer_search(call, is_wrapped=True)


def search_listed(call: Mem0Call) -> HttpResponse:
    """As the platform answered before, unless the newer shape is asked for."""
    return answer_search(call, is_wrapped=call.body.get("output_format") == "v1.1")


def answer_search(call: Mem0Call, *, is_wrapped: bool) -> HttpResponse:
    asked = call.read(Mem0SearchIn)
    person = resolve_filtered(call, asked.filters, asked.user_id)
    parts = asked.list_conditions(person)
    user = find_listed(call, asked, person)

    def find() -> HttpResponse:
        found = search_person(call, user, asked, parts) if user else []
        results = [select_fields(one, asked.fields) for one in found]
        return JsonResponse({"results": results} if is_wrapped else results, safe=False)

    return store_after(call.request, user, find) if user else find()


def find_listed(call: Mem0Call, asked: WantedIn, person: str) -> EndUser | None:
    """Whose memories are asked for. Raises Problem where nobody is named, and nobody was when memories were added:
    the answer would be empty, and the mistake found late."""
    user = find_person(call, person)
    is_named = asked.user_id or any(list_persons(asked.filters)) or call.principal.user_ids is not None
    if user is None and not is_named:
        raise invalid_field("filters", 'name whose memories are meant, such as {"user_id": "ann"}')
    return user


def search_person(
    call: Mem0Call, user: EndUser, asked: Mem0SearchIn, parts: Sequence[Predicate]
) -> list[dict[str, Any]]:
    limit = min(asked.top_k, MOST_RESULTS)
    today = timezone.now().date().isoformat()
    request = SearchRequest(query=asked.query, limit=limit * SPARE, rows=build_row_conditions(parts))
    hits = call.memory.search(user, request, now=timezone.now()).hits
    if not asked.show_expired and any((read_expiry(hit.item) or today) < today for hit in hits):
        # Hardly anything expires, and a search without conditions is the quicker one.
        request = replace(request, rows=build_row_conditions([*parts, *asked.list_expiry()]))
        hits = call.memory.search(user, request, now=timezone.now()).hits
    least = asked.threshold or 0.0
    near = [hit for hit in drop_told(put_statements(call, user, hits)) if hit.final_score >= least]
    told = [hit for hit in near if not says_only_ended(call, user, hit)]
    return [render_hit(hit, user.external_id) for hit in told[:limit]]


def says_only_ended(call: Mem0Call, user: EndUser, hit: SearchHit) -> bool:
    """Whether all that was read in it has ended, and it says hardly anything beside."""
    if hit.superseded_by is None:
        return False
    facts = call.memory.list_facts_of_memory(user, hit.item.pk)
    read = sum(len(fact.statement) for fact in facts)
    return all(fact.state in ENDED for fact in facts) and read >= WHOLE * len(take_question(hit.item.text))


def put_statements(call: Mem0Call, user: EndUser, hits: Sequence[SearchHit]) -> list[SearchHit]:
    """In the place of an exchange the statement that says the same, which the search had left out as its double."""
    doubles = {one for hit in hits if hit.item.tier not in STATEMENTS for one in hit.duplicates}
    wanted = RowConditions(where=AllOf((IdIs(tuple(map(str, doubles))), ColumnIs("tier", STATEMENT_TIERS))))
    items, _ = call.memory.list_page(user, wanted, start=0, limit=len(doubles)) if doubles else ([], 0)
    said = {item.pk: item for item in items}
    return [replace(hit, item=next((said[one] for one in hit.duplicates if one in said), hit.item)) for hit in hits]


def drop_told(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Without the exchanges whose statements are among the hits: the short one says it."""
    # Statements first, whatever their score, put "I'm a vegetarian" before the answer to "export error".
    told = {parent for hit in hits if hit.item.tier in STATEMENTS for parent in hit.item.parents}
    return [hit for hit in hits if hit.item.pk not in told]


def list_wrapped(call: Mem0Call) -> HttpResponse:
    return answer_list(call, is_wrapped=True)


def list_by_version(call: Mem0Call) -> HttpResponse:
    """As the platform answered before: a plain list, unless a page or the newer shape is asked for."""
    asked = {**call.query, **call.body}
    is_wrapped = asked.get("output_format") == "v1.1" or "page" in asked or "page_size" in asked
    return answer_list(call, is_wrapped=is_wrapped)


def answer_list(call: Mem0Call, *, is_wrapped: bool) -> HttpResponse:
    asked = validate_fields(Mem0PageIn, {**read_numbers(call.query), **call.body})
    person = resolve_filtered(call, asked.filters, asked.user_id)
    conditions = asked.build_conditions(person)
    size, page = min(asked.page_size or USUAL_PAGE, MOST_ON_PAGE), asked.page or 1
    user = find_listed(call, asked, person)
    wanted = join_conditions(conditions, Not(AnyOf((IsTold(), IsEnded()))))
    items, count = call.memory.list_page(user, wanted, start=(page - 1) * size, limit=size) if user else ([], 0)
    results = [select_fields(render_memory(item, person), asked.fields) for item in items]
    if not is_wrapped:
        return JsonResponse(results, safe=False)
    more = page * size < count
    return JsonResponse(
        {
            "count": count,
            "next": build_page_url(call, page + 1, size) if more else None,
            "previous": build_page_url(call, page - 1, size) if page > 1 else None,
            "results": results,
        }
    )


def join_conditions(conditions: RowConditions, further: Predicate) -> RowConditions:
    return replace(conditions, where=AllOf((conditions.where, further)) if conditions.where else further)


def read_numbers(query: Any) -> dict[str, Any]:  # noqa: ANN401 -- an address has texts only
    return {name: int(value) if value.isascii() and value.isdecimal() and len(value) < 10 and name in NUMBERS else value
            for name, value in query.items()}  # fmt: skip


NUMBERS: Final = frozenset({"page", "page_size", "limit"})


def build_page_url(call: Mem0Call, page: int, size: int) -> str:
    asked = {**call.query, "page": str(page), "page_size": str(size)}
    return call.request.build_absolute_uri(f"{call.request.path}?{urlencode(asked)}")
