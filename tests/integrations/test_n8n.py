"""What docs/clients/n8n.md says: mem0's node with our address, and the nodes to paste."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest
from commonplace_client import Person

from memory.models import EndUser
from tests.integrations.test_openai_agents import list_exchanges

pytestmark = pytest.mark.usefixtures("services")

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/clients/n8n.md"
NODE = ROOT / "tests/memory/mem0/node"
ITEM = {"userId": "ann", "sessionId": "s-1", "chatInput": 'I live in "York".', "output": "Noted."}


def fill(template: str) -> Any:
    """n8n's expressions, as far as the page uses them: values of the item, and an object of them."""
    if template.startswith("={{ JSON.stringify({"):
        return {name: ITEM[value] for name, value in re.findall(r"(\w+): \$json\.(\w+)", template)}
    return re.sub(r"\{\{ \$json\.(\w+) \}\}", lambda match: ITEM[match[1]], template.removeprefix("="))


def test_the_nodes_to_paste_tell_and_keep(address: str, key: str, user: EndUser, ann: Person) -> None:
    [block] = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    answers = []
    for node in json.loads(block)["nodes"]:
        asked = node["parameters"]
        assert (node["type"], node["onError"]) == ("n8n-nodes-base.httpRequest", "continueRegularOutput")
        url = fill(asked["url"]).replace("http://127.0.0.1:8000", address)
        sent = {"json": fill(asked["jsonBody"]), "headers": {"Authorization": f"Bearer {key}"}}
        answers.append(httpx.request(asked["method"], url, timeout=30, **sent))
    assert [answer.status_code for answer in answers] == [200, 201]
    assert "injection" in answers[0].json()
    assert list_exchanges(ann, "s-1") == [('I live in "York".', "Noted.")]


def test_mem0s_node_works_by_its_credential(address: str, key: str, user: EndUser) -> None:
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules/@mem0/n8n-nodes-mem0").is_dir():
        pytest.skip("node, or what npm installs into tests/memory/mem0/node, is not here")
    ran = subprocess.run(
        [node, str(Path(__file__).with_name("n8n_node.cjs")), str(NODE / "node_modules"), address, key],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert ran.returncode == 0, ran.stderr
    done = json.loads(ran.stdout)
    assert done["test"] == 200
    assert any("York" in one["memory"] for one in done["search"])
    assert "Leeds" in done["read"]["memory"]
    assert done["left"] == []
