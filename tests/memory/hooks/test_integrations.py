"""The plugin's files, the script for clients that run commands, and what the documents tell people to paste."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.urls import resolve

from memory.hooks.answers import CLIENTS
from memory.hooks.bodies import KINDS
from memory.hooks.endpoint import answer_hook
from memory.mcp.forwarding import forward_mcp
from memory.tools.definitions import TOOLS

ROOT = Path(__file__).parents[3]
PLUGIN = ROOT / "integrations" / "claude-code"
SHIM = ROOT / "integrations" / "shim" / "commonplace-hook"
PAGES = [ROOT / "docs" / "clients" / f"{client}.md" for client in sorted(CLIENTS)]
SHELLS = [shell for shell in ("/usr/bin/dash", "/bin/sh", "/usr/bin/bash") if Path(shell).exists()]


def read_file(name: str) -> dict[str, Any]:
    return dict(json.loads((PLUGIN / name).read_text(encoding="utf-8")))


def list_entries(hooks: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each hook with its event: Copilot CLI and Cursor name it without a group around it."""
    for event, groups in hooks.items():
        for group in groups:
            for entry in group.get("hooks", [group]):
                yield event, entry


def check_entry(event: str, entry: dict[str, Any]) -> None:
    assert event in KINDS
    if entry.get("type") == "http":
        assert resolve(urlsplit(entry["url"]).path).func is answer_hook
        named = set(re.findall(r"\$(\w+)", " ".join(entry["headers"].values())))
        assert named == set(entry["allowedEnvVars"])
        # Claude Code takes no http hook here.
        assert event != "SessionStart"
    else:
        script, client = (entry.get("command") or entry["bash"]).split()
        assert script.endswith("/commonplace-hook")
        assert client in CLIENTS


def test_the_plugin_is_data_and_names_what_the_server_answers() -> None:
    files = [path for path in PLUGIN.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".md"}
    assert re.fullmatch(r"[a-z-]+", read_file(".claude-plugin/plugin.json")["name"])
    entries = list(list_entries(read_file("hooks/hooks.json")["hooks"]))
    assert {"UserPromptSubmit", "Stop", "PostToolUseFailure", "SessionEnd", "PreCompact"} <= {
        name for name, _ in entries
    }
    for event, entry in entries:
        check_entry(event, entry)
    server = read_file(".mcp.json")["mcpServers"]["commonplace"]
    address = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", server["url"])
    assert (server["type"], resolve(urlsplit(address).path).func) == ("http", forward_mcp)
    skill = (PLUGIN / "skills" / "memory" / "SKILL.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`([a-z]+_[a-z_]+)`", skill)) - {"key_takeaway"} <= set(TOOLS)
    assert re.match(r"---\nname: memory\ndescription: .+\n---\n", skill)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_tells_people_to_paste_is_understood(page: Path) -> None:
    blocks = re.findall(r"```json\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    entries = [entry for block in blocks for entry in list_entries(json.loads(block).get("hooks", {}))]
    assert entries
    for event, entry in entries:
        check_entry(event, entry)


def run_shim(shell: str, body: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [shell, str(SHIM), *words],
        input=body,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_never_stands_in_the_way(shell: str, tmp_path: Path) -> None:
    broken = tmp_path / "hook"
    broken.write_text("COMMONPLACE_URL=http://127.0.0.1:1\nif (( `\nCOMMONPLACE_TIMEOUT=\"'$(", encoding="utf-8")
    key = {"COMMONPLACE_KEY": 'cpl_"\nurl = "x'}
    away = {"COMMONPLACE_URL": "http://127.0.0.1:1"}
    stop = '{"hook_event_name":"Stop","transcript_path":"/no/such/file"}'
    for body, environment in (
        ("{}", {}),
        ("", {**key, **away}),
        ("not json \\ \" ' $(touch x) `x`", {**key, **away}),
        (stop, {**key, "COMMONPLACE_CONFIG": str(broken)}),
        ("{}", {**key, "COMMONPLACE_URL": "-K /etc/passwd"}),
        ("{}", {**key, "COMMONPLACE_CONFIG": str(tmp_path)}),
    ):
        done = run_shim(shell, body, "copilot-cli" if body == stop else "codex", **environment)
        assert (done.returncode, done.stdout, done.stderr) == (0, "{}\n", ""), (body, environment)
    assert run_shim(shell, "{}").stdout == "{}\n"
