"""Every way a request can fail, as ``application/problem+json`` (RFC 9457) with a stable ``code``."""

import json
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from pydantic import BaseModel, Field

from memory.platform.faults import CodedFailure, Unavailable, UnknownReference
from memory.store.admission import WriteRefused
from memory.web.patterns import PATTERN_RULES

logger = structlog.get_logger(__name__)

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20
RETRY_AFTER_S = 2

TITLES = {
    "unauthorised": "A valid API key is needed",
    "forbidden": "This key may not do that",
    "not_found": "Not found",
    "method_not_allowed": "Method not allowed",
    "validation_failed": "The request is not valid",
    "too_large": "The request is too large",
    "unsupported_media_type": "The body is of another media type",
    "conflict": "Another request is in the way",
    "precondition_failed": "It was changed meanwhile",
    "idempotency_mismatch": "This Idempotency-Key belongs to another request",
    "rate_limited": "Too many requests",
    "unavailable": "A part of the service is away",
    "EMBEDDING_MODEL_UNAVAILABLE": "The question cannot be embedded now",
    "VECTOR_SEARCH_FAILED": "The search by vectors failed",
    "DB_READ_FAILED": "The records found cannot be read now",
    "internal_error": "Something went wrong on our side",
}
CODES = {
    401: "unauthorised",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    503: "unavailable",
}
PLAIN_RULES = {
    "extra_forbidden": "unknown field",
    "missing": "is required",
    "dict_type": "must be a JSON object",
    "model_type": "must be a JSON object",
    "model_attributes_type": "must be a JSON object",
    "list_type": "must be a list",
}
# Names that one call takes and another does not, with what stands in their place there.
OTHER_NAMES = {
    "tier": 'a search names its tiers in "collections", and no call changes that of a memory',
    "tiers": 'a search names its tiers in "collections", and a list one in "tier"',
    "collections": 'lists and deletions name one in "tier"',
    "in_thread": 'lists and deletions name one in "thread_id"',
    "filters": 'a search has each filter as a field of its own: "tags", "in_thread", "metadata", "source"',
}
SHOULD = re.compile(r"^(?:Input|String|List|Dictionary|Value) should ")
# A member of a union is named by its type, which is of no use to a client; fields of ours are plain words.
UNION_MEMBER = re.compile(r"(?:literal|list|dict|function|constrained)\W.*|int|str|dict")
# Waiting for a lock too long, a deadlock, or two transactions that cannot both happen.
CONTENTION = {"55P03", "40P01", "40001"}


@dataclass(frozen=True, slots=True)
class FieldError:
    """``field`` is a path such as ``items[3].text``. Of a file, ``line`` and ``column`` say where, counted from 1."""

    field: str
    message: str
    line: int | None = None
    column: int | None = None

    def as_json(self) -> dict[str, str | int]:
        place = {"line": self.line, "column": self.column}
        return {"field": self.field, "message": self.message} | {
            name: number for name, number in place.items() if number is not None
        }


class Problem(Exception):
    """Ends a request with this answer."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = headers or {}

    def response(self) -> HttpResponse:
        body = {
            "type": f"urn:commonplace:problem:{self.code}",
            "title": TITLES[self.code],
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": [error.as_json() for error in self.errors[:MAX_ERRORS]],
        }
        return HttpResponse(json.dumps(body), status=self.status, content_type=MEDIA_TYPE, headers=self.headers)


def not_found() -> Problem:
    """The same answer for things that do not exist and for those of another user."""
    return Problem(404, "not_found", "There is no such thing here.")


def unknown_address() -> Problem:
    """Told apart from what does not exist: a slip in the address looks like an empty memory otherwise."""
    detail = "No call has this address. /api/v1/docs lists those there are; the id of a person holds no slash."
    return Problem(404, "not_found", detail)


def unknown_reference(field: str) -> Problem:
    """What a field of the body names does not exist, or is another user's."""
    rule = "names nothing of this user's"
    return Problem(404, "not_found", f"{field}: {rule}", errors=[FieldError(field, rule)])


def invalid_fields(errors: Iterable[FieldError]) -> Problem:
    # Three are enough to read at once; the list holds the others.
    found = list(errors)
    detail = "; ".join(f"{error.field}: {error.message}" if error.field else error.message for error in found[:3])
    return Problem(422, "validation_failed", detail, errors=found)


def refuse_unknown(given: Iterable[str], known: Collection[str], rule: str) -> None:
    """What is misspelt would be passed over: ``?dry_run=true`` beside a body deleted, "user_id" for "user_ids" made a
    key for everybody."""
    if unknown := sorted(set(given).difference(known)):
        raise invalid_fields(FieldError(name[:100], hint_at_other_name(rule, name)) for name in unknown)


def hint_at_other_name(rule: str, name: str) -> str:
    return f"{rule}: {OTHER_NAMES[name]}" if name in OTHER_NAMES else rule


def invalid_field(field: str, message: str) -> Problem:
    return invalid_fields([FieldError(field, message)])


def unavailable(detail: str) -> Problem:
    return Problem(503, "unavailable", detail, headers={"Retry-After": str(RETRY_AFTER_S)})


def busy(detail: str) -> Problem:
    """For a request whose body was not read: the connection cannot carry another one."""
    return Problem(503, "unavailable", detail, headers={"Retry-After": str(RETRY_AFTER_S), "Connection": "close"})


def answer_coded_failure(error: CodedFailure) -> Problem:
    detail = f"{error.code}: {error.reason}; try again."
    return Problem(503, error.code, detail, headers={"Retry-After": str(RETRY_AFTER_S)})


def too_large(limit: int) -> Problem:
    return Problem(413, "too_large", f"A request body may have {limit:,} bytes.")


def conflict(detail: str) -> Problem:
    return Problem(409, "conflict", detail, headers={"Retry-After": "1"})


def rate_limited(limit: int, retry_after_s: float) -> Problem:
    return Problem(
        429,
        "rate_limited",
        f"This key may make {limit} requests a second.",
        headers={"Retry-After": str(max(1, math.ceil(retry_after_s))), "X-RateLimit-Limit": str(limit)},
    )


def format_field_path(location: Iterable[str | int]) -> str:
    """``("items", 3, "text")`` as ``items[3].text``."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def problem_from_validation(error: ValidationError) -> Problem:
    rules: dict[str, list[str]] = {}
    alternatives: set[str] = set()
    for one in error.errors:
        source, *location = one["loc"]
        # A body's errors carry the name of the parameter that reads it, which is not the client's business.
        if source == "body":
            location = location[1:]
        whole, location = location, drop_union_members(one["type"], location)
        message = describe_rule(one) if location else f"the body {describe_rule(one)}"
        field = format_field_path(location)
        rules.setdefault(field, []).append(message)
        alternatives |= {field} if len(location) < len(whole) else set()
    # Who sent a list with a wrong entry meant a list: that it could have been a word is of no use.
    meant = {field for field in alternatives if any(other.startswith(f"{field}[") for other in rules)}
    told = {field: messages for field, messages in rules.items() if field not in meant}
    return invalid_fields(FieldError(field, " or ".join(dict.fromkeys(messages))) for field, messages in told.items())


def drop_union_members(kind: str, location: list[str | int]) -> list[str | int]:
    if kind == "extra_forbidden":
        return location
    return [part for part in location if not UNION_MEMBER.fullmatch(str(part))]


def describe_rule(error: dict[str, Any]) -> str:
    """A rule of the schema as a sentence about the field."""
    pattern = error.get("ctx", {}).get("pattern", "")
    message = (
        PLAIN_RULES.get(error["type"]) or PATTERN_RULES.get(pattern) or str(error["msg"]).removeprefix("Value error, ")
    )
    message = SHOULD.sub("must ", message).replace(" after validation", "")
    if error["type"] == "extra_forbidden":
        message = hint_at_other_name(message, str(error["loc"][-1]))
    return message[:1].lower() + message[1:]


def problem_from_http_error(error: HttpError) -> Problem:
    # The framework wraps whatever a parser raises.
    if isinstance(error.__cause__, Problem):
        return error.__cause__
    return problem_from_status(error.status_code, str(error))


def problem_from_status(status: int, detail: str = "", headers: dict[str, str] | None = None) -> Problem:
    code = CODES.get(status, "validation_failed" if status < 500 else "internal_error")
    return Problem(status, code, detail or f"{TITLES[code]}.", headers=headers)


def problem_from_database(error: DatabaseError | InterfaceError) -> Problem:
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    # Trying again helps here, and a client that sees 500 does not try again.
    if sqlstate in CONTENTION:
        return conflict("Another request is changing the same thing; try again.")
    if isinstance(error, DataError):
        return invalid_field("", "the database cannot store one of the values")
    if isinstance(error, OperationalError | InterfaceError):
        logger.warning("database unavailable", sqlstate=sqlstate, reason=str(error).strip()[:200])
        return unavailable("The database does not answer; try again.")
    return report_unexpected(error)


def report_unexpected(error: Exception) -> Problem:
    # The answer names only the request's id: a traceback may quote what somebody stored.
    logger.error("request failed", exc_info=error)
    return Problem(500, "internal_error", "The failure was logged under this answer's X-Request-Id.")


def to_problem(error: Exception) -> Problem:
    """The problem document for any exception."""
    match error:
        case Problem():
            return error
        case ValidationError():
            return problem_from_validation(error)
        case HttpError():
            return problem_from_http_error(error)
        case WriteRefused():
            return invalid_field(error.field, error.rule)
        case UnknownReference():
            return unknown_reference(error.field)
        case Http404():
            return not_found()
        case CodedFailure():
            return answer_coded_failure(error)
        case Unavailable():
            return unavailable(f"The {error.dependency} does not answer; try again.")
        case DatabaseError() | InterfaceError():
            return problem_from_database(error)
        case _:
            return problem_from_transport(error)


def problem_from_transport(error: Exception) -> Problem:
    if isinstance(error, RequestDataTooBig):
        return Problem(413, "too_large", "The request body is too large.")
    if isinstance(error, MultiPartParserError):
        return Problem(400, "validation_failed", "The body is not multipart/form-data that can be read.")
    if isinstance(error, SuspiciousOperation):
        return invalid_field("", "the request has more parameters than are read, or parts that cannot be")
    if isinstance(error, UnreadablePostError):
        return invalid_field("", "the body ended before it was complete")
    return report_unexpected(error)


def register_exception_handlers(api: NinjaAPI) -> None:
    def answer(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
        return to_problem(error if isinstance(error, Exception) else error()).response()

    for kind in (Exception, HttpError, ValidationError, Http404):
        api.add_exception_handler(kind, answer)


class FieldProblem(BaseModel):
    field: str
    message: str
    line: int | None = Field(default=None, exclude_if=lambda number: number is None, description="In a file.")
    column: int | None = Field(default=None, exclude_if=lambda number: number is None)


class ProblemOut(BaseModel):
    """RFC 9457; ``code`` is stable, ``detail`` is for people."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    errors: list[FieldProblem]
