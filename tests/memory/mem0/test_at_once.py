"""What was added is found by the next call, before the worker has embedded it."""

from typing import TYPE_CHECKING

import pytest

from memory.models import EndUser
from outcomes.exchanges.profiling import profile_due_exchanges

if TYPE_CHECKING:
    from mem0 import MemoryClient

pytestmark = pytest.mark.usefixtures("services")


@pytest.mark.parametrize("is_read", [True, False], ids=["read", "not read yet"])
@pytest.mark.parametrize(
    ("said", "asked", "told"),
    [
        ("I'm a vegetarian and I'm allergic to nuts.", "What can I cook?", "vegetarian"),
        ("I live in Zurich.", "Where do I live?", "Zurich"),
        ("Ich habe eine Katze namens Minka.", "Welche Haustiere gibt es bei mir?", "Katze"),
    ],
)
def test_what_was_just_added_is_found(
    client: "MemoryClient", user: EndUser, said: str, asked: str, told: str, is_read: bool
) -> None:
    client.add([{"role": "user", "content": said}], user_id=user.external_id, async_mode=True)
    if is_read:
        profile_due_exchanges(user)
    found = client.search(asked, filters={"user_id": user.external_id})["results"]
    assert any(told in one["memory"] for one in found)
