"""A key bound to a project, and everything it could ask: nothing of another project comes out, in whatever words."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from books.models import Book, BookChunk, BookDigest, BookJob, BookUpload
from memory.access.confinement import RowScope, ScopeFilter, confine_to
from memory.access.scope import WrongScope, user_scope
from memory.enrichment.tasks import label_person
from memory.facade import MemoryFacade
from memory.indexes import lexical_index, vector_index
from memory.indexes.base import IndexFilter
from memory.inference import embedder
from memory.language.text import hash_content
from memory.models import EndUser, Fact, FactStream, MemoryItem
from memory.platform.deadline import Deadline
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges import profiling
from outcomes.models import Exchange, ThreadDigest, ThreadTitle
from tests.api_client import ApiClient, client_for
from tests.contracts.test_openapi import SNAPSHOT as DOCUMENT
from tests.factories import keep_evaluation

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
OURS, THEIRS = RowScope(project_id="acme/atlas"), RowScope(project_id="acme/borealis")
SECRET = "heliotrope"
"""Stands in what belongs to the project that the key is not bound to, and nowhere else."""
ASKED = f"What do you know about the {SECRET} engine of the boat?"


@dataclass(frozen=True, slots=True)
class Told:
    """What the other project holds, by id."""

    memory_id: str
    bank_id: str
    exchange_id: str
    fact_id: str
    turn_id: str


def keep_book(user: EndUser, scope: RowScope, word: str, item_id: str) -> None:
    """A row in every table of books, with the word wherever words may be."""
    named = {"user": user, "project_id": scope.project_id, "file_name": f"{word}.md", "size": 4}
    named |= {"content_hash": hash_content(word), "title": f"The {word} boat"}
    book = Book.objects.create(**named, file_type="md", chunk_count=1)
    BookChunk.objects.create(user=user, book=book, item_id=item_id, position=0, tokens=1, section=word)
    BookDigest.objects.create(user=user, book=book, summary=f"The {word} boat is repaired")
    BookUpload.objects.create(user=user, job=BookJob.objects.create(**named), body=word.encode())


@pytest.fixture
def told(user: EndUser, api: ApiClient, index_now: Callable[[EndUser], None]) -> Told:
    """The same kinds of things in a project, in another, and of the person alone."""
    found = []
    for scope, word in ((OURS, "lavender"), (THEIRS, SECRET), (RowScope(), "marigold")):
        named = {"project_id": scope.project_id} if scope else {}
        memory = api.post(
            "memories", {"text": f"The {word} engine of the boat is repaired", "thread_id": word, **named}
        )
        assert memory.status_code == 201, memory.content
        assert memory.json()["project_id"] == scope.project_id
        memory_id = memory.json()["id"]
        api.patch(f"memories/{memory_id}", {"text": f"The {word} engine of the boat is repaired on Fridays"})
        banked = {"text": f"I keep the {word} boat at Crail", "tier": "memory_bank", "tags": ["context"], **named}
        bank = api.post("memories", banked)
        index_now(user)
        turn = api.post("search", {"query": f"{word} engine of the boat", "thread_id": word, **named}).json()
        said: dict[str, Any] = {
            "user_message": f"My {word} boat is called {word.title()}.",
            "assistant_message": f"Noted, {word}.",
        }
        said |= {"turn_id": turn["turn_id"], "tools": [{"name": "git", "ok": False, "ms": 1, "error": f"{word} broke"}]}
        exchange = api.post(f"threads/{word}/exchanges", {**said, **named})
        assert exchange.status_code == 201, exchange.content
        assert profiling.profile_due_exchanges(user)
        api.post(
            "outcomes", {"turn_id": turn["turn_id"], "outcome": "worked", "key_takeaway": f"{word} helps", **named}
        )
        fact = api.post("facts", {"statement": f"My sailmaker is called {word.title()}", **named})
        assert fact.status_code == 201, fact.content
        with confine_to(scope), user_scope(user):
            ThreadDigest.objects.create(user=user, thread_id=word, bullets=[f"The {word} boat is called {word}"])
            ThreadTitle.objects.create(user=user, thread_id=word, title=f"The {word} boat")
            keep_book(user, scope, word, memory_id)
            keep_evaluation(user, MemoryItem.objects.get(pk=memory_id), word, NOW)
        api.post("hot/turn", {"thread_id": word, "text": f"My engineer is called {word.title()}", **named})
        ids = (memory_id, bank.json()["id"], exchange.json()["exchange_id"], fact.json()["fact"]["id"], turn["turn_id"])
        found.append(Told(*ids))
    index_now(user)
    label_person(user, now=timezone.now())
    return found[1]


@pytest.fixture
def bound(user: EndUser) -> ApiClient:
    return client_for(user, scope=OURS)


def read_body(response: Any) -> str:
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return body.decode().casefold()


def list_readable() -> list[str]:
    """Every address that can be read knowing the person alone, from the document that is held to be the API's own."""
    paths = json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"]
    prefix = "/api/v1/users/{user_id}/"
    return [path.removeprefix(prefix) for path, calls in paths.items() if "get" in calls and path.count("{") == 1
            and path.startswith(prefix)]  # fmt: skip


QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("search", {"query": ASKED, "limit": 50, "explain": True}),
    ("search", {"query": SECRET, "limit": 50, "metadata": {}, "in_thread": SECRET}),
    ("context", {"query": ASKED, "thread_id": SECRET}),
    ("facts/search", {"query": ASKED, "limit": 50}),
    ("hot/turn", {"thread_id": SECRET, "text": "Who is my engineer, and what is my boat called?", "observe": False}),
    ("recall/search", {"query": ASKED}),
]


def test_nothing_of_another_project_is_read_with_a_bound_key(
    told: Told, api: ApiClient, bound: ApiClient, user: EndUser
) -> None:
    readable = list_readable()
    assert {"memories", "facts", "exchanges", "index-status"} <= set(readable)
    seen_by_all, leaked = set(), []
    for path in readable:
        query = {"query": ASKED} if path == "insights" else {"key": "lamp"} if path.endswith("stream") else {}
        for client in (bound, api):
            said = read_body(client.get(path, query))
            if SECRET in said.replace(ASKED.casefold(), ""):
                seen_by_all.add(path) if client is api else leaked.append((path, said[:500]))
    for path, body in QUESTIONS:
        for client in (bound, api):
            said = read_body(client.post(path, body))
            if f"the {SECRET} engine of the boat is" in said or "heliotrope boat" in said or f"called {SECRET}" in said:
                seen_by_all.add(path) if client is api else leaked.append((path, said[:500]))
    assert leaked == []
    # The unbound key sees all of it, so what was looked for was there to be found.
    assert {"memories", "facts", "exchanges", "search", "facts/search"} <= seen_by_all


def test_what_a_bound_key_may_not_see_it_cannot_name_either(told: Told, bound: ApiClient) -> None:
    own = f"memories/{told.memory_id}"
    others = (f"memories/{told.bank_id}", f"exchanges/{told.exchange_id}", f"facts/{told.fact_id}")
    for path in (own, f"{own}/versions", f"{own}/events", *others):
        assert bound.get(path).status_code == 404, path
    assert bound.patch(f"memories/{told.memory_id}", {"text": "Mine now"}).status_code == 404
    assert bound.patch(f"facts/{told.fact_id}", {"statement": "Mine now"}).status_code == 404
    for path in (f"memories/{told.bank_id}/archive", f"facts/{told.fact_id}/reject"):
        assert bound.post(path).status_code == 404, path
    assert bound.delete(f"memories/{told.memory_id}").status_code == 404
    assert bound.delete(f"facts/{told.fact_id}").status_code == 404
    named = bound.post("memories/delete", {"ids": [told.memory_id, told.bank_id]}).json()
    assert (named["deleted"], named["unknown_ids"]) == (0, [told.memory_id, told.bank_id])
    assert bound.post("memories/delete", {"filters": {"thread_id": SECRET}}).json()["matched"] == 0
    assert told.memory_id not in bound.post("memories/delete", {"all": True, "dry_run": True}).content.decode()
    again = bound.post("search", {"query": "boat", "turn_id": told.turn_id})
    assert (again.status_code, again.json()["errors"][0]["field"]) == (422, "turn_id")
    judged = bound.post("outcomes", {"outcome": "failed", "related": [told.memory_id]})
    assert told.memory_id not in judged.content.decode()


def test_a_bound_key_writes_its_project_and_no_other(user: EndUser, bound: ApiClient) -> None:
    stored = bound.post("memories", {"text": "The anchor weighs twelve kilograms"})
    assert stored.json()["project_id"] == OURS.project_id
    for named in ({"project_id": THEIRS.project_id}, {"items": [{"text": "x", "project_id": THEIRS.project_id}]}):
        path = "memories/batch" if "items" in named else "memories"
        refused = bound.post(path, named if "items" in named else {"text": "The anchor is light", **named})
        assert refused.status_code == 422, refused.content
        assert "project_id" in refused.json()["errors"][0]["field"]
        assert "confined" in refused.json()["errors"][0]["message"]
    for path, header in (("memories", {"X_Project_Id": THEIRS.project_id}), ("memories?project_id=x", {})):
        assert bound.post(path, {"text": "The anchor is light"}, **header).status_code == 422
    with user_scope(user):
        assert [item.project_id for item in MemoryItem.objects.for_user(user)] == [OURS.project_id]


def test_a_bound_key_may_not_erase_the_person(told: Told, bound: ApiClient, user: EndUser) -> None:
    assert bound.delete("").status_code == 403
    with user_scope(user):
        assert MemoryItem.objects.for_user(user).exists()


@pytest.mark.parametrize("given", ["a b", "ä", "x" * 129, "a\nb", "a'b"])
def test_an_id_that_breaks_the_rule_is_refused_with_the_rule(api: ApiClient, given: str) -> None:
    refused = api.post("memories", {"text": "The anchor is light", "agent_id": given})
    assert refused.status_code == 422
    assert refused.json()["errors"][0] == {"field": "agent_id", "message": "must be 1-128 of A-Z a-z 0-9 _ . @ : / -"}


def test_in_the_database_alone_a_scope_shows_no_row_of_another(told: Told, user: EndUser) -> None:
    statement = (
        "SELECT relname FROM pg_class JOIN pg_policy ON polrelid = pg_class.oid WHERE polname = 'scope_confinement'"
    )
    with user_scope(user):
        FactStream.objects.bulk_create(
            FactStream(user=user, thread_id="main", project_id=one.project_id) for one in (OURS, THEIRS)
        )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        tables = sorted(name for (name,) in cursor.fetchall())
        with user_scope(user):
            cursor.execute(" UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in tables))
            everything = dict(cursor.fetchall())
        with confine_to(OURS), user_scope(user):
            for name in tables:
                cursor.execute(f"SELECT * FROM {name}")
                assert SECRET not in str(cursor.fetchall()).casefold(), name
                if name not in {
                    "graph_example",
                    "graph_solution",
                    "graph_document",
                    "fact_episode",
                    "fact_review",
                    "graphed_item",
                    "agent_session",
                    "graph_mention",
                }:
                    cursor.execute(f"SELECT count(*) FROM {name}")
                    assert 0 < cursor.fetchone()[0] < everything[name], name
            cursor.execute("UPDATE memory_item SET score = 0 WHERE id = %s RETURNING id", [told.memory_id])
            assert cursor.fetchall() == []
            with pytest.raises(DatabaseError, match="row-level security"), transaction.atomic():
                cursor.execute("UPDATE memory_item SET project_id = %s", [THEIRS.project_id])


def test_the_indexes_obey_the_scope_before_they_cut(told: Told, user: EndUser) -> None:
    [vector] = embedder().embed_passages([f"The {SECRET} engine of the boat"], Deadline(5))
    with confine_to(OURS):
        seen = IndexFilter(user.pk)
        near = vector_index().search(vector, seen, 2, Deadline(5))
        said = lexical_index().search("engine of the boat", seen, 2, Deadline(5))
    only = IndexFilter(user.pk, scope=ScopeFilter.only(THEIRS))
    assert len(near) == 2
    assert len(said) == 2
    assert told.memory_id not in {str(match_id) for match_id in ([one.id for one in near] + [one.id for one in said])}
    found = vector_index().search(vector, only, 50, Deadline(5))
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).filter(pk__in=[match.id for match in found])
        assert {item.project_id for item in items} == {THEIRS.project_id}


def test_two_projects_never_become_one(user: EndUser, api: ApiClient, index_now: Callable[[EndUser], None]) -> None:
    text = {"text": "The team indents with tabs", "tier": "memory_bank", "tags": ["preference"]}
    scopes = [{}, {"project_id": "a"}, {"project_id": "b"}, {"agent_id": "a"}]
    ids = []
    for scope in scopes:
        stored = api.post("memories", {**text, **scope}).json()
        assert "duplicate_of" not in stored
        index_now(user)
        again = api.post("memories", {**text, "text": "The team indents with tabs.", **scope}).json()
        assert again["duplicate_of"] == stored["id"]
        ids.append(stored["id"])
    assert len(set(ids)) == len(scopes)


def test_what_holds_in_one_project_ends_nothing_elsewhere(user: EndUser) -> None:
    facade = MemoryFacade()
    first = facade.state_fact(user, "I live in Leeds", now=NOW).fact
    with confine_to(RowScope(project_id="a")):
        elsewhere = facade.state_fact(user, "I live in York now", now=NOW).fact
        again = facade.state_fact(user, "I live in York now", now=NOW).fact
    with confine_to(RowScope(agent_id="b")):
        agents = facade.state_fact(user, "I live in Hull now", now=NOW).fact
    assert first is not None
    assert elsewhere is not None
    assert agents is not None
    assert again is not None
    assert again.pk == elsewhere.pk
    with user_scope(user):
        states = dict(Fact.objects.for_user(user).values_list("pk", "state"))
    assert states[first.pk] == states[elsewhere.pk] == states[agents.pk] == "active"
    with confine_to(RowScope(project_id="a")):
        moved = facade.state_fact(user, "I moved to Ripon, I no longer live in York", now=NOW)
    assert first.pk not in {fact.pk for fact in moved.closed}


def test_the_scope_of_an_exchange_goes_to_what_comes_of_it(told: Told, user: EndUser) -> None:
    with user_scope(user):
        exchange = Exchange.objects.get(pk=told.exchange_id)
        memory = MemoryItem.objects.get(pk=str(exchange.memory_id))
        facts = Fact.objects.filter(evidence__ref_id=exchange.pk)
        published = MemoryItem.objects.filter(pk__in=facts.values("bank_item_id"))
        assert facts
        assert published
        assert {row.project_id for row in (exchange, memory, *facts, *published)} == {THEIRS.project_id}


def test_a_scope_cannot_be_opened_inside_another_and_leaves_nothing_behind(user: EndUser) -> None:
    MemoryFacade().store(user, NewMemory("Of a project", tier=Tier.HISTORY, project_id="a"), now=NOW)
    with user_scope(user), confine_to(RowScope(project_id="b")), pytest.raises(WrongScope), user_scope(user):
        pass
    with transaction.atomic():
        with confine_to(RowScope(project_id="b")), user_scope(user):
            assert not MemoryItem.objects.for_user(user).exists()
        with user_scope(user):
            assert MemoryItem.objects.for_user(user).exists()
