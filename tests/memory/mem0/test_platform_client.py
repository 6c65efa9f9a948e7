"""Every call of mem0's Python client, against the application."""

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from memory.access.scope import user_scope
from memory.mem0 import entities
from memory.models import EndUser, MemoryEvent
from outcomes.exchanges.profiling import profile_due_exchanges
from outcomes.models import OutcomeEvent
from tests.factories import LONG_AGO, MemoryItemFactory

if TYPE_CHECKING:
    from mem0 import MemoryClient

pytestmark = pytest.mark.usefixtures("services")

Index = Callable[[EndUser], None]
CONVERSATION = [
    {"role": "user", "content": "Hi, I'm Alex. I'm a vegetarian and I'm allergic to nuts."},
    {"role": "assistant", "content": "Hello Alex! I will keep your diet and your allergy in mind."},
]


def test_a_conversation_is_read_searched_changed_and_deleted(
    client: "MemoryClient", user: EndUser, index_now: Index
) -> None:
    person = user.external_id
    about = {"run_id": "dinner", "metadata": {"topic": "food"}, "async_mode": True, "unheard_of": 1}
    assert client.add(CONVERSATION, user_id=person, **about)["status"] == "PENDING"
    assert profile_due_exchanges(user) == 1
    index_now(user)

    # What was learned took the place of the exchange, with its metadata and its run.
    listed = client.get_all(filters={"user_id": person})
    memories = {one["memory"]: one for one in listed["results"]}
    assert listed["count"] == len(memories)
    assert not any("Hello Alex" in text for text in memories)
    [allergy] = [one for text, one in memories.items() if "nuts" in text]
    assert (allergy["user_id"], allergy["run_id"], allergy["metadata"]) == (person, "dinner", {"topic": "food"})
    best, *others = client.search("What may I not eat?", filters={"user_id": person})["results"]
    assert any("nuts" in one["memory"] for one in (best, *others[:1]))
    assert (0 < best["score"] <= 1, client.get(allergy["id"])["memory"]) == (True, allergy["memory"])

    client.update(allergy["id"], text="Alex is allergic to walnuts only", metadata={"topic": "health"})
    changed = client.get(allergy["id"])
    assert (changed["memory"], changed["metadata"]) == ("Alex is allergic to walnuts only", {"topic": "health"})
    assert changed["run_id"] == "dinner"
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in client.history(allergy["id"])] == [
        ("ADD", None, allergy["memory"]),
        ("UPDATE", allergy["memory"], "Alex is allergic to walnuts only"),
    ]
    assert client.delete(allergy["id"])["message"]
    with pytest.raises(Exception, match="no such thing") as gone:
        client.get(allergy["id"])
    assert type(gone.value).__name__ == "MemoryNotFoundError"
    # Neither does the exchange tell it again, which taught other things as well.
    filters = {"user_id": person}
    left = [one["memory"] for one in client.get_all(filters=filters)["results"]]
    assert sorted(left) == sorted(set(memories) - {allergy["memory"]})
    assert not any("nuts" in one["memory"] for one in client.search("nuts?", filters=filters)["results"])


def raised_by(call: Callable[..., Any], *given: Any, **named: Any) -> tuple[str, str]:
    """The name of the client's exception and its message."""
    with pytest.raises(Exception) as caught:
        call(*given, **named)
    return type(caught.value).__name__, str(caught.value)


def test_messages_are_kept_as_they_are_without_inference(client: "MemoryClient", user: EndUser) -> None:
    messages = [{"role": "system", "content": "Be kind."}, *CONVERSATION]
    added = client.add(messages, user_id=user.external_id, infer=False, timestamp=1_700_000_000)
    assert added["status"] == "SUCCEEDED"
    assert [one["memory"] for one in added["results"]] == [one["content"] for one in CONVERSATION]
    [first, second] = reversed(client.get_all(filters={"user_id": user.external_id})["results"])
    assert [first["memory"], second["memory"]] == [one["content"] for one in CONVERSATION]
    assert first["created_at"].startswith("2023-11-14T22:13:20")
    event = client.client.get(f"/v1/event/{added['event_id']}/").json()
    assert (event["status"], len(event["results"])) == ("SUCCEEDED", 1)


def test_an_event_tells_what_was_learned(client: "MemoryClient", user: EndUser) -> None:
    turns = [*CONVERSATION, {"role": "user", "content": "I live in Zurich."}]
    added = client.add(turns, user_id=user.external_id, async_mode=True)
    url = f"/v1/event/{added['event_id']}/"
    assert client.client.get(url).json()["status"] == "PENDING"
    profile_due_exchanges(user)
    event = client.client.get(url).json()
    assert event["status"] == "SUCCEEDED"
    assert {"I live in Zurich.", "I'm allergic to nuts."} <= {one["memory"] for one in event["results"]}
    assert {one["event"] for one in event["results"]} == {"ADD"}


def test_a_text_alone_is_what_the_person_said(client: "MemoryClient", user: EndUser) -> None:
    client.add("The green folder is in the attic", user_id=user.external_id, async_mode=True)
    profile_due_exchanges(user)
    [told] = client.get_all(filters={"user_id": user.external_id})["results"]
    assert told["memory"] == "The green folder is in the attic"
    assert told["run_id"] is None


def test_filters_narrow_a_search_and_a_list_alike(client: "MemoryClient", user: EndUser, index_now: Index) -> None:
    for number, (town, agent) in enumerate([("Bern", "guide"), ("Basel", "guide"), ("Chur", "cook")]):
        MemoryItemFactory.create(
            user=user,
            tier="history",
            text=f"The train to {town} leaves at nine",
            metadata={"town": town, "rank": number},
            agent_id=agent,
            tags=["travel"] if number else ["work"],
            thread_id=f"run-{number}",
            occurred_at=LONG_AGO + timedelta(days=number),
        )
    index_now(user)
    person = user.external_id
    for condition, towns in (
        ({"metadata": {"town": "Bern"}}, "Bern"),
        ({"OR": [{"metadata": {"town": "Bern"}}, {"run_id": "run-2"}]}, "Bern Chur"),
        ({"NOT": [{"metadata": {"town": "Bern"}}]}, "Basel Chur"),
        ({"rank": {"gte": 1}}, "Basel Chur"),
        ({"town": {"in": ["Basel", "Chur"]}}, "Basel Chur"),
        ({"town": {"icontains": "BAS"}}, "Basel"),
        ({"town": {"ne": "Bern"}}, "Basel Chur"),
        ({"categories": {"in": ["travel"]}}, "Basel Chur"),
        ({"agent_id": "guide"}, "Basel Bern"),
        ({"agent_id": "*"}, "Basel Bern Chur"),
        ({"app_id": "*"}, ""),
        ({"run_id": {"in": ["run-0", "run-1"]}}, "Basel Bern"),
        ({"created_at": {"gte": "2026-03-02", "lte": "2026-03-02"}}, "Basel"),
        ({"created_at": {"gt": "2026-03-02T12:00:00Z"}}, "Chur"),
        ({"keywords": {"icontains": "CHUR"}}, "Chur"),
        ({"user_id": "*"}, "Basel Bern Chur"),
    ):
        filters = {"AND": [{"user_id": person}, condition]}
        searched = client.search("When does the train leave?", filters=filters)["results"]
        listed = client.get_all(filters=filters)["results"]
        for found in (searched, listed):
            assert sorted(one["memory"].split()[3] for one in found) == towns.split(), condition


def test_a_filter_that_cannot_be_done_is_named(client: "MemoryClient", user: EndUser) -> None:
    person = {"user_id": user.external_id}
    for filters, words in (
        ({"AND": [person, {"feedback": "POSITIVE"}]}, "filters.AND[1].feedback"),
        ({**person, "created_at": {"gte": "yesterday"}}, "filters.created_at.gte: must be an ISO 8601"),
        ({**person, "created_at": {"near": "2026-03-02"}}, "filters.created_at.near: is no operator"),
        ({**person, "agent_id": {"gt": "a"}}, "filters.agent_id.gt: takes"),
        ({"OR": [person, {"user_id": "somebody-else"}]}, "names 2 people"),
        ({**person, "memory_ids": ["nonsense"]}, "must be ids"),
        ({**person, "OR": []}, "filters.OR: must be a list"),
        ({**person, "AND": [{"AND": [{"x": 1}] * 150}, {"y": [1]}] * 2}, "more than 200"),
    ):
        for call in (client.get_all, lambda filters: client.search("anything", filters=filters)):
            name, message = raised_by(call, filters=filters)
            assert (name, words in message) == ("ValidationError", True), (filters, message)
    assert raised_by(client.add, [], user_id=user.external_id)[0] == "ValidationError"
    assert "user_id" in raised_by(client.add, "hello there", user_id="a/b c")[1]
    for timestamp in (32_503_680_000, "2999-01-01T00:00:00Z"):
        assert "timestamp: " in raised_by(client.add, "hello", user_id=user.external_id, timestamp=timestamp)[1]


def test_a_list_comes_in_pages_with_their_addresses(client: "MemoryClient", user: EndUser) -> None:
    MemoryItemFactory.create_batch(5, user=user, tier="history")
    filters = {"user_id": user.external_id}
    first = client.get_all(filters=filters, page=1, page_size=2)
    assert (first["count"], len(first["results"]), first["previous"]) == (5, 2, None)
    answered = client.client.post(first["next"], json={"filters": filters}).json()
    assert answered["previous"]
    last = client.get_all(filters=filters, page=3, page_size=2)
    assert (len(last["results"]), last["next"]) == (1, None)
    seen = [one["id"] for page in (first, answered, last) for one in page["results"]]
    assert len(set(seen)) == 5
    [only] = client.get_all(filters=filters, page_size=1, fields=["memory"])["results"]
    assert set(only) == {"id", "memory"}


def test_what_expired_is_shown_only_where_it_is_asked_for(client: "MemoryClient", user: EndUser) -> None:
    person = {"user_id": user.external_id}
    client.add("The guest is staying in room four", infer=False, expiration_date="2020-01-01", **person)
    client.add("The guest is paying by card", infer=False, expiration_date="2999-01-01", **person)
    [shown] = client.get_all(filters=person)["results"]
    assert (shown["expiration_date"], shown["metadata"]) == ("2999-01-01", {})
    assert len(client.get_all(filters=person, show_expired=True)["results"]) == 2
    for shown_too, count in ((False, 1), (True, 2)):
        assert len(client.search("guest", filters=person, show_expired=shown_too)["results"]) == count
    client.update(shown["id"], expiration_date="2020-01-01")
    assert client.get_all(filters=person)["count"] == 0


def test_feedback_changes_what_is_found(client: "MemoryClient", user: EndUser, index_now: Index) -> None:
    texts = ["Restart the export service when the export hangs", "Restart the export queue when the export hangs"]
    notes = [MemoryItemFactory.create(user=user, tier="history", text=text) for text in texts]
    statements = [
        MemoryItemFactory.create(user=user, tier="memory_bank", tags=["preference"], text=text)
        for text in ("Ann wants her tea served with milk", "Ann wants her tea served with sugar")
    ]
    index_now(user)

    def find(query: str) -> list[str]:
        found = client.search(query, filters={"user_id": user.external_id})["results"]
        return [one["id"] for one in found if one["id"] in {str(item.pk) for item in (*notes, *statements)}]

    for query in ("What to do when the export hangs?", "How does Ann want her tea served?"):
        first, second = find(query)[:2]
        client.feedback(first, "NEGATIVE", "it did not help")
        client.feedback(second, "positive")
        found = find(query)
        assert found.index(second) < found.index(first), query
    client.feedback(first, "VERY_NEGATIVE", "out of date")
    assert first not in find(query)
    with user_scope(user):
        assert OutcomeEvent.objects.filter(outcome="failed", reason="it did not help").count() == 1
        told = MemoryEvent.objects.filter(user=user).exclude(reason__in=["", "asked"]).order_by("pk")
        kinds = [(event.kind, event.reason) for event in told]
    assert kinds == [("outcome_failed", "it did not help"), ("revised", "it did not help"), ("archived", "out of date")]
    # The last word on a memory can be taken back.
    with user_scope(user):
        notes[0].refresh_from_db(fields=["score"])
        before = notes[0].score
    client.feedback(str(notes[0].pk), "POSITIVE")
    client.feedback(str(notes[0].pk))
    with user_scope(user):
        notes[0].refresh_from_db(fields=["score"])
    assert notes[0].score == before


def test_several_are_changed_or_deleted_at_once_or_none(
    client: "MemoryClient", user: EndUser, foreign_user: EndUser
) -> None:
    items = MemoryItemFactory.create_batch(3, user=user, tier="history")
    foreign = MemoryItemFactory.create(user=foreign_user, tier="history")
    ids = [str(item.pk) for item in items]
    client.batch_update([{"memory_id": one, "text": f"Drawer {number}"} for number, one in enumerate(ids)])
    assert [client.get(one)["memory"] for one in ids] == ["Drawer 0", "Drawer 1", "Drawer 2"]
    mixed = [{"memory_id": one, "text": "changed"} for one in (ids[0], str(foreign.pk))]
    absent = str(uuid4())
    for call, named in (
        (client.batch_update, mixed),
        (client.batch_delete, [{"memory_id": ids[0]}, {"memory_id": absent}]),
    ):
        name, message = raised_by(call, named)
        assert name == "MemoryNotFoundError"
        assert f"memories[1].memory_id: there is no memory {named[1]['memory_id']}" in message
    assert client.get(ids[0])["memory"] == "Drawer 0"
    client.batch_delete([{"memory_id": one} for one in ids[:2]])
    assert client.get_all(filters={"user_id": user.external_id})["count"] == 1


def test_all_people_are_listed_where_no_page_is_asked_for(client: "MemoryClient", user: EndUser) -> None:
    for number in range(entities.PEOPLE_ON_PAGE + 5):
        EndUser.objects.create(organization=user.organization, external_id=f"person-{number}")
    listed = client.users()
    names = [one["name"] for one in listed["results"] if one["type"] == "user"]
    assert len(names) == len(set(names)) == EndUser.objects.filter(organization=user.organization).count()
    assert (listed["count"], listed["next"], listed["previous"]) == (len(listed["results"]), None, None)
    page = client.client.get("/v1/entities/", params={"page": 2, "page_size": 100}).json()
    assert [one["name"] for one in page["results"]] == names[100:]


def test_what_cannot_be_promised_or_read_is_refused_in_plain_words(client: "MemoryClient", user: EndUser) -> None:
    name, told = raised_by(client.add, "I live in Zurich.", user_id=user.external_id, immutable=True)
    assert name == "ValidationError"
    assert "immutable: cannot be promised here" in told
    client.add("I live in Zurich.", user_id=user.external_id, immutable=False)
    told = raised_by(client.add, [], user_id=user.external_id)[1]
    assert "messages: must have at least 1 item" in told


def test_people_agents_and_runs_are_listed_and_deleted(client: "MemoryClient", user: EndUser) -> None:
    person = user.external_id
    client.add("The boiler is in the cellar", user_id=person, agent_id="plumber", run_id="visit", infer=False)
    client.add("The fuse box is in the hall", user_id=person, app_id="house", infer=False)
    client.add("The ladder is in the shed", user_id=person, infer=False)
    named = {(one["type"], one["name"]): one["total_memories"] for one in client.users()["results"]}
    assert named == {("user", person): 3, ("agent", "plumber"): 1, ("app", "house"): 1, ("run", "visit"): 1}
    client.delete_users(agent_id="plumber")
    client.delete_all(user_id=person, app_id="house")
    [left] = client.get_all(filters={"user_id": person})["results"]
    assert left["memory"] == "The ladder is in the shed"
    assert raised_by(client.delete_all)[0] == "ValidationError"
    assert raised_by(client.delete_all, filters="everything")[0] == "ValidationError"
    assert client.get_all(filters={"user_id": person})["count"] == 1
    client.delete_all(filters={"user_id": person})
    assert client.get_all(filters={"user_id": person})["count"] == 0
    assert raised_by(client.delete_users, user_id=person)[0] == "MemoryNotFoundError"
    client.add("A new beginning in the garden", user_id=person, infer=False)
    assert client.get_all(filters={"user_id": person})["count"] == 1


def test_what_is_not_offered_says_so(client: "MemoryClient", user: EndUser) -> None:
    for call, words in (
        (client.project.get, "projects are not offered"),
        (lambda: client.project.update(custom_instructions="x"), "projects are not offered"),
        (lambda: client.get_webhooks("p-1"), "webhooks are not offered"),
        (lambda: client.create_memory_export(schema="{}"), "exports into a schema are not offered"),
    ):
        name, message = raised_by(call)
        assert (name, words in message) == ("ValidationError", True), message


def test_a_list_of_nobody_is_no_empty_list(client: "MemoryClient", user: EndUser) -> None:
    for path, body in (("/v3/memories/", {}), ("/v3/memories/search/", {"query": "ladder"})):
        answer = client.client.post(path, json=body)
        assert (answer.status_code, "name whose memories" in answer.text) == (400, True)
        client.client.post("/v3/memories/add/", json={"messages": "The ladder is in the shed", "infer": False})
        assert client.client.post(path, json=body).status_code == 200
        client.delete_all(user_id="default")


def test_a_message_that_cannot_be_kept_names_the_rule(client: "MemoryClient", user: EndUser) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    for message, words in (
        ({"role": "user", "content": [picture]}, "holds no text: pictures"),
        ({"content": "No role."}, "messages[0].role: is required"),
        ({"role": "user", "content": "x" * 640_038}, "at most 500000 characters"),
    ):
        assert words in raised_by(client.add, [message], user_id=user.external_id)[1]
    shown = [{"role": "user", "content": [picture, {"type": "text", "text": "The ladder is in the shed"}]}]
    client.add(shown, user_id=user.external_id, infer=False)
    assert list_memories(client, user) == ["The ladder is in the shed"]


def test_the_calls_and_answers_of_tools_are_passed_over(client: "MemoryClient", user: EndUser) -> None:
    call = {"id": "c-1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "The ladder is in the shed", "name": "ann"},
        {"role": "assistant", "tool_calls": [call], "refusal": None},
        {"role": "tool", "tool_call_id": "c-1", "content": [{"type": "image_url"}]},
        {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": "{}"}},
        {"role": "assistant", "content": "Noted"},
    ]
    client.add(messages, user_id=user.external_id, infer=False)
    assert sorted(list_memories(client, user)) == ["Noted", "The ladder is in the shed"]


def list_memories(client: "MemoryClient", user: EndUser) -> list[str]:
    return [one["memory"] for one in client.get_all(filters={"user_id": user.external_id})["results"]]


def test_a_repeated_call_with_a_key_is_done_once(client: "MemoryClient", user: EndUser) -> None:
    body = {"messages": CONVERSATION, "user_id": user.external_id, "infer": False}
    answers = [client.client.post("/v3/memories/add/", json=body, headers={"Idempotency-Key": "k-1"}) for _ in "ab"]
    assert answers[0].json() == answers[1].json()
    assert client.get_all(filters={"user_id": user.external_id})["count"] == 2
    other = client.client.post("/v3/memories/add/", json={**body, "infer": True}, headers={"Idempotency-Key": "k-1"})
    assert other.status_code == 409
