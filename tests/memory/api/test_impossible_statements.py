"""What cannot be so, or cannot have been said then, is refused with the rule."""

import pytest

from tests.api_client import ApiClient

pytestmark = pytest.mark.usefixtures("services")


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
