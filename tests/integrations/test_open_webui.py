"""The filter for Open WebUI, pasted and called as its backend does: loaded from text, parameters by name."""

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from commonplace_client import Person

from memory.models import EndUser
from tests.integrations.test_openai_agents import list_exchanges

pytestmark = pytest.mark.usefixtures("services")

SOURCE = Path(__file__).parents[2] / "integrations/open-webui/commonplace_filter.py"
ANN = {"id": "ann", "email": "ann@example.org", "name": "Ann", "role": "user"}


class Backend:
    """As Open WebUI's `process_filter_functions` calls a filter: with new valves, and the parameters it knows alone."""

    def __init__(self, **valves: Any) -> None:
        module = ModuleType("function_commonplace")
        exec(SOURCE.read_text(encoding="utf-8"), module.__dict__)  # noqa: S102 -- as it loads what people paste
        self.filter, self.valves = module.__dict__["Filter"](), valves
        assert self.filter.Valves().priority == 0

    def run(self, name: str, body: dict[str, Any], user: dict[str, Any] | None = None, **metadata: Any) -> Any:
        handler = getattr(self.filter, name)
        self.filter.valves = self.filter.Valves(**self.valves)
        person = {**(user or ANN)}
        person["valves"] = self.filter.UserValves(**person.get("valves", {}))
        extra = {"__user__": person, "__metadata__": metadata, "__event_emitter__": None, "__id__": "commonplace"}
        known = inspect.signature(handler).parameters
        answer = handler(body=body, **{key: value for key, value in extra.items() if key in known})
        return asyncio.run(answer) if inspect.iscoroutine(answer) else answer


@pytest.fixture
def backend(address: str, key: str) -> Backend:
    return Backend(url=f"{address}/", key=key, timeout_s=30)


def ask(text: Any, *before: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "stream": True, "messages": [*before, {"role": "user", "content": text}]}


def answer(body: dict[str, Any], text: str, chat: str = "c-1") -> dict[str, Any]:
    return {"model": "m", "chat_id": chat, "messages": [*body["messages"], {"role": "assistant", "content": text}]}


def test_a_chat_is_kept_and_told_again(
    backend: Backend, ann: Person, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    asked = ask("My train leaves at 07:40.")
    assert backend.run("inlet", asked, chat_id="c-1")["messages"][-1]["content"].endswith("My train leaves at 07:40.")
    thought = '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> hm\n</details>\nNoted.'
    backend.run("outlet", answer(ask("My train leaves at 07:40."), thought))
    assert list_exchanges(ann, "c-1") == [("My train leaves at 07:40.", "Noted.")]
    index_now(user)

    rules = {"role": "system", "content": "Be brief."}
    told = backend.run("inlet", ask("When does my train leave?", rules), chat_id="c-2")["messages"]
    assert told[0]["content"].startswith("Be brief.")
    assert "07:40" in told[-1]["content"]
    assert told[-1]["content"].endswith("\n\nWhen does my train leave?")
    # Also where the question comes back as the model was sent it, what was told is not kept as the person's words.
    backend.run("outlet", answer({"messages": told}, "At 07:40.", "c-2"))
    assert list_exchanges(ann, "c-2") == [("When does my train leave?", "At 07:40.")]
    parts = [{"type": "text", "text": "When does my train leave?"}, {"type": "image_url", "image_url": {"url": "x"}}]
    told = backend.run("inlet", ask(parts), chat_id="c-3")["messages"][-1]["content"]
    assert (len(told), "07:40" in told[0]["text"], told[1:]) == (3, True, parts)


def test_what_is_nobodys_or_not_wanted_is_left_alone(backend: Backend, ann: Person, key: str) -> None:
    asked = ask("My train leaves at 07:40.")
    body = answer(asked, "Noted.")
    off = {**ANN, "valves": {"tell": False, "keep": False}}
    assert backend.run("outlet", body, off) == body
    assert backend.run("outlet", answer(asked, "Noted.", "local:1")) == answer(asked, "Noted.", "local:1")
    assert list(ann.list_memories()) == []
    for same in (
        backend.run("inlet", ask("x"), off, chat_id="c"),
        backend.run("inlet", ask("x"), chat_id="c", task="title_generation"),
        Backend(key="").run("inlet", ask("x"), chat_id="c"),
        Backend(url="http://127.0.0.1:9", key=key, timeout_s=1).run("inlet", ask("x"), chat_id="c"),
        Backend(url="not an address", key=key).run("inlet", ask("x"), chat_id="c"),
        Backend(url=backend.valves["url"], key="cpl_wrong").run("inlet", ask("x"), chat_id="c"),
    ):
        assert same == ask("x")
