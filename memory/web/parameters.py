"""What an address may say behind its question mark: the parameters of its operation, and no others."""

from typing import Any, ClassVar, TypeVar

from django.http import HttpRequest
from ninja.operation import Operation
from ninja.params.models import ParamModel, QueryModel

from memory.web.problems import refuse_unknown

Run = TypeVar("Run")


class NoOtherParameters(ParamModel):
    """Read before all else of a request whose key was admitted, and itself without a value."""

    __ninja_param_source__ = "query"  # type: ignore[assignment]
    known: ClassVar[frozenset[str]]

    @classmethod
    def get_request_data(cls, request: HttpRequest, *_: object) -> None:
        refuse_unknown(request.GET, cls.known, "unknown parameter")


def refuse_unknown_parameters(run: Run) -> Run:
    """Decorates every operation of an API: ``api.add_decorator(refuse_unknown_parameters, mode="view")``."""
    operation: Operation = run.__self__  # type: ignore[attr-defined]
    queries: list[Any] = [model for model in operation.models if issubclass(model, QueryModel)]
    known = frozenset(name for query in queries for name in query.__ninja_flatten_map__)
    own: Any = type(NoOtherParameters.__name__, (NoOtherParameters,), {"known": known})
    # The list is the framework's and shared between its copies of an operation.
    operation.models = [own, *operation.models]
    return run
