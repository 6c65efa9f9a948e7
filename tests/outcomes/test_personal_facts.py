"""What a person says of themselves while in a project is theirs everywhere; what they say of the work is not."""

from collections.abc import Callable
from typing import Any

import pytest

from memory.access.confinement import RowScope
from memory.models import EndUser
from outcomes.exchanges import profiling
from tests.api_client import ApiClient, client_for

pytestmark = pytest.mark.usefixtures("services")

ATLAS, BOREALIS = "srv/ann/atlas", "srv/ann/borealis"


def say(api: ApiClient, user: EndUser, message: str, project: str = ATLAS, thread: str = "t-1") -> None:
    body = {"user_message": message, "assistant_message": "Noted.", "project_id": project}
    answer = api.post(f"threads/{thread}/exchanges", body)
    assert answer.status_code == 201, answer.content
    assert profiling.profile_due_exchanges(user)


def list_facts(api: ApiClient, project: str) -> dict[str, str]:
    """What is held in a project, with the project it belongs to."""
    answer = api.get("facts", {"project_id": project})
    assert answer.status_code == 200, answer.content
    return {fact["statement"]: fact["project_id"] for fact in answer.json()["items"]}


def find(api: ApiClient, query: str, project: str) -> list[dict[str, Any]]:
    hits: list[dict[str, Any]] = api.post("search", {"query": query, "project_id": project}).json()["results"]
    return hits


def test_a_search_from_another_project_finds_the_diet_and_not_the_build_tool(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    say(api, user, "I'm vegetarian, by the way. My team builds atlas with Bazel and I prefer tabs over spaces.")
    index_now(user)

    elsewhere = list_facts(api, BOREALIS)
    assert elsewhere == {"I'm vegetarian, by the way.": ""}
    here = list_facts(api, ATLAS)
    assert here["I'm vegetarian, by the way."] == ""
    assert any("tabs" in statement and project == ATLAS for statement, project in here.items())
    told = find(api, "What may I cook for them? Are they vegetarian?", BOREALIS)
    assert [hit["project_id"] for hit in told] == [""]
    assert "vegetarian" in told[0]["content"]
    assert all("tabs" not in hit["content"] for hit in find(api, "tabs or spaces?", BOREALIS))
    # Said again in another project it is one fact, and there is nothing of it to settle.
    say(api, user, "I'm vegetarian, by the way.", BOREALIS, "t-2")
    assert list_facts(api, BOREALIS) == elsewhere


@pytest.mark.parametrize(
    "message",
    [
        "I'm vegan but the linter is ruff.",
        "The child process is called worker.",
        "Our container is allergic to restarts.",
        "I am the maintainer of atlas.",
        "My home directory is /srv/ann.",
        "My parent is the main branch.",
    ],
)
def test_words_of_the_work_stay_in_it(api: ApiClient, user: EndUser, message: str) -> None:
    say(api, user, message)

    assert list_facts(api, BOREALIS) == {}


def test_a_key_bound_to_a_project_plants_nothing_elsewhere(api: ApiClient, user: EndUser) -> None:
    bound = client_for(user, scope=RowScope(project_id=ATLAS))

    say(bound, user, "I'm vegetarian. My name is Mallory. I'm allergic to penicillin.")
    # Nor by a prompt that the person's own client ends, nor by a session that ends by itself.
    hook = {"session_id": "s-1", "cwd": "/srv/ann/atlas"}
    prompt = {**hook, "hook_event_name": "UserPromptSubmit", "prompt": "My wife is called Eve."}
    assert bound.post("/hooks/claude-code", prompt, X_User_Id=user.external_id).status_code == 200
    stop = {**hook, "hook_event_name": "Stop", "last_assistant_message": "Noted."}
    own = {"X_User_Id": user.external_id, "X_Project_Id": ATLAS}
    assert api.post("/hooks/claude-code", stop, **own).status_code == 200
    profiling.profile_due_exchanges(user)

    assert set(list_facts(bound, ATLAS).values()) == {ATLAS}
    assert any("Eve" in statement for statement in list_facts(bound, ATLAS))
    assert list_facts(api, BOREALIS) == {}


def test_a_coding_agent_is_told_the_diet_in_the_next_project(api: ApiClient, user: EndUser) -> None:
    for event in (
        {"hook_event_name": "UserPromptSubmit", "prompt": "I'm vegetarian. The staging host is called osprey."},
        {"hook_event_name": "Stop", "last_assistant_message": "Noted."},
    ):
        body = {"session_id": "s-1", "cwd": "/srv/ann/atlas", **event}
        assert api.post("/hooks/claude-code", body, X_User_Id=user.external_id).status_code == 200
    assert profiling.profile_due_exchanges(user)

    assert set(list_facts(api, BOREALIS).values()) == {""}
    assert any("vegetarian" in statement for statement in list_facts(api, BOREALIS))
    assert all("osprey" not in statement for statement in list_facts(api, BOREALIS))
