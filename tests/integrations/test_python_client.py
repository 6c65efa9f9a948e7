"""The page of the Python client names calls that can be made as they stand there."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commonplace_client import client
from commonplace_client.client import CommonplaceError, Person

PAGE = Path("docs/clients/python.md")
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.django_db
def test_every_call_on_the_page_is_made_as_it_stands_there(address: str, key: str, services: None) -> None:
    code = "\n".join(BLOCK.findall(PAGE.read_text()))
    named: dict[str, Any] = {"KEY": key}
    # The first context of a process loads models.
    code = code.replace("http://127.0.0.1:8000", address).replace("timeout=5", "timeout=60")
    exec(code, named)  # noqa: S102 -- our own page
    assert "oat" not in str(named["texts"])
    assert "almond milk" in named["texts"][0]
    assert "almond milk" in named["hits"][0]["content"]
    assert "almond" in named["words"]
    assert named["values"] == {"ui.theme": {"dark": True}}
    assert [tool["type"] for tool in named["tools"]] == ["function"] * len(named["tools"])
    assert list(named["ann"].list_memories(tier="history")) == []
    told = list(named["ann"].list_memories())
    assert (
        list(named["ann"].list_memories(source={"type": "user"})) + list(named["ann"].list_memories(source="assistant"))
        == told
    )


def test_every_method_of_a_person_stands_on_the_page() -> None:
    methods = {name for name, value in vars(Person).items() if callable(value) and not name.startswith("_")}
    told = set(re.findall(r"`(\w+)\(", PAGE.read_text()))
    assert methods - {"list_pages"} == told


def count_kept(person: Person) -> tuple[int, list[str]]:
    return len(list(person.list_memories())), [one["key"] for one in person.list_data("")]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["..", ".", "", "../..", "../data", "a/../..", "?x", "a?b", "a#c", "%2e%2e"])
def test_an_id_or_key_never_names_another_address(ann: Person, services: None, name: str) -> None:
    ann.store("Ann buys oat milk")
    ann.put_data("a", 1)
    kept = count_kept(ann)
    tries: list[Callable[[], object]] = [
        lambda: ann.delete(name),
        lambda: ann.change(name, text="Ann buys nothing"),
        lambda: ann.delete_data(name),
        lambda: ann.put_data(name, 2),
        lambda: ann.call_tool(name, {}),
        lambda: ann.memory.person(name).call("DELETE", ""),
        lambda: ann.call("DELETE", "memories/.."),
        lambda: ann.call("DELETE", "..?x=1"),
    ]
    for attempt in tries:
        with pytest.raises(CommonplaceError):
            attempt()
    assert count_kept(ann) == kept
    assert [one["value"] for one in ann.list_data("a")] == [1]


@pytest.mark.django_db
def test_keys_may_hold_whatever_the_server_takes(ann: Person, services: None) -> None:
    for key in ("ui.theme", "a:b@c", "...", "..a"):
        ann.put_data(key, key)
    assert {one["key"] for one in ann.list_data("")} == {"ui.theme", "a:b@c", "...", "..a"}
    ann.delete_data("...")
    assert len(list(ann.list_data(""))) == 3


@pytest.mark.django_db
@pytest.mark.parametrize("thread", ["proj/1", "two\nlines", "x" * 300])
def test_a_thread_has_one_name_in_every_call(ann: Person, services: None, thread: str) -> None:
    context = ann.get_context("Which milk does Ann buy?", thread_id=thread)
    ann.store_exchange(thread, "Which milk do I buy?", "Oat milk.", turn_id=context["turn_id"])
    kept = ann.store("Ann buys oat milk", thread_id=thread)["thread_id"]
    assert kept == thread.replace("\n", "-")[:200]
    assert {one["thread_id"] for one in ann.list_memories()} == {kept}
    assert len(list(ann.list_memories(thread_id=thread))) == 2
    assert len(ann.search("oat milk", in_thread=thread)) == 2
    assert ann.delete_many(filters={"thread_id": thread}, dry_run=True)["matched"] == 2


@pytest.mark.django_db
def test_a_list_takes_a_limit_and_lists_of_tags(ann: Person, services: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PAGE", 2)
    for number in range(5):
        ann.store(f"Number {number}", tags=["a", "b"] if number % 2 else ["a", f"t{number}"])
    for limit, told in ((0, 0), (1, 1), (3, 3), (99, 5), (None, 5)):
        assert len(list(ann.list_memories(limit=limit))) == told
    assert {one["text"] for one in ann.list_memories(tags=["a", "b"], limit=9)} == {"Number 1", "Number 3"}
    assert len(list(ann.list_memories(tags_any=("b", "t0")))) == 3
    assert len(list(ann.list_memories(tags="a,b"))) == 2
    with pytest.raises(CommonplaceError, match="at least one tag"):
        list(ann.list_memories(tags=[]))
