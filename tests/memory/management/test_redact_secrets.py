"""`manage.py redact_secrets`: what was stored before there was redaction loses its secrets, and nothing else."""

from collections.abc import Callable

import pytest

from knowledge_graph import tasks as graph_tasks
from memory.access.scope import user_scope
from memory.guard.redaction import texts
from memory.models import EndUser, MemoryItem
from outcomes import tasks as exchange_tasks
from tests.api_client import ApiClient
from tests.attacks.test_secrets import (
    CORE,
    HARMLESS,
    NAMED,
    PASSWORD,
    TOKEN,
    TOLD,
    find_in_exports,
    find_in_redis,
    find_in_tables,
)
from tests.memory.management.test_keys import run_command

pytestmark = pytest.mark.usefixtures("services")

COMMAND = ("redact_secrets", "--org=acme")


@pytest.fixture
def before_redaction(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an installation without redaction has stored, indexed and learned."""
    with monkeypatch.context() as unguarded:
        unguarded.setattr(texts, "find_secrets", lambda text: [])
        unguarded.setattr(texts, "find_reply", lambda question, answer: [])
        api.post("memories", HARMLESS)
        stored = api.post(
            "memories", {"text": TOLD, "tags": [TOKEN.lower()], "metadata": NAMED, "speaker": TOKEN}
        ).json()
        api.patch(f"memories/{stored['id']}", {"text": f"{TOLD} Still."})
        # Bare, where nothing around it says what it is.
        api.post("memories", {"text": f"Typed {PASSWORD} three times."})
        exchange = {
            "user_message": TOLD,
            "assistant_message": f"Noted: {TOKEN}",
            "tools": [{"name": "x", "ok": False, "ms": 1, "error": TOKEN}],
        }
        api.post("threads/t-1/exchanges", exchange)
        turn = api.post("search", {"query": TOLD}).json()["turn_id"]
        api.post("outcomes", {"turn_id": turn, "outcome": "worked", "key_takeaway": f"The token {TOKEN} works"})
        api.post("kinds/journals", {"title": TOKEN, "body": TOLD})
        api.send("PUT", "data/wifi.password", {"value": PASSWORD})
        api.post("memories", {"text": TOLD}, Idempotency_Key="k-1")
        exchange_tasks.read_exchanges(user.pk)
        index_now(user)
        graph_tasks.learn_user(user.pk)
    assert len(find_in_tables(user, CORE)) > 10


@pytest.mark.usefixtures("before_redaction")
def test_nothing_of_a_secret_is_left(api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    said, _ = run_command(*COMMAND)
    assert "acme/ann" in said
    assert "wifi password" in said
    assert CORE not in said
    index_now(user)
    graph_tasks.learn_user(user.pk)
    assert find_in_tables(user, CORE) == []
    assert find_in_redis(CORE) == []
    assert find_in_exports(api, CORE) == []
    # What was said beside it is found as before.
    found = api.post("search", {"query": "Who likes herons?"}).json()["results"]
    assert any("I like herons" in hit["content"] and "[redacted: wifi password]" in hit["content"] for hit in found)


@pytest.mark.usefixtures("before_redaction")
def test_a_dry_run_counts_and_changes_nothing(user: EndUser) -> None:
    before = find_in_tables(user, CORE)
    said, _ = run_command(*COMMAND, "--dry-run")
    assert "memory_item" in said
    assert "nothing was written" in said
    assert find_in_tables(user, CORE) == before


@pytest.mark.usefixtures("before_redaction")
def test_a_dry_run_names_what_a_run_then_changes(user: EndUser) -> None:
    foreseen = run_command(*COMMAND, "--dry-run")[0].splitlines()[0]
    assert "exchange 1" in foreseen
    assert run_command(*COMMAND)[0].splitlines()[0] == foreseen


@pytest.mark.usefixtures("before_redaction")
def test_a_second_run_finds_nothing(user: EndUser) -> None:
    run_command(*COMMAND)
    assert "1 people, 0 rows" in run_command(*COMMAND)[0]


def test_what_has_no_secret_keeps_its_row_and_its_vector(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    api.post("memories", HARMLESS)
    index_now(user)

    def read() -> list[tuple[object, ...]]:
        with user_scope(user):
            columns = ("text", "updated_at", "indexing", "vector_hash", "revision")
            return list(MemoryItem.objects.for_user(user).values_list(*columns))

    before = read()
    run_command(*COMMAND)
    assert read() == before
