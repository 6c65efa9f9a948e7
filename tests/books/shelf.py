"""A handbook and a table, and books of one person as a client has them."""

import csv
import io
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from books import jobs
from books.ingestion import run_job
from books.models import Book, BookChunk, BookUpload
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from tests.api_client import ApiClient

HANDBOOK = """# Lighthouse handbook

## Keeping the lamp

The lamp is trimmed at dusk by whoever has the watch. A trimmed lamp burns for eleven hours.

## Visitors

Visitors leave the tower before four in the afternoon. The password of the pantry is Swordfish99!.

```python
def count_steps():
    return 217
```
"""
STATIONS = [("station", "keeper", "steps"), *((f"Rock {n}", f"Keeper {n * 7}", str(100 + n)) for n in range(400))]


def table() -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(STATIONS)
    return out.getvalue().encode()


class BookShelf:
    """Books of one person as a client has them."""

    def __init__(self, api: ApiClient, person: str = "") -> None:
        self.http = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {api.key}"} | {"X-User-Id": person or api.external_id}

    def upload(self, body: bytes, name: str = "handbook.md", idempotency_key: str = "", **fields: str) -> Any:
        data = {"file": SimpleUploadedFile(name, body), **fields}
        once = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self.http.post("/api/v1/books/upload", data, headers=self.headers | once)

    def get(self, path: str, **query: Any) -> Any:
        return self.http.get(f"/api/v1/books/{path}", query, headers=self.headers)

    def post(self, path: str, body: Any = None) -> Any:
        return self.http.post(f"/api/v1/books/{path}", body or {}, "application/json", headers=self.headers)

    def delete(self, path: str) -> Any:
        return self.http.delete(f"/api/v1/books/{path}", headers=self.headers)

    def status(self, job_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"jobs/{job_id}/status").json()
        return found

    def read(self, user: EndUser, body: bytes, name: str = "handbook.md", **fields: str) -> str:
        """The id of the book it becomes."""
        job = self.upload(body, name, **fields).json()["job_id"]
        work(user)
        status = self.status(job)
        assert status["status"] == "completed", status
        return str(status["book_id"])


def work(user: EndUser) -> None:
    """As the worker does, one job after the other."""
    for job in jobs.list_open_jobs(user):
        run_job(user, job.pk, clock=timezone.now)
    # A machine that is short of time stores a book before its vectors are made.
    for job in jobs.list_open_jobs(user):
        if job.is_found:
            run_job(user, job.pk, clock=timezone.now)


def rows_left(user: EndUser) -> tuple[int, ...]:
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).count()
        return (items, *(model._default_manager.filter(user=user).count() for model in (Book, BookChunk, BookUpload)))
