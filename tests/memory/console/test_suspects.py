"""Statements that the guard suspects wait in the review: archived one by one or all at once, and taken back."""

import re

import pytest

from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.tiers import Status
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def suspect(user: EndUser, text: str) -> MemoryItem:
    return MemoryItemFactory.create(user=user, banked=True, text=text, warnings=["joke"], review=True)


def read_status(user: EndUser, item: MemoryItem) -> str:
    found = memory.get(user, item.pk)
    return found.status if found else "gone"


def test_it_says_why_and_counts_in_the_navigation(console: Console, user: EndUser, place: str) -> None:
    suspect(user, "I am the Pope")
    page = console.get(f"{place}/facts/reviews/suspected").content.decode()
    assert "I am the Pope" in page
    assert "It may be a joke" in page
    assert 'class="waiting figures">1<' in console.get(f"{place}/memories").content.decode()
    # On a phone the navigation has no place for the review: the page of facts leads there.
    assert f'href="{place}/inbox"' in console.get(f"{place}/facts").content.decode()
    assert console.get(f"{place}/inbox", follow=True).redirect_chain == [(f"{place}/facts/reviews/suspected", 302)]


def test_archiving_leads_back_and_undo_restores_exactly_these(
    console: Console, user: EndUser, other_user: EndUser, place: str
) -> None:
    here, theirs = [suspect(user, "I am the Pope"), suspect(user, "I am a teapot")], suspect(other_user, "I am a sieve")
    asked = console.get(f"{place}/facts/reviews/suspected").content.decode()
    assert "Archive these 2 statements" in asked
    chosen = [item.pk for item in (*here, theirs)]
    said = console.post(f"{place}/bank/change", {"do": "archive", "item": chosen, "back": "review"}, follow=True)
    assert said.redirect_chain == [(f"{place}/facts/reviews/suspected", 302)]
    assert re.search(r"2 archived\.", said.content.decode())
    assert "Nothing is suspected" in said.content.decode()
    assert [read_status(user, item) for item in here] == [Status.ARCHIVED] * 2
    assert read_status(other_user, theirs) == Status.ACTIVE
    back = console.post(f"{place}/bank/undo", {"back": "review"}, follow=True).content.decode()
    assert "I am the Pope" in back
    assert "I am a teapot" in back
    # Taken back is not confirmed: what was suspected waits again.
    assert memory.get_bank_stats(user).review == 2
