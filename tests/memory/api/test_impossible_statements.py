"""What cannot be so, or cannot have been said then, is refused with the rule."""

import pytest

from tests.api_client import ApiClient

pytestmark = pytest.mark.usefixtures("services")


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("where do I live?", "must be a statement, not a question"),
        ("¿Dónde vivo?", "must be a statement, not a question"),
        ("\U0001f600\U0001f408\u200d\u2b1b", "must say something in words"),
    ],
)
def test_a_question_or_signs_alone_are_no_fact(api: ApiClient, statement: str, rule: str) -> None:
    answer = api.post("facts", {"statement": statement})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "statement", "message": rule}]
    assert api.get("facts", {"state": "all"}).json()["items"] == []


def test_a_statement_beside_a_question_is_kept(api: ApiClient) -> None:
    assert api.post("facts", {"statement": "Where do I live? I live in Basel."}).status_code == 201


@pytest.mark.parametrize("path", ["facts", "memories", "threads/t-1/exchanges"])
def test_nothing_was_said_before_1900(api: ApiClient, path: str) -> None:
    said = {
        "facts": {"statement": "I live in Basel."},
        "memories": {"text": "I live in Basel."},
        "threads/t-1/exchanges": {"user_message": "I live in Basel.", "assistant_message": "Noted."},
    }[path]
    answer = api.post(path, {**said, "occurred_at": "0001-01-01T00:00:00Z"})
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "occurred_at", "message": "must not lie before 1900"}]
    assert api.post(path, {**said, "occurred_at": "1900-01-01T00:00:00Z"}).status_code == 201
