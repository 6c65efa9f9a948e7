"""The calls of a turn for hooks, which know a user only by the body or query they send.

Each is an alias of a call of the turn.
"""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from pydantic import AfterValidator, Field, StringConstraints

from memory.api.acting import open_facade
from memory.api.context import ContextIn, ContextOut, compose_context
from memory.web.auth import READ, WRITE, get_principal, lookup_user
from memory.web.fields import NAME_LIMIT, PageSize, QueryParameters, QueryText, strip_invisible, validate_readable
from memory.web.openapi import describe_responses
from memory.web.patterns import THREAD_PATTERN, USER_PATTERN
from memory.web.problems import Problem, invalid_field
from outcomes.api import record_outcome, store_exchange
from outcomes.schemas import ExchangeIn, ExchangeOut, OutcomeIn, OutcomeOut, StoreExchangeOptions

router = Router(tags=["Hooks"])

UserIdField = Annotated[
    str,
    StringConstraints(strict=True, pattern=USER_PATTERN),
    Field(description="Your own id of the end user.", examples=["ann"]),
]
ThreadField = Annotated[
    str,
    Field(strict=True, min_length=1, max_length=NAME_LIMIT, pattern=THREAD_PATTERN),
    AfterValidator(validate_readable),
    AfterValidator(strip_invisible),
]


class HookContextIn(ContextIn):
    user_id: UserIdField


# Some hooks can only call an address, without a body.
class HookContextQuery(QueryParameters):
    user_id: UserIdField
    query: QueryText
    thread_id: Annotated[str, Field(max_length=NAME_LIMIT)] | None = None
    limit: Annotated[PageSize, Field(le=50)] | None = None


class HookExchangeIn(ExchangeIn):
    user_id: UserIdField
    thread_id: ThreadField


class HookScoreIn(OutcomeIn):
    user_id: UserIdField
    thread_id: ThreadField | None = Field(
        default=None, description="Without turn_id and exchange_id: the thread's exchange that waits for its outcome."
    )


def check_user(request: HttpRequest, user_id: str) -> None:
    """Check the key's list of users, which other calls check by their URL."""
    # By the key's list alone, so that the answer does not tell whether the user exists.
    if not get_principal(request).may_act_for(user_id):
        raise Problem(403, "forbidden", "This key may not act for that user.")


@router.post(
    "/hooks/context",
    auth=READ,
    response=describe_responses(200, ContextOut, reads_body=True, writes=True),
    operation_id="hook_context",
    summary="Before an answer: what to hand over, and whether to stop",
)
def hook_context(request: HttpRequest, body: HookContextIn) -> HttpResponse:
    return compose_for_hook(request, body)


@router.get(
    "/hooks/context",
    auth=READ,
    response=describe_responses(200, ContextOut),
    operation_id="hook_context_by_query",
    summary="Before an answer, for hooks that can only ask by address",
)
def hook_context_by_query(request: HttpRequest, options: Query[HookContextQuery]) -> HttpResponse:
    return compose_for_hook(request, HookContextIn(**options.model_dump(exclude_none=True)))


def compose_for_hook(request: HttpRequest, body: HookContextIn) -> HttpResponse:
    check_user(request, body.user_id)
    return compose_context(request, body.user_id, body)


@router.post(
    "/hooks/exchange",
    auth=WRITE,
    response=describe_responses(201, ExchangeOut, reads_body=True, writes=True),
    operation_id="hook_exchange",
    summary="After an answer: keep the exchange",
)
def hook_exchange(request: HttpRequest, body: HookExchangeIn) -> HttpResponse:
    """``blocking`` when its outcome is asked for and the operator wants clients to wait for it."""
    check_user(request, body.user_id)
    return store_exchange(request, body.user_id, body.thread_id, body, StoreExchangeOptions())


@router.post(
    "/hooks/score",
    auth=WRITE,
    response=describe_responses(201, OutcomeOut, reads_body=True, writes=True, may_miss=True),
    operation_id="hook_score",
    summary="Say how it went",
)
def hook_score(request: HttpRequest, body: HookScoreIn) -> HttpResponse:
    """With a ``thread_id`` alone: the exchange of that thread which waits for its outcome."""
    check_user(request, body.user_id)
    user = lookup_user(request, body.user_id)
    if body.thread_id and not (body.turn_id or body.exchange_id):
        # A hook that runs after an answer knows its thread and nothing else of the turn.
        unscored = open_facade(request).find_unscored_exchange(user, body.thread_id) if user else None
        body.exchange_id = str(unscored.exchange_id) if unscored else None
        if not (unscored or body.related or body.key_takeaway):
            raise invalid_field("thread_id", "is no thread in which an exchange waits for its outcome")
    return record_outcome(request, body.user_id, body)
