"""One attempt: a signed POST, bounded in time and in what is read of the answer. Touches no database."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import httpx

from memory.guard import redact_secrets
from memory.models.webhooks import EXCERPT_CHARS
from memory.platform.deadline import Deadline
from memory.platform.http import limit_to_deadline
from memory.webhooks.conf import webhook_conf
from memory.webhooks.connecting import get_vetted_client
from memory.webhooks.messages import OutgoingMessage

# So much is read of an answer, so that its connection can be used again.
READ_BYTES: Final = 4_096
GONE: Final = 410
# It may be there again soon; any other refusal is about the message.
AWAY: Final = frozenset({408, 425, 429})
BLANKS: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
MOST_RETRY_AFTER_S: Final = 3_600


@dataclass(frozen=True, slots=True)
class AttemptResult:
    delivery_id: int
    at: datetime
    status: int | None = None
    error: str = ""
    excerpt: str = ""
    retry_after_s: int = 0

    @property
    def is_delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_away(self) -> bool:
        """Whether the endpoint, and not the message, is the trouble."""
        return self.status is None or self.status >= 500 or self.status in AWAY


def send_batch(messages: list[OutgoingMessage]) -> list[AttemptResult]:
    """In their order, until the endpoint is away or the time of one attempt is used up."""
    results: list[AttemptResult] = []
    deadline = Deadline(webhook_conf().timeout_s)
    for message in messages:
        results.append(send_message(message))
        if (results[-1].is_away and not results[-1].is_delivered) or deadline.is_expired:
            break
    return results


def send_message(message: OutgoingMessage) -> AttemptResult:
    at, timeout_s = datetime.now(UTC), webhook_conf().timeout_s
    try:
        with limit_to_deadline(Deadline(timeout_s)):
            return post_message(message, at)
    except httpx.TimeoutException:
        return AttemptResult(message.delivery_id, at, error=f"no answer within {timeout_s:g} s")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return AttemptResult(message.delivery_id, at, error=shorten(str(error)) or type(error).__name__)


def post_message(message: OutgoingMessage, at: datetime) -> AttemptResult:
    headers = message.sign(at)
    with get_vetted_client().stream("POST", message.url, content=message.body.encode(), headers=headers) as reply:
        body = b""
        for chunk in reply.iter_raw():
            body += chunk
            if len(body) >= READ_BYTES:
                break
    result = AttemptResult(message.delivery_id, at, status=reply.status_code)
    if result.is_delivered:
        return result
    return AttemptResult(
        message.delivery_id,
        at,
        status=reply.status_code,
        error=f"answered {reply.status_code}" + (", and redirects are not followed" * reply.is_redirect),
        excerpt=shorten(body[:READ_BYTES].decode("utf-8", "replace")),
        retry_after_s=read_retry_after(reply.headers.get("retry-after", "")),
    )


def shorten(text: str) -> str:
    """The beginning of what somebody else said, on one line and without secrets."""
    return redact_secrets(BLANKS.sub(" ", text).strip()).text[:EXCERPT_CHARS]


def read_retry_after(value: str) -> int:
    return min(int(value), MOST_RETRY_AFTER_S) if value.isascii() and value.isdecimal() and len(value) < 10 else 0
