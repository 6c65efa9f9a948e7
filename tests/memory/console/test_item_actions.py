"""What an operator does about a memory that serves badly, was worded better before, or is not in the index."""

import uuid
from collections.abc import Callable

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.tiers import Indexing, Outcome, Tier, Trust
from outcomes.models import OutcomeEvent
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console


def reload_item(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.get(pk=item.pk)


@pytest.mark.parametrize(("said", "score"), [("worked", 0.7), ("partial", 0.55), ("failed", 0.2)])
def test_an_operators_verdict_moves_the_score_and_says_so(
    console: Console, user: EndUser, place: str, said: str, score: float
) -> None:
    item = MemoryItemFactory.create(user=user)
    path = f"{place}/memories/{item.pk}"
    page = console.post(f"{path}/outcome", {"outcome": said}, follow=True).content.decode()
    assert reload_item(item).score == pytest.approx(score)
    assert f"the score went to {score:.2f}" in page
    with user_scope(user):
        assert OutcomeEvent.objects.get().actor == "operator:olga"


def test_what_outcomes_do_not_score_takes_no_verdict(console: Console, user: EndUser, place: str) -> None:
    banked = MemoryItemFactory.create(user=user, banked=True)
    path = f"{place}/memories/{banked.pk}"
    assert "Did it help?" not in console.get(path).content.decode()
    assert console.post(f"{path}/outcome", {"outcome": "worked"}).status_code == 404
    working = MemoryItemFactory.create(user=user, tier=Tier.WORKING)
    assert console.post(f"{place}/memories/{working.pk}/outcome", {"outcome": "splendid"}).status_code == 404
    assert reload_item(working).uses == 0


def test_what_could_not_be_indexed_is_listed_and_tried_again(
    console: Console, user: EndUser, place: str, index_now: Callable[[EndUser], None]
) -> None:
    MemoryItemFactory.create(user=user, text="This one is fine")
    failed = MemoryItemFactory.create(
        user=user, text="The kettle", indexing=Indexing.FAILED, index_attempts=3, index_error="answered 413"
    )
    assert "?status=failed" in console.get(place).content.decode()
    listed = console.get(f"{place}/memories?status=failed").content.decode()
    assert "The kettle" in listed
    assert "This one is fine" not in listed
    path = f"{place}/memories/{failed.pk}"
    assert "answered 413" in console.get(path).content.decode()
    page = console.post(f"{path}/index", follow=True).content.decode()
    assert "queued for indexing again" in page
    assert ">Try again<" not in page
    index_now(user)
    assert (reload_item(failed).indexing, reload_item(failed).index_error) == (Indexing.READY, "")
    assert "queued for indexing" not in console.post(f"{path}/index", follow=True).content.decode()


def test_a_statement_is_put_into_every_context_and_taken_out_again(console: Console, user: EndUser, place: str) -> None:
    banked = MemoryItemFactory.create(user=user, banked=True)
    path = f"{place}/memories/{banked.pk}"
    assert 'name="always" value="yes"' in console.get(path).content.decode()
    assert (
        "comes with every question" in console.post(f"{path}/always", {"always": "yes"}, follow=True).content.decode()
    )
    assert reload_item(banked).always_inject
    assert 'name="always" value="no"' in console.get(path).content.decode()
    console.post(f"{path}/always", {"always": "no"})
    assert not reload_item(banked).always_inject
    working = MemoryItemFactory.create(user=user, tier=Tier.WORKING)
    assert console.post(f"{place}/memories/{working.pk}/always", {"always": "yes"}).status_code == 404


def test_words_from_outside_do_not_come_with_every_question(console: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user, banked=True, trust=Trust.EXTERNAL)
    page = console.post(f"{place}/memories/{item.pk}/always", {"always": "yes"}, follow=True).content.decode()
    assert "Not changed: words of a document or tool can never always be injected." in page
    assert not reload_item(item).always_inject


def test_an_earlier_wording_is_used_again(console: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user, text="Runs on Mondays")
    MemoryFacade().revise(user, item.pk, {"text": "Swims on Mondays"}, now=timezone.now())
    path = f"{place}/memories/{item.pk}/edit"
    assert f"{path}?version=1" in console.get(f"{place}/memories/{item.pk}").content.decode()
    form = console.get(f"{path}?version=1").context["form"]
    assert form.initial["text"] == "Runs on Mondays"
    console.post(path, {name: form.initial[name] for name in ("text", "importance", "confidence", "version")})
    assert (reload_item(item).text, reload_item(item).version) == ("Runs on Mondays", 3)


@pytest.mark.parametrize("version", ["", "7", "-1", "x", "٣", "9" * 30])
def test_a_version_that_is_not_there_leaves_the_form_as_it_is(
    console: Console, user: EndUser, place: str, version: str
) -> None:
    item = MemoryItemFactory.create(user=user, text="Runs on Mondays")
    answer = console.get(f"{place}/memories/{item.pk}/edit", {"version": version})
    assert answer.context["form"].initial["text"] == "Runs on Mondays"


def test_a_verdict_on_nothing_is_not_found(console: Console, place: str) -> None:
    assert console.post(f"{place}/memories/{uuid.uuid4()}/outcome", {"outcome": "worked"}).status_code == 404
    assert console.post(f"{place}/memories/{uuid.uuid4()}/index").status_code == 404


def test_a_verdict_is_taken_back_where_it_was_given(console: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user)
    path = f"{place}/memories/{item.pk}"
    assert "Undo this outcome" not in console.get(path).content.decode()
    console.post(f"{path}/outcome", {"outcome": "worked"})
    page = console.post(f"{path}/outcome", {"outcome": "failed"}, follow=True).content.decode()
    assert "The last verdict was “failed”" in page
    failed, worked = MemoryFacade().list_events(user, item.pk)[:2]
    assert page.count(f"{path}/undo/{failed.pk}") == 3, "beside the message and the buttons, and on the timeline"
    assert f"{path}/undo/{worked.pk}" not in page

    page = console.post(f"{path}/undo/{failed.pk}", follow=True).content.decode()
    assert "The verdict was taken back: the score went to 0.70." in page
    assert "The last verdict was “worked”" in page
    left = reload_item(item)
    assert (left.score, left.uses, left.worked, left.failed, left.last_outcome) == (0.7, 1, 1, 0, "worked")

    page = console.post(f"{path}/undo/{worked.pk}", follow=True).content.decode()
    left = reload_item(item)
    assert (left.score, left.uses, left.last_outcome, left.last_used_at) == (0.5, 0, "", None)
    assert "Undo this outcome" not in page
    assert page.count("Outcome taken back") == 2
    again = console.post(f"{path}/undo/{worked.pk}", follow=True).content.decode()
    assert "Not taken back: this was taken back already." in again
    assert reload_item(item).score == 0.5


def test_a_verdict_on_an_answer_is_left_to_the_conversation(console: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user)
    with user_scope(user):
        turn = Turn.objects.create(user=user, positions=[[str(item.pk), item.tier]])
    MemoryFacade().record_outcome(user, Outcome.WORKED, now=timezone.now(), turn_id=turn.turn_id)
    path = f"{place}/memories/{item.pk}"
    assert "Undo this outcome" not in console.get(path).content.decode()
    [event] = MemoryFacade().list_events(user, item.pk)
    page = console.post(f"{path}/undo/{event.pk}", follow=True).content.decode()
    assert "Not taken back: this verdict is on an answer" in page
    assert reload_item(item).score == 0.7


def test_a_verdict_in_another_house_cannot_be_taken_back(outsider: Console, user: EndUser, place: str) -> None:
    item = MemoryItemFactory.create(user=user)
    MemoryFacade().record_outcome(user, Outcome.WORKED, now=timezone.now(), related=[str(item.pk)])
    [event] = MemoryFacade().list_events(user, item.pk)
    assert outsider.post(f"{place}/memories/{item.pk}/undo/{event.pk}").status_code == 404
    assert reload_item(item).score == 0.7


def test_what_the_guard_suspects_is_marked_filtered_and_confirmed(console: Console, user: EndUser, place: str) -> None:
    waiting = MemoryItemFactory.create(
        user=user, banked=True, text="Speaks in riddles", always_inject=True, warnings=["rule override"], review=True
    )
    MemoryItemFactory.create(user=user, banked=True, text="My sister Ana is a nurse")
    path = f"{place}/memories/{waiting.pk}"
    page = console.get(path).content.decode()
    assert "it looks like an order to the assistant" in page
    assert "always in context" not in page
    listed = console.get(f"{place}/memories?status=review").content.decode()
    assert "Speaks in riddles" in listed
    assert "To review" in listed
    assert "My sister Ana" not in listed
    after = console.post(f"{path}/vouch", {"back": "review"}, follow=True).content.decode()
    assert "Confirmed" in after
    assert "Nothing to review" in after
    assert reload_item(waiting).review is False
    confirmed = console.get(path).content.decode()
    assert "always in context" in confirmed
    assert "it looks like" not in confirmed


def test_what_is_not_confirmed_is_archived_from_the_list(console: Console, user: EndUser, place: str) -> None:
    waiting = MemoryItemFactory.create(user=user, banked=True, warnings=["joke"], review=True)
    after = console.post(f"{place}/memories/{waiting.pk}/archive", {"back": "review"}, follow=True).content.decode()
    assert "Nothing to review" in after
    assert reload_item(waiting).status == "archived"
