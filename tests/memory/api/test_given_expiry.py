"""Until when a memory is kept, where whoever stores it says so."""

from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.lifecycle import learning, promotion
from memory.models import EndUser, MemoryItem
from memory.models.conditions import RowConditions
from memory.store import listing
from memory.tiers import Status
from tests.api_client import ApiClient
from tests.conftest import Clock

ENDS = {"expires_at": "2026-03-07"}


def find(api: ApiClient, **more: Any) -> list[str]:
    return [hit["content"] for hit in api.post("search", {"query": "parking spot", **more}).json()["results"]]


def list_sections(api: ApiClient, asked: dict[str, str]) -> list[dict[str, Any]]:
    """All but the bullets of the hot path, which go with the facts."""
    return [one for one in api.post("context", asked).json()["sections"] if "KNOWN OF THIS" not in one["text"]]


def test_a_fact_that_rests_on_it_is_told_no_longer(api: ApiClient, user: EndUser, clock: Clock) -> None:
    api.post("memories", {"text": "I live in Lisbon.", "tier": "memory_bank", "tags": ["identity"]} | ENDS)
    learning.learn_bank_items(user, now=clock())
    asked = {"query": "Where do I live?"}
    assert [one["name"] for one in list_sections(api, asked) if "Lisbon" in one["text"]]
    assert api.get("insights", asked).json()["you_already_know"]
    clock.advance(days=6)
    for _ in range(2):
        assert not [one for one in list_sections(api, asked) if "Lisbon" in one["text"]]
        assert api.get("insights", asked).json()["you_already_know"] == []
        promotion.promote_user(user, now=clock())
    assert "Lisbon" not in api.post("context", asked).json()["injection"]
    assert api.get("facts").json()["items"] == []


@pytest.mark.parametrize("tier", ["working", "history", "memory_bank"])
def test_a_memory_leaves_every_answer_at_the_time_it_was_given(
    api: ApiClient, user: EndUser, clock: Clock, tier: str
) -> None:
    spot = {"text": "The parking spot is B12.", "tier": tier, "tags": ["context"], "expires_at": "2026-03-07"}
    stored = api.post("memories", spot | {"always_inject": tier == "memory_bank"}).json()
    assert stored["expires_at"] == "2026-03-07T00:00:00Z"
    clock.advance(days=4)
    promotion.promote_user(user, now=clock())
    assert find(api) == [spot["text"]], "its tier's time is not its own"
    assert api.get("memories", {"expires_before": "2026-03-08"}).json()["items"][0]["id"] == stored["id"]
    assert api.get("memories", {"expires_before": "2026-03-06"}).json()["items"] == []

    clock.advance(days=1)
    for _ in range(2):
        assert find(api) == find(api, collections=[tier]) == []
        assert api.get("memories").json()["items"] == []
        assert spot["text"] not in api.post("context", {"query": "Where is my parking spot?"}).json()["injection"]
        preview = promotion.promote_user(user, now=clock(), dry_run=True)
        done = promotion.promote_user(user, now=clock())
        assert [one.reason for one in preview.archived] == [one.reason for one in done.archived]
    assert api.get(f"memories/{stored['id']}").json()["status"] == "archived"
    back = api.post(f"memories/{stored['id']}/restore").json()
    assert (back["status"], find(api)) == ("active", [spot["text"]])


def test_the_time_is_kept_when_a_memory_moves_and_changed_by_a_patch(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    [stored] = api.post(
        "memories/batch", {"items": [{"text": "The parking spot is B12.", "expires_at": "2027-03-07T10:00:00+02:00"}]}
    ).json()["ids"]
    with user_scope(user):
        MemoryItem.objects.for_user(user).filter(pk=stored).update(score=0.8, uses=2)
    promotion.promote_user(user, now=clock())
    moved = api.get(f"memories/{stored}").json()
    assert (moved["tier"], moved["expires_at"]) == ("history", "2027-03-07T08:00:00Z")
    sooner = api.patch(f"memories/{stored}", {"expires_at": "2026-03-03", "text": "The parking spot is B13."}).json()
    assert (sooner["expires_at"], sooner["text"]) == ("2026-03-03T00:00:00Z", "The parking spot is B13.")
    again = api.patch(f"memories/{stored}", {"expires_at": None}).json()
    assert (again["expires_at"], again["version"]) == ("2026-04-01T09:30:00Z", 2)
    kinds = [event["kind"] for event in api.get(f"memories/{stored}/events").json()["items"]]
    assert kinds == ["kept", "revised", "kept", "promoted", "stored"]


def test_what_is_told_again_is_kept_as_long_as_the_later_says(api: ApiClient, clock: Clock) -> None:
    spot = {"text": "The parking spot is B12.", "tier": "memory_bank", "tags": ["context"]}
    days = ("2026-03-09", "2026-03-07")
    ends = [api.post("memories", spot | {"expires_at": day}).json()["expires_at"] for day in days]
    assert ends == ["2026-03-09T00:00:00Z"] * 2
    assert api.post("memories", spot).json()["expires_at"] is None
    assert api.post("memories", spot | {"expires_at": "2026-03-09"}).json()["expires_at"] is None


def test_a_time_that_cannot_be_given_is_refused_by_name(api: ApiClient, clock: Clock) -> None:
    text = {"text": "The parking spot is B12."}
    for given, rule in (
        ("2026-03-02T09:30:00Z", "must lie in the future"),
        ("tomorrow", "must be an ISO 8601 date or time, such as 2026-03-02 or 2026-03-02T09:30:00Z"),
        (1772443800, "must be an ISO 8601 date or time, such as 2026-03-02 or 2026-03-02T09:30:00Z"),
    ):
        refused = api.post("memories", text | {"expires_at": given})
        assert (refused.status_code, refused.json()["errors"]) == (422, [{"field": "expires_at", "message": rule}])
    stored = api.post("memories", text).json()["id"]
    api.post(f"memories/{stored}/archive")
    refused = api.patch(f"memories/{stored}", {"expires_at": "2027-01-01"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "expires_at"


def test_pages_that_show_the_archived_have_it_and_others_do_not(api: ApiClient, user: EndUser, clock: Clock) -> None:
    api.post("memories", {"text": "The parking spot is B12.", **ENDS})
    clock.advance(days=6)
    counts = []
    for _ in range(2):
        for statuses in ((Status.ACTIVE, Status.DORMANT), (Status.ARCHIVED,), tuple(Status)):
            rows, count = listing.list_page(user, RowConditions(), statuses=statuses, start=0, limit=10)
            assert len(rows) == count
            counts.append(count)
        promotion.promote_user(user, now=clock())
    assert counts == [0, 0, 1, 0, 1, 1]
