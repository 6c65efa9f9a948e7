"""The inbox in the console: what waits is shown, decided by a form, in place and as a whole, and taken back."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import DecidedMatter, EndUser, MemoryItem
from memory.retrieval.results import SearchRequest
from memory.tiers import Outcome, Status, Tier
from outcomes.exchanges.storing import NewExchange
from outcomes.models import OutcomeEvent
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def find_actions(page: str, name: str) -> list[str]:
    return re.findall(rf'action="([^"]*{name}[^"]*)"', page)


def read(user: EndUser, item: MemoryItem) -> MemoryItem:
    found = memory.get(user, item.pk)
    assert found is not None
    return found


def expire(user: EndUser, text: str) -> MemoryItem:
    ends = timezone.now() + timedelta(days=1)
    return MemoryItemFactory.create(user=user, text=text, tier=Tier.HISTORY, retrieved=4, expires_at=ends)


def test_what_is_used_and_ends_is_kept_by_a_form_and_taken_back(console: Console, user: EndUser, place: str) -> None:
    item = expire(user, "The boiler's pressure is 1.4 bar")
    assert 'class="waiting figures">1<' in console.get(f"{place}/memories").content.decode()
    # The navigation leads to the first kind of which something waits.
    led = console.get(f"{place}/inbox", follow=True)
    assert led.redirect_chain[-1][0] == f"{place}/inbox/expiring"
    page = led.content.decode()
    assert "pressure is 1.4 bar" in page
    [decide] = [one for one in find_actions(page, "/inbox/expiring/") if not one.endswith("/all")]
    said = console.post(decide, {"decision": "keep"}, follow=True).content.decode()
    assert "Kept permanently." in said
    assert read(user, item).expires_at is None
    [undo] = find_actions(said, "/decisions/")
    back = console.post(undo, follow=True).content.decode()
    assert "Taken back" in back
    assert read(user, item).expires_at == item.expires_at


def test_duplicates_are_looked_for_and_shown_with_what_differs(console: Console, user: EndUser, place: str) -> None:
    for text in (
        "The user is a physician at the harbour clinic.",
        "The user works as a doctor at the harbour clinic.",
    ):
        MemoryItemFactory.create(user=user, banked=True, text=text)
    page = console.post(f"{place}/inbox/duplicates/look", follow=True).content.decode()
    assert "1 new." in page
    assert re.search(r"<(del|ins)>[^<]*(physician|doctor)", page)
    [decide] = [one for one in find_actions(page, "/inbox/duplicates/") if not one.endswith(("/all", "/look"))]
    part = console.post_part(decide, {"decision": "merge"}).content.decode()
    assert "<html" not in part
    assert "Merged into one." in part
    with user_scope(user):
        states = sorted(MemoryItem.objects.for_user(user).values_list("status", flat=True))
        undo = f"{place}/decisions/{DecidedMatter.objects.get(user=user).pk}/undo"
    assert states == [Status.ACTIVE, Status.ARCHIVED]
    assert undo in part
    assert "This was settled before" in console.post_part(decide, {"decision": "merge"}).content.decode()


def test_a_reason_is_asked_for_and_a_missing_one_told(console: Console, user: EndUser, place: str) -> None:
    stored = memory.store_exchange(user, NewExchange("t", "How to descale?", "With bleach."), now=timezone.now())
    memory.record_outcome(user, Outcome.FAILED, now=timezone.now(), exchange_id=stored.exchange_id)
    page = console.get(f"{place}/inbox/unexplained_failures").content.decode()
    [decide] = [one for one in find_actions(page, "/inbox/unexplained_failures/") if not one.endswith("/all")]
    # The card stays as it was, with the message at its field, on a page of its own as in its place.
    for refused in (console.post(decide, {"decision": "explain"}), console.post_part(decide, {"decision": "explain"})):
        said = refused.content.decode()
        assert refused.status_code == 422
        assert re.search(
            r'Say why it failed</li></ul>\s*<input type="text"[^>]*aria-invalid="true"[^>]*autofocus', said
        )
        assert decide in find_actions(said, "/inbox/unexplained_failures/")
    told = console.post(decide, {"decision": "explain", "reason": "Bleach leaves the lime."}, follow=True)
    assert "Noted." in told.content.decode()
    assert "Nothing to decide" in told.content.decode()


def test_a_failure_is_told_with_its_question_its_answer_and_its_turn(
    console: Console, user: EndUser, place: str
) -> None:
    MemoryItemFactory.create(user=user, text="Vinegar takes the lime off", tier=Tier.HISTORY)
    turn_id = memory.search(user, SearchRequest("How to descale?"), now=timezone.now()).turn_id
    new = NewExchange("t", "How to descale?", "With bleach.", turn_id=turn_id)
    stored = memory.store_exchange(user, new, now=timezone.now())
    memory.record_outcome(user, Outcome.FAILED, now=timezone.now(), exchange_id=stored.exchange_id)
    with user_scope(user):
        scored = OutcomeEvent.objects.get(user=user).scored_ids
    assert scored
    pages = [f"{place}/inbox/unexplained_failures", *(f"{place}/memories/{item_id}" for item_id in scored)]
    for page in map(console.get, pages):
        said = page.content.decode()
        assert f"/replay?turn={turn_id}" in said
        assert f"#exchange-{stored.exchange_id}" in said
        assert "How to descale?" in said
        assert "With bleach." in said


def test_a_kind_is_decided_as_a_whole(console: Console, user: EndUser, place: str) -> None:
    items = [expire(user, f"Boiler {number}") for number in range(3)]
    said = console.post(f"{place}/inbox/expiring/all", {"decision": "archive"}, follow=True).content.decode()
    assert "3 decided." in said
    assert {read(user, item).status for item in items} == {Status.ARCHIVED}
    # One line for what one press did, and one press that takes all of it back.
    assert "×3" in said
    undo = find_actions(said, "/decisions/")[0]
    back = console.post(undo, {"together": "yes"}, follow=True).content.decode()
    assert "Taken back: 3 wait again." in back
    assert {read(user, item).status for item in items} == {Status.ACTIVE}
    assert console.post(undo, {"together": "yes"}).status_code == 404


@pytest.mark.parametrize(
    "path", ["inbox/weather", "inbox/weather/1", "decisions/00000000-0000-0000-0000-000000000007/undo"]
)
def test_what_is_not_there_is_not_found(console: Console, place: str, path: str) -> None:
    assert console.post(f"{place}/{path}", {"decision": "keep"}).status_code in {404, 405}
