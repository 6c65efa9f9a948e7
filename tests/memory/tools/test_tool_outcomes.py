"""What tools leave behind: calls that failed are learned for their actions, outcomes say what they replaced."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from knowledge_graph.tasks import learn_everything
from memory.access.keys import authenticate
from memory.access.scope import user_scope
from memory.inference.remote import JsonService
from memory.mcp.callers import run_tool
from memory.models import EndUser, MemoryItem
from memory.platform.faults import Unavailable
from memory.tools import ToolError
from memory.web.callers import Caller
from outcomes.models import ActionTaken
from tests.api_client import ApiClient
from tests.factories import MemoryItemFactory


@pytest.fixture
def memories(user: EndUser, index_now: Callable[[EndUser], None]) -> dict[str, MemoryItem]:
    made = {
        "fix": MemoryItemFactory.create(user=user, text="Restart the docker volume daemon when a mount hangs"),
        "tea": MemoryItemFactory.create(user=user, text="Ann's favourite drink is green tea", banked=True),
        "cup": MemoryItemFactory.create(user=user, text="Ann drinks green tea from a glass cup", banked=True),
    }
    index_now(user)
    return made


def call_tool(api: ApiClient, name: str, arguments: dict[str, Any], status: int = 200) -> dict[str, Any]:
    answer = api.post(f"tools/{name}", arguments)
    assert answer.status_code == status, answer.content
    return dict(answer.json())


def list_actions(user: EndUser) -> list[ActionTaken]:
    with user_scope(user):
        return list(ActionTaken.objects.filter(user=user).order_by("pk"))


def actions(api: ApiClient, query: str) -> dict[str, tuple[float, int]]:
    """How often each action helped in the kind of work a question asks for, and how often it was taken."""
    reported = api.get("insights", {"query": query}).json()
    assert reported["context_type"] == "docker"
    return {one["action"]: (one["success_rate"], one["uses"]) for one in reported["tool_statistics"]}


# --- record_response ---------------------------------------------------------------------------------------------
def test_an_outcome_says_what_it_ignored_and_what_it_replaced(api: ApiClient, memories: dict[str, MemoryItem]) -> None:
    turn = call_tool(api, "search_memory", {"query": "docker volume mount hangs", "collections": ["working"]})
    turn_id = turn["result"]["turn_id"]
    lesson = {"key_takeaway": "Restarting the daemon frees the mount", "turn_id": turn_id}

    first = call_tool(api, "record_response", {**lesson, "outcome": "failed", "related": [1, 9, "nowhere"]})
    assert (first["result"]["ignored"], first["result"]["replaced"]) == ([9, "nowhere"], None)
    assert '"9", "nowhere"' in first["content"]

    second = call_tool(api, "record_response", {**lesson, "outcome": "worked"})
    assert (second["result"]["ignored"], second["result"]["replaced"]) == ([], "failed")
    assert "takes the place of failed" in second["content"]
    assert [one["score"] for one in second["result"]["scored"]] == [0.7]

    typo = call_tool(api, "record_response", {**lesson, "outcome": "failed", "related": [9]}, status=422)
    assert [error["field"] for error in typo["errors"]] == ["related"]


# --- calls that fail ---------------------------------------------------------------------------------------------
def test_a_refused_call_of_a_memory_tool_is_an_action_that_failed(
    api: ApiClient, user: EndUser, memories: dict[str, MemoryItem]
) -> None:
    search = call_tool(api, "search_memory", {"query": "docker volume mount hangs", "collections": ["working"]})
    turn_id = search["result"]["turn_id"]
    call_tool(api, "archive_memory", {"match_query": "green tea"}, status=422)

    found, refused = list_actions(user)
    assert (found.action, found.ok, found.verdict) == ("search_memory", True, "")
    assert (refused.action, refused.ok, refused.verdict) == ("archive_memory", False, "failed")
    assert str(refused.turn_id) == turn_id
    assert refused.tiers == ["memory_bank"]
    assert "nothing was changed" in refused.error
    # The candidates it listed are words of memories, which are to be forgotten with them.
    assert "glass cup" not in refused.error


def test_a_call_refused_over_mcp_is_noted_the_same_way(
    api: ApiClient, user: EndUser, memories: dict[str, MemoryItem]
) -> None:
    principal = authenticate(api.key or "", now=timezone.now())
    assert principal is not None
    who = Caller(principal, user.external_id)
    with pytest.raises(ToolError, match="several memories"):
        run_tool(who, "archive_memory", {"match_query": "green tea"})
    assert [(one.action, one.ok) for one in list_actions(user)] == [("archive_memory", False)]


def test_a_service_that_is_down_makes_the_call_one_that_failed(
    api: ApiClient, user: EndUser, memories: dict[str, MemoryItem], monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*args: object, **kwargs: object) -> object:
        raise Unavailable("embedder", "is away")

    monkeypatch.setattr(JsonService, "exchange", down)
    answer = api.post("tools/memory.search", {"query": "a walk along the river"})
    assert answer.status_code in {502, 503}
    assert [(one.action, one.ok, one.verdict) for one in list_actions(user)] == [("memory_search", False, "failed")]


def test_one_follow_up_too_many_is_no_fault_of_the_search(
    api: ApiClient, user: EndUser, memories: dict[str, MemoryItem]
) -> None:
    turn_id = call_tool(api, "search_memory", {"query": "docker volume"})["result"]["turn_id"]
    call_tool(api, "search_memory", {"query": "volume mount", "turn_id": turn_id})
    call_tool(api, "search_memory", {"query": "mount hangs", "turn_id": turn_id}, status=422)
    assert [one.ok for one in list_actions(user)] == [True, True]


def test_a_first_call_that_is_refused_leaves_nobody_behind(api: ApiClient, user: EndUser) -> None:
    secret = {"content": "My password is the name of my dog", "tags": ["identity"]}
    assert api.post("/api/v1/users/nobody-yet/tools/add_to_memory_bank", secret).status_code == 422
    assert not EndUser.objects.filter(external_id="nobody-yet").exists()


def test_actions_learn_of_calls_that_failed_whatever_came_of_the_turn(
    api: ApiClient, user: EndUser, memories: dict[str, MemoryItem]
) -> None:
    query = "the docker container volume mount hangs"
    turn_id = call_tool(api, "search_memory", {"query": query, "collections": ["working"]})["result"]["turn_id"]
    call_tool(api, "update_memory", {"match_query": "green tea", "new_content": "Ann drinks mint tea"}, status=422)
    tools = [
        {"name": "search_memory", "ok": True, "ms": 4},
        {"name": "update_memory", "ok": False, "ms": 4, "error": "no match"},
        {"name": "kubectl_exec", "ok": False, "ms": 900, "error": "deadline exceeded"},
        {"name": "docker_restart", "ok": True, "ms": 70},
        {"name": "docker_restart", "ok": False, "ms": 70, "error": "permission denied"},
    ]
    said = {"turn_id": turn_id, "user_message": query, "assistant_message": "Restarted.", "tools": tools}
    assert api.post("threads/t-1/exchanges", said).status_code == 201
    assert len(list_actions(user)) == 5
    learn_everything(user, now=timezone.now())
    # A run that failed needs nobody's verdict.
    assert actions(api, query) == {"kubectl_exec": (0, 1), "docker_restart": (0, 1), "update_memory": (0, 1)}

    assert api.post("outcomes", {"turn_id": turn_id, "outcome": "worked"}).status_code == 201
    learn_everything(user, now=timezone.now())
    assert actions(api, query) == {
        "docker_restart": (0.5, 2),
        "kubectl_exec": (0, 1),
        "search_memory": (1, 1),
        "update_memory": (0, 1),
    }
    shown = api.get("exchanges").json()["items"][0]["actions"]
    assert [one["ok"] for one in shown].count(False) == 3


def test_a_turn_of_which_a_part_worked_counts_as_partial_for_its_actions(
    api: ApiClient, user: EndUser, memories: dict[str, MemoryItem], index_now: Callable[[EndUser], None]
) -> None:
    MemoryItemFactory.create(user=user, text="Reinstall docker when a volume mount hangs")
    index_now(user)
    query = "the docker container volume mount hangs"
    turn = call_tool(api, "search_memory", {"query": query, "collections": ["working"]})["result"]
    assert len(turn["results"]) == 2
    for outcome, related, expected in (
        ("worked", None, 1),
        ("failed", [2], 0.5),
        ("failed", [1], 0),
        ("worked", [1], 0.5),
    ):
        reported = {"turn_id": turn["turn_id"], "outcome": outcome, **({"related": related} if related else {})}
        assert api.post("outcomes", reported).status_code == 201
        learn_everything(user, now=timezone.now())
        assert actions(api, query) == {"search_memory": (expected, 1)}, reported
