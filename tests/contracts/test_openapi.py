"""The API's document is a promise: a change of it is made on purpose, with ``make schema``."""

import json
from pathlib import Path
from typing import Any

import pytest

from config.api import api

SNAPSHOT = Path(__file__).parent / "openapi.json"
PROMISED = {
    "POST /api/v1/users/{user_id}/memories",
    "POST /api/v1/users/{user_id}/memories/batch",
    "GET /api/v1/users/{user_id}/memories",
    "GET /api/v1/users/{user_id}/memories/{memory_id}",
    "PATCH /api/v1/users/{user_id}/memories/{memory_id}",
    "DELETE /api/v1/users/{user_id}/memories/{memory_id}",
    "POST /api/v1/users/{user_id}/memories/{memory_id}/archive",
    "POST /api/v1/users/{user_id}/memories/{memory_id}/restore",
    "GET /api/v1/users/{user_id}/memories/{memory_id}/versions",
    "GET /api/v1/users/{user_id}/memories/{memory_id}/events",
    "GET /api/v1/users/{user_id}/index-status",
    "DELETE /api/v1/users/{user_id}",
    "POST /api/v1/users/{user_id}/search",
    "POST /api/v1/users/{user_id}/context",
    "POST /api/v1/users/{user_id}/threads/{thread_id}/exchanges",
    "POST /api/v1/users/{user_id}/outcomes",
    "POST /api/v1/users/{user_id}/promote",
    "GET /api/v1/users/{user_id}/stats",
}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return json.loads(json.dumps(api.get_openapi_schema(), default=str))


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def test_the_document_is_the_one_committed(document: dict[str, Any]) -> None:
    assert document == json.loads(SNAPSHOT.read_text(encoding="utf-8")), "run make schema and read the difference"


def test_every_promised_call_is_there(document: dict[str, Any]) -> None:
    assert set(operations(document)) >= PROMISED


def test_every_operation_has_a_name_a_summary_and_a_key(document: dict[str, Any]) -> None:
    names = [operation["operationId"] for operation in operations(document).values()]
    assert len(set(names)) == len(names)
    for call, operation in operations(document).items():
        assert operation["summary"], call
        assert operation["security"] == [{"BearerKey": []}], call


def test_the_document_opens_with_a_turn(document: dict[str, Any]) -> None:
    assert next(iter(document["paths"])) == "/api/v1/users/{user_id}/context"
    assert document["tags"][0]["name"] == "A turn"


def test_every_section_is_described_and_has_operations(document: dict[str, Any]) -> None:
    used = dict.fromkeys(tag for one in operations(document).values() for tag in one["tags"])
    assert list(used) == [section["name"] for section in document["tags"]]
    assert all(section["description"] for section in document["tags"])


def test_every_error_is_a_problem(document: dict[str, Any]) -> None:
    for call, operation in operations(document).items():
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert list(answer["content"]) == ["application/problem+json"], f"{call} {status}"


def test_every_post_about_a_person_documents_the_idempotency_key(document: dict[str, Any]) -> None:
    for call, operation in operations(document).items():
        names = {parameter["name"] for parameter in operation["parameters"]}
        # Webhooks and the vocabulary are the organisation's, and keep no answers of a person's.
        is_about_a_person = not any(part in call for part in ("/webhooks", "/vocabulary"))
        assert ("Idempotency-Key" in names) == (call.startswith("POST ") and is_about_a_person), call


def test_no_answer_holds_a_vector(document: dict[str, Any]) -> None:
    assert not {"embedding", "vector", "lexemes"} & set(document["components"]["schemas"]["MemoryOut"]["properties"])
