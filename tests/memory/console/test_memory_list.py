"""The list of memories: filters, order, pages."""

import re
from datetime import timedelta

import pytest

from memory.console import memories as memory_list
from memory.models import EndUser
from memory.store.listing import RECENT, SCORE, ItemCursor
from memory.tiers import Tier
from tests.factories import LONG_AGO, MemoryItemFactory
from tests.memory.console.conftest import Console


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", ["a red kettle", "a blue lamp"]),
        ("?tier=memory_bank", ["a red kettle"]),
        ("?tag=Kitchen", ["a red kettle"]),
        ("?q=lamps", ["a blue lamp"]),
        ("?status=archived", ["an old chair"]),
        ("?sort=score", ["a blue lamp", "a red kettle"]),
        ("?tier=books", []),
    ],
)
def test_filters_narrow_the_list(console: Console, user: EndUser, place: str, query: str, texts: list[str]) -> None:
    MemoryItemFactory.create(user=user, text="a blue lamp", score=0.9, uses=1)
    MemoryItemFactory.create(
        user=user,
        text="a red kettle",
        tier=Tier.MEMORY_BANK,
        tags=["kitchen"],
        occurred_at=LONG_AGO + timedelta(days=1),
    )
    MemoryItemFactory.create(user=user, text="an old chair", archived=True)
    for ask in (console.get, console.part):
        assert [item.text for item in ask(f"{place}/memories{query}").context["items"]] == texts


@pytest.mark.parametrize("sort", ["recent", "score"])
def test_pages_follow_one_another_without_gaps(
    console: Console, user: EndUser, place: str, sort: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_list, "PAGE", 3)
    # Equal times and scores, so that only the id separates them.
    MemoryItemFactory.create_batch(8, user=user)
    path, seen = f"{place}/memories?sort={sort}", []
    for _ in range(3):
        page = console.get(path)
        seen += [item.pk for item in page.context["items"]]
        link = re.search(r'href="(\?[^"]*cursor=[^"]*)"', page.content.decode())
        if link is None:
            break
        path = f"{place}/memories{link[1].replace('&amp;', '&')}"
    assert len(seen) == len(set(seen)) == 8


def test_the_rows_that_follow_come_alone(
    console: Console, user: EndUser, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_list, "PAGE", 2)
    MemoryItemFactory.create_batch(3, user=user)
    first = console.part(f"{place}/memories")
    assert b'<ul class="rows">' in first.content
    rest = console.part(f"{place}/memories?{first.context['next_page']}")
    assert rest.content.strip().startswith(b"<li")
    assert rest.content.count(b"row-link") == 1


@pytest.mark.parametrize("cursor", ["x", "%00", "AAAA", "bmFufDA", "Z" * 5000, "é"])
def test_a_cursor_of_nobodys_making_starts_from_the_beginning(
    console: Console, user: EndUser, place: str, cursor: str
) -> None:
    MemoryItemFactory.create(user=user, text="a blue lamp")
    for sort in ("recent", "score"):
        answer = console.get(f"{place}/memories?sort={sort}&cursor={cursor}")
        assert [item.text for item in answer.context["items"]] == ["a blue lamp"]


def test_a_cursor_reads_back() -> None:
    item = MemoryItemFactory.build(score=0.30000000000000004)
    for sort, key in ((RECENT, item.occurred_at), (SCORE, item.score)):
        assert memory_list.read_cursor(memory_list.write_cursor(ItemCursor(key, item.pk)), sort) == ItemCursor(
            key, item.pk
        )
    assert memory_list.read_cursor(memory_list.write_cursor(ItemCursor(item.occurred_at, item.pk)), SCORE) is None


@pytest.mark.parametrize("query", ["tier=attic", "status=deleted", "q=" + "x" * 201, "tag=%00"])
def test_a_filter_that_does_not_exist_is_refused(console: Console, place: str, query: str) -> None:
    for ask in (console.get, console.part):
        assert ask(f"{place}/memories?{query}").status_code == 422


def test_empty_lists_say_why(console: Console, user: EndUser, place: str) -> None:
    assert b"Nothing is remembered yet" in console.get(f"{place}/memories").content
    assert b"No memory fits" in console.get(f"{place}/memories?q=lamp").content


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("status=archived", "Nothing is archived"),
        ("status=failed", "Nothing failed"),
        ("status=archived&q=lamp", "No memory fits"),
        ("tier=books", "No memory fits"),
    ],
)
def test_an_empty_list_says_what_it_is_empty_of(
    console: Console, user: EndUser, place: str, asked: str, said: str
) -> None:
    MemoryItemFactory.create(user=user)
    assert said in console.get(f"{place}/memories?{asked}").content.decode()
