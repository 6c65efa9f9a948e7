"""The graphs over REST: lists in pages, one concept, one entity, the way between two, the picture."""

from datetime import timedelta
from typing import Any

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.knowledge_graph.conftest import LearnNow

DANA = "My sister Dana lives in Berlin and works at Siemens"
TOM = "Tom Becker visited Berlin and prefers PostgreSQL"
PEDRO = "Pedro lives in Madrid"


def put_in_bank(api: ApiClient, text: str, importance: float = 0.7) -> dict[str, Any]:
    body = {"text": text, "tier": "memory_bank", "tags": ["context"], "importance": importance, "confidence": 1.0}
    answer = api.post("memories", body)
    assert answer.status_code == 201, answer.json()
    return answer.json()


def search_and_judge(api: ApiClient, query: str, outcome: str, **fields: Any) -> dict[str, Any]:
    turn = api.post("search", {"query": query, **fields}).json()
    api.post("outcomes", {"turn_id": turn["turn_id"], "outcome": outcome})
    return turn


@pytest.fixture
def filled(api: ApiClient, user: EndUser, clock: Clock, learn_now: LearnNow) -> EndUser:
    put_in_bank(api, DANA, 0.9)
    clock.advance(days=2)
    put_in_bank(api, TOM, 0.5)
    put_in_bank(api, PEDRO)
    search_and_judge(api, "which database does Tom prefer, postgres?", "worked", thread_id="t", limit=1)
    clock.advance(days=10)
    search_and_judge(api, "where does Dana live?", "failed", limit=1)
    learn_now(user)
    return user


def test_entities_come_best_known_first_in_pages(api: ApiClient, filled: EndUser) -> None:
    whole = api.get("graph/entities", {"limit": "50"}).json()
    keys = [one["key"] for one in whole["items"]]
    assert set(keys) == {"dana", "berlin", "siemens", "tom becker", "postgresql", "pedro", "madrid"}
    assert [one["avg_quality"] for one in whole["items"]] == sorted(
        (one["avg_quality"] for one in whole["items"]), reverse=True
    )
    assert keys[0] in {"dana", "siemens"}
    assert whole["next_cursor"] is None
    found, cursor = [], None
    while True:
        page = api.get("graph/entities", {"limit": "2", **({"cursor": cursor} if cursor else {})}).json()
        found += [one["key"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == keys


@pytest.mark.parametrize("sort", ["recent", "oldest"])
def test_lists_go_by_time_in_pages(api: ApiClient, filled: EndUser, sort: str) -> None:
    for name in ("concepts", "entities"):
        keys = [one["key"] for one in api.get(f"graph/{name}", {"sort": sort, "limit": "100"}).json()["items"]]
        first = api.get(f"graph/{name}", {"sort": sort, "limit": "3"}).json()
        more = api.get(f"graph/{name}", {"sort": sort, "limit": "3", "cursor": first["next_cursor"]}).json()
        assert [one["key"] for one in (*first["items"], *more["items"])] == keys[:6]


def test_a_stretch_of_time_leaves_out_what_was_not_seen_then(api: ApiClient, filled: EndUser) -> None:
    def keys(time: str, **more: str) -> set[str]:
        answer = api.get("graph/concepts", {"time": time, "limit": "100", **more})
        return {one["key"] for one in answer.json()["items"]}

    assert {"postgresql", "dana"} <= keys("all")
    assert keys("week") == keys("today")
    assert "dana" in keys("week")
    assert "postgresql" not in keys("week")
    assert "postgresql" in keys("session", thread_id="t")
    assert "dana" not in keys("session", thread_id="t")
    assert api.get("graph/concepts", {"time": "session"}).status_code == 422


def test_a_concept_tells_its_tiers_and_what_solved_it(api: ApiClient, filled: EndUser) -> None:
    found = api.get("graph/concept", {"name": "Postgres"}).json()
    assert (found["key"], found["is_entity"], found["best_tiers"]) == ("postgresql", True, ["memory_bank"])
    [tier] = found["tiers"]
    assert (tier["worked"], tier["failed"], tier["success_rate"]) == (1, 0, 1.0)
    assert TOM in {one["content"] for one in found["solutions"]}
    assert api.get("graph/concept", {"name": "submarines"}).status_code == 404


def test_a_concept_belongs_to_the_work_it_comes_up_in_whatever_its_own_words(
    api: ApiClient, user: EndUser, learn_now: LearnNow
) -> None:
    put_in_bank(api, "The staging server is rented from Hetzner")
    for asked_for in ("Why does the docker container at Hetzner restart?", "Which docker image runs at Hetzner?"):
        turn = api.post("search", {"query": asked_for}).json()
        tools = [{"name": "docker_ps", "ok": True, "ms": 30}]
        body = {"turn_id": turn["turn_id"], "user_message": asked_for, "assistant_message": "Done.", "tools": tools}
        assert api.post("threads/t/exchanges", body).status_code == 201
        api.post("outcomes", {"turn_id": turn["turn_id"], "outcome": "worked"})
    learn_now(user)

    concept = api.get("graph/concept", {"name": "Hetzner"}).json()
    assert concept["context_type"] == "docker"
    assert [(one["action"], one["uses"]) for one in concept["actions"]] == [("docker_ps", 2)]
    picture = api.get("graph/picture").json()
    [action] = [node["id"] for node in picture["nodes"] if node["kind"] == "action"]
    tied = {tie["target"] for tie in picture["edges"] if tie["source"] == action}
    assert {"hetzner", "docker"} <= tied


def test_an_entity_tells_what_stands_beside_it_and_which_memories_name_it(api: ApiClient, filled: EndUser) -> None:
    found = api.get("graph/entity", {"name": "Berlin"}).json()
    assert (found["kind"], found["mentions"]) == ("place", 2)
    assert {one["key"] for one in found["neighbours"]} == {"dana", "siemens", "tom becker", "postgresql"}
    assert {one["content"] if "content" in one else one["text"] for one in found["memories"]} == {DANA, TOM}


def test_the_way_between_two_entities_is_the_shortest(api: ApiClient, filled: EndUser) -> None:
    way = api.get("graph/path", {"from": "Siemens", "to": "PostgreSQL"}).json()
    assert way["connected"] is True
    assert way["nodes"] == ["siemens", "berlin", "postgresql"]
    assert [step["source"] for step in way["steps"]] == ["siemens", "berlin"]
    assert api.get("graph/path", {"from": "Siemens", "to": "Siemens"}).json()["nodes"] == ["siemens"]
    apart = api.get("graph/path", {"from": "Siemens", "to": "Pedro"}).json()
    assert (apart["connected"], apart["nodes"]) == (False, [])
    assert api.get("graph/path", {"from": "Siemens", "to": "Atlantis"}).status_code == 404
    assert api.get("graph/path", {"from": "Siemens"}).status_code == 422


def test_the_picture_colours_what_is_asked_what_is_named_and_what_is_both(api: ApiClient, filled: EndUser) -> None:
    picture = api.get("graph/picture").json()
    colours = {one["id"]: one["colour"] for one in picture["nodes"]}
    assert colours["postgresql"] == "purple"
    assert colours["siemens"] == "green"
    assert colours["database"] == "blue"
    ties = {(one["source"], one["target"], one["kind"]) for one in picture["edges"]}
    assert ("berlin", "dana", "together") in ties
    assert {end for tie in ties for end in tie[:2]} <= set(colours)


def test_stats_tell_the_sizes(api: ApiClient, filled: EndUser) -> None:
    sizes = api.get("stats").json()["graphs"]
    assert sizes["entities"] == 7
    assert all(sizes[name] > 0 for name in ("concepts", "routing", "edges", "mentions", "solutions"))


def test_another_users_graph_is_empty_and_their_names_unknown(
    foreign_api: ApiClient, api: ApiClient, filled: EndUser
) -> None:
    assert foreign_api.get("graph/entities").json() == {"items": [], "next_cursor": None}
    assert foreign_api.get("graph/entity", {"name": "Berlin"}).status_code == 404
    assert foreign_api.get("graph/picture").json() == {"nodes": [], "edges": []}
    cursor = api.get("graph/entities", {"limit": "1"}).json()["next_cursor"]
    assert foreign_api.get("graph/entities", {"limit": "1", "cursor": cursor}).status_code == 422


def test_an_erased_memory_is_gone_from_the_graph(
    api: ApiClient, user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    item = put_in_bank(api, DANA)
    learn_now(user)
    assert api.delete(f"memories/{item['id']}").status_code == 204
    clock.now += timedelta(seconds=1)
    learn_now(user)
    assert api.get("graph/entities").json()["items"] == []
    assert api.get("graph/entity", {"name": "Dana"}).status_code == 404
