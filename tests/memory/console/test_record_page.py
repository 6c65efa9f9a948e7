"""The record: what holds of a person on one page, what the bank says besides, and what was so before."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges.profiling import profile_due_exchanges
from outcomes.exchanges.storing import NewExchange
from tests.memory.console.conftest import Console

pytestmark = pytest.mark.django_db
memory = MemoryFacade("key:test")


def test_it_tells_what_holds_what_the_bank_adds_and_what_was_so(console: Console, user: EndUser, place: str) -> None:
    now = timezone.now()
    for days, said in ((40, "I live in York."), (2, "I live in Leeds now.")):
        memory.state_fact(user, said, now=now, said_at=now - timedelta(days=days))
    new = NewMemory("Wants the command first, then the reasons", tier=Tier.MEMORY_BANK, tags=["preference"])
    memory.store(user, new, now=now)
    page = console.get(f"{place}/record").content.decode()
    holds, before = page.split("True before")
    assert holds.count("I live in Leeds now.") == 1, "a fact that is in the bank too is told once"
    assert "Wants the command first" in holds
    assert "York" not in holds
    assert "I live in York." in before


def test_what_is_left_out_is_counted(
    console: Console, user: EndUser, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.console.record.MOST_FACTS", 1)
    for said in ("I play the cello.", "My daughter is called Alma.", "I am allergic to nuts."):
        memory.state_fact(user, said, now=timezone.now(), said_at=timezone.now())
    assert "2 more facts are not printed here." in console.get(f"{place}/record").content.decode()


def test_a_sentence_about_two_people_is_read_once(console: Console, user: EndUser, place: str) -> None:
    tell = "My daughter Alma is allergic to cashews."
    memory.state_fact(user, tell, now=timezone.now(), said_at=timezone.now())
    with user_scope(user):
        assert Fact.objects.for_user(user).count() > 1
    assert console.get(f"{place}/record").content.decode().count(tell) == 1


def test_a_sentence_that_tells_several_facts_of_one_is_read_once(console: Console, user: EndUser, place: str) -> None:
    tell = "I am a nurse and I live in Leeds."
    run_hot_turn(user, NewHotTurn("thread", tell), now=timezone.now(), actor="key:test")
    with user_scope(user):
        assert Fact.objects.for_user(user).filter(statement=tell, subject="you").count() > 1
    assert console.get(f"{place}/record").content.decode().count(tell) == 1


def test_of_somebody_unknown_it_says_so(console: Console, place: str) -> None:
    assert "Nothing is held true of this person yet." in console.get(f"{place}/record").content.decode()


def test_a_sentence_of_which_a_part_has_ended_says_which(console: Console, user: EndUser, place: str) -> None:
    told = "My husband Rob is diabetic and works at Lidl."
    for days, said in ((40, told), (3, "My husband Rob works at Aldi now.")):
        then = timezone.now() - timedelta(days=days)
        memory.store_exchange(user, NewExchange(f"thread {days}", said, "Noted.", occurred_at=then), now=then)
        profile_due_exchanges(user, now=then)
    page = console.get(f"{place}/record").content.decode()
    holds, ended = page[: page.index('id="ended"')], page[page.index('id="ended"') :]
    assert (holds.count(told), ended.count(told)) == (1, 1)
    assert "<bdi hx-disable>Lidl</bdi>" in ended
    assert "<bdi hx-disable>Lidl</bdi>" not in holds


def test_each_line_leads_to_what_it_tells_of(console: Console, user: EndUser, place: str) -> None:
    now = timezone.now()
    for days, said in ((40, "I live in York."), (2, "I live in Leeds now.")):
        memory.state_fact(user, said, now=now, said_at=now - timedelta(days=days))
    memory.store(user, NewMemory("Wants the command first", tier=Tier.MEMORY_BANK, tags=["preference"]), now=now)
    links = re.findall(
        r'<li><a href="([^"]+)" hx-disable><span[^>]*>([^<]+)<', console.get(f"{place}/record").content.decode()
    )
    assert {text for _, text in links} == {"I live in York.", "I live in Leeds now.", "Wants the command first"}
    for address, text in links:
        assert text in console.get(address).content.decode()


def test_days_are_told_in_the_language_of_whoever_reads(console: Console, user: EndUser, place: str) -> None:
    """The days are written once each; of another reader they are others."""
    memory.state_fact(user, "I live in Leeds.", now=timezone.now(), said_at=datetime(2025, 5, 3, tzinfo=UTC))
    told = [console.get(f"{place}/record", headers={"accept-language": lang}).content.decode() for lang in ("en", "de")]
    assert ["since 3 May 2025" in told[0], "seit 3. Mai 2025" in told[1]] == [True, True]
