"""The inbox through the API: counted, listed, decided, taken back, and refused where it must be."""

import uuid

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient, client_for
from tests.factories import MemoryItemFactory

pytestmark = pytest.mark.usefixtures("services")


@pytest.fixture
def admin(user: EndUser) -> ApiClient:
    return client_for(user, scopes=("read", "write", "admin"))


@pytest.fixture
def failed(api: ApiClient) -> int:
    """The number of a verdict that nobody told the reason of."""
    said = api.post("threads/t/exchanges", {"user_message": "How do I descale it?", "assistant_message": "Bleach."})
    told = {"exchange_id": said.json()["exchange_id"], "outcome": "failed"}
    assert api.post("outcomes", told).status_code in {200, 201}
    [waiting] = api.get("inbox/unexplained_failures").json()["items"]
    assert waiting["statements"][0]["type"] == "turn"
    return int(waiting["id"])


def count(api: ApiClient, kind: str) -> int:
    return next(int(one["waiting"]) for one in api.get("inbox").json()["kinds"] if one["kind"] == kind)


def test_a_failure_is_listed_explained_and_taken_back(api: ApiClient, admin: ApiClient, failed: int) -> None:
    kind = "unexplained_failures"
    path = f"inbox/{kind}/{failed}"
    assert count(api, kind) == 1
    refused = admin.post(path, {"decision": "explain"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "reason")
    decided = admin.post(path, {"decision": "explain", "reason": "Bleach does not dissolve lime."})
    assert decided.status_code == 200, decided.content
    assert (count(api, kind), admin.post(path, {"decision": "keep"}).status_code) == (0, 404)
    [row] = api.get("inbox/decided").json()["items"]
    assert (row["id"], row["decision"]) == (decided.json()["id"], "explain")
    assert admin.post(f"inbox/decided/{row['id']}/undo", {}).status_code == 200
    assert (count(api, kind), admin.post(f"inbox/decided/{row['id']}/undo", {}).status_code) == (1, 404)


def test_a_kind_is_decided_as_a_whole(admin: ApiClient, failed: int) -> None:
    made = admin.post("inbox/unexplained_failures", {"decision": "keep"})
    assert [one["decision"] for one in made.json()["items"]] == ["keep"]
    assert count(admin, "unexplained_failures") == 0


@pytest.mark.parametrize(
    ("path", "decision", "status"),
    [
        ("inbox/unexplained_failures/{failed}", "merge", 422),
        ("inbox/unexplained_failures/{failed}", "burn", 422),
        ("inbox/unexplained_failures/999999999", "keep", 404),
        ("inbox/suspected/{failed}", "keep", 404),
        ("inbox/unexplained_failures/" + str(uuid.UUID(int=7)), "keep", 404),
        ("inbox/duplicates/" + str(uuid.UUID(int=7)), "merge", 404),
        ("inbox/weather/1", "keep", 422),
        ("inbox/suspected/x", "keep", 422),
        ("inbox/unexplained_failures", "explain", 422),
    ],
)
def test_what_cannot_be_decided_is_refused_and_nothing_changes(
    admin: ApiClient, failed: int, path: str, decision: str, status: int
) -> None:
    assert admin.post(path.format(failed=failed), {"decision": decision}).status_code == status
    assert count(admin, "unexplained_failures") == 1


def test_deciding_takes_an_administrators_key_and_the_persons_own_address(
    failed: int, user: EndUser, other_user: EndUser
) -> None:
    path = f"inbox/unexplained_failures/{failed}"
    assert client_for(user, scopes=("read", "write")).post(path, {"decision": "keep"}).status_code == 403
    theirs = client_for(other_user, scopes=("read", "write", "admin"))
    assert theirs.post(path, {"decision": "keep"}).status_code == 404
    assert count(theirs, "unexplained_failures") == 0


def test_a_failure_told_of_a_memory_shows_the_memory(api: ApiClient, user: EndUser) -> None:
    stored = str(MemoryItemFactory.create(user=user, banked=True, text="The boiler is reset with the red button.").pk)
    told = api.post("outcomes", {"related": [stored], "outcome": "failed"})
    assert told.status_code in {200, 201}, told.content
    [waiting] = api.get("inbox/unexplained_failures").json()["items"]
    [statement] = waiting["statements"]
    assert (statement["type"], statement["id"]) == ("memory", stored)
    assert "red button" in statement["text"]
