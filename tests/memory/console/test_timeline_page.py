"""The timeline: what happened to facts and memories by day, one kind of it, and what was so on a day."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.access.scope import user_scope
from memory.console.history import page as history
from memory.console.history.events import HistoryKind, HistoryPlace, count_by_day, list_latest_stored, list_stored
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.store.listing import ItemFilter
from memory.tiers import Tier
from outcomes.exchanges.profiling import profile_due_exchanges
from outcomes.exchanges.storing import NewExchange
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db
TEXT = re.compile(r'class="user-text[^"]*"[^>]*>([^<]+)</a>')


def keep(user: EndUser, text: str, days_ago: float = 0) -> None:
    then = timezone.now() - timedelta(days=days_ago)
    memory.store(user, NewMemory(text, tier=Tier.MEMORY_BANK, tags=["context"]), now=then)


def move(user: EndUser) -> None:
    """York until two days ago, then Leeds."""
    for days, place in ((9, "York"), (2, "Leeds")):
        then = timezone.now() - timedelta(days=days)
        memory.state_fact(user, f"I live in {place}.", now=then, said_at=then)


def read(console: Console, place: str, **asked: str) -> str:
    return console.get(f"{place}/timeline", asked).content.decode()


def test_facts_and_memories_stand_by_day_latest_first(console: Console, user: EndUser, place: str) -> None:
    keep(user, "The lamp is repaired on Thursdays", days_ago=5)
    move(user)
    page = read(console, place)
    assert [page.index(text) for text in ("Leeds", "lamp")] == sorted(page.index(text) for text in ("Leeds", "lamp"))
    assert "Superseded" in page
    assert "1 superseded or merged" in page
    assert f"{timezone.now() - timedelta(days=5):%A, }" in page


def test_what_the_bank_says_of_a_fact_is_told_once_with_the_fact(console: Console, user: EndUser, place: str) -> None:
    memory.store_exchange(user, NewExchange("thread", "I live in York.", "Noted."), now=timezone.now())
    profile_due_exchanges(user, now=timezone.now())
    assert memory.list_items(user, ItemFilter(tier=Tier.MEMORY_BANK), limit=9), "the fact is in the bank"
    page = read(console, place)
    assert TEXT.findall(page).count("I live in York.") == 1
    assert "2 learned" in page, "the exchange and the fact"


def test_what_was_told_earlier_stands_on_the_day_it_was_said(console: Console, user: EndUser, place: str) -> None:
    now = timezone.now()
    for days, said in ((40, "I take ramipril 5 mg."), (3, "I no longer take ramipril.")):
        then = now - timedelta(days=days)
        memory.store_exchange(user, NewExchange(f"thread {days}", said, "Noted.", occurred_at=then), now=now)
    profile_due_exchanges(user, now=now)
    page = read(console, place)
    places = [page.index(f'id="day-{now - timedelta(days=ago):%Y%m%d}"') for ago in (3, 40)]
    assert places == sorted(places)
    assert page.index("I no longer take ramipril.") < places[1] < page.rindex("I take ramipril 5 mg.")
    assert "learned" not in page[page.index(f'id="day-{now:%Y%m%d}"') : places[0]], "today a bank item was archived"
    told = [text for text in TEXT.findall(page[places[1] :]) if text == "I take ramipril 5 mg."]
    assert len(told) == 1, "a sentence that told a medicine and its dose is learned once"
    assert "2 learned" in page[places[1] :], "the exchange and the sentence"


def test_a_kind_leaves_the_others_out(console: Console, user: EndUser, place: str) -> None:
    keep(user, "The lamp is repaired on Thursdays")
    move(user)
    only = read(console, place, kind="superseded")
    assert "York" in only
    assert "lamp" not in only
    assert "Nothing happened" in read(console, place, kind="promoted")
    assert console.get(f"{place}/timeline", {"kind": "sideways"}).status_code == 422
    assert console.get(f"{place}/timeline", {"as_of": "soon"}).status_code == 422


def test_a_day_tells_what_was_so_then(console: Console, user: EndUser, place: str) -> None:
    move(user)
    day = (timezone.now() - timedelta(days=4)).date()
    then, now = (
        read(console, place, as_of=day.isoformat()),
        read(console, place, as_of=timezone.now().date().isoformat()),
    )
    assert "1 fact held then" in then
    assert "I live in York." in then
    assert "Leeds" not in then
    assert "Leeds" in now.partition("All facts of that day")[0]
    assert f"as_of={day + timedelta(days=1)}" in then


def test_pages_show_each_event_once(
    console: Console, user: EndUser, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "PAGE", 3)
    moment = timezone.now() - timedelta(hours=1)
    names = [f"Number {word} stands in the cellar" for word in ("one", "two", "three", "four", "five", "six", "seven")]
    for name in names:
        memory.store(user, NewMemory(name, tier=Tier.HISTORY), now=moment)
    move(user)
    seen, page, pages = [], read(console, place), 1
    while following := re.search(r'class="button" href="\?(after=[^"]+)"', page):
        seen += TEXT.findall(page)
        page, pages = console.get(f"{place}/timeline?{following[1]}").content.decode(), pages + 1
    seen += TEXT.findall(page)
    assert pages > 2
    assert sorted(text for text in seen if text in names) == sorted(names)
    assert read(console, place, after="nonsense~fact~x").count("timeline") > 0


def test_of_what_was_deleted_or_forgotten_no_word_is_left(console: Console, user: EndUser, place: str) -> None:
    item = memory.store(user, NewMemory("The safe opens with tulips"), now=timezone.now()).item
    fact = memory.state_fact(user, "I live in Ghent.", now=timezone.now()).fact
    assert fact is not None
    memory.remove(user, item.pk, now=timezone.now())
    memory.forget_fact(user, fact.pk, now=timezone.now())
    page = read(console, place)
    assert "tulips" not in page
    assert "Ghent" not in page
    assert "archived or forgotten" in page


def test_what_was_written_stays_text(console: Console, user: EndUser, place: str) -> None:
    memory.store(user, NewMemory("<i>lamp</i> is what the label says"), now=timezone.now())
    page = read(console, place)
    assert "<i>lamp" not in page
    assert "&lt;i&gt;lamp" in page


def test_more_events_ask_the_database_no_oftener(console: Console, user: EndUser, place: str) -> None:
    keep(user, "The lamp is repaired on Thursdays")
    read(console, place)
    with CaptureQueriesContext(connection) as few:
        read(console, place)
    for number in range(8):
        keep(user, f"Shelf {number} holds a box of nails", days_ago=number)
    with CaptureQueriesContext(connection) as many:
        read(console, place)
    assert len(many) == len(few)


def test_the_count_of_days_has_a_book_once(user: EndUser) -> None:
    now = timezone.now()
    passages = [NewMemory(f"Passage {number} of the handbook", tier=Tier.BOOKS) for number in range(9)]
    memory.store_many(user, passages, now=now - timedelta(minutes=2))
    memory.store_many(user, passages[:1], now=now - timedelta(minutes=1))
    keep(user, "The lamp is repaired on Thursdays")
    counts = count_by_day(user, now.date() - timedelta(days=1), now.date())
    assert sum(of_day[HistoryKind.LEARNED] for of_day in counts.values()) == 3


def test_the_latest_memories_are_in_one_order_whatever_became_of_them(user: EndUser) -> None:
    """They are read status by status and tier by tier, and those of one moment come from several."""
    now = timezone.now()
    for number, tier in enumerate([*Tier, *Tier]):
        said = now - timedelta(hours=number // 4)
        MemoryItemFactory.create(user=user, tier=tier, occurred_at=said, archived=number % 3 == 0)
    memory.store_exchange(user, NewExchange("thread", "I live in York.", "Noted."), now=now)
    profile_due_exchanges(user, now=now)
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK, source__kind="profile").exists()
        wanted = list(list_stored(user).order_by("-told_at", "pk").values_list("told_at", "pk"))
        assert len(wanted) > len(Tier)
        for start in range(len(wanted)):
            after = HistoryPlace(wanted[start - 1][0], "stored", wanted[start - 1][1]) if start else None
            found = list_latest_stored(user, until=now, after=after, limit=3)
            assert [(row.place.at, row.place.key) for row in found] == wanted[start : start + 3]
        behind = HistoryPlace(wanted[2][0], "memory", 1)
        found = list_latest_stored(user, until=now, after=behind, limit=99)
        assert [row.subject_id for row in found] == [pk for at, pk in wanted if at <= behind.at]


def test_the_days_beside_a_day_keep_the_kind_and_the_first_day_has_none_before(console: Console, place: str) -> None:
    page = read(console, place, as_of="2026-05-03", kind=HistoryKind.LEARNED)
    assert 'href="?kind=learned&amp;as_of=2026-05-02"' in page
    assert 'href="?kind=learned&amp;as_of=2026-05-04"' in page
    # A year that is still being typed, as "0001" on the way to "1999".
    first = console.get(f"{place}/timeline", {"as_of": "0001-01-01"})
    assert first.status_code == 200
    assert "Day before" not in first.content.decode()
