"""The store for LangGraph, in a graph of LangGraph."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, tzinfo
from typing import Any, Self, TypedDict

import pytest
from commonplace_client import Commonplace, MemoryRefused, MemoryUnavailable, Person, expiry
from commonplace_client.langgraph import CommonplaceStore
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, MatchCondition, PutOp, SearchOp

from memory.models import EndUser

pytestmark = pytest.mark.usefixtures("services")

HOME, ATLAS = ("ann", "home"), ("ann", "atlas", "build")


@pytest.fixture
def store(memory: Commonplace) -> CommonplaceStore:
    return CommonplaceStore(memory)


def test_items_are_put_read_changed_and_deleted(store: CommonplaceStore, ann: Person) -> None:
    store.put(HOME, "diet", {"text": "Eats no meat", "since": 2019})
    store.put(ATLAS, "diet", {"text": "Eats no meat"})
    assert store.get(("ben", "home"), "diet") is None
    first = store.get(HOME, "diet")
    assert first is not None
    assert (first.value, first.key, first.namespace) == ({"text": "Eats no meat", "since": 2019}, "diet", HOME)
    store.put(HOME, "diet", {"text": "Eats fish", "tags": ["food", "home"]})
    second = store.get(HOME, "diet")
    assert second is not None
    assert second.value == {"text": "Eats fish", "tags": ["food", "home"]}
    assert second.created_at == first.created_at
    assert second.updated_at > first.updated_at
    # The earlier wording is a version of the memory, and the project is the memory's own.
    [kept] = ann.list_memories(metadata={"langgraph": {"ns": {"1": "home"}}})
    assert kept["project_id"] == "home"
    [earlier] = ann.call("GET", f"memories/{kept['id']}/versions")["items"]
    assert earlier["text"] == "text: Eats no meat\nsince: 2019"
    store.delete(HOME, "diet")
    store.delete(HOME, "never there")
    assert store.get(HOME, "diet") is None
    assert store.get(ATLAS, "diet") is not None


def test_a_search_finds_by_meaning_below_a_prefix(
    store: CommonplaceStore, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    store.put(HOME, "pet", {"text": "The dog is called Rex", "kind": "pet", "age": 4})
    store.put(HOME, "car", {"text": "Drives an old Volvo", "kind": "car", "age": 20})
    store.put(ATLAS, "tool", {"text": "Compiles with Gradle", "kind": "tool"}, index=["text"])
    store.put(ATLAS, "secretive", {"text": "The dog of the build server"}, index=False)
    index_now(user)
    assert store.search(("ann",), query="which animal lives there?")[0].key == "pet"
    found = store.search(ATLAS, query="the dog")
    assert "secretive" not in {one.key for one in found}
    assert all(one.namespace == ATLAS and one.score is not None for one in found)
    assert {one.key for one in store.search(ATLAS)} == {"tool", "secretive"}
    assert [one.key for one in store.search(("ann",), filter={"kind": "car"})] == ["car"]
    assert [one.key for one in store.search(HOME, filter={"age": {"$gte": 4, "$lt": 20}})] == ["pet"]
    assert [one.key for one in store.search(HOME, filter={"kind": {"$ne": "pet"}})] == ["car"]
    everything = [one.key for one in store.search(("ann",), limit=10)]
    assert [one.key for one in store.search(("ann",), limit=2, offset=1)] == everything[1:3]
    assert store.list_namespaces(prefix=("ann",)) == [ATLAS, HOME]
    assert store.list_namespaces(prefix=("ann", "*", "build")) == [ATLAS]
    assert store.list_namespaces(prefix=("ann",), suffix=("home",)) == [HOME]
    assert store.list_namespaces(prefix=("ann",), max_depth=1) == [("ann",)]


def test_a_batch_is_done_in_its_order(memory: Commonplace) -> None:
    # Namespaces as LangGraph's own examples have them: the person second, and no projects.
    store = CommonplaceStore(memory, user_at=1, project_at=None)
    place = ("memories", "ann")
    under = ListNamespacesOp((MatchCondition("prefix", place),))
    done = asyncio.run(
        store.abatch(
            [
                PutOp(place, "a", {"text": "Likes tea"}),
                GetOp(place, "a"),
                SearchOp(place, {"text": "Likes tea"}),
                under,
                PutOp(place, "a", None),
                GetOp(place, "a"),
            ]
        )
    )
    assert done[0] is None
    assert done[1].value == {"text": "Likes tea"}
    assert [one.key for one in done[2]] == ["a"]
    assert done[3:] == [[place], None, None]


def test_what_cannot_be_kept_is_refused_with_the_reason(store: CommonplaceStore, away: Person) -> None:
    with pytest.raises(ValueError, match="does not name a person"):
        store.search(())
    with pytest.raises(ValueError, match="does not name a person"):
        store.list_namespaces()
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("ann", "a.b"), "k", {"text": "x"})])
    with pytest.raises(MemoryRefused, match=r"metadata: must be at most 16,384 bytes"):
        store.put(HOME, "long", {"text": "word " * 4_000})
    for label in ("an n", "jürgen"):
        with pytest.raises(MemoryRefused, match=f"label '{label}' at place 0 .* 1-128 of A-Z"):
            store.put((label, "home"), "k", {"text": "x"})
    with pytest.raises(TypeError, match="JSON serializable"):
        store.put(HOME, "k", {"text": object()})
    with pytest.raises(MemoryUnavailable, match="does not answer"):
        CommonplaceStore(away.memory).get(HOME, "diet")
    assert store.search(("ann",)) == []


def test_an_item_lives_as_long_as_it_was_given_and_reading_prolongs_it(
    memory: Commonplace, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = CommonplaceStore(memory, ttl={"default_ttl": 10, "refresh_on_read": True})
    begun = datetime.now(UTC)

    def pass_minutes(minutes: float) -> None:
        class Later(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> Self:
                return cls.fromtimestamp(begun.timestamp() + minutes * 60, tz)

        monkeypatch.setattr(expiry, "datetime", Later)

    store.put(HOME, "tea", {"text": "The tea is in the tin"})
    store.put(HOME, "milk", {"text": "The milk is in the tin"}, ttl=4)
    store.put(ATLAS, "code", {"text": "The tin has a lock"}, ttl=6)
    store.put(HOME, "name", {"text": "The tin is called Ada"}, ttl=None)
    pass_minutes(5)
    assert {one.key for one in store.search(HOME, query="the tin", refresh_ttl=False)} == {"tea", "name"}
    assert store.get(HOME, "milk") is None
    assert store.get(HOME, "tea") is not None
    pass_minutes(11)
    # Read at the fifth minute, so until the fifteenth; nobody has read the code, which was given six.
    assert {one.key for one in store.search(HOME, refresh_ttl=False)} == {"tea", "name"}
    assert (store.sweep_ttl("ann"), store.sweep_ttl("ann")) == (1, 0)
    pass_minutes(16)
    assert store.get(HOME, "tea") is None
    assert store.list_namespaces(prefix=("ann",)) == [HOME]
    assert [one["metadata"]["langgraph"]["key"] for one in ann.list_memories(metadata={"langgraph": {}})] == ["name"]
    store.put(HOME, "name", {"text": "The tin is called Eve"}, ttl=1)
    pass_minutes(18)
    assert store.list_namespaces(prefix=("ann",)) == []


def list_kept(person: Person) -> list[str]:
    return [one["metadata"]["langgraph"]["key"] for one in person.list_memories(metadata={"langgraph": {}})]


def test_a_key_is_one_item_however_many_put_it_at_once(store: CommonplaceStore, ann: Person) -> None:
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: store.put(HOME, "diet", {"text": f"Eats {number}"}), range(8)))
    assert list_kept(ann) == ["diet"]
    [found] = store.search(HOME)
    read = store.get(HOME, "diet")
    assert read is not None
    assert read.value == found.value
    store.delete(HOME, "diet")
    assert (store.get(HOME, "diet"), list_kept(ann)) == (None, [])


def test_what_others_left_twice_is_one_item(store: CommonplaceStore, ann: Person) -> None:
    """As a process leaves it that ends between its put and its look around."""

    def leave_twice() -> None:
        store.put(HOME, "diet", {"text": "Eats fish"})
        [kept] = ann.list_memories(metadata={"langgraph": {}})
        mark = kept["metadata"]["langgraph"]
        metadata = {"langgraph": {**mark, "value": {"text": "Eats meat"}}}
        ann.store("Eats meat", tier="books", source="assistant", metadata=metadata)
        assert list_kept(ann) == ["diet", "diet"]

    leave_twice()
    assert [one.value for one in store.search(HOME)] == [{"text": "Eats meat"}]
    assert len(store.search(HOME, query="eats")) == 1
    store.put(HOME, "diet", {"text": "Eats all"})
    assert list_kept(ann) == ["diet"]
    assert [one.value for one in store.search(HOME)] == [{"text": "Eats all"}]
    store.delete(HOME, "diet")
    leave_twice()
    store.delete(HOME, "diet")
    assert (store.get(HOME, "diet"), list_kept(ann)) == (None, [])


@pytest.mark.parametrize(
    ("label", "project"),
    [
        ("my project", "my@:20project"),
        ("küche", "k@:C3@:BCche"),
        ("a@:20b", "a@:40@:3A20b"),
        ("sprint:20/x", "sprint:20/x"),
        ("台" * 200, None),
    ],
)
def test_any_label_may_be_a_project(store: CommonplaceStore, ann: Person, label: str, project: str | None) -> None:
    store.put(("ann", label), "k", {"text": "x"})
    assert store.get(("ann", label), "k") is not None
    [kept] = ann.list_memories(metadata={"langgraph": {}})
    assert kept["project_id"] == project or (project is None and len(kept["project_id"]) == 128)
    assert store.list_namespaces(prefix=("ann",)) == [("ann", label)]


class Talk(TypedDict):
    said: str
    answer: str


class Who(TypedDict):
    user: str


def test_a_graph_remembers_across_threads(memory: Commonplace) -> None:
    def answer(state: Talk, runtime: Runtime[Who]) -> dict[str, Any]:
        assert runtime.store is not None
        place = (runtime.context["user"], "chat")
        known = [one.value["text"] for one in runtime.store.search(place, query=state["said"])]
        runtime.store.put(place, state["said"], {"text": state["said"]})
        return {"answer": " ".join(known) or "nothing"}

    async def talk() -> list[str]:
        said = ["My train leaves at 07:40", "When does my train leave?"]
        return [(await graph.ainvoke({"said": one, "answer": ""}, context=Who(user="ann")))["answer"] for one in said]

    builder = StateGraph(Talk, context_schema=Who)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(store=CommonplaceStore(memory))
    assert asyncio.run(talk()) == ["nothing", "My train leaves at 07:40"]
    assert graph.invoke({"said": "My train?", "answer": ""}, context=Who(user="ben"))["answer"] == "nothing"
