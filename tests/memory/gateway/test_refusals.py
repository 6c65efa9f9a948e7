"""What goes wrong, as the official client raises it."""

from typing import Any

import openai
import pytest
from openai import OpenAI
from pytest_django import Settings

from memory.access.keys import SCOPES
from memory.gateway import serving
from memory.models import EndUser
from tests.api_client import client_for
from tests.doubles.chat_server import ChatServer, Whole, completion
from tests.memory.gateway.conftest import OpenClient, configure
from tests.memory.gateway.kept import meta_of, stored

HELLO: Any = [{"role": "user", "content": "Good morning to you"}]


def ask(client: OpenAI, **more: Any) -> Any:
    return client.chat.completions.create(**{"model": "", "messages": HELLO, **more})


def test_keys_are_those_of_the_memory(
    user: EndUser, other_user: EndUser, model: ChatServer, openai_for: OpenClient
) -> None:
    with pytest.raises(openai.AuthenticationError, match="unknown, expired or revoked") as wrong:
        ask(openai_for(user, key="sk-of-somebody"))
    assert wrong.value.code == "invalid_api_key"
    bens = client_for(other_user, user_ids=["ben"]).key or ""
    with pytest.raises(openai.PermissionDeniedError, match="may not act for that user"):
        ask(openai_for(user, key=bens))
    with pytest.raises(openai.PermissionDeniedError, match="scope read"):
        ask(openai_for(user, scopes=("write",)))
    assert model.asked == []
    # A key for one person needs nobody named.
    assert meta_of(ask(openai_for(user, key=bens, headers={"X-User-Id": ""})))["user_id"] == "ben"


def test_a_key_that_only_reads_stores_nothing(user: EndUser, model: ChatServer, openai_for: OpenClient) -> None:
    meta = meta_of(ask(openai_for(user, scopes=("read",))))
    assert meta["not_stored"] == "memory mode is read"
    assert stored(user) == []


def test_a_key_that_refuses_secrets_keeps_no_turn_with_one(
    user: EndUser, model: ChatServer, openai_for: OpenClient
) -> None:
    client = openai_for(user, scopes=SCOPES, secret_handling="refuse")
    told: Any = [{"role": "user", "content": "My password is Xk9!vv2Lq0pT, remember it"}]
    reply = ask(client, messages=told)
    # The words go where the person sent them; of what is kept, the key decides.
    assert told[0]["content"] in model.asked[0].body["messages"][-1]["content"]
    assert "holds a secret" in meta_of(reply)["not_stored"]
    assert stored(user) == []


def test_without_a_language_model_the_error_says_what_to_set(
    user: EndUser, settings: Settings, openai_for: OpenClient
) -> None:
    configure(settings, url="", model="")
    client = openai_for(user)
    with pytest.raises(openai.InternalServerError, match="CHAT_BASE_URL"):
        ask(client)
    assert list(client.models.list()) == []


def test_models_are_the_configured_one_else_those_of_the_server(
    client: OpenAI, model: ChatServer, settings: Settings
) -> None:
    configure(settings, model="house-model")
    assert [one.id for one in client.models.list()] == ["house-model"]
    assert client.models.retrieve("house-model").owned_by == "commonplace"
    with pytest.raises(openai.NotFoundError, match="does not exist"):
        client.models.retrieve("another")
    configure(settings, model="")
    assert [one.id for one in client.models.list()] == ["scripted-1"]
    with pytest.raises(openai.BadRequestError, match="model: is required") as wrong:
        ask(client)
    assert wrong.value.param == "model"


@pytest.mark.parametrize("streams", [True, False])
def test_errors_of_the_language_models_server_pass_through(client: OpenAI, model: ChatServer, *, streams: bool) -> None:
    limit = {"error": {"message": "Slow down.", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}}
    model.answers(Whole(limit, 429, {"Retry-After": "7"}))
    with pytest.raises(openai.RateLimitError, match="Slow down") as limited:
        ask(client, stream=streams)
    assert limited.value.response.headers["Retry-After"] == "7"
    model.answers(Whole({"error": {"message": "no such model", "code": "model_not_found"}}, 404))
    with pytest.raises(openai.NotFoundError, match="no such model"):
        ask(client, stream=streams)
    model.answers(Whole(b"<html>Bad gateway: sk-of-the-upstream</html>", 502))
    with pytest.raises(openai.InternalServerError, match=r"answered 502: <html>Bad gateway: \[key\]"):
        ask(client, stream=streams)


def test_a_server_that_cannot_be_reached_or_answers_nonsense_is_named(
    client: OpenAI, model: ChatServer, settings: Settings
) -> None:
    model.answers(Whole(b"Hello"))
    with pytest.raises(openai.InternalServerError, match="no JSON object"):
        ask(client)
    with pytest.raises(openai.APIError, match="sent none"):
        list(ask(client, stream=True))
    configure(settings, url="http://127.0.0.1:9/v1")
    with pytest.raises(openai.InternalServerError, match="cannot be reached") as away:
        ask(client)
    assert away.value.status_code == 502


def test_more_streams_than_there_are_places_are_told_to_wait(
    client: OpenAI, model: ChatServer, settings: Settings
) -> None:
    configure(settings, streams=1)
    serving.stream_places().acquire()
    with pytest.raises(openai.InternalServerError, match="CHAT_STREAMS") as busy:
        ask(client)
    assert (busy.value.status_code, busy.value.response.headers["Retry-After"]) == (503, "1")
    serving.stream_places().release()
    # A refused request gives its place back, and so does an answer, whole or begun.
    with pytest.raises(openai.BadRequestError):
        ask(client, messages=[])
    ask(client)
    ask(client, stream=True).close()
    assert ask(client).choices[0].message.content == "Noted."


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"messages": "Hello"}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": ["Hello"]}, "messages[0]"),
        ({"messages": [{"content": "Hello"}]}, "messages[0].role"),
        ({"stream": "yes"}, "stream"),
        ({"model": 4}, "model"),
        ({"user": "ann/../ben"}, "user"),
        ({"extra_headers": {"X-Thread-Id": "x" * 201}}, "X-Thread-Id"),
        ({"extra_headers": {"X-Memory-Mode": "some"}}, "X-Memory-Mode"),
    ],
)
def test_a_bad_request_names_its_field(
    user: EndUser, model: ChatServer, openai_for: OpenClient, body: dict[str, Any], param: str
) -> None:
    client = openai_for(user, headers={"X-User-Id": ""})
    with pytest.raises(openai.BadRequestError) as wrong:
        ask(client, **body)
    assert wrong.value.param == param
    assert model.asked == []


@pytest.mark.parametrize("path", ["embeddings", "chat/completions/", "files/f-1", ""])
def test_an_address_that_is_not_here_is_refused_as_openai_would(client: OpenAI, path: str) -> None:
    with pytest.raises(openai.NotFoundError, match=f"Unknown request URL: POST /v1/{path}") as unknown:
        client.post(f"/{path}", body={}, cast_to=object)
    assert (unknown.value.code, "/v1/responses" in unknown.value.message) == ("unknown_url", True)


def test_a_malformed_or_huge_body_is_refused(client: OpenAI, model: ChatServer, settings: Settings) -> None:
    with pytest.raises(openai.BadRequestError, match=r"not JSON.*line 1"):
        client.post("/chat/completions", content=b'{"messages": [', cast_to=object)
    configure(settings, max_body_bytes=1_000)
    with pytest.raises(openai.APIStatusError, match="CHAT_BODY_MB") as large:
        ask(client, messages=[{"role": "user", "content": "x" * 2_000}])
    assert large.value.status_code == 413
    with pytest.raises(openai.APIStatusError, match=r"Use POST\.") as method:
        client.get("/chat/completions", cast_to=object)
    assert method.value.status_code == 405
    assert model.asked == []


def test_a_body_beyond_what_others_may_send_is_read(client: OpenAI, model: ChatServer) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 3_000_000}}
    asked: Any = [{"role": "user", "content": [{"type": "text", "text": "What is on it?\x1b[0m"}, picture]}]
    model.answers(Whole(completion("A shed.")))
    assert ask(client, messages=asked).choices[0].message.content == "A shed."
    assert model.asked[0].body["messages"][-1]["content"][-1] == picture
