"""Facts over HTTP: searching them, and the walls around a person."""

from datetime import timedelta
from typing import Any

import pytest

from memory.facade import MemoryFacade
from memory.language.text import estimate_tokens
from memory.models import EndUser
from outcomes.exchanges import profiling
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.memory.api.fact_calls import NOBODY, listed, open_review, refused, state

pytestmark = pytest.mark.usefixtures("services")


def test_a_search_finds_facts_episodes_or_both_best_first(
    api: ApiClient, user: EndUser, clock: Clock, index_now: Any
) -> None:
    state(api, "I am allergic to peanuts.")
    state(api, "I live in Leeds.")
    body = {"user_message": "Which nuts were in the pesto? I am allergic to peanuts.", "assistant_message": "Pine."}
    assert api.post("threads/t/exchanges", body).status_code == 201
    index_now(user)
    clock.advance(days=40)
    MemoryFacade().promote(user, now=clock())

    def search(kind: str) -> list[dict[str, Any]]:
        answer = api.post("facts/search", {"query": "Am I allergic to nuts?", "search_type": kind})
        assert answer.status_code == 200, answer.content
        return list(answer.json()["results"])

    facts, episodes, both = search("facts"), search("episodes"), search("both")
    assert facts[0]["text"] == "I am allergic to peanuts."
    told = {"kind", "text", "confidence", "timestamp", "similarity", "relevance_score", "later"}
    assert set(facts[0]) == {*told, "fact_id", "memory_id", "valid_from", "valid_to"}
    found = api.get(f"facts/{facts[0]['fact_id']}").json()
    assert (found["statement"], len(found["evidence"])) == (facts[0]["text"], 1)
    assert (facts[0]["valid_from"], facts[0]["valid_to"], facts[0]["memory_id"]) == (found["valid_from"], None, None)
    assert api.get(f"memories/{episodes[0]['memory_id']}").json()["text"].startswith("User: Which nuts")
    assert (episodes[0]["fact_id"], episodes[0]["valid_from"]) == (None, None)
    assert {one["kind"] for one in facts} == {"fact"}
    assert [one["kind"] for one in episodes] == ["episode"]
    assert episodes[0]["text"].splitlines()[0].startswith("User: Which nuts")
    assert {one["kind"] for one in both} == {"fact", "episode"}
    scores = [one["relevance_score"] for one in both]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < one["similarity"] <= 1 for one in both)
    assert api.post("facts/search", {"query": "allergic", "limit": 1}).json()["results"].__len__() == 1


def test_what_a_search_returns_stays_under_its_tokens_in_whole_lines(
    api: ApiClient, user: EndUser, clock: Clock, index_now: Any
) -> None:
    line = "The harbour crane was greased on a rainy morning by the night shift. " * 8
    for number in range(4):
        api.post("memories", {"text": "\n".join(f"{number}{n} {line}".strip() for n in range(3))})
    index_now(user)
    results = api.post("facts/search", {"query": "harbour crane greased"}).json()["results"]
    assert results
    assert sum(estimate_tokens(one["text"]) for one in results) < 400
    assert all(kept.endswith("shift.") for one in results for kept in one["text"].splitlines())


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "query"),
        ({"query": ""}, "query"),
        ({"query": "a\x00"}, "query"),
        ({"query": "a", "search_type": "all"}, "search_type"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "limit": 51}, "limit"),
        ({"query": "a", "limit": "5"}, "limit"),
        ({"query": "a", "tier": "working"}, "tier"),
    ],
)
def test_a_search_that_breaks_a_rule_is_refused_by_name(api: ApiClient, body: dict[str, Any], field: str) -> None:
    assert refused(api.post("facts/search", body)) == [field]


def test_an_end_that_was_set_ahead_comes_by_itself(api: ApiClient, clock: Clock) -> None:
    fact = state(api, "I live in Leeds.")["fact"]
    ends = clock() + timedelta(days=10)
    assert api.patch(f"facts/{fact['id']}", {"valid_to": ends.isoformat()}).json()["state"] == "active"
    user = EndUser.objects.get(external_id="ann")
    MemoryFacade("key:test").promote(user, now=clock.advance(days=9))
    assert listed(api, state="active") == ["I live in Leeds."]
    MemoryFacade("key:test").promote(user, now=clock.advance(days=2))
    assert listed(api, state="active") == []
    assert listed(api, state="superseded") == ["I live in Leeds."]


def calls_on(fact: str, review: str) -> list[tuple[str, str, Any]]:
    return [
        ("GET", f"facts/{fact}", None),
        ("PATCH", f"facts/{fact}", {"statement": "I live in Paris."}),
        ("DELETE", f"facts/{fact}", None),
        ("POST", f"facts/{fact}/confirm", None),
        ("POST", f"facts/{fact}/reject", None),
        ("POST", f"facts/{fact}/restore", None),
        ("POST", f"facts/reviews/{review}", {"decision": "reject"}),
    ]


def test_a_fact_is_its_persons_alone(
    api: ApiClient, user: EndUser, other_user: EndUser, foreign_api: ApiClient, clock: Clock, index_now: Any
) -> None:
    mine = state(api, "I live in Leeds.")["fact"]
    other = state(api, "I am allergic to peanuts.")["fact"]
    review = open_review(user, other["id"], mine["id"], clock)
    index_now(user)
    before = api.get(f"facts/{mine['id']}").json()
    for stranger in (client_for(other_user), foreign_api):
        for method, path, body in calls_on(mine["id"], review):
            answer = stranger.send(method, path, body)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), (method, path)
        state(stranger, "I am allergic to shellfish.")
        assert listed(stranger, state="all") == ["I am allergic to shellfish."]
        assert stranger.get("facts/reviews").json()["items"] == []
        found = stranger.post("facts/search", {"query": "Where do I live? Leeds?"}).content.decode()
        assert "I live in Leeds." not in found
    assert api.get(f"facts/{mine['id']}").json() == before
    assert len(api.get("facts/reviews").json()["items"]) == 1


def test_ids_of_nothing_and_of_no_form(api: ApiClient) -> None:
    for method, path, body in calls_on(NOBODY, NOBODY):
        assert api.send(method, path, body).status_code == 404, path
    for method, path, body in calls_on("1", "1"):
        assert refused(api.send(method, path, body)) in (["fact_id"], ["review_id"])


def test_a_key_that_only_reads_changes_nothing(api: ApiClient, user: EndUser, clock: Clock) -> None:
    fact = state(api, "I live in Leeds.")["fact"]
    reader = client_for(user, scopes=("read",))
    assert reader.post("facts", {"statement": "I live in York."}).status_code == 403
    for method, path, body in calls_on(fact["id"], NOBODY)[1:]:
        assert reader.send(method, path, body).status_code == 403, path
    assert listed(reader) == ["I live in Leeds."]
    assert reader.get(f"facts/{fact['id']}").status_code == 200
    assert reader.post("facts/search", {"query": "home"}).status_code == 200
    writer = client_for(user, scopes=("write",))
    for method, path, body in (
        ("GET", "facts", None),
        ("GET", f"facts/{fact['id']}", None),
        ("GET", "facts/reviews", None),
        ("POST", "facts/search", {"query": "home"}),
    ):
        assert writer.send(method, path, body).status_code == 403, path
    assert ApiClient("ann", None).get("facts").status_code == 401


def test_a_person_nobody_wrote_to_is_an_empty_memory(api: ApiClient) -> None:
    nobody = ApiClient("nobody", api.key)
    assert nobody.get("facts").json() == {"items": [], "next_cursor": None}
    assert nobody.get("facts/reviews").json() == {"items": [], "next_cursor": None}
    assert nobody.post("facts/search", {"query": "where do I live?"}).json() == {"results": []}
    for method, path, body in calls_on(NOBODY, NOBODY):
        assert nobody.send(method, path, body).status_code == 404
    assert not EndUser.objects.filter(external_id="nobody").exists()


def test_what_a_conversation_taught_is_read_and_corrected_by_the_same_calls(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    body = {"user_message": "I live in Leeds. Where is the next ferry?", "assistant_message": "In Hull."}
    exchange = api.post("threads/t/exchanges", body).json()
    profiling.profile_due_exchanges(user, now=clock())
    [fact] = api.get("facts").json()["items"]
    [evidence] = api.get(f"facts/{fact['id']}").json()["evidence"]
    assert (evidence["kind"], evidence["ref_id"]) == ("exchange", exchange["exchange_id"])
    assert evidence["memory_id"] == exchange["memory_id"]
    assert api.delete(f"memories/{exchange['memory_id']}").status_code == 204
    assert api.get(f"facts/{fact['id']}").status_code == 404
    assert listed(api, state="all") == []


def test_a_sentence_that_told_several_facts_is_one_line(api: ApiClient, user: EndUser, clock: Clock) -> None:
    karl = "My mate Karl is diabetic and a bricklayer, he lives in Hull."
    for told in (karl, "My sister is called Ida.", "I like jazz."):
        body = {"user_message": told, "assistant_message": "Noted."}
        assert api.post(f"threads/{len(told)}/exchanges", body).status_code == 201
    profiling.profile_due_exchanges(user, now=clock())
    assert len([one for one in api.get("facts").json()["items"] if "Karl" in one["statement"]]) > 2
    found = api.post("facts/search", {"query": "Who is Karl?", "search_type": "facts", "limit": 3}).json()["results"]
    assert len({one["text"] for one in found}) == len(found) == 3
    assert [one["text"] for one in found if "Karl" in one["text"]] == [karl]
    assert {one["later"] for one in found} == {None}


def test_what_ended_a_part_of_a_sentence_stands_before_it(api: ApiClient, user: EndUser, clock: Clock) -> None:
    first, last = "My husband Rob is diabetic and works at Lidl.", "My husband Rob works at Aldi now."
    for told in (first, "I live in Leeds.", last):
        body = {"user_message": told, "assistant_message": "I see.", "occurred_at": clock().isoformat()}
        assert api.post(f"threads/{len(told)}/exchanges", body).status_code == 201
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=20)
    found = api.post("facts/search", {"query": "Does Rob work at Lidl?", "search_type": "facts"}).json()["results"]
    assert [(one["text"], one["later"]) for one in found[:2]] == [(last, None), (first, last)]
