"""Which pages of other origins a browser lets ask the API: `CORS_ORIGINS`, none by default."""

import re

from django.core.exceptions import ImproperlyConfigured

from config.env import env_list

# Any scheme: an extension of a browser and a desktop program have one of their own. Only a browser's own words for an
# origin: what has a path, a user or a star would equal none that is ever sent.
ORIGIN = re.compile(r"([a-z][a-z0-9+.-]{0,30})://(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?")
USUAL_PORTS = {"http": "80", "https": "443"}
# A cookie is in none of them: the API reads keys alone, and an answer here allows no credentials.
REQUEST_HEADERS = (
    *("accept", "authorization", "content-type", "idempotency-key", "x-request-id", "traceparent", "tracestate"),
    *("x-user-id", "x-thread-id", "x-agent-id", "x-project-id"),
)
ANSWER_HEADERS = (
    *("idempotency-replayed", "retry-after", "www-authenticate", "x-ratelimit-limit", "x-request-id", "x-trace-id"),
    "content-disposition",
)


def read_origins() -> list[str]:
    return [normalize_origin(given) for given in env_list("CORS_ORIGINS")]


def normalize_origin(given: str) -> str:
    """As browsers send it: in small letters, without the usual port."""
    found = ORIGIN.fullmatch(given.lower())
    if found is None or not 0 < int(found[2] or 1) < 65_536:
        raise ImproperlyConfigured(
            f"CORS_ORIGINS must be origins such as https://chat.example.org, with commas, without paths, not {given!r}"
        )
    port = found[2]
    return found[0].removesuffix(f":{port}") if port and port == USUAL_PORTS.get(found[1]) else found[0]
