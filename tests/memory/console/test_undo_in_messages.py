"""What was done from a page is taken back by the button beside its message."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from html import unescape

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, MemoryItem
from memory.models.facts import FactState
from memory.store.admission import NewMemory
from memory.tiers import SourceType, Tier
from outcomes.exchanges.storing import NewExchange
from tests.memory.console.conftest import Console

pytestmark = pytest.mark.django_db

memory = MemoryFacade("key:test")
OFFER = re.compile(r'<form class="undo" method="post" action="([^"]+)">(.*?)</form>', re.DOTALL)
FIELD = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')


def take_back(console: Console, said: str) -> str:
    """The page after pressing the button that stands beside the message."""
    [banner] = re.findall(r'<div class="banner good".*?</div>', said, re.DOTALL)
    [(address, inputs)] = OFFER.findall(banner)
    fields = {name: unescape(value) for name, value in FIELD.findall(inputs)}
    return console.post(unescape(address), fields, follow=True).content.decode()


def reload_item(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.for_user(item.user).get(pk=item.pk)


def reload_fact(fact: Fact) -> Fact:
    with user_scope(fact.user):
        return Fact.objects.get(pk=fact.pk)


@pytest.fixture
def item(user: EndUser) -> MemoryItem:
    new = NewMemory("Sails at weekends", tier=Tier.MEMORY_BANK, tags=["preference"], source_type=SourceType.USER)
    return memory.store(user, new, now=timezone.now() - timedelta(days=1)).item


@pytest.fixture
def fact(user: EndUser) -> Fact:
    now = timezone.now() - timedelta(days=1)
    found = memory.state_fact(user, "I live in York.", now=now, said_at=now).fact
    assert found is not None
    return found


Change = tuple[str, Mapping[str, object], Callable[[MemoryItem], object]]
EDIT = {"text": "Rows at weekends", "tags": "habit", "importance": "0.9", "confidence": "0.8", "version": "1"}
CHANGES: dict[str, Change] = {
    "archive": ("archive", {}, lambda item: item.status),
    "edit": ("edit", EDIT, lambda item: (item.text, item.tags, item.importance, item.trust)),
    "always": ("always", {"always": "yes"}, lambda item: item.always_inject),
}


@pytest.mark.parametrize(("path", "fields", "read"), CHANGES.values(), ids=CHANGES)
def test_a_change_of_a_memory_is_taken_back(
    console: Console,
    item: MemoryItem,
    place: str,
    path: str,
    fields: Mapping[str, object],
    read: Callable[[MemoryItem], object],
) -> None:
    before = read(reload_item(item))
    said = console.post(f"{place}/memories/{item.pk}/{path}", fields, follow=True).content.decode()
    assert read(reload_item(item)) != before
    take_back(console, said)
    assert read(reload_item(item)) == before


def test_the_button_stands_once(console: Console, item: MemoryItem, place: str) -> None:
    address = f"{place}/memories/{item.pk}"
    assert OFFER.search(console.post(f"{address}/archive", follow=True).content.decode())
    assert 'class="banner good"' not in console.get(address).content.decode()


def test_a_verdict_is_taken_back(console: Console, user: EndUser, place: str) -> None:
    item = memory.store(user, NewMemory("Restarted the router", tier=Tier.WORKING), now=timezone.now()).item
    said = console.post(f"{place}/memories/{item.pk}/outcome", {"outcome": "failed"}, follow=True).content.decode()
    assert reload_item(item).score < item.score
    assert "verdict was taken back" in take_back(console, said)
    assert reload_item(item).score == item.score


CORRECTION = {"statement": "I live in Leeds.", "valid_from": "2026-01-01", "valid_to": "", "revision": "1"}


@pytest.mark.parametrize(("path", "fields"), [("reject", {}), ("confirm", {}), ("correct", CORRECTION)])
def test_a_change_of_a_fact_is_taken_back(
    console: Console, fact: Fact, place: str, path: str, fields: dict[str, str]
) -> None:
    def read() -> tuple[object, ...]:
        one = reload_fact(fact)
        kept = one.statement, one.object, one.state, one.is_confirmed, one.base_confidence, one.valid_from, one.valid_to
        return *kept, one.evidence_at

    before = read()
    given = fields and {**fields, "revision": str(reload_fact(fact).revision)}
    said = console.post(f"{place}/facts/{fact.pk}/{path}", given, follow=True).content.decode()
    assert read() != before
    take_back(console, said)
    assert read() == before


def test_nothing_is_taken_back_once_something_came_after_it(console: Console, fact: Fact, place: str) -> None:
    address = f"{place}/facts/{fact.pk}"
    assert "Not taken back" in console.post(f"{address}/undo", follow=True).content.decode()
    console.post(f"{address}/confirm")
    console.post(f"{address}/reject")
    assert "Not taken back" in console.post(f"{address}/undo", follow=True).content.decode()
    assert reload_fact(fact).state == FactState.RETRACTED


def test_the_offer_keeps_no_words_in_the_session(console: Console, item: MemoryItem, place: str) -> None:
    console.post(f"{place}/memories/{item.pk}/edit", EDIT)
    kept = [session.get_decoded() for session in Session.objects.all()]
    assert any("undo_offer" in one for one in kept)
    assert not any("weekends" in str(one) for one in kept)


def test_a_correction_leads_to_what_told_the_earlier_words_and_undoing_leaves_no_trace_of_it(
    console: Console, user: EndUser, place: str
) -> None:
    memory.store_exchange(user, NewExchange("kitchen", "My dentist is Dr. Peleg.", "I see."), now=timezone.now())
    memory.read_exchanges(user)
    with user_scope(user):
        fact = Fact.objects.get(user=user)
    before = list_evidence_of_all(user)
    given = {"statement": "My dentist is Dr. Amsalem.", "valid_from": timezone.now().date(), "revision": fact.revision}
    page = console.post(f"{place}/facts/{fact.pk}/correct", given, follow=True).content.decode()
    assert "Evidence for the earlier words" in page
    assert "/conversations?thread=kitchen" in page
    page = console.post(f"{place}/facts/{fact.pk}/undo", follow=True).content.decode()
    assert "Taken back: the fact is as it was before." in page
    assert "Evidence for the earlier words" not in page
    assert "Merged" not in page
    assert list_evidence_of_all(user) == before


def list_evidence_of_all(user: EndUser) -> list[tuple[object, ...]]:
    with user_scope(user):
        rows = Fact.objects.for_user(user).order_by("pk")
        names = "statement", "state", "evidence_count", "evidence__kind", "evidence__ref_id"
        return list(rows.values_list("pk", *names))
