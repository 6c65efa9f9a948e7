"""Two projects that both call a thread "main" have two conversations, and so has the person without a project."""

import pytest

from memory.access.confinement import RowScope, bind_to_scope, confine_to
from memory.access.scope import user_scope
from memory.enrichment.intent import QueryIntent
from memory.enrichment.staged import RetrievalStage, retrieve_in_stages
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.tools.turns import find_last_turn
from outcomes.exchanges import listing, storing
from outcomes.exchanges.storing import NewExchange, StoredExchange
from outcomes.exchanges.threads import ConversationKey
from outcomes.models import ThreadTitle
from outcomes.tasks import read_exchanges
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock

memory = MemoryFacade("key:test")
ATLAS, BOREAS, NOWHERE = RowScope(project_id="atlas"), RowScope(project_id="boreas"), RowScope()
MAIN = "main"


def say(user: EndUser, clock: Clock, scope: RowScope, asked: str) -> StoredExchange:
    clock.advance(minutes=1)
    with confine_to(scope):
        return memory.store_exchange(user, NewExchange(MAIN, asked, "Noted."), now=clock())


@pytest.fixture
def unscored(user: EndUser, clock: Clock, services: None) -> StoredExchange:
    """An exchange of atlas that waits for its outcome, with one of boreas and one of no project after it."""
    memory.store(user, NewMemory("The build of the harbour office needs Java 21"), now=clock())
    with confine_to(ATLAS):
        turn = memory.search(user, SearchRequest("which Java does the build need", thread_id=MAIN), now=clock())
        new = NewExchange(MAIN, "Which Java does the build need?", "Java 21.", turn_id=turn.turn_id)
        stored = memory.store_exchange(user, new, now=clock())
    assert stored.required_scoring
    say(user, clock, BOREAS, "Who has the key of the tower?")
    say(user, clock, NOWHERE, "Where is the lamp of the boat?")
    return stored


def test_an_outcome_is_asked_for_in_its_own_conversation_alone(
    user: EndUser, clock: Clock, unscored: StoredExchange
) -> None:
    for scope, waits in ((ATLAS, unscored.exchange_id), (BOREAS, None), (NOWHERE, None)):
        with confine_to(scope):
            found = storing.find_unscored_exchange(user, MAIN)
            assert (found.pk if found else None) == waits, scope
            state = listing.load_thread_state(user, MAIN)
            assert (state.exchanges, state.waits) == (1, waits is not None), scope


def test_a_tool_tells_the_outcome_of_its_own_conversation(
    user: EndUser, clock: Clock, unscored: StoredExchange
) -> None:
    for scope, has_turn in ((ATLAS, True), (BOREAS, False), (NOWHERE, False)):
        with confine_to(scope):
            assert (find_last_turn(user, MAIN, now=clock()) is not None) is has_turn, scope


def test_a_conversation_is_new_whatever_another_of_its_name_said(user: EndUser, clock: Clock) -> None:
    say(user, clock, ATLAS, "Where is the key?")
    for scope, is_new in ((ATLAS, False), (BOREAS, True), (NOWHERE, True)):
        with confine_to(scope):
            assert storing.is_new_thread(user, MAIN, now=clock()) is is_new, scope
    say(user, clock, NOWHERE, "Where is the lamp?")
    with confine_to(BOREAS):
        assert storing.is_new_thread(user, MAIN, now=clock())


def test_what_was_said_before_is_of_the_conversation(user: EndUser, clock: Clock) -> None:
    say(user, clock, NOWHERE, "The boat of my uncle is green.")
    say(user, clock, ATLAS, "The key hangs behind the boiler.")
    with confine_to(ATLAS):
        told = memory.get_insights(user, "and then?", now=clock(), thread_id=MAIN)
        assert "boiler" in str(told)
        assert "uncle" not in str(told)
        staged = retrieve_in_stages(user, QueryIntent(frozenset(), frozenset()), thread_id=MAIN, now=clock())
    here = [one.item.text for one in staged if one.stage is RetrievalStage.THIS_THREAD]
    assert len(here) == 1
    assert "boiler" in here[0]


def test_a_question_asked_in_another_of_its_name_was_asked_elsewhere(user: EndUser, clock: Clock) -> None:
    for _ in range(3):
        say(user, clock, NOWHERE, "Where does the green boat of my uncle lie?")
    with confine_to(ATLAS):
        told = memory.get_insights(user, "Where does the green boat of my uncle lie?", now=clock(), thread_id=MAIN)
    assert told.repetition is not None
    assert (told.repetition.times, told.repetition.in_thread) == (3, False)


@pytest.fixture
def projects(user: EndUser, clock: Clock) -> tuple[ApiClient, ApiClient]:
    say(user, clock, ATLAS, "Where is the key of atlas?")
    say(user, clock, ATLAS, "And its lock?")
    say(user, clock, BOREAS, "Who has the lamp of boreas?")
    return client_for(user, scope=ATLAS), client_for(user, scope=BOREAS)


def test_each_is_listed_with_its_own_title_and_count(
    user: EndUser, api: ApiClient, projects: tuple[ApiClient, ApiClient]
) -> None:
    def listed(client: ApiClient, **query: object) -> list[tuple[str, str, int]]:
        rows = client.get("threads", query).json()["items"]
        return [(one["project_id"], one["title"], one["exchanges"]) for one in rows]

    atlas, boreas = ("atlas", "Where is the key of atlas?", 2), ("boreas", "Who has the lamp of boreas?", 1)
    assert listed(api) == [boreas, atlas]
    assert [listed(client) for client in projects] == [[atlas], [boreas]]
    assert listed(api, q="And its lock") == [atlas]
    first = api.get("threads", {"limit": 1}).json()
    second = api.get("threads", {"limit": 1, "cursor": first["next_cursor"]}).json()
    assert [one["project_id"] for one in first["items"] + second["items"]] == ["boreas", "atlas"]
    assert second["next_cursor"] is None


def test_a_title_is_given_to_the_one_of_the_project(
    user: EndUser, api: ApiClient, projects: tuple[ApiClient, ApiClient]
) -> None:
    renamed = projects[0].patch("threads/main", {"title": "Keys"}).json()
    assert (renamed["project_id"], renamed["title"], renamed["exchanges"]) == ("atlas", "Keys", 2)
    titles = {one["project_id"]: one["title"] for one in api.get("threads").json()["items"]}
    assert titles == {"atlas": "Keys", "boreas": "Who has the lamp of boreas?"}
    said = projects[0].get("exchanges").json()["items"]
    for one in said:
        projects[0].delete(f"memories/{one['memory_id']}")
    with user_scope(user):
        assert not ThreadTitle.objects.filter(user=user).exists()


def test_what_a_person_says_of_themselves_in_a_project_makes_no_second_conversation(
    user: EndUser, clock: Clock, api: ApiClient
) -> None:
    with confine_to(ATLAS), bind_to_scope(bound=False):
        memory.store_exchange(user, NewExchange(MAIN, "I'm vegetarian.", "Noted."), now=clock())
    read_exchanges(user.pk)
    with user_scope(user):
        published = MemoryItem.objects.for_user(user).get(tier=Tier.MEMORY_BANK)
    assert (published.thread_id, published.project_id) == (MAIN, "")
    assert [one["project_id"] for one in api.get("threads").json()["items"]] == ["atlas"]
    assert listing.list_memory_threads(user, limit=5) == []


def test_memories_of_two_projects_are_two_conversations(user: EndUser, clock: Clock) -> None:
    for scope, text in ((ATLAS, "The key of atlas is new."), (BOREAS, "The lamp of boreas is old.")):
        clock.advance(minutes=1)
        with confine_to(scope):
            memory.store(user, NewMemory(text, tier=Tier.HISTORY, thread_id=MAIN), now=clock())
    found = listing.list_memory_threads(user, limit=5)
    assert [(one.first.project_id, one.memories) for one in found] == [("boreas", 1), ("atlas", 1)]
    [shown] = listing.list_thread_memories(user, ConversationKey.of(found[0].first), limit=5)
    assert "boreas" in shown.text
