"""A secret is posted wherever words are taken, and then looked for in every table, in Redis, in the log and in exports.

The scan reads whole rows as text, so a column that a later version adds is scanned too.
"""

import io
import json
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from config.logs import logging_config
from knowledge_graph import tasks as graph_tasks
from memory.access.keys import Principal
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.mcp.callers import run_tool
from memory.models import EndUser
from memory.models.people import SecretHandling
from memory.platform import redis
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.tools import ToolError
from memory.transfer.chats.importing import ChatFile, import_chats
from memory.web.callers import Caller
from outcomes import tasks as exchange_tasks
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

CORE = "zebrafinchkettle"
PASSWORD = f"{CORE}_93!7"
TOKEN = "gh" + f"p_{CORE}9317aB3dE5fG7hJ9kL1m"
TOLD = f"My wifi password is {PASSWORD} and I like herons."
NAMED = {"wifi password": PASSWORD, "deep": [{"note": f"use {TOKEN}"}], TOKEN: 1}
BANK = {"tier": "memory_bank", "tags": ["identity"]}

TIERS = ("working", "history", "patterns", "books")
BANK_TEXT = f"I live in Leeds. My wifi password is {PASSWORD}."
HARMLESS = {"text": "Herons wade."}
GREETING = {"user_message": "Hi", "assistant_message": "Ho"}
DEPLOY = {"content": f"Our deploy bot uses {TOKEN}", "tags": ["project"]}

# Every place that takes words: method, path, body.
WRITES: dict[str, tuple[str, str, Any]] = {
    **{f"a memory in {tier}": ("POST", "memories", {"text": TOLD, "tier": tier}) for tier in TIERS},
    "a bank item": ("POST", "memories", {"text": BANK_TEXT, **BANK}),
    "a token in a bank item": ("POST", "memories", {"text": f"Our deploy bot uses {TOKEN}", **BANK}),
    "a batch": ("POST", "memories/batch", {"items": [HARMLESS, {"text": TOLD}, {"text": TOLD, **BANK}]}),
    "metadata": ("POST", "memories", {**HARMLESS, "metadata": NAMED}),
    "a source": ("POST", "memories", {**HARMLESS, "source": {"type": "tool", "call": f"-u ann:{PASSWORD} x"}}),
    "a source's name": ("POST", "memories", {**HARMLESS, "source": TOKEN}),
    "tags, speaker, thread": (
        "POST", "memories", {**HARMLESS, "tags": [TOKEN.lower(), "x"], "speaker": TOKEN, "thread_id": TOKEN},
    ),
    "an exchange": ("POST", "threads/t-1/exchanges", {"user_message": TOLD, "assistant_message": f"Noted: {TOKEN}"}),
    "an answer to a question": (
        "POST", "threads/t-1/exchanges",
        {"user_message": "What is the wifi password?", "assistant_message": f"It's {PASSWORD}"},
    ),
    "messages": (
        "POST", "threads/t-1/exchanges",
        {"messages": [{"role": "user", "content": TOLD}, {"role": "assistant", "content": f"ok, {TOKEN}"}]},
    ),
    "a tool's name and error": (
        "POST", "threads/t-1/exchanges",
        {"user_message": "Look it up", "assistant_message": "Done",
         "tools": [{"name": TOKEN, "ok": False, "ms": 3, "error": f"401 for {TOKEN}"}]},
    ),
    "a thread of the address": ("POST", f"threads/{TOKEN}/exchanges", GREETING),
    "a search": ("POST", "search", {"query": f"where do I use {TOKEN}", "thread_id": TOKEN}),
    "a context": ("POST", "context", {"query": TOLD, "recent_messages": [{"role": "user", "content": TOLD}]}),
    "a fact": ("POST", "facts", {"statement": f"My wifi password is {PASSWORD}"}),
    "a question about facts": ("POST", "facts/search", {"query": TOLD}),
    "a journal": ("POST", "kinds/journals", {"title": TOKEN, "body": TOLD}),
    "a to-do": ("POST", "kinds/todos", {"title": f"Rotate {TOKEN}"}),
    "gratitude": ("POST", "kinds/gratitude", {"text": TOLD}),
    "preferences": ("PUT", "kinds/preferences", {"flags": NAMED}),
    "recall": ("POST", "recall/search", {"query": TOLD}),
    "own data": ("PUT", "data/ui.theme", {"value": NAMED}),
    "own data under a name": ("PUT", "data/wifi.password", {"value": PASSWORD}),
    "a goal": ("POST", "goals", {"text": f"Change my password, it is {PASSWORD}"}),
    "a tool call": ("POST", "tools/add_to_memory_bank", DEPLOY),
    "a tool's search": ("POST", "tools/search_memory", {"query": f"where is {TOKEN}"}),
    "a hook's exchange": (
        "POST", "/api/v1/hooks/exchange",
        {"user_id": "ann", "thread_id": "t-2", "user_message": TOLD, "assistant_message": "Noted."},
    ),
    "a hook's context": ("POST", "/api/v1/hooks/context", {"user_id": "ann", "query": TOLD}),
}  # fmt: skip


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """All that the process logs meanwhile, formatted as it is in production."""
    stream = io.StringIO()
    config = logging_config("DEBUG")["formatters"]["json"]
    handler = logging.StreamHandler(stream)
    handler.setFormatter(config["()"](processors=config["processors"], foreign_pre_chain=config["foreign_pre_chain"]))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def find_in_tables(user: EndUser, word: str) -> list[str]:
    """The tables of which a row holds the word, in any column."""
    found = []
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1")
        for (table,) in cursor.fetchall():
            cursor.execute(f'SELECT count(*) FROM "{table}" AS row WHERE lower(row::text) LIKE %s', [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def find_in_redis(word: str) -> list[str]:
    client = redis.redis_client()
    readers: dict[Any, Callable[[Any], Any]] = {
        b"string": client.get,
        b"hash": client.hgetall,
        b"set": client.smembers,
        b"list": lambda key: client.lrange(key, 0, -1),
        b"zset": lambda key: client.zrange(key, 0, -1),
    }
    needle = word.encode()
    return [
        repr(key)
        for key in client.scan_iter("*")
        if needle in key.lower() or needle in repr(readers.get(client.type(key), lambda key: b"")(key)).lower().encode()
    ]


def find_in_exports(api: ApiClient, word: str) -> list[str]:
    paths = (
        "exchanges/export",
        "exchanges",
        "memories",
        "memories?tier=memory_bank",
        "facts",
        "kinds/journals",
        "data",
    )
    return [path for path in paths if word in b"".join(api.get(path)).decode().lower()]


def learn_all(user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    """What workers do with what was written."""
    exchange_tasks.read_exchanges(user.pk)
    index_now(user)
    graph_tasks.learn_user(user.pk)


@pytest.mark.parametrize("place", WRITES)
def test_no_door_lets_a_secret_into_the_store(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None], log: io.StringIO, place: str
) -> None:
    method, path, body = WRITES[place]
    answer = api.send(method, path, body, Idempotency_Key=f"key-{len(place)}")
    assert answer.status_code < 300, answer.content
    assert CORE not in answer.content.decode().lower()
    learn_all(user, index_now)
    assert find_in_tables(user, CORE) == []
    assert find_in_redis(CORE) == []
    assert find_in_exports(api, CORE) == []
    assert CORE not in log.getvalue().lower()


def test_the_scan_finds_what_is_there(api: ApiClient, user: EndUser) -> None:
    api.post("memories", {"text": f"The bird is a {CORE}."})
    assert "memory_item" in find_in_tables(user, CORE)
    assert "memories" in find_in_exports(api, CORE)
    redis.redis_client().set("bird", f"a {CORE}")
    redis.redis_client().hset("birds", "first", CORE)
    assert len(find_in_redis(CORE)) == 2


def test_a_patch_brings_no_secret(api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    stored = api.post("memories", {"text": "Herons wade in the reeds."}).json()
    changed = api.patch(f"memories/{stored['id']}", {"text": TOLD, "tags": [TOKEN.lower()], "metadata": NAMED})
    assert changed.json()["redacted"] == ["wifi password", "github token"]
    assert changed.json()["version"] == 2
    learn_all(user, index_now)
    assert find_in_tables(user, CORE) == []


def test_an_outcome_brings_no_secret(api: ApiClient, user: EndUser) -> None:
    api.post("memories", {"text": "The runner needs a restart after each deploy."})
    turn = api.post("search", {"query": f"restart the runner with {TOKEN}"}).json()["turn_id"]
    done = api.post("outcomes", {"turn_id": turn, "outcome": "worked", "key_takeaway": f"The token {TOKEN} works"})
    assert done.status_code == 201
    assert graph_tasks.learn_user(user.pk) > 0
    assert find_in_tables(user, CORE) == []


def test_a_fact_that_is_corrected_brings_no_secret(api: ApiClient, user: EndUser) -> None:
    fact = api.post("facts", {"statement": "I live in Leeds."}).json()["fact"]
    assert (
        api.patch(f"facts/{fact['id']}", {"statement": f"I live in Leeds, my wifi password is {PASSWORD}"}).status_code
        == 200
    )
    assert find_in_tables(user, CORE) == []


@pytest.mark.parametrize("tier", [Tier.WORKING, Tier.MEMORY_BANK])
def test_what_comes_by_no_door_is_redacted_too(user: EndUser, clock: Clock, tier: Tier) -> None:
    memory = MemoryFacade("console:ann")
    memory.store(user, NewMemory(BANK_TEXT, tier, tags=["identity"]), now=clock())
    memory.store_exchange(
        user, NewExchange("t", TOLD, "Noted.", tools=[{"name": TOKEN, "ok": True, "ms": 1}]), now=clock()
    )
    memory.search(user, SearchRequest(TOLD), now=clock())
    memory.compose_context(user, TOLD, now=clock())
    assert find_in_tables(user, CORE) == []


def test_an_import_brings_no_secret(user: EndUser, tmp_path: Path, index_now: Callable[[EndUser], None]) -> None:
    lines = [
        {"thread": TOKEN, "time": "2026-01-02T10:00:00Z", "speaker": "ann", "text": TOLD},
        {"thread": "t-1", "time": "2026-01-02T10:01:00Z", "speaker": "assistant", "text": f"Noted {TOKEN}."},
    ]
    chatgpt = [{
        "title": f"Token {TOKEN}", "create_time": 1.0, "id": "c-1", "current_node": "b",
        "mapping": {
            "a": {"id": "a", "parent": None, "children": ["b"], "message": None},
            "b": {"id": "b", "parent": "a", "children": [], "message": {
                "id": "m-1", "author": {"role": "user"}, "create_time": 2.0,
                "content": {"content_type": "text", "parts": [TOLD]}}},
        },
    }]  # fmt: skip
    claude = [{
        "uuid": "u-1", "name": f"Token {TOKEN}", "created_at": "2026-01-02T10:00:00Z",
        "chat_messages": [{"uuid": "m-2", "sender": "human", "text": TOLD, "created_at": "2026-01-02T10:00:00Z"}],
    }]  # fmt: skip
    files = {"a.jsonl": "\n".join(map(json.dumps, lines)), "b.json": json.dumps(chatgpt), "c.json": json.dumps(claude)}
    for name, content in files.items():
        path = tmp_path / name
        path.write_text(content)
        done = import_chats(user, ChatFile(path), tier=Tier.HISTORY, now=datetime(2026, 3, 2, tzinfo=UTC))
        assert done.added > 0
    learn_all(user, index_now)
    assert find_in_tables(user, CORE) == []


def call_over_mcp(user: EndUser, name: str, arguments: dict[str, Any], **more: Any) -> Any:
    scopes = frozenset({"read", "write"})
    principal = Principal(user.organization_id, 0, "test", scopes, None, None, **more)
    return run_tool(Caller(principal, user.external_id), name, arguments)


def test_mcp_brings_no_secret(user: EndUser) -> None:
    call_over_mcp(user, "add_to_memory_bank", DEPLOY)
    call_over_mcp(user, "search_memory", {"query": f"where do I use {TOKEN}"})
    assert find_in_tables(user, CORE) == []


# --- what is told of it, and keys that refuse ---------------------------------------------------------------------
def test_an_answer_says_what_was_taken_out(api: ApiClient) -> None:
    stored = api.post("memories", {"text": TOLD}).json()
    assert stored["text"] == "My wifi password is [redacted: wifi password] and I like herons."
    assert stored["redacted"] == ["wifi password"]
    assert api.get(f"memories/{stored['id']}").json()["redacted"] == ["wifi password"]
    exchange = api.post("threads/t/exchanges", {"user_message": TOLD, "assistant_message": f"ok {TOKEN}"}).json()
    assert exchange["redacted"] == ["wifi password", "github token"]


def test_an_answer_about_nothing_secret_is_as_it_was(api: ApiClient) -> None:
    assert "redacted" not in api.post("memories", {"text": "Herons wade."}).json()
    answer = api.post("threads/t/exchanges", {"user_message": "Hi", "assistant_message": "Ho"})
    assert "redacted" not in answer.json()


READS = {"a search", "a context", "a question about facts", "recall", "a tool's search", "a hook's context"}
IN_THE_ADDRESS = {"a thread of the address", "own data under a name"}


@pytest.mark.parametrize("place", [place for place in WRITES if place not in IN_THE_ADDRESS])
def test_a_key_can_refuse_secrets(user: EndUser, place: str) -> None:
    strict = client_for(user, secret_handling=SecretHandling.REFUSE)
    method, path, body = WRITES[place]
    answer = strict.send(method, path, body)
    if place in READS:
        # A context that is refused would leave the person without an answer.
        assert answer.status_code < 300
    else:
        assert answer.status_code == 422
        assert answer.json()["code"] == "validation_failed"
        assert all(error["field"] and "holds a secret" in error["message"] for error in answer.json()["errors"])
    assert CORE not in answer.content.decode().lower()
    assert find_in_tables(user, CORE) == []


def test_a_refusal_names_field_and_kind(user: EndUser) -> None:
    strict = client_for(user, secret_handling=SecretHandling.REFUSE)
    answer = strict.post("memories/batch", {"items": [{"text": "Herons wade."}, {"text": TOLD}]})
    [error] = answer.json()["errors"]
    assert error == {"field": "items[1].text", "message": "holds a secret (wifi password), which this key refuses"}
    assert strict.post("memories", {"text": "Herons wade."}).status_code == 201


def test_a_key_that_refuses_does_so_over_mcp(user: EndUser) -> None:
    with pytest.raises(ToolError, match="github token"):
        call_over_mcp(user, "add_to_memory_bank", DEPLOY, refuses_secrets=True)
    call_over_mcp(user, "search_memory", {"query": TOKEN}, refuses_secrets=True)
