"""What is deleted is gone from every place that held its words."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.records.tasks import embed_user_records
from tests.api_client import ApiClient

CANARY = "Quetzalcoatlus"


def tables_of_users() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'user_id' "
            "WHERE c.relkind = 'r' AND c.relrowsecurity"
        )
        return [name for (name,) in cursor.fetchall()]


def holders(user: EndUser, word: str) -> list[str]:
    """The tables that hold a word anywhere in a row of the user."""
    with user_scope(user), connection.cursor() as cursor:
        found = []
        for table in tables_of_users():
            cursor.execute(f"SELECT count(*) FROM {table} AS r WHERE r::text ILIKE %s", [f"%{word}%"])
            found += [table] if cursor.fetchone()[0] else []
        return found


@pytest.mark.django_db(transaction=True)
def test_a_deleted_memory_leaves_no_word_behind_and_a_late_repeat_does_not_bring_it_back(
    user: EndUser, api: ApiClient, index_now: Callable[[EndUser], Any]
) -> None:
    body = {"text": f"Saw a {CANARY} today", "tier": "history"}
    stored = api.post("memories", body, Idempotency_Key="k1").json()
    index_now(user)
    found = api.post("search", {"query": "what did I see"}, Idempotency_Key="k2").json()
    assert found["results"][0]["memory_id"] == stored["id"]
    assert "idempotency_record" in holders(user, CANARY)

    assert api.delete(f"memories/{stored['id']}").status_code == 204
    assert holders(user, CANARY) == []
    again = api.post("memories", body, Idempotency_Key="k1")
    assert again.status_code == 201
    assert again.json()["id"] == stored["id"]
    assert api.get(f"memories/{stored['id']}").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_deleting_the_memory_of_an_exchange_deletes_the_exchange(user: EndUser, api: ApiClient) -> None:
    said = {"user_message": f"A {CANARY}?", "assistant_message": "Indeed."}
    stored = api.post("threads/t1/exchanges", said).json()
    assert "exchange" in holders(user, CANARY)
    assert api.delete(f"memories/{stored['memory_id']}").status_code == 204
    assert holders(user, CANARY) == []


@pytest.mark.django_db(transaction=True)
def test_no_stored_answer_of_a_tool_keeps_the_words_of_what_was_deleted(
    user: EndUser, api: ApiClient, index_now: Callable[[EndUser], Any]
) -> None:
    fact = {"content": f"My cat is called {CANARY}", "tags": ["identity"]}
    stored = api.post("tools/add_to_memory_bank", fact, Idempotency_Key="k1").json()["result"]
    index_now(user)
    asked = {"query": "the name of my cat"}
    assert api.post("tools/search_memory", asked, Idempotency_Key="k2").json()["result"]["results"]
    reported = api.post("tools/get_context_insights", {"query": "What is my cat called?"}, Idempotency_Key="k3").json()
    assert reported["result"]["you_already_know"]
    assert api.delete(f"memories/{stored['memory_id']}").status_code == 204
    assert holders(user, CANARY) == []
    # The late repeat of the write is still known for one, and writes nothing.
    again = api.post("tools/add_to_memory_bank", fact, Idempotency_Key="k1").json()["result"]
    assert (again["memory_id"], again["content"]) == (stored["memory_id"], "")
    assert api.get("memories", {"tier": "memory_bank"}).json()["items"] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("services")
def test_no_stored_answer_keeps_the_words_of_a_record_or_message_that_was_deleted(
    user: EndUser, api: ApiClient
) -> None:
    todo = api.post("kinds/todos", {"title": f"Feed the {CANARY}"}, Idempotency_Key="k1").json()
    said = {"user_message": f"What does a {CANARY} eat?", "assistant_message": "Fish."}
    exchange = api.post("threads/t1/exchanges", said).json()
    embed_user_records(user.pk)
    recalled = api.post("recall/search", {"query": f"food of the {CANARY}"}, Idempotency_Key="k2").json()
    assert len(recalled["diagnostics"]["results"]) >= 2
    assert api.delete(f"kinds/todos/{todo['id']}").status_code == 204
    assert "idempotency_record" not in holders(user, CANARY)
    api.post("recall/search", {"query": f"food of the {CANARY}"}, Idempotency_Key="k3")
    assert api.delete(f"memories/{exchange['memory_id']}").status_code == 204
    assert holders(user, CANARY) == []
