"""The memory provider for Hermes, found and called as Hermes does."""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from commonplace_client import Person

from memory.models import EndUser
from tests.integrations.hermes_interface import stand_in
from tests.integrations.test_openai_agents import list_exchanges

pytestmark = pytest.mark.usefixtures("services")

PLUGIN = Path(__file__).parents[2] / "integrations/hermes/commonplace"


class Collector:
    """What Hermes hands to ``register`` of a plugin."""

    def __init__(self) -> None:
        self.provider: Any = None

    def register_memory_provider(self, provider: Any) -> None:
        self.provider = provider


@pytest.fixture
def load_provider(monkeypatch: pytest.MonkeyPatch, address: str, key: str) -> Iterator[Callable[..., Any]]:
    stand_in()
    loaded: list[Any] = []

    def load(**environment: str) -> Any:
        for name, value in {"URL": address, "KEY": key, "TIMEOUT": "30", **environment}.items():
            monkeypatch.setenv(f"COMMONPLACE_{name}", value)
        source = (PLUGIN / "__init__.py").read_text(encoding="utf-8")
        # By these words in its beginning Hermes tells a memory provider from other plugins.
        assert "MemoryProvider" in source[:8192]
        spec = importlib.util.spec_from_file_location("_hermes_user_memory.commonplace", PLUGIN / "__init__.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)
        spec.loader.exec_module(module)
        collector = Collector()
        module.register(collector)
        loaded.append(collector.provider)
        return collector.provider

    yield load
    for provider in loaded:
        provider.shutdown()


def test_a_session_of_hermes(
    load_provider: Callable[..., Any], ann: Person, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    provider = load_provider()
    about = yaml.safe_load((PLUGIN / "plugin.yaml").read_text(encoding="utf-8"))
    assert (provider.name, provider.is_available()) == (about["name"], True)
    # Before it is initialised, Hermes asks what tools there are.
    assert [schema["name"] for schema in provider.get_tool_schemas()][:2] == ["get_context_insights", "search_memory"]
    assert all(field["env_var"] for field in provider.get_config_schema())
    assert json.loads(provider.handle_tool_call("search_memory", {}))["error"]

    provider.initialize("s-1", hermes_home="/srv/hermes", platform="telegram", user_id="ann", agent_context="primary")
    assert provider.prefetch("When does my train leave?", session_id="s-1").count("07:40") == 0
    provider.sync_turn("My train leaves at 07:40.", "Noted.", session_id="s-1", messages=[])
    provider.on_session_switch("s-2", parent_session_id="s-1", reset=True, rewound=False)
    provider.sync_turn("It rains.", "A pity.")
    provider.on_memory_write("add", "user", "Ann plays the cello.", metadata={"platform": "telegram"})
    provider.on_memory_write("remove", "user", "Ann is tall.")
    provider.shutdown()
    assert list_exchanges(ann, "s-1") == [("My train leaves at 07:40.", "Noted.")]
    assert list_exchanges(ann, "s-2") == [("It rains.", "A pity.")]
    index_now(user)
    assert "07:40" in provider.prefetch("When does my train leave?")
    found = json.loads(provider.handle_tool_call("search_memory", {"query": "Which instrument?"}, session_id="s-2"))
    assert "Ann plays the cello." in found["result"]
    assert "query" in json.loads(provider.handle_tool_call("search_memory", {}))["error"]
    provider.sync_turn("Too late.", "Yes.")


def test_nothing_is_kept_where_nobody_speaks_and_a_fault_stops_no_turn(
    load_provider: Callable[..., Any], ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    cron = load_provider(USER="ann")
    cron.initialize("s-1", hermes_home="/srv/hermes", platform="cron", user_id="other", agent_context="cron")
    cron.sync_turn("Run the job.", "Done.")
    cron.shutdown()
    assert list(ann.list_memories()) == []
    away = load_provider(URL="http://127.0.0.1:9", TIMEOUT="1")
    assert away.get_tool_schemas() == []
    away.initialize("s-1", hermes_home="/srv/hermes", platform="cli")
    assert away.prefetch("When does my train leave?") == ""
    away.sync_turn("My train leaves at 07:40.", "Noted.")
    away.shutdown()
    assert "does not answer" in json.loads(away.handle_tool_call("search_memory", {"query": "x"}))["error"]
    assert "answered without a context" in caplog.text
    assert "a turn was not kept" in caplog.text
    assert not load_provider(KEY="").is_available()
