"""The page of the Python client names calls that can be made as they stand there."""

import re
from pathlib import Path
from typing import Any

import pytest
from commonplace_client.client import Person

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
