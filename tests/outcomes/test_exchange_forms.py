"""What a client may send as an exchange: when it was said, messages as chat APIs have them, texts of any length."""

from datetime import timedelta
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.records.models import RecordEmbedding
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import CUT_MARK, MESSAGE_LIMIT
from outcomes.models import Exchange
from tests.api_client import ApiClient
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

PATH = "threads/t-1/exchanges"
PAIR = {"user_message": "Where is the key?", "assistant_message": "Behind the boiler."}


def load_exchange(api: ApiClient, stored: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"exchanges/{stored['exchange_id']}").json()
    return found


# --- when it was said --------------------------------------------------------------------------------------------
def test_an_exchange_of_last_week_is_of_last_week(api: ApiClient, clock: Clock) -> None:
    said_at = clock() - timedelta(days=7)
    stored = api.post(PATH, {**PAIR, "occurred_at": said_at.isoformat()}).json()
    kept = load_exchange(api, stored)
    assert (kept["occurred_at"], kept["created_at"]) == ("2026-02-23T09:30:00Z", "2026-03-02T09:30:00Z")
    assert api.get(f"memories/{stored['memory_id']}").json()["occurred_at"] == "2026-02-23T09:30:00Z"


def test_without_a_time_it_was_said_now(api: ApiClient, clock: Clock) -> None:
    assert load_exchange(api, api.post(PATH, PAIR).json())["occurred_at"] == "2026-03-02T09:30:00Z"


def test_a_day_alone_is_its_beginning(api: ApiClient, clock: Clock) -> None:
    stored = api.post(PATH, {**PAIR, "occurred_at": "2026-02-23"}).json()
    assert load_exchange(api, stored)["occurred_at"] == "2026-02-23T00:00:00Z"
    item = api.post("memories", {"text": "The oars are new", "occurred_at": "2026-02-24"}).json()
    assert item["occurred_at"] == "2026-02-24T00:00:00Z"


def test_a_clock_that_is_ahead_is_set_back(api: ApiClient, clock: Clock) -> None:
    stored = api.post(PATH, {**PAIR, "occurred_at": "2026-03-03T09:30:00Z"}).json()
    assert load_exchange(api, stored)["occurred_at"] == "2026-03-02T09:31:00Z"


# --- messages ----------------------------------------------------------------------------------------------------
def test_messages_stand_for_the_pair(api: ApiClient) -> None:
    messages = [
        {"role": "system", "content": "You are helpful."},
        {"role": "user", "content": [{"type": "text", "text": "Where is the key?"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None},
        {"role": "tool", "content": "boiler"},
        {"role": "assistant", "content": "Behind the boiler."},
        {"role": "assistant", "content": "It is the small one."},
    ]
    stored = api.post(PATH, {"messages": messages}).json()
    kept = load_exchange(api, stored)
    assert kept["user_message"] == "Where is the key?"
    assert kept["assistant_message"] == "Behind the boiler.\n\nIt is the small one."
    assert "exchanges" not in stored


def test_each_question_of_several_has_an_exchange(api: ApiClient) -> None:
    said = ("Where is the key?", "Behind the boiler.", "I live in York. And the oars?", "In the shed.", "Thanks")
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    turn = api.post("context", {"query": said[-1], "thread_id": "t-1"}).json()["turn_id"]
    stored = api.post(PATH, {"messages": messages, "turn_id": turn}).json()

    kept = [load_exchange(api, one) for one in stored["exchanges"]]
    assert [(one["user_message"], one["assistant_message"]) for one in kept] == [
        *zip(said[::2], said[1::2], strict=False),
        ("Thanks", ""),
    ]
    assert [(one["turn_id"], one["interrupted"]) for one in kept] == [(None, False), (None, False), (turn, True)]
    assert (stored["exchange_id"], stored["memory_id"]) == (kept[-1]["exchange_id"], kept[-1]["memory_id"])
    listed = [one["user_message"] for one in api.get("exchanges").json()["items"]]
    assert listed == [*reversed(said[::2])]


CALL = {"id": "c-1", "type": "function", "function": {"name": "find", "arguments": '{"what": "key"}'}}
# One of each kind, with whatever else OpenAI's chat API and servers that speak it put into a message.
CHAT: list[dict[str, Any]] = [
    {"role": "developer", "content": [{"type": "text", "text": "Be brief."}], "name": "house"},
    {"role": "user", "content": "Where is the key?", "name": "ann"},
    {"role": "assistant", "tool_calls": [CALL], "refusal": None, "annotations": [], "audio": None},
    {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": "{}"}},
    {"role": "tool", "tool_call_id": "c-1", "content": [{"type": "text", "text": "boiler"}]},
    {"role": "function", "name": "find", "content": None},
    {"role": "assistant", "content": "Behind the boiler.", "refusal": None, "reasoning_content": "Hm.", "id": "m-1"},
]


def test_messages_may_hold_what_chat_apis_put_into_them(api: ApiClient) -> None:
    kept = load_exchange(api, api.post(PATH, {"messages": CHAT}).json())
    assert (kept["user_message"], kept["assistant_message"]) == ("Where is the key?", "Behind the boiler.")
    asked = {"query": "And the oars?", "recent_messages": CHAT, "max_tokens": 4_000}
    told = api.post("context", asked).json()["history"]
    assert [(one["role"], one["content"]) for one in told] == [
        ("developer", "Be brief."),
        ("user", "Where is the key?"),
        ("tool", "boiler"),
        ("assistant", "Behind the boiler."),
    ]


@pytest.mark.parametrize(
    "refused", [{"refusal": "I won't."}, {"content": [{"type": "refusal", "refusal": "I won't."}]}]
)
def test_a_refusal_is_the_answer(api: ApiClient, refused: dict[str, Any]) -> None:
    messages = [{"role": "user", "content": "Where is the key?"}, {"role": "assistant", **refused}]
    assert load_exchange(api, api.post(PATH, {"messages": messages}).json())["assistant_message"] == "I won't."


def test_a_greeting_before_the_first_question_answers_nothing(api: ApiClient) -> None:
    said = [("assistant", "Hi, I am Pia."), ("user", "One."), ("user", "Two."), ("assistant", "Three.")]
    messages = [{"role": role, "content": text} for role, text in said]
    kept = load_exchange(api, api.post(PATH, {"messages": messages}).json())
    assert (kept["user_message"], kept["assistant_message"]) == ("One.\n\nTwo.", "Three.")


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"messages": [{"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Hm?"}]}, ["messages"]),
        ({"messages": [{"role": "user", "contnet": "Hm?"}]}, ["messages[0].content"]),
        ({"messages": [{"role": "user", "content": ["Hm?"]}]}, ["messages[0].content"]),
        ({}, ["user_message", "assistant_message"]),
        ({"user_message": "Hm?"}, ["assistant_message"]),
        ({**PAIR, "messages": [{"role": "user", "content": "Hm?"}]}, ["user_message", "assistant_message"]),
        ({"messages": []}, ["messages"]),
        ({"messages": [{"role": "user", "content": "Hm?"}]}, ["messages"]),
        ({"messages": [{"role": "assistant", "content": "Hm."}]}, ["messages"]),
        ({"messages": [{"role": "wizard", "content": "Hm."}]}, ["messages[0].role"]),
        ({"messages": [{"role": "user", "content": 7}]}, ["messages[0].content"]),
        ({**PAIR, "occurred_at": "yesterday"}, ["occurred_at"]),
        ({**PAIR, "occurred_at": "2999-01-01T00:00:00Z"}, ["occurred_at"]),
        ({**PAIR, "user_message": "q" * (MESSAGE_LIMIT + 1)}, ["user_message"]),
    ],
)
def test_what_cannot_be_kept_is_named_and_leaves_nothing(
    user: EndUser, api: ApiClient, body: dict[str, Any], fields: list[str]
) -> None:
    refused = api.post(PATH, body)
    assert refused.status_code == 422
    assert [error["field"] for error in refused.json()["errors"]] == fields
    with user_scope(user):
        assert not Exchange.objects.exists()
        assert not MemoryItem.objects.for_user(user).exists()


def test_what_is_no_word_of_a_message_keeps_nothing_from_being_stored(api: ApiClient) -> None:
    said, answered = "Why is\x00 it \x1b[31mred\x1b[0m?", "Page one.\x0cPage two.\x07\n\tDone."
    pair = load_exchange(api, api.post(PATH, {"user_message": said, "assistant_message": answered}).json())
    parts = [{"type": "text", "text": said}]
    messages = [{"role": "user", "content": parts}, {"role": "assistant", "content": answered}]
    listed = load_exchange(api, api.post(PATH, {"messages": messages}).json())
    for kept in (pair, listed):
        told = (kept["user_message"], kept["assistant_message"])
        assert told == ("Why is it red?", "Page one.\nPage two.\n\tDone.")
    assert api.post("context", {"query": "And?", "recent_messages": messages}).status_code == 200
    refused = api.post(PATH, {"user_message": "\x07", "assistant_message": "Hm."})
    assert [one["field"] for one in refused.json()["errors"]] == ["user_message"]


# --- any length --------------------------------------------------------------------------------------------------
def test_what_is_longer_than_a_memory_is_kept_whole_and_its_memory_says_it_is_cut(
    user: EndUser, api: ApiClient
) -> None:
    question, answer = "Why? " + "q" * 90_000, "Because " + "a" * 200_000
    stored = api.post(PATH, {"user_message": question, "assistant_message": answer}).json()
    kept = load_exchange(api, stored)
    assert (kept["user_message"], kept["assistant_message"]) == (question, answer)
    text = api.get(f"memories/{stored['memory_id']}").json()["text"]
    assert len(text) <= 32_768
    assert text.startswith("User: Why? q")
    assert f"q{CUT_MARK}\nAssistant: Because a" in text
    assert text.endswith(f"a{CUT_MARK}")
    with user_scope(user):
        assert RecordEmbedding.objects.filter(user=user).count() == 2


# --- what was learned --------------------------------------------------------------------------------------------
def test_what_the_bank_took_from_it_is_told(user: EndUser, api: ApiClient, clock: Clock) -> None:
    said_at = clock() - timedelta(days=7)
    said = {"user_message": "I live in Trieste.", "assistant_message": "Noted.", "occurred_at": said_at.isoformat()}
    stored = api.post(PATH, said).json()
    assert load_exchange(api, stored)["learned"] == []
    assert profiling.profile_due_exchanges(user, now=clock()) == 1
    [learned] = load_exchange(api, stored)["learned"]
    assert "Trieste" in learned["text"]
    item = api.get(f"memories/{learned['memory_id']}").json()
    assert (item["tier"], item["occurred_at"]) == ("memory_bank", "2026-02-23T09:30:00Z")


@pytest.mark.django_db(transaction=True)
def test_a_client_can_wait_for_it(user: EndUser, api: ApiClient, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_at_once(seconds: float) -> None:
        profiling.profile_due_exchanges(user, now=clock())

    monkeypatch.setattr("memory.web.polling.time.sleep", read_at_once)
    said = {"user_message": "I live in Trieste.", "assistant_message": "Noted."}
    first = api.post(f"{PATH}?wait=learned", said, Idempotency_Key="once")
    assert ["Trieste" in one["text"] for one in first.json()["learned"]] == [True]
    again = api.post(f"{PATH}?wait=learned", said, Idempotency_Key="once")
    assert again.json() == first.json()
    told = ("Hello.", "Hi.", "My sister is called Vida.", "Ah.", "I like chess.")
    messages = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(told)]
    of_all = api.post(f"{PATH}?wait=learned", {"messages": messages}).json()["learned"]
    assert ["Vida" in one["text"] for one in of_all] == [True, False]
    assert "learned" not in api.post(PATH, PAIR).json()
    assert api.post(f"{PATH}?wait=supper", PAIR).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_a_client_can_wait_in_a_burst_and_is_answered_in_any_case(
    user: EndUser, api: ApiClient, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        assert api.post(PATH, {**PAIR, "user_message": f"Where is key {number}?"}).status_code == 201
    said = {"user_message": "I live in Trieste.", "assistant_message": "Noted."}
    monkeypatch.setattr("outcomes.api.WAIT_S", 0.05)
    clock.advance(seconds=1)
    late = api.post(f"{PATH}?wait=learned", said, Idempotency_Key="late")
    assert (late.status_code, late.json()["learned"]) == (201, None), "nobody reads"
    assert api.post(f"{PATH}?wait=learned", said, Idempotency_Key="late").content == late.content

    def read_some(seconds: float) -> None:
        profiling.profile_due_exchanges(user, now=clock())

    monkeypatch.setattr("memory.web.polling.time.sleep", read_some)
    monkeypatch.setattr("outcomes.api.WAIT_S", 600.0)
    # What is said at one moment has no order, and is read in more than one go.
    clock.advance(seconds=1)
    answered = api.post(f"{PATH}?wait=learned", {**said, "user_message": "My sister is called Vida."})
    assert ["Vida" in one["text"] for one in answered.json()["learned"]] == [True]
    assert len(load_exchange(api, late.json())["learned"]) == 1


# --- who speaks --------------------------------------------------------------------------------------------------
def say(role: str, content: str, name: str | None = None) -> dict[str, Any]:
    return {"role": role, "content": content, "name": name}


def list_facts(api: ApiClient, user: EndUser, clock: Clock) -> set[tuple[str, str, str]]:
    profiling.drain_exchanges(user, 5.0)
    return {(one["subject"], one["relation"], one["object"]) for one in api.get("facts").json()["items"]}


def test_what_two_people_say_is_each_ones_own(api: ApiClient, user: EndUser, clock: Clock) -> None:
    said = [say("user", "I'm Alice, I live in Paris.", "Alice"), say("user", "I'm Bob, I live in Rome.", "Bob")]
    stored = api.post(PATH, {"messages": [*said, say("assistant", "Welcome, both of you.")]}).json()

    kept = [load_exchange(api, one) for one in stored["exchanges"]]
    assert [(one["speaker"], one["assistant_message"]) for one in kept] == [
        ("Alice", ""),
        ("Bob", "Welcome, both of you."),
    ]
    assert api.get(f"memories/{stored['memory_id']}").json()["speaker"] == "Bob"
    assert list_facts(api, user, clock) == {("alice", "lives_in", "paris"), ("bob", "lives_in", "rome")}
    assert {one["statement"] for one in api.get("facts").json()["items"]} == {
        "Alice: I live in Paris.",
        "Bob: I live in Rome.",
    }
    assert api.get("memories", {"tier": "memory_bank"}).json()["items"] == []


def test_what_somebody_else_says_ends_nothing_of_the_person(api: ApiClient, user: EndUser, clock: Clock) -> None:
    api.post(PATH, {"user_message": "I live in Leeds. My dog is called Rex.", "assistant_message": "Noted."})
    for told in ("I live in Rome. My dog is called Fido.", "I moved to Bari."):
        clock.advance(minutes=1)
        api.post(PATH, {"user_message": told, "assistant_message": "Noted.", "speaker": "Bob"})
    facts = list_facts(api, user, clock)
    assert {("you", "lives_in", "leeds"), ("you", "dog", "rex"), ("bob", "lives_in", "bari")} <= facts
    assert ("bob", "lives_in", "rome") not in facts
    assert not any("fido" in one for one in facts if one[0] != "bob")


@pytest.mark.parametrize("name", ["ann", "user", "Annie Smith"])
def test_a_name_is_the_persons_where_nobody_else_speaks(api: ApiClient, user: EndUser, clock: Clock, name: str) -> None:
    api.post(PATH, {"messages": [say("user", "I live in Leeds.", name), say("assistant", "Noted.")]})
    assert list_facts(api, user, clock) == {("you", "lives_in", "leeds")}


def test_the_name_that_the_person_told_is_theirs_beside_others(api: ApiClient, user: EndUser, clock: Clock) -> None:
    told = (("Alice", "I'm Alice, I live in Paris."), ("Bob", "I live in Rome."), ("Alice", "I moved to Bern."))
    for name, text in told:
        clock.advance(minutes=1)
        api.post(PATH, {"user_message": text, "assistant_message": "Noted.", "speaker": name})
        facts = list_facts(api, user, clock)
    assert facts == {("you", "name", "alice"), ("you", "lives_in", "bern"), ("bob", "lives_in", "rome")}


def test_what_was_said_before_is_read_with_what_the_same_person_says(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    for place, (name, text, reply) in enumerate(
        (
            ("Alice", "I like chess.", "Nice. Where do you live?"),
            ("Bob", "I work at Lidl.", "Since when?"),
            ("Alice", "Paris", "Lovely."),
        )
    ):
        clock.advance(minutes=place)
        api.post(PATH, {"user_message": text, "assistant_message": reply, "speaker": name})
    assert ("alice", "lives_in", "paris") in list_facts(api, user, clock)


# --- what goes ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("place", ["exchanges/{exchange_id}", "threads/t-1"])
def test_what_is_not_deleted_by_itself_says_how_it_goes(api: ApiClient, place: str) -> None:
    stored = api.post(PATH, PAIR).json()
    refused = api.delete(place.format_map(stored))
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")
    assert "/memories/" in refused.json()["detail"]
    assert "GET" in refused.json()["detail"]
    assert api.delete(f"memories/{stored['memory_id']}").status_code == 204
    assert api.get(f"exchanges/{stored['exchange_id']}").status_code == 404
