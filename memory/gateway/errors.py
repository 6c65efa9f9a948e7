"""Every way a call of the gateway can fail, in the shape that OpenAI's clients raise their exceptions from."""

import json
from typing import Any

from django.http import HttpResponse

from memory.web.problems import Problem, to_problem

JSON = "application/json"
BUSY_AFTER_S = 1
# Of an upstream's answer that is no JSON: a proxy's page says what is wrong in its first lines.
QUOTED_CHARS = 500

# The types of OpenAI's errors, by status; its clients choose the exception by the status itself.
TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
CODES = {401: "invalid_api_key", 413: "request_too_large", 429: "rate_limit_exceeded"}


class GatewayError(Exception):
    """Ends a call with this answer. ``param`` is the field of the body, or the header, that it is about."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None, retry_after_s: int = 0
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.param = param
        self.code = code or CODES.get(status)
        self.headers = {"Retry-After": str(retry_after_s)} if retry_after_s else {}

    def as_json(self) -> dict[str, Any]:
        default = "invalid_request_error" if self.status < 500 else "server_error"
        kind = TYPES.get(self.status, default)
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}

    def response(self) -> HttpResponse:
        return HttpResponse(json.dumps(self.as_json()), status=self.status, content_type=JSON, headers=self.headers)


class UpstreamRefusal(Exception):
    """What the language model's server answered in place of an answer; passed on as it is."""

    def __init__(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        super().__init__(f"the upstream answered {status}")
        self.status = status
        self.content = content
        self.headers = headers

    def as_json(self) -> dict[str, Any]:
        try:
            found = json.loads(self.content)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict) and "error" in found:
            return found
        quoted = self.content[:QUOTED_CHARS].decode("utf-8", "replace").strip()
        message = f"The language model's server answered {self.status}: {quoted or 'nothing'}"
        return {"error": {"message": message, "type": "upstream_error", "param": None, "code": None}}

    def response(self) -> HttpResponse:
        return HttpResponse(json.dumps(self.as_json()), status=self.status, content_type=JSON, headers=self.headers)


def invalid_request(param: str, rule: str) -> GatewayError:
    return GatewayError(400, f"{param}: {rule}" if param else rule, param=param or None)


def unreachable_upstream(reason: str) -> GatewayError:
    return GatewayError(502, f"The language model's server cannot be reached: {reason}", code="upstream_unreachable")


def late_upstream() -> GatewayError:
    return GatewayError(504, "The language model's server did not answer in time.", code="upstream_timeout")


def too_many_streams() -> GatewayError:
    return GatewayError(
        503,
        "As many answers are under way as this server waits for at a time (CHAT_STREAMS); try again.",
        code="too_many_streams",
        retry_after_s=BUSY_AFTER_S,
    )


def to_gateway_error(error: Exception) -> GatewayError | UpstreamRefusal:
    if isinstance(error, GatewayError | UpstreamRefusal):
        return error
    return translate_problem(to_problem(error))


def translate_problem(problem: Problem) -> GatewayError:
    """The house's own refusals: what it calls 422 is a 400 to these clients."""
    status = 400 if problem.status in {415, 422} else problem.status
    param = problem.errors[0].field if problem.errors else None
    translated = GatewayError(status, problem.detail, param=param or None)
    translated.headers = problem.headers
    return translated
