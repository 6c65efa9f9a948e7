"""Conversations with their titles: made of what was said first, imported, or given, and gone with what they are of."""

from urllib.parse import quote

import pytest

from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ThreadTitle
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock

memory = MemoryFacade("key:test")
TOKEN = "ghp_" + "a1B2" * 9


def say(user: EndUser, clock: Clock, thread_id: str, asked: str) -> None:
    clock.advance(minutes=1)
    memory.store_exchange(user, NewExchange(thread_id, asked, "Noted."), now=clock())


def titles_of(api: ApiClient, **query: object) -> list[tuple[str, str, str]]:
    answer = api.get("threads", query)
    assert answer.status_code == 200, answer.content
    return [(one["thread_id"], one["title"], one["title_source"]) for one in answer.json()["items"]]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["Hi!", "Where is my order #5678? It is late."], "Where is my order #5678?"),
        (["Hola, gracias.", "¿Cuándo vence el alquiler del piso?"], "¿Cuándo vence el alquiler del piso?"),
        (["מתי התור שלי לרופא השיניים? תודה"], "מתי התור שלי לרופא השיניים?"),
        (["Thanks!"], "Thanks!"),
        (["My dentist is Dr. Katz. He is in Crail."], "My dentist is Dr. Katz."),
        (
            ["Kannst du mir bitte den Fahrplan der Fähre von Kiel nach Oslo für nächste Woche heraussuchen?"],
            "Kannst du mir bitte den Fahrplan der Fähre von Kiel nach…",
        ),
    ],
)
def test_a_title_is_made_of_the_first_sentence_that_says_something(
    user: EndUser, api: ApiClient, clock: Clock, said: list[str], title: str
) -> None:
    for text in said:
        say(user, clock, "t", text)
    assert titles_of(api) == [("t", title, "rules")]


@pytest.mark.parametrize("thread", ["proj/1", "/", "a//b", "a/exchanges/b", "https://x.example/c?d=1#e"])
def test_a_thread_with_a_slash_is_one_like_any_other(user: EndUser, api: ApiClient, clock: Clock, thread: str) -> None:
    path = f"threads/{quote(thread, safe='')}"
    api.post("memories", {"text": "The boat is green", "thread_id": thread})
    said = {"user_message": "Which boat is green?", "assistant_message": "Yours.", "occurred_at": clock().isoformat()}
    said["turn_id"] = api.post("context", {"query": "Which boat is green?", "thread_id": thread}).json()["turn_id"]
    assert api.post(f"{path}/exchanges", said).status_code == 201
    assert api.get(path).json()["thread_id"] == thread
    assert api.patch(path, {"title": "The boat"}).json()["title"] == "The boat"
    assert titles_of(api) == [(thread, "The boat", "person")]
    assert len(api.get("memories", {"thread_id": thread}).json()["items"]) == 2


def test_a_title_holds_no_secret_whoever_gives_it(user: EndUser, api: ApiClient, clock: Clock) -> None:
    say(user, clock, "t", f"My token is {TOKEN}")
    assert TOKEN not in api.get("threads").content.decode()
    renamed = api.patch("threads/t", {"title": f"Login {TOKEN}"})
    assert renamed.status_code == 200
    assert TOKEN not in renamed.content.decode() + api.get("threads").content.decode()
    assert "Login" in renamed.json()["title"]


def test_a_given_title_goes_before_an_imported_one_until_it_is_taken_back(
    user: EndUser, api: ApiClient, clock: Clock
) -> None:
    new = NewMemory("Who feeds the cat?", tier=Tier.HISTORY, thread_id="cat", metadata={"thread_title": "The cat"})
    memory.store(user, new, now=clock())
    assert titles_of(api) == [("cat", "The cat", "import")]
    assert api.patch("threads/cat", {"title": "Feeding"}).json()["title_source"] == "person"
    assert titles_of(api, q="feeding") == [("cat", "Feeding", "person")]
    assert api.patch("threads/cat", {"title": None}).json()["title"] == "The cat"
    refused = [api.patch("threads/cat", body).status_code for body in ({}, {"title": ""}, {"title": "a\nb"})]
    assert refused == [422, 422, 422]
    assert api.patch("threads/nothing", {"title": "x"}).status_code == 404


def test_conversations_are_listed_page_by_page_and_found_by_words(user: EndUser, api: ApiClient, clock: Clock) -> None:
    for number in range(5):
        say(user, clock, f"t-{number}", f"Question {number} about 100% of the boat_key")
    say(user, clock, "t-0", "And the lamp?")
    seen, cursor = [], None
    while True:
        page = api.get("threads", {"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [one["thread_id"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ["t-0", "t-4", "t-3", "t-2", "t-1"]
    assert [one[0] for one in titles_of(api, q="the LAMP")] == ["t-0"]
    assert len(titles_of(api, q="100%")) == len(titles_of(api, q="boat_key")) == 5
    assert titles_of(api, q="1%0") == titles_of(api, q="boatxkey") == []
    first = api.get("threads").json()["items"][0]
    assert (first["exchanges"], first["memories"], first["title"]) == (2, 2, "Question 0 about 100% of the boat_key")


def test_a_title_goes_with_the_last_of_its_conversation(user: EndUser, api: ApiClient, clock: Clock) -> None:
    say(user, clock, "t", "Where is the key?")
    say(user, clock, "t", "And the lamp?")
    api.patch("threads/t", {"title": "Keys"})
    ids = [one["id"] for one in api.get("memories").json()["items"]]
    api.delete(f"memories/{ids[0]}")
    assert titles_of(api) == [("t", "Keys", "person")]
    api.delete(f"memories/{ids[1]}")
    assert titles_of(api) == []
    with user_scope(user):
        assert not ThreadTitle.objects.filter(user=user).exists()


def test_a_title_is_seen_where_its_conversation_is(user: EndUser, api: ApiClient) -> None:
    ours, theirs = (client_for(user, scope=RowScope(project_id=name)) for name in ("ours", "theirs"))
    body = {"user_message": "Where is the key?", "assistant_message": "Here."}
    assert ours.post("threads/t/exchanges", body).status_code == 201
    assert theirs.patch("threads/t", {"title": "x"}).status_code == 404
    # Also where somebody gives it who is bound to no project.
    assert api.patch("threads/t", {"title": "Keys"}).status_code == 200
    assert titles_of(ours) == [("t", "Keys", "person")]
    theirs.post("threads/t/exchanges", {**body, "user_message": "Who has the lamp?"})
    assert titles_of(theirs) == [("t", "Who has the lamp?", "rules")]
