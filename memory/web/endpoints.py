"""Decorators of endpoints: whom the address names, and one effect for a request that is sent twice.

A router's function is written about a person: ``def restore_memory(request, user, item_id)``. A decorator below the
route looks the person up from the ``user_id`` of the address, and for a POST keeps the promise of the Idempotency-Key:

=====================  ==========================================  ===================================================
decorator              a person nobody wrote to yet                with an Idempotency-Key
=====================  ==========================================  ===================================================
``optional_user``      ``user`` is None                            (not for POST)
``require_user``       404                                         (not for POST)
``create_user``        is made, unless the call is refused         (not for POST)
``answer_once``        a stranger, for whom nothing is stored      the answer is stored after the call
``write_once``         404, or made with ``creates_user``          the effect and its answer are one transaction
=====================  ==========================================  ===================================================
"""

from collections.abc import Callable, Collection
from functools import partial, wraps
from inspect import Parameter, signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseBase

from memory.models import EndUser
from memory.web.auth import get_stranger, get_user_or_404, lookup_user
from memory.web.fields import UserId
from memory.web.idempotency import replay_stored, run_once, store_after
from memory.web.persons import PersonName, name_person, run_for_writing
from memory.web.scoping import confine_to_fields

P = ParamSpec("P")
Response = TypeVar("Response", bound=HttpResponseBase)
Endpoint = Callable[..., HttpResponse]


def optional_user(view: Callable[Concatenate[HttpRequest, EndUser | None, P], Response]) -> Callable[..., Response]:
    def endpoint(request: HttpRequest, user_id: str, *args: P.args, **kwargs: P.kwargs) -> Response:
        return view(request, lookup_user(request, user_id), *args, **kwargs)

    return take_address(endpoint, view)


def require_user(view: Callable[Concatenate[HttpRequest, EndUser, P], HttpResponse]) -> Endpoint:
    def endpoint(request: HttpRequest, user_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return view(request, get_user_or_404(request, user_id), *args, **kwargs)

    return take_address(endpoint, view)


def create_user(view: Callable[Concatenate[HttpRequest, EndUser, P], HttpResponse]) -> Endpoint:
    def endpoint(request: HttpRequest, user_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return run_for_writing(
            request, user_id, lookup_user(request, user_id), lambda user: view(request, user, *args, **kwargs)
        )

    return take_address(endpoint, view)


def answer_once(view: Callable[Concatenate[HttpRequest, EndUser, P], HttpResponse]) -> Endpoint:
    """For calls that may take long and ask other services, so for none that must happen exactly once."""

    def endpoint(request: HttpRequest, user_id: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        user = lookup_user(request, user_id)
        if user is None:
            return view(request, get_stranger(request, user_id), *args, **kwargs)
        return store_after(request, user, partial(view, request, user, *args, **kwargs))

    return take_address(endpoint, view)


def write_once(
    *, creates_user: bool = False, only_reads: Callable[..., bool] | None = None, **found_before: Callable[..., object]
) -> Callable[[Endpoint], Endpoint]:
    """``found_before``: parameters of the endpoint that are no client's to give, each with the function that finds it.
    ``only_reads`` tells of what they found whether the call writes nothing: then it makes nobody.

    They are called with the endpoint's own arguments before its transaction begins, as they may ask other services,
    and not at all for a request that was answered before.
    """

    def decorate(view: Endpoint) -> Endpoint:
        def endpoint(request: HttpRequest, user_id: str, *args: object, **kwargs: object) -> HttpResponse:
            known = lookup_user(request, user_id) if creates_user else get_user_or_404(request, user_id)
            # A repeat is answered as it was, even where the preparation would refuse it by now.
            if found_before and known is not None and (stored := replay_stored(request, known)):
                return stored
            found = {name: find(request, known, *args, **kwargs) for name, find in found_before.items()}
            if known is None and only_reads is not None and only_reads(**found):
                return view(request, get_stranger(request, user_id), *args, **kwargs, **found)

            def act(user: EndUser) -> HttpResponse:
                return run_once(request, user, lambda: view(request, user, *args, **kwargs, **found))

            return run_for_writing(request, user_id, known, act)

        return take_address(endpoint, view, without=found_before)

    return decorate


def name_by_header(endpoint: Callable[..., Response]) -> Callable[..., Response]:
    """For routes without ``user_id``, above one of the decorators here: the person is the one ``X-User-Id`` names.

    Without it the only one the key acts for, else ``default``.
    """

    @wraps(endpoint)
    def call_for_named(request: HttpRequest, x_user_id: str | None = None, **kwargs: Any) -> Response:
        return endpoint(request, user_id=name_person(request, x_user_id), **kwargs)

    named = Parameter("x_user_id", Parameter.KEYWORD_ONLY, default=None, annotation=PersonName)
    own = [one for one in signature(endpoint).parameters.values() if one.name != "user_id"]
    call_for_named.__signature__ = signature(endpoint).replace(parameters=[*own, named])  # type: ignore[attr-defined]
    return call_for_named


def take_address(
    endpoint: Callable[..., Response], view: Callable[..., object], without: Collection[str] = ()
) -> Callable[..., Response]:
    """``endpoint`` with the parameters of ``view`` for the framework to read, but ``user_id`` in the place of ``user``.

    It works in the scope that its body or its parameters name.
    """

    @wraps(view)
    def call_in_scope(*args: Any, **kwargs: Any) -> Response:
        with confine_to_fields(*args, *kwargs.values()):
            return endpoint(*args, **kwargs)

    parameters = [
        Parameter("user_id", Parameter.POSITIONAL_OR_KEYWORD, annotation=UserId) if name == "user" else parameter
        for name, parameter in signature(view).parameters.items()
        if name not in without
    ]
    call_in_scope.__signature__ = signature(view).replace(parameters=parameters)  # type: ignore[attr-defined]
    return call_in_scope
