"""Idempotency keys: a repeated request gets the stored answer and is not executed again.

For a request with an effect, one transaction holds the record, the effect and the answer: the unique record makes a
second sender wait for the first, and a crash leaves either all three or nothing. Only successes are kept; a failed
request may be tried again under its key.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Iterable
from datetime import timedelta

from django.db import connection
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from pydantic import BaseModel

from memory.access.scope import user_scope
from memory.models import EndUser, IdempotencyRecord
from memory.web.large_bodies import read_body_in_chunks
from memory.web.problems import Problem, invalid_field

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MULTIPART = "multipart/form-data"
KEY = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?")
RETENTION = timedelta(hours=24)

# The unique index makes a second sender wait here until the first has committed or failed.
CLAIM = """
INSERT INTO idempotency_record (user_id, key, route, body_digest, status, response, created_at)
VALUES (%s, %s, %s, %s, 0, '{}', %s) ON CONFLICT (user_id, route, key) DO NOTHING
"""


class ModelResponse(HttpResponse):
    """An answer made here and now, with what it says; a repeated one is only bytes."""

    def __init__(self, status: int, body: BaseModel, parts: Collection[str] | None) -> None:
        written = body.model_dump_json(by_alias=True, include=None if parts is None else set(parts))
        super().__init__(written, status=status, content_type="application/json")
        self.body = body


def json_response(status: int, body: BaseModel, *, parts: Collection[str] | None = None) -> HttpResponse:
    """``parts``: the names of the fields to answer, None for all."""
    return ModelResponse(status, body, parts)


def run_once(request: HttpRequest, user: EndUser, act: Callable[[], HttpResponse]) -> HttpResponse:
    """The answer of ``act``. With an Idempotency-Key, ``act`` runs in the transaction that stores its answer."""
    key = read_idempotency_key(request)
    if key is None:
        return act()
    with user_scope(user):
        if not claim_key(request, user, key):
            return replay_response(request, user, key)
        response = act()
        store_response(request, user, key, response)
        return response


def store_after(request: HttpRequest, user: EndUser, find: Callable[[], HttpResponse]) -> HttpResponse:
    """The answer of ``find``, which runs outside any transaction, as it may call other services."""
    key = read_idempotency_key(request)
    if key is None:
        return find()
    if stored := replay_stored(request, user):
        return stored
    response = find()
    with user_scope(user):
        if not claim_key(request, user, key):
            return replay_response(request, user, key)
        store_response(request, user, key, response)
    return response


def read_idempotency_key(request: HttpRequest) -> str | None:
    key = request.headers.get(HEADER)
    if key is not None and not KEY.fullmatch(key):
        raise invalid_field(HEADER, "must be 1-255 printable ASCII characters")
    return key


def replay_stored(request: HttpRequest, user: EndUser) -> HttpResponse | None:
    """The answer that this request had before, if it has a key and had one."""
    key = read_idempotency_key(request)
    if key is None:
        return None
    with user_scope(user):
        fresh = find_records(request, user, key).filter(created_at__gt=timezone.now() - RETENTION)
        return replay_response(request, user, key) if fresh.exists() else None


def claim_key(request: HttpRequest, user: EndUser, key: str) -> bool:
    """True for the first sender. Waits for a sender whose transaction is open."""
    now = timezone.now()
    find_records(request, user, key).filter(created_at__lte=now - RETENTION).delete()
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, [user.pk, key, get_route(request), digest_request(request), now])
        return bool(cursor.rowcount == 1)


def store_response(request: HttpRequest, user: EndUser, key: str, response: HttpResponse) -> None:
    # As a string: the column would reorder an object's keys, and a replay is the same bytes.
    body = {"body": response.content.decode()}
    find_records(request, user, key).update(status=response.status_code, response=body)


def replace_stored_response(request: HttpRequest, user: EndUser, response: HttpResponse) -> None:
    """Replace the stored answer by the final one, if that was known only after the transaction."""
    if key := read_idempotency_key(request):
        with user_scope(user):
            store_response(request, user, key, response)


def replay_response(request: HttpRequest, user: EndUser, key: str) -> HttpResponse:
    record = find_records(request, user, key).get()
    # Answering the first request's result to another one would hide a client's bug as data.
    if record.body_digest != digest_request(request):
        raise Problem(409, "idempotency_mismatch", "The key was used with another body; use a new key.")
    return HttpResponse(
        record.response["body"],
        status=record.status,
        content_type="application/json",
        headers={REPLAYED: "true"},
    )


def find_records(request: HttpRequest, user: EndUser, key: str) -> QuerySet[IdempotencyRecord]:
    return IdempotencyRecord.objects.filter(user=user, route=get_route(request), key=key)


def get_route(request: HttpRequest) -> str:
    match = request.resolver_match
    return f"{request.method} {match.route if match else ''}"[:300]


def digest_request(request: HttpRequest) -> str:
    # The address is part of the request: one route serves many memories.
    digest = hashlib.sha256(request.path.encode() + b"\x00" + request.META.get("QUERY_STRING", "").encode() + b"\x00")
    for chunk in list_told_bytes(request):
        digest.update(chunk)
    return digest.hexdigest()


def list_told_bytes(request: HttpRequest) -> Iterable[bytes]:
    """The body. Of a form not the line between its parts, which a client makes up anew for the same file each time."""
    boundary = (request.content_params or {}).get("boundary", "")
    if request.content_type != MULTIPART or not boundary:
        return read_body_in_chunks(request)
    return [b"".join(read_body_in_chunks(request)).replace(b"--" + boundary.encode("utf-8", "replace"), b"--")]
