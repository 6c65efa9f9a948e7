"""What an installation hands out, and the programs of the connect page that need no model."""

import ast
import importlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import textwrap
import tomllib
from pathlib import Path

import httpx
import pytest
from commonplace_client import Person
from django.test import Client
from django.urls import resolve

from memory.console.framework_setups import FRAMEWORKS
from memory.console.setup_blocks import Access
from memory.mcp.forwarding import forward_mcp
from memory.models import EndUser
from memory.web.callers import USER_HEADER
from tests.integrations.test_open_webui import SOURCE

RUNNABLE = {"langgraph", "llama-index"}
ROOT = Path(__file__).parents[2]


def fetch(name: str) -> bytes:
    answer = Client().get(f"/clients/{name}")
    assert answer.status_code == 200
    return answer.content


def test_adapters_are_handed_out(db: None, tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(fetch("commonplace-client.tar.gz"))) as packed:
        names = set(packed.getnames())
        packed.extractall(tmp_path, filter="data")
    assert {"commonplace-client/pyproject.toml", "commonplace-client/commonplace_client/langgraph.py"} <= names
    listed = subprocess.run(["git", "ls-files", "integrations/python"], capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        assert len(names) == len(listed.stdout.split())
    assert fetch("commonplace-client.tar.gz") == fetch("commonplace-client.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(fetch("commonplace-hermes.tar.gz"))) as packed:
        assert set(packed.getnames()) == {"commonplace/__init__.py", "commonplace/plugin.yaml"}
    assert fetch("commonplace_filter.py") == SOURCE.read_bytes()
    assert Client().get("/clients/../manage.py").status_code == 404
    assert Client().get("/clients/unheard-of").status_code == 404


@pytest.mark.usefixtures("services")
def test_programs_of_the_connect_page_run(address: str, key: str, user: EndUser, ann: Person, tmp_path: Path) -> None:
    said = ""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "integrations/python"), "HOME": str(tmp_path)}
    for client in FRAMEWORKS.clients:
        program = client.steps(Access(address, key, "ann"))[-1].text
        if client.slug == "hermes":
            assert subprocess.run(["sh", "-n"], input=program, text=True, check=False).returncode == 0
        else:
            compile(program, client.slug, "exec")
        if client.slug in RUNNABLE:
            words = [sys.executable, "-c", program]
            ran = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False, env=environment)
            assert ran.returncode == 0, ran.stderr
            said += ran.stdout
    assert "Lives in York" in said
    assert "Where do I live?" in said
    install = FRAMEWORKS.clients[0].steps(Access(address, key, "ann"))[0].text.split()[2]
    assert httpx.get(install).status_code == 200


def test_what_pages_tell_people_to_paste_is_python_and_names_what_there_is() -> None:
    pages = [*sorted((ROOT / "docs/clients").glob("*.md")), *sorted((ROOT / "docs").glob("coming-from-*.md"))]
    named: set[tuple[str, str]] = set()
    for page in pages:
        blocks = re.findall(r"^ *```python\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        for block in blocks:
            code = textwrap.dedent(block)
            compile(code, str(page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("commonplace_client"):
                    named |= {(str(node.module), alias.name) for alias in node.names}
    assert len({module for module, _ in named}) == 5
    for module, name in named:
        assert hasattr(importlib.import_module(module), name), (module, name)


def test_the_registry_entry_tells_the_door_there_is() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert (entry["version"], len(entry["description"]) <= 100) == (version, True)
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    [remote] = entry["remotes"]
    assert (remote["type"], resolve(remote["url"].removeprefix("https://{host}")).func) == (
        "streamable-http",
        forward_mcp,
    )
    assert set(re.findall(r"\{(\w+)\}", remote["url"])) == set(remote["variables"])
    assert [header["name"] for header in remote["headers"]] == ["Authorization", USER_HEADER]
