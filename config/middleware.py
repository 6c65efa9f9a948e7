"""Middleware for every request: a request id in logs and answer, and a content security policy."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

from memory.platform import tracing

TRACE_HEADERS = (tracing.PARENT, "tracestate")
Next = Callable[[HttpRequest], HttpResponse]

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
)
# The API's own documentation page starts its viewer with an inline script; it shows no user data.
DOCS_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)
# The form of the consent page ends at the client that asked, and browsers hold every hop on the way there against this.
CONSENT_POLICY = POLICY.replace("form-action 'self'", "form-action 'self' https: http:")
POLICIES = {"/api/v1/docs": DOCS_POLICY, "/authorize": CONSENT_POLICY}


class RequestContextMiddleware:
    """Binds a request id for the logs and returns it as ``X-Request-Id``."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-Id", "")
        request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.trace_response(request)
        response.headers["X-Request-Id"] = request_id
        return response

    def trace_response(self, request: HttpRequest) -> HttpResponse:
        """The response; where traces are on as a span, whose id the logs and the answer name."""
        carried = {name: request.headers[name] for name in TRACE_HEADERS if name in request.headers}
        with tracing.continue_trace(f"{request.method}", carried) as span:
            if span is None:
                return self.get_response(request)
            with structlog.contextvars.bound_contextvars(trace_id=tracing.get_trace_id(span)):
                response = self.get_response(request)
            # The pattern of the address and not the address, which names people.
            route = request.resolver_match.route if request.resolver_match else "no such address"
            span.update_name(f"{request.method} /{route}")
            span.set_attribute("http.request.method", str(request.method))
            span.set_attribute("http.route", f"/{route}")
            span.set_attribute("http.response.status_code", response.status_code)
            response.headers["X-Trace-Id"] = tracing.get_trace_id(span)
        return response


class ContentSecurityPolicyMiddleware:
    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICIES.get(request.path, POLICY))
        return response
