"""Refusals of the framework in the form of all others of the API."""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from rest_framework.exceptions import APIException, NotAuthenticated, Throttled, ValidationError

from memory.access.members import MemberRefused
from memory.facade.installation import TaskRefused
from memory.web.problems import (
    FieldError,
    Problem,
    conflict,
    invalid_field,
    invalid_fields,
    problem_from_status,
    to_problem,
)
from memory.webhooks.listing import NotSentAgain


def answer_fault(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """What the framework calls with every exception of a view."""
    return describe_fault(error).response()


def describe_fault(error: Exception) -> Problem:
    match error:
        case ValidationError():
            return invalid_fields(list_field_errors(error.detail))
        case Throttled():
            return problem_from_status(429, "Too many requests; wait a moment.", {"Retry-After": "1"})
        case NotAuthenticated():
            challenge = {"WWW-Authenticate": 'Bearer realm="commonplace"'}
            return Problem(401, "unauthorised", "Send a key, or sign in to the console.", headers=challenge)
        case APIException():
            return problem_from_status(error.status_code, str(error.detail))
        case PermissionDenied():
            return problem_from_status(403, "That is not yours to do.")
        case MemberRefused():
            return invalid_field(error.field, str(error))
        case TaskRefused() | NotSentAgain():
            return conflict(f"Not done: {error}.")
        case _:
            return to_problem(error)


def list_field_errors(detail: Any, path: str = "") -> Iterator[FieldError]:  # noqa: ANN401 -- nested as the fields are
    if isinstance(detail, dict):
        for name, inner in detail.items():
            field = "" if name == "non_field_errors" else str(name)
            yield from list_field_errors(inner, f"{path}.{field}" if path and field else path or field)
        return
    for one in detail if isinstance(detail, list) else [detail]:
        if isinstance(one, dict | list):
            yield from list_field_errors(one, path)
        else:
            yield FieldError(path, str(one))
