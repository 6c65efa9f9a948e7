"""A coding agent's hooks, by the bodies that real clients send."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.context.blocks import derive_fence
from memory.facade import MemoryFacade
from memory.hooks.bodies import name_project
from memory.models import EndUser
from memory.models.people import SecretHandling
from outcomes.exchanges.sessions import IDLE
from outcomes.models import ActionTaken, AgentSession, Exchange
from outcomes.tasks import purge_user_exchanges
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock
from tests.memory.hooks.recorded import HOME, SESSION, claude_code, codex, copilot_cli, cursor, gemini_cli, prompt, stop

pytestmark = pytest.mark.usefixtures("services")

FACT = "The staging database of atlas is called heron and lives on port 5544."
ASKED = "Which port does the staging database of atlas listen on?"
OFF_TOPIC = "Please rename this variable to something shorter."


def send(api: ApiClient, body: Any, client: str = "claude-code", **headers: str) -> dict[str, Any]:
    answer = api.post(f"/hooks/{client}", body, **{"X_User_Id": "ann", **headers})
    assert answer.status_code == 200, answer.content
    assert answer.headers["Cache-Control"] == "no-store"
    return dict(answer.json())


def read_context(answer: dict[str, Any]) -> str:
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def list_exchanges(user: EndUser) -> list[Exchange]:
    with user_scope(user):
        return list(Exchange.objects.filter(user=user).order_by("created_at"))


def map_projects(user: EndUser) -> dict[str, str]:
    return {one.thread_id: one.project_id for one in list_exchanges(user)}


def list_actions(user: EndUser) -> list[tuple[str, bool, str]]:
    with user_scope(user):
        return list(ActionTaken.objects.filter(user=user).order_by("pk").values_list("action", "ok", "error"))


def test_what_is_said_in_one_session_is_told_in_the_next(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None], clock: Clock
) -> None:
    assert send(api, prompt(f"Remember this: {FACT}")) == {}
    assert send(api, stop("Noted.")) == {}
    index_now(user)
    clock.advance(hours=20)

    other = {"session_id": "another-session", "prompt_id": "p-1"}
    answer = send(api, prompt(ASKED, **other))
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert "5544" in read_context(answer)
    instructions = read_context(answer).split("\n")[0]
    send(api, stop("On 5544.", **other))
    assert [one.thread_id for one in list_exchanges(user)] == [SESSION, "another-session"]

    # The instructions and what stands whatever is asked are said once, and again when they were compacted away.
    again = read_context(send(api, prompt(f"{ASKED} I forgot.", **other | {"prompt_id": "p-2"})))
    assert "5544" in again
    assert instructions not in again
    send(api, claude_code("PreCompact", trigger="auto", custom_instructions="", session_id="another-session"))
    third = prompt(f"{ASKED} Once more.", **other | {"prompt_id": "p-3"})
    assert instructions in read_context(send(api, third))

    assert send(api, prompt(OFF_TOPIC, **other | {"prompt_id": "p-4"})) == {}


def test_an_exchange_is_stored_once_whatever_is_sent_twice(api: ApiClient, user: EndUser) -> None:
    for _ in range(2):
        send(api, prompt("Fix the flaky test of the importer.", prompt_id="p-1"))
    send(api, claude_code("SubagentStop", agent_id="a1", agent_type="Explore", last_assistant_message="Found it."))
    for active in (False, True, True):
        send(api, stop("Fixed: it waited for a clock.", stop_hook_active=active, prompt_id="p-1"))
    # The first request again, late: its prompt was answered.
    send(api, prompt("Fix the flaky test of the importer.", prompt_id="p-1"))
    send(api, stop("Fixed: it waited for a clock.", prompt_id="p-1"))

    [kept] = list_exchanges(user)
    assert (kept.thread_id, kept.user_message) == (SESSION, "Fix the flaky test of the importer.")
    assert (kept.assistant_message, kept.interrupted) == ("Fixed: it waited for a clock.", False)
    # Without a name, the same words after an answer are said again.
    for _ in range(2):
        send(api, prompt("go on"))
        send(api, stop("Done."))
    assert len(list_exchanges(user)) == 3


def test_a_prompt_without_an_answer_is_kept_as_broken_off(api: ApiClient, user: EndUser, clock: Clock) -> None:
    send(api, prompt("My deploy host is called osprey."))
    clock.advance(minutes=1)
    send(api, prompt("No, wait: it is called kestrel."))
    clock.advance(minutes=1)
    send(api, claude_code("SubagentStop", agent_id="a1", last_assistant_message="It answers on 22."))
    send(api, claude_code("StopFailure", error="rate_limit", last_assistant_message=""))
    clock.advance(minutes=1)
    send(api, prompt("Try again."))
    send(api, claude_code("SessionEnd", reason="prompt_input_exit"))
    send(api, stop("Too late."))

    kept = [(one.user_message, one.assistant_message, one.interrupted) for one in list_exchanges(user)]
    assert kept == [
        ("My deploy host is called osprey.", "", True),
        ("No, wait: it is called kestrel.", "It answers on 22.", True),
        ("Try again.", "", True),
    ]


def test_an_idle_session_ends_by_itself(api: ApiClient, user: EndUser, clock: Clock) -> None:
    send(api, prompt("The release branch is called autumn."))
    purge_user_exchanges(user.pk)
    assert list_exchanges(user) == []
    clock.advance(seconds=(IDLE + timedelta(minutes=1)).total_seconds())
    purge_user_exchanges(user.pk)
    [kept] = list_exchanges(user)
    assert kept.interrupted
    with user_scope(user):
        assert not AgentSession.objects.exists()


def test_runs_of_tools_become_actions(api: ApiClient, user: EndUser) -> None:
    send(api, prompt("Run the tests."))
    failure = {"tool_input": {"command": "pytest"}, "tool_use_id": "toolu_01", "is_interrupt": False}
    send(
        api,
        claude_code("PostToolUseFailure", tool_name="Bash", error="exit code 1: \x1b[31m2 failed\x1b[0m", **failure),
    )
    send(api, claude_code("PostToolUseFailure", tool_name="Read", error="stopped", **failure | {"is_interrupt": True}))
    send(api, claude_code("PostToolUse", tool_name="Edit", tool_response={"filePath": "a.py"}, duration_ms=12))
    refused = {"isError": True, "message": "timed out"}
    send(api, claude_code("PostToolUse", tool_name="mcp__ci__run", tool_response=refused))
    send(api, stop("Two failed."))
    expected = [
        ("Bash", False, "exit code 1: 2 failed"),
        ("Edit", True, ""),
        ("mcp__ci__run", False, "timed out"),
    ]
    assert list_actions(user) == expected
    [kept] = api.get("exchanges").json()["items"]
    assert [action["action"] for action in kept["actions"]] == ["Bash", "Edit", "mcp__ci__run"]
    assert [signal["kind"] for signal in kept["signals"]] == ["tool_error", "tool_timeout"]

    # Outside of a turn only a failure says something.
    for event in ("PostToolUseFailure", "PostToolUse"):
        send(api, claude_code(event, tool_name="WebFetch", error="refused", session_id="no-prompt"))
    assert list_actions(user)[3:] == [("WebFetch", False, "refused")]


def test_neither_contexts_nor_blocks_of_the_client_are_stored(api: ApiClient, user: EndUser) -> None:
    context = MemoryFacade().compose_context(user, ASKED, now=timezone.now(), thread_id=SESSION)
    fence = derive_fence(user, SESSION)
    injected = (
        f"{context.stable.text}\n═══ RETRIEVED MEMORIES ═══ {fence}\n[1] (history) {FACT}\n═══ END MEMORIES ═══ {fence}"
    )
    reminder = "<system-reminder>\nThe date is today.\n</system-reminder>"
    send(api, prompt(f"{injected}\n{reminder}Deploy it.<private>The client is Acme.</private>"))
    send(api, stop(f"{injected}\nDeployed.<system-reminder> is a tag of the client."))
    [kept] = list_exchanges(user)
    assert kept.user_message == "Deploy it."
    assert kept.assistant_message == "Deployed.<system-reminder> is a tag of the client."
    # A prompt of nothing else is none.
    assert send(api, prompt(reminder)) == {}
    send(api, stop("Hm."))
    assert len(list_exchanges(user)) == 1


def test_secrets_stay_outside(api: ApiClient, user: EndUser) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    send(api, prompt(f"Push with {token} please."))
    with user_scope(user):
        assert token not in AgentSession.objects.get().prompt
    error = f"fatal: could not read from https://{token}@example.com"
    send(
        api,
        claude_code("PostToolUseFailure", tool_name="Bash", tool_input={"command": f"git push {token}"}, error=error),
    )
    send(api, stop(f"Pushed with {token}."))
    [kept] = list_exchanges(user)
    assert token not in str([kept.user_message, kept.assistant_message, kept.tools, list_actions(user)])
    assert "[redacted: github token]" in kept.user_message

    strict = client_for(user, secret_handling=SecretHandling.REFUSE)
    assert token not in str(send(strict, prompt(f"Use {token}.", session_id="strict")))
    refused = strict.post("/hooks/claude-code", stop(f"Used {token}.", session_id="strict"), X_User_Id="ann")
    assert (refused.status_code, refused.json()["code"]) == (422, "validation_failed")
    assert token not in refused.content.decode()
    assert len(list_exchanges(user)) == 1


def test_what_is_learned_of_a_project_stays_there(
    api: ApiClient, user: EndUser, clock: Clock, index_now: Callable[[EndUser], None]
) -> None:
    send(api, prompt(f"Remember this: {FACT}", cwd="/srv/ann/atlas"))
    # The agent walks about; its session does not.
    send(api, stop("Noted.", cwd="/srv/ann/atlas/deploy"))
    index_now(user)
    clock.advance(hours=1)
    for session_id, cwd, is_told in (
        ("s1", "C:\\Users\\ann\\code\\atlas", True),
        ("s2", "/srv/ann/borealis", False),
        ("s3", HOME, True),
    ):
        told = read_context(send(api, prompt(ASKED, session_id=session_id, cwd=cwd)))
        assert ("5544" in told) is is_told, cwd
        send(api, claude_code("SessionEnd", reason="other", session_id=session_id, cwd=cwd))
    assert map_projects(user) == {SESSION: "atlas", "s1": "atlas", "s2": "borealis", "s3": ""}

    # A key or a header says better than a folder; what a key is bound to no folder leaves.
    named = {"X_Project_Id": "acme/atlas"}
    send(api, prompt("Which port?", session_id="s4", cwd="/srv/ann/borealis"), **named)
    send(api, stop("5545.", session_id="s4", cwd="/srv/ann/borealis"), **named)
    assert map_projects(user)["s4"] == "acme/atlas"
    bound = client_for(user, scope=RowScope(project_id="cygnus"))
    send(bound, prompt("Which port?", session_id="s5", cwd="/srv/ann/borealis"))
    clock.advance(seconds=(IDLE + timedelta(minutes=1)).total_seconds())
    purge_user_exchanges(user.pk)
    assert map_projects(user)["s5"] == "cygnus"
    stranger = bound.post("/hooks/claude-code", prompt("Hi", session_id="s6"), X_Project_Id="atlas")
    assert stranger.status_code == 422
    names = [name_project(path) for path in ("/", "/root", "/srv/my-app", "/srv/my app", "/srv/מחברת")]
    assert names[:3] == ["", "", "my-app"]
    assert [name[:-8] for name in names[3:]] == ["my-app-", "project-"]


@pytest.mark.parametrize(
    ("client", "begin", "tools", "end"),
    [
        (
            "codex",
            codex("UserPromptSubmit", prompt=ASKED),
            codex("PostToolUse", tool_name="shell", tool_use_id="c1", tool_input={}, tool_response={"exit_code": 2}),
            [codex("Stop", last_assistant_message="On 5544.", stop_hook_active=False)],
        ),
        (
            "cursor",
            cursor("beforeSubmitPrompt", prompt=ASKED, attachments=[]),
            cursor("postToolUseFailure", tool_name="shell", tool_input={}, error_message="no", failure_type="error"),
            [
                cursor("afterAgentResponse", text="Let me look."),
                cursor("afterAgentResponse", text="On 5544."),
                cursor("stop", status="completed", loop_count=0),
            ],
        ),
        (
            "gemini-cli",
            gemini_cli("BeforeAgent", prompt=ASKED),
            gemini_cli("AfterTool", tool_name="shell", tool_input={}, tool_response={"error": {"message": "no"}}),
            [gemini_cli("AfterAgent", prompt=ASKED, prompt_response="On 5544.", stop_hook_active=False)] * 2,
        ),
        (
            "copilot-cli",
            copilot_cli("UserPromptSubmit", prompt=ASKED),
            copilot_cli("PostToolUseFailure", tool_name="shell", tool_input={}, error="no"),
            [
                copilot_cli("SubagentStop", agent_name="explore", last_assistant_message="On 5544."),
                copilot_cli("Stop", stop_reason="end_turn", stop_hook_active=False),
            ],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_client_is_understood_and_answered_in_its_own_way(
    api: ApiClient, user: EndUser, client: str, begin: dict[str, Any], tools: dict[str, Any], end: list[dict[str, Any]]
) -> None:
    api.post("memories", {"text": FACT, "tier": "history"})
    told = send(api, begin, client)
    if client == "cursor":
        assert told.pop("continue") is True
        assert "5544" in told["additional_context"]
    elif client == "copilot-cli":
        assert "5544" in told["additionalContext"]
    else:
        assert told["hookSpecificOutput"]["hookEventName"] == begin["hook_event_name"]
        assert "5544" in read_context(told)
    assert send(api, tools, client) == {}
    for body in end:
        assert send(api, body, client) == {}
    [kept] = list_exchanges(user)
    assert (kept.user_message, kept.assistant_message, kept.interrupted) == (ASKED, "On 5544.", False)
    assert [run["ok"] for run in kept.tools] == [False]


def test_a_session_begins_with_what_always_holds_and_the_project(api: ApiClient, user: EndUser) -> None:
    start = claude_code("SessionStart", source="startup", model="m")
    assert send(api, start) == {}
    pinned = {"text": "Ann wants commit messages in English.", "tier": "memory_bank", "tags": ["preference"]}
    api.post("memories", {**pinned, "always_inject": True})
    told = read_context(send(api, start))
    assert "commit messages in English" in told
    # It stands in the conversation now.
    assert "commit messages in English" not in read_context(send(api, prompt(OFF_TOPIC)))
    assert "commit messages in English" in read_context(send(api, prompt(OFF_TOPIC, session_id="new")))


def test_a_failing_context_stops_nobody(api: ApiClient, user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object, **named: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(MemoryFacade, "compose_context", fail)
    assert send(api, prompt("The cluster is called swift.")) == {}
    send(api, stop("Good."))
    assert [one.user_message for one in list_exchanges(user)] == ["The cluster is called swift."]


def test_whom_a_key_speaks_for(api: ApiClient, user: EndUser, other_user: EndUser) -> None:
    own = client_for(other_user, ("read", "write"), user_ids=["ben"])
    assert own.post("/hooks/claude-code", prompt("I am Ben."), X_User_Id="ann").status_code == 403
    assert own.post("/hooks/claude-code", prompt("I am Ben.")).status_code == 200
    assert own.post("/hooks/claude-code", stop("Hello.")).status_code == 200
    assert [one.user_message for one in list_exchanges(other_user)] == ["I am Ben."]
    # The same session id of somebody else is another session.
    send(api, stop("Hello."))
    assert list_exchanges(user) == []

    reader = client_for(user, ("read",))
    api.post("memories", {"text": FACT, "tier": "history"})
    assert "5544" in read_context(send(reader, prompt(ASKED)))
    assert reader.post("/hooks/claude-code", stop("On 5544."), X_User_Id="ann").status_code == 403
    with user_scope(user):
        assert not AgentSession.objects.exclude(prompt="").exists()


def test_what_is_no_hook_is_refused_and_what_is_new_is_passed_over(api: ApiClient, user: EndUser) -> None:
    deep = b'{"a":' * 40 + b"1" + b"}" * 40
    refused: list[tuple[Any, str]] = [
        (b"{", "not JSON"),
        (b"[1]", "JSON object"),
        (deep, "nested"),
        (b'{"hook_event_name": "Stop", "hook_event_name": "Stop"}', "more than once"),
        ({"session_id": SESSION}, "hook_event_name: is needed"),
        (claude_code("UserPromptSubmit", prompt=["a"]), "prompt: must be text"),
        (prompt("Hi", session_id=7), "session_id: must be text"),
        (prompt("Hi", session_id="x" * 201), "session_id"),
        (prompt("Hi", session_id="a" * 201), "session_id"),
        ({"hook_event_name": "Stop"}, "session_id"),
    ]
    for body, reason in refused:
        answer = api.post("/hooks/claude-code", body, X_User_Id="ann")
        problem = answer.json()
        said = "; ".join(f"{error['field']}: {error['message']}" for error in problem["errors"])
        assert (answer.status_code, problem["code"]) == (422, "validation_failed"), body
        assert reason in said, body
    for body in (
        claude_code("Notification", message="Claude needs you"),
        {"hook_event_name": "EventOfNextYear", "session_id": 7},
        prompt("\x00\x1b \t", new_field={"of": "next year"}),
    ):
        assert send(api, body) == {}
    assert list_exchanges(user) == []
    assert api.post("/hooks/claude-code", prompt("Hi"), X_User_Id="a b").status_code == 422
    assert api.post("/hooks/unheard-of", prompt("Hi")).status_code == 404
    assert api.get("/hooks/claude-code").status_code == 405
    assert ApiClient("ann", None).post("/hooks/claude-code", prompt("Hi")).status_code == 401
    plain = api.http.generic("POST", "/hooks/claude-code", b"{}", content_type="text/plain", headers=api.headers({}))
    assert plain.status_code == 415
