"""The API as a chat client sees it: JSON over HTTP with a bearer key."""

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from django.test import Client

from memory.access.keys import SCOPES, issue_key
from memory.models import EndUser

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

ISSUED = datetime(2026, 1, 1, tzinfo=UTC)


class ApiClient:
    """Paths are relative to the user: ``post("memories", {...})``; an absolute path is taken as it is."""

    def __init__(self, external_id: str, key: str | None) -> None:
        self.external_id = external_id
        self.key = key
        self.http = Client(raise_request_exception=False)

    def url(self, path: str) -> str:
        return path if path.startswith("/") else f"/api/v1/users/{self.external_id}/{path}".rstrip("/")

    def headers(self, extra: dict[str, str]) -> dict[str, str]:
        return {**({"Authorization": f"Bearer {self.key}"} if self.key else {}), **extra}

    def get(self, path: str, query: dict[str, Any] | None = None, headers: dict[str, str] | None = None) -> "Response":
        return self.http.get(self.url(path), query or {}, headers=self.headers(headers or {}))

    def post(self, path: str, body: Any = None, **headers: str) -> "Response":
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> "Response":
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> "Response":
        return self.http.delete(self.url(path), headers=self.headers(headers))

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> "Response":
        """``body`` bytes are sent as they are, anything else as JSON; None sends nothing."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.generic(
            method, self.url(path), data, content_type="application/json", headers=self.headers(named)
        )


def client_for(user: EndUser, scopes: tuple[str, ...] = SCOPES, **limits: Any) -> ApiClient:
    _, key = issue_key(user.organization, "test", scopes, now=ISSUED, **limits)
    return ApiClient(user.external_id, key)
