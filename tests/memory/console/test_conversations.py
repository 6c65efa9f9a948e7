"""Conversations: what was said, what came of it, and the operator's buttons, with and without JavaScript."""

import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from html import escape, unescape

import pytest
from django.utils import timezone

from knowledge_graph.models import HotThread
from memory.access.confinement import RowScope, confine_to
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.language.text import SMUGGLED
from memory.models import EndUser, MemoryItem, Turn
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from outcomes.console import THREADS, TURNS
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ActionTaken, ConversationSignal, Exchange, OutcomeEvent, ThreadTitle
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console
from tests.memory.console.hostile_texts import PAYLOADS
from tests.memory.console.test_hostile_text import Skeleton

HOSTILE = "<img src=x onerror=alert(1)>"
facade = MemoryFacade("key:mobile")


@pytest.fixture
def item(user: EndUser) -> MemoryItem:
    return MemoryItemFactory.create(user=user, text="The boat key hangs behind the boiler")


@pytest.fixture
def exchange_id(user: EndUser, item: MemoryItem) -> uuid.UUID:
    now = timezone.now() - timedelta(hours=1)
    with user_scope(user):
        turn = Turn.objects.create(user=user, positions=[[str(item.pk), item.tier]], created_at=now)
    tools = [{"name": "fetch_" + HOSTILE, "ok": False, "ms": 12.4, "error": "timed out"}]
    new = NewExchange("t-1", "Where is the boat key?", "Behind the boiler.", turn_id=turn.turn_id, tools=tools)
    return facade.store_exchange(user, new, now=now).exchange_id


def score_of(item: MemoryItem) -> float:
    found = facade.get(item.user, item.pk)
    assert found is not None
    return found.score


def test_threads_are_listed_with_what_waits(
    console: Console, user: EndUser, exchange_id: uuid.UUID, place: str
) -> None:
    facade.store_exchange(user, NewExchange("t & 2", HOSTILE, "b"), now=timezone.now())
    page = console.get(f"{place}/conversations").content.decode()
    assert page.index("?thread=t%20%26%202") < page.index("?thread=t-1")
    assert page.count("no feedback yet") == 1
    assert HOSTILE not in page
    assert "1 exchange" in page


def test_an_imported_exchange_is_as_old_as_what_was_said(console: Console, user: EndUser, place: str) -> None:
    said_at = timezone.now() - timedelta(days=21)
    new = NewExchange("t-old", "The boat is painted blue", "Lovely.", occurred_at=said_at)
    facade.store_exchange(user, new, now=timezone.now())
    for query in ({}, {"thread": "t-old"}):
        page = console.get(f"{place}/conversations", query).content.decode()
        assert f'datetime="{said_at.isoformat(timespec="seconds")[:16]}' in page
        assert f'datetime="{timezone.now().isoformat()[:10]}' not in page


def test_a_conversation_is_as_late_as_what_was_said_last_and_read_in_the_order_it_was_said(
    console: Console, user: EndUser, place: str
) -> None:
    now = timezone.now()
    # As an import may store them: the latest first.
    for days in (2, 9):
        new = NewExchange("t-1", f"{days} days ago", "Lovely.", occurred_at=now - timedelta(days=days))
        facade.store_exchange(user, new, now=now + timedelta(minutes=days))
    page = console.get(f"{place}/conversations").content.decode()
    assert f'datetime="{(now - timedelta(days=2)).isoformat(timespec="seconds")[:16]}' in page
    read = console.get(f"{place}/conversations?thread=t-1").content.decode()
    assert read.index("9 days ago</dd>") < read.index("2 days ago</dd>")


def test_conversations_are_in_the_order_in_which_they_were_said(console: Console, user: EndUser, place: str) -> None:
    now = timezone.now()
    # As an import stores them: all at once, in whatever order the file has.
    for thread, days in (("in March", 30), ("in May", 2), ("in April", 9)):
        new = NewExchange(thread, "The boat is painted blue", "Lovely.", occurred_at=now - timedelta(days=days))
        facade.store_exchange(user, new, now=now)
    page = console.get(f"{place}/conversations").content.decode()
    assert re.findall(r"thread=in(?:\+|%20)(\w+)", page) == ["May", "April", "March"]


def test_an_exchange_shows_its_signals_tools_and_detector(
    console: Console, user: EndUser, exchange_id: uuid.UUID, place: str
) -> None:
    facade.store_exchange(user, NewExchange("t-1", "thanks, that worked", "b"), now=timezone.now())
    page = console.get(f"{place}/conversations", {"thread": "t-1"}).content.decode()
    assert page.index("Behind the boiler.") < page.index("thanks, that worked"), "as they were said"
    assert "a tool ran out of time" in page
    assert "thanked" in page
    assert "12 ms" in page
    assert HOSTILE not in page
    assert page.count("no feedback yet") == 1


@pytest.mark.parametrize(("said", "left"), [("worked", 0.7), ("partial", 0.55), ("failed", 0.2)])
def test_a_button_records_an_outcome(
    console: Console, item: MemoryItem, exchange_id: uuid.UUID, place: str, said: str, left: float
) -> None:
    answer = console.post(f"{place}/conversations/{exchange_id}/outcome", {"outcome": said})
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith(f"?thread=t-1&exchange={exchange_id}#exchange-{exchange_id}")
    assert score_of(item) == left
    with user_scope(item.user):
        event = OutcomeEvent.objects.get()
    assert (event.outcome, event.source, event.actor) == (said, "explicit", "operator:olga")
    # The list says it in the words of the conversation.
    listed = console.get(f"{place}/conversations").content.decode()
    assert f'outcome-{said}">{"partly worked" if said == "partial" else said}<' in listed


def test_an_outcome_is_about_the_memories_that_are_ticked(
    console: Console, item: MemoryItem, exchange_id: uuid.UUID, place: str
) -> None:
    other = MemoryItemFactory.create(user=item.user, text="The boat is moored at Leith")
    with user_scope(item.user):
        Turn.objects.update(positions=[[str(one.pk), one.tier] for one in (item, other)])
    page = console.get(f"{place}/conversations", {"thread": "t-1"}).content.decode()
    assert f'name="related" value="{other.pk}" form="verdict-{exchange_id}"' in page
    assert f'id="verdict-{exchange_id}"' in page
    console.post(f"{place}/conversations/{exchange_id}/outcome", {"outcome": "worked", "related": [str(item.pk)]})
    assert (score_of(item), score_of(other)) == (0.7, 0.5)


def test_htmx_gets_the_exchange_alone_and_another_button_corrects(
    console: Console, item: MemoryItem, exchange_id: uuid.UUID, place: str
) -> None:
    path = f"{place}/conversations/{exchange_id}/outcome"
    part = console.post_part(path, {"outcome": "worked"}).content.decode()
    assert part.lstrip().startswith("<article")
    assert 'value="worked" aria-pressed="true"' in part
    assert "reported by operator olga" in part
    part = console.post_part(path, {"outcome": "failed"}).content.decode()
    assert 'value="worked" aria-pressed="false"' in part
    assert score_of(item) == 0.2


def test_what_is_not_there_or_not_theirs_is_not_found(
    console: Console, outsider: Console, nobody: Console, item: MemoryItem, exchange_id: uuid.UUID, place: str
) -> None:
    path = f"{place}/conversations/{exchange_id}/outcome"
    assert console.post(f"{place}/conversations/{uuid.uuid4()}/outcome", {"outcome": "worked"}).status_code == 404
    assert console.post(path, {"outcome": "splendid"}).status_code == 404
    assert console.get(path).headers["Location"].endswith(f"thread=t-1&exchange={exchange_id}#exchange-{exchange_id}")
    assert outsider.post(path, {"outcome": "worked"}).status_code == 404
    assert outsider.get(f"{place}/conversations").status_code == 404
    assert nobody.post(path, {"outcome": "worked"}).status_code == 302
    assert nobody.get(f"{place}/conversations").status_code == 302
    assert score_of(item) == 0.5


def test_pages_go_on_where_the_last_one_ended(console: Console, user: EndUser, place: str) -> None:
    start = timezone.now() - timedelta(days=1)
    for number in range(23):
        new = NewExchange("t-1", f"Question number {number:02}", "a")
        facade.store_exchange(user, new, now=start + timedelta(minutes=number))
    first = console.get(f"{place}/conversations", {"thread": "t-1"}).content.decode()
    assert re.findall(r"Question number (\d\d)</dd>", first) == [f"{number:02}" for number in range(20)]
    following = first.split('class="pager"')[1].split('href="?')[1].split('"')[0].replace("&amp;", "&")
    second = console.get(f"{place}/conversations?{following}").content.decode()
    assert re.findall(r"Question number (\d\d)</dd>", second) == ["20", "21", "22"]
    assert "Earlier exchanges" in second
    # The address of an exchange shows the page that it stands on.
    [last] = re.findall(r'id="exchange-([^"]+)"', second)[-1:]
    assert "Question number 22" in console.get(f"{place}/conversations?thread=t-1&exchange={last}").content.decode()
    assert "Question number 00" in console.get(f"{place}/conversations?thread=t-1&from=x").content.decode()


def test_conversations_are_narrowed_by_words_and_by_outcome_and_show_the_latter(
    console: Console, user: EndUser, place: str
) -> None:
    for thread, outcome in (("boat", Outcome.WORKED), ("bike", Outcome.FAILED)):
        stored = facade.store_exchange(
            user, NewExchange(thread, f"Where is the {thread}?", "Here."), now=timezone.now()
        )
        facade.record_outcome(user, outcome, now=timezone.now(), exchange_id=stored.exchange_id)
    page = console.get(f"{place}/conversations").content.decode()
    assert 'class="badge outcome-worked"' in page
    assert 'class="badge outcome-failed"' in page
    for query in ({"outcome": "failed"}, {"q": "THE BIKE"}):
        page = console.get(f"{place}/conversations", query).content.decode()
        assert "thread=bike" in page
        assert "thread=boat" not in page
    assert "No conversation fits" in console.get(f"{place}/conversations?q=bike&outcome=worked").content.decode()


def test_the_way_to_the_hot_path_is_shown_where_it_leads_somewhere(console: Console, user: EndUser, place: str) -> None:
    facade.store_exchange(user, NewExchange("t-1", "a", "b"), now=timezone.now())
    page = f"{place}/conversations?thread=t-1"
    assert "/hot?thread=t-1" not in console.get(page).content.decode()
    with user_scope(user):
        HotThread.objects.create(user=user, thread_id="t-1", turn=1)
    assert "/hot?thread=t-1" in console.get(page).content.decode()


def test_an_item_tells_of_an_outcome_that_was_taken_back(console: Console, item: MemoryItem, place: str) -> None:
    with user_scope(item.user):
        turn = Turn.objects.create(user=item.user, positions=[[str(item.pk), item.tier]])
    for outcome in (Outcome.WORKED, Outcome.FAILED):
        facade.record_outcome(item.user, outcome, now=timezone.now(), turn_id=turn.turn_id)
    page = console.get(f"{place}/memories/{item.pk}").content.decode()
    assert "Outcome taken back" in page
    assert "a later verdict takes the place of worked" in page


def hostile_page(console: Console, user: EndUser, place: str, text: str) -> list[list[tuple[str, tuple[str, ...]]]]:
    """What the two pages are made of when every field of an exchange holds the text, past the checks of the API."""
    with user_scope(user):
        exchange = Exchange.objects.create(
            user=user,
            thread_id=text[:200],
            user_message=text,
            assistant_message=text,
            detection="done",
            detected={"reasoning": text},
            created_at=timezone.now() - timedelta(hours=2),
        )
        named = {"user": user, "exchange_id": exchange.pk}
        ActionTaken.objects.create(action=text[:200], error=text[:300], ok=False, **named)
        ConversationSignal.objects.create(kind="corrects", evidence=text[:200], heard_in=exchange.pk, **named)
        OutcomeEvent.objects.create(outcome="worked", actor=text[:100], **named)
    pages = [console.get(f"{place}/conversations"), console.get(f"{place}/conversations", {"thread": text[:200]})]
    with user_scope(user):
        for model in (Exchange, ActionTaken, ConversationSignal, OutcomeEvent):
            model.objects.all().delete()
    assert all(not SMUGGLED.search(page.content.decode()) for page in pages)
    return [Skeleton(page.content.decode()).parts for page in pages]


def test_hostile_words_add_no_element_and_no_attribute(console: Console, user: EndUser, place: str) -> None:
    expected = hostile_page(console, user, place, "harmless")
    for payload in PAYLOADS:
        assert hostile_page(console, user, place, payload) == expected, payload


def test_an_imported_conversation_is_listed_and_read_in_its_order(
    console: Console, user: EndUser, exchange_id: uuid.UUID, place: str
) -> None:
    MemoryItemFactory.create(user=user, text="Of an exchange", thread_id="t-1")
    for said in ("Who feeds the cat?", "Noa, on Fridays.", HOSTILE):
        new = NewMemory(said, tier=Tier.HISTORY, thread_id="cat & co", metadata={"thread_title": "The cat"})
        facade.store(user, new, now=timezone.now())
    MemoryItemFactory.create(user=user, text="Let go", thread_id="gone", archived=True)
    page = console.get(f"{place}/conversations").content.decode()
    assert page.count("?thread=cat%20%26%20co") == page.count("?thread=t-1") == 1
    assert "?thread=gone" not in page
    assert "The cat" in page
    assert "3 memories" in page
    thread = console.get(f"{place}/conversations", {"thread": "cat & co"}).content.decode()
    assert thread.index("Who feeds the cat?") < thread.index("Noa, on Fridays.")
    assert HOSTILE not in page + thread
    assert "Nothing of this conversation is kept" not in thread


def test_memories_of_conversations_go_on_where_the_last_page_ended(console: Console, user: EndUser, place: str) -> None:
    for number in range(TURNS + 1):
        MemoryItemFactory.create(user=user, text=f"Turn number {number:03}.", thread_id="long")
    for number in range(THREADS):
        MemoryItemFactory.create(user=user, thread_id=f"short {number}", occurred_at=timezone.now())
    path = f"{place}/conversations"
    assert "Turn number 100." not in console.get(path, {"thread": "long"}).content.decode()
    further = console.part(f"{path}?thread=long&kept={TURNS}").content.decode()
    assert ("Turn number 100." in further, "Turn number 099." in further, "<h2" in further) == (True, False, False)
    assert "?kept=40" in console.get(path).content.decode()
    assert console.part(f"{path}?kept=40").content.decode().count("row-link") == 1
    assert console.part(f"{path}?kept=x").content.decode().count("row-link") == THREADS


def test_a_conversation_has_a_title_that_an_operator_may_change(
    console: Console, outsider: Console, user: EndUser, exchange_id: uuid.UUID, place: str
) -> None:
    path = f"{place}/conversations"
    rename = f"{path}/title?thread=t-1"
    page = console.get(path, {"thread": "t-1"}).content.decode()
    assert f'action="{rename}"' in page
    assert "Where is the boat key?</h1>" in page
    assert outsider.post(rename, {"title": "Theirs"}).status_code == 404
    assert console.post(f"{path}/title?thread=nothing", {"title": "x"}).status_code == 404
    answer = console.post(rename, {"title": f"The boat {HOSTILE}"}, follow=True)
    assert answer.redirect_chain == [(f"{path}?thread=t-1", 302)]
    for shown in (answer.content.decode(), console.get(path).content.decode()):
        assert "The boat &lt;img" in shown
        assert HOSTILE not in shown
    console.post(rename, {"title": "x" * 201})
    assert "The boat" in console.get(path).content.decode(), "a title that is too long changes nothing"
    console.post(rename, {"title": " "})
    assert "The boat &lt;img" not in console.get(path, {"thread": "t-1"}).content.decode()


def test_an_exchange_shows_what_it_was_answered_with_and_what_its_outcome_scored(
    console: Console, user: EndUser, place: str, index_now: Callable[[EndUser], None]
) -> None:
    now = timezone.now()
    lamp = facade.store(user, NewMemory("The lamp hangs over the stairs", tier=Tier.HISTORY), now=now).item
    new = NewMemory("Reads at night", tier=Tier.MEMORY_BANK, tags=["identity"], always_inject=True)
    facade.store(user, new, now=now)
    index_now(user)
    turn_id = facade.compose_context(user, "Where is the lamp?", now=now, thread_id="lamp").turn_id
    exchange = NewExchange("lamp", "Where is the lamp?", "Over the stairs.", turn_id=turn_id)
    stored = facade.store_exchange(user, exchange, now=now)
    facade.record_outcome(user, Outcome.WORKED, now=now, exchange_id=stored.exchange_id, related=[str(lamp.pk)])
    page = console.get(f"{place}/conversations?thread=lamp").content.decode()
    assert "Known context: 2 memories" in page
    assert "2 memories" in console.get(f"{place}/replay?turn={turn_id}").content.decode()
    assert "high confidence" in page
    assert f"/replay?turn={turn_id}" in page
    assert "scored 1 memory that it named" in page
    facade.remove(user, lamp.pk, now=now)
    later = console.get(f"{place}/conversations?thread=lamp").content.decode()
    assert "1 deleted since" in later
    assert "A memory that is gone" in later


def test_two_projects_that_use_one_name_have_two_pages(console: Console, user: EndUser, place: str) -> None:
    for project, asked in (("atlas", "And its lock?"), ("boreas", "Who has the lamp of boreas?")):
        with confine_to(RowScope(project_id=project)):
            facade.store_exchange(user, NewExchange("main", asked, "Noted."), now=timezone.now())
    listed = console.get(f"{place}/conversations").content.decode()
    for project, shown, hidden in (("atlas", "its lock", "lamp"), ("boreas", "lamp", "lock")):
        address = f"?thread=main&agent=&project={project}"
        assert escape(address) in listed
        page = console.get(f"{place}/conversations{address}").content.decode()
        assert shown in page
        assert hidden not in page
        assert f"project <bdi>{project}</bdi>" in page
    with user_scope(user):
        lock = Exchange.objects.get(user=user, project_id="atlas")
    # As evidence and outcomes lead there; the form gives its title to the same.
    by_exchange = console.get(f"{place}/conversations?thread=main&exchange={lock.pk}").content.decode()
    assert "its lock" in by_exchange
    assert "lamp" not in by_exchange
    [action] = re.findall(r'action="([^"]*conversations/title[^"]*)"', by_exchange)
    console.post(unescape(action), {"title": "Keys"})
    with user_scope(user):
        assert ThreadTitle.objects.get(user=user).project_id == "atlas"


def test_an_outcome_without_what_was_shown_says_what_it_scored(console: Console, user: EndUser, place: str) -> None:
    facade, now = MemoryFacade(), timezone.now()
    stored = facade.store_exchange(user, NewExchange("boat", "Where is the key?", "Behind the boiler."), now=now)
    facade.record_outcome(user, Outcome.FAILED, now=now, exchange_id=stored.exchange_id)
    page = console.get(f"{place}/conversations?thread=boat").content.decode()
    assert "did not say which memories it had been given" in page
    assert "<code>turn_id</code>" in page
