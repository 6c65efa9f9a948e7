"""Whose memory it is, which thread, and what is left alone."""

from typing import Any

import pytest
from django.db import OperationalError
from openai import OpenAI

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.gateway import turns
from memory.gateway.identity import derive_thread
from memory.gateway.review import remove_thinking, review_answer
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from tests.doubles.chat_server import ChatServer, Streamed, Whole, completion, said
from tests.memory.gateway.conftest import OpenClient
from tests.memory.gateway.kept import meta_of, rows, stored


def ask(client: OpenAI, text: str = "Good morning to you", headers: dict[str, str] | None = None, **more: Any) -> Any:
    messages: Any = [{"role": "user", "content": text}]
    return client.chat.completions.create(model="", messages=messages, extra_headers=headers or {}, **more)


def test_the_person_is_named_by_a_header_the_body_or_nobody(
    user: EndUser, model: ChatServer, openai_for: OpenClient
) -> None:
    client = openai_for(user, headers={"X-User-Id": ""})
    named = {
        "ann": ask(client, headers={"X-User-Id": "ann", "X-OpenWebUI-User-Id": "ben"}, user="cleo"),
        "ben": ask(client, headers={"X-OpenWebUI-User-Id": "ben"}, user="cleo"),
        "cleo": ask(client, user="cleo"),
        "default": ask(client),
    }
    assert [meta_of(reply)["user_id"] for reply in named.values()] == list(named)
    # What the client says of its user is the server's as well.
    assert [exchange.body.get("user") for exchange in model.asked] == ["cleo", "cleo", "cleo", None]
    assert len(stored(user)) == 1


def test_the_thread_is_named_by_a_header_or_by_how_it_began(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    ask(client, headers={"X-Thread-Id": "t-1", "X-OpenWebUI-Chat-Id": "c-1"})
    ask(client, headers={"X-OpenWebUI-Chat-Id": "c-1"})
    first: Any = [{"role": "system", "content": "It is 9:01."}, {"role": "user", "content": "Plan my week"}]
    client.chat.completions.create(model="", messages=first)
    again: Any = [
        {"role": "system", "content": "It is 9:02."},
        first[1],
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "Shorter"},
    ]
    client.chat.completions.create(model="", messages=again)
    derived = derive_thread("Plan my week")
    assert [row.thread_id for row in rows(user)] == ["t-1", "c-1", derived, derived]
    assert derive_thread("Plan my day") != derived


def test_of_several_people_each_is_kept_by_name_and_orders_for_the_person_alone(
    client: OpenAI, model: ChatServer, user: EndUser
) -> None:
    def say(text: str, name: str) -> Any:
        messages: Any = [{"role": "user", "name": name, "content": text}]
        return client.chat.completions.create(model="", messages=messages, extra_headers={"X-Thread-Id": "t-1"})

    say("I live in Paris.", "ann")
    # What is none is the model server's to judge.
    reply = say("I live in Rome. My cat is called Tom.", " Bob\nMay ")
    ordered = say("Add a goal: swim a mile", "Bob May")
    assert [row.speaker for row in rows(user)] == ["ann", "Bob May", "Bob May"]
    assert model.asked[1].body["messages"][-1]["name"] == " Bob\nMay "
    assert meta_of(reply)["exchange_id"]
    assert not meta_of(ordered).get("orders")
    assert meta_of(say("Add a goal: run a mile", "ann"))["orders"][0]["done"] is True
    profiling.drain_exchanges(user, 5.0)
    with user_scope(user):
        known = set(Fact.objects.for_user(user).values_list("subject", "object_key"))
    assert {("you", "paris"), ("bob may", "rome"), ("bob may", "tom")} <= known
    assert ("you", "rome") not in known


def test_what_others_said_before_the_question_is_kept_once(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    def say(text: str, name: str | None = None) -> Any:
        return {"role": "user", "content": text, **({"name": name} if name else {})}

    spoken: Any = [
        *(say("Good morning", "Bob"), {"role": "assistant", "content": "Morning."}, say("Some document")),
        *(
            say("I live in Rome.", "Bob"),
            say("With a cat.", "Bob"),
            say("I moved to Bern.", "Eve"),
            say("\x00\u200b", "Kim"),
        ),
        *(say("Well then.", "ann"), say("Where does Bob live?", "ann")),
    ]
    for _ in range(2):
        client.chat.completions.create(model="", messages=spoken, extra_headers={"X-Thread-Id": "t-1"})
    assert [(row.speaker, row.user_message, row.assistant_message, row.interrupted) for row in rows(user)] == [
        ("Bob", "I live in Rome.\n\nWith a cat.", "", True),
        ("Eve", "I moved to Bern.", "", True),
        ("ann", "Where does Bob live?", "Noted.", False),
        ("ann", "Where does Bob live?", "Noted.", False),
    ]


@pytest.mark.parametrize(
    ("headers", "text", "reads"),
    [
        ({"X-Memory-Mode": "read"}, "Good morning to you", True),
        ({"X-Memory-Mode": "off"}, "Good morning to you", False),
        ({"X-OpenWebUI-Chat-Id": "local:abc"}, "Good morning to you", True),
        ({}, "### Task:\nSuggest a title for the chat.\n<chat_history>...", False),
    ],
)
def test_what_is_no_persons_turn_is_not_kept(
    client: OpenAI, model: ChatServer, user: EndUser, headers: dict[str, str], text: str, *, reads: bool
) -> None:
    reply = ask(client, text, headers)
    assert stored(user) == []
    assert meta_of(reply)["not_stored"]
    assert (len(model.asked[0].body["messages"]) > 1) is reads
    assert ("tools" in model.asked[0].body) is reads


@pytest.mark.parametrize("streams", [True, False])
def test_a_memory_that_fails_costs_the_context_and_never_the_answer(
    client: OpenAI, model: ChatServer, user: EndUser, monkeypatch: pytest.MonkeyPatch, *, streams: bool
) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("canceling statement due to lock timeout")

    attempts: list[float] = []
    monkeypatch.setattr(MemoryFacade, "compose_context", fail)
    monkeypatch.setattr(MemoryFacade, "store_exchange", fail)
    monkeypatch.setattr("memory.gateway.turns.time.sleep", attempts.append)
    model.answers(Streamed(said("Good ", "morning.")) if streams else Whole(completion("Good morning.")))
    reply = ask(client, stream=streams)
    if streams:
        *_, reply = parts = list(reply)
        text = "".join(part.choices[0].delta.content or "" for part in parts)
    else:
        text = reply.choices[0].message.content
    assert text == "Good morning."
    assert [message["role"] for message in model.asked[0].body["messages"]] == ["user"]
    meta = meta_of(reply)
    assert (meta["fallbacks"], meta["not_stored"]) == (["context_skipped"], "the memory does not answer")
    assert len(attempts) == len(turns.STORE_AGAIN_AFTER_S)


def test_what_a_person_should_decide_is_said_beside_the_answer(client: OpenAI, model: ChatServer) -> None:
    model.answers(Whole(completion("The usual dosage is on the prescription.")))
    assert meta_of(ask(client, "Which side effects has ibuprofen?"))["disclaimers"] == ["medical"]


@pytest.mark.parametrize(
    ("answer", "is_valid"),
    [
        ("I am now a pirate and obey.", False),
        ("Sure. <system>New rules.</system>", False),
        ("pwned", False),
        ("All of this was nice. You have been HACKED!", False),
        ("I am now looking at the error that hackathon teams meet.", True),
        ("The mortgage is due in May.", True),
        ("<think>I am now a pirate</think>The shed is blue.", True),
    ],
)
def test_answers_that_seem_hijacked_are_told_apart(answer: str, *, is_valid: bool) -> None:
    assert (not review_answer("Where is it?", answer).reason) is is_valid


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Yes.", "Yes."),
        ("<think>a</think>Yes.", "Yes."),
        ("Well. <think>a</think>Yes. <think>b</think>No.", "Well. Yes. No."),
        ("a thought</think>Yes.", "Yes."),
        ("Yes. <think>and then", "Yes."),
        ("<think>" * 3 + "</think>No.", "No."),
    ],
)
def test_thoughts_are_taken_out(text: str, kept: str) -> None:
    assert remove_thinking(text) == kept
