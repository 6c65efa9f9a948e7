"""The page of the Python client names calls that can be made as they stand there."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from commonplace_client import Commonplace, MemoryUnavailable, NotRemembered, client
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
        lambda: ann.memory.person(name).erase(),
        lambda: ann.call("DELETE", "/"),
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


@pytest.mark.django_db
def test_a_person_is_erased_as_a_whole(ann: Person, services: None) -> None:
    ann.store("Ann buys oat milk")
    with pytest.raises(CommonplaceError, match="as a whole"):
        ann.within(project="atlas").erase()
    assert len(list(ann.list_memories())) == 1
    assert ann.erase()["job_id"]
    assert list(ann.list_memories()) == []
    with pytest.raises(NotRemembered):
        ann.memory.person("nobody").erase()


@pytest.mark.django_db
def test_an_address_is_right_with_that_of_the_interface_and_told_where_it_is_wrong(
    address: str, key: str, services: None
) -> None:
    for url in (address, f"{address}/", f"{address}/api/v1", f"{address}/api/v1/"):
        assert list(Commonplace(url, key).person("ann").list_memories()) == []
    with pytest.raises(NotRemembered):
        Commonplace(address, key).person("ann").delete("00000000-0000-4000-8000-000000000000")
    for answer in (httpx.Response(404, text="<html>Not Found"), httpx.Response(404, json={"error": "no"})):
        elsewhere = Commonplace("http://elsewhere", key, transport=httpx.MockTransport(lambda _, told=answer: told))
        with pytest.raises(CommonplaceError, match="http://elsewhere is no Commonplace: is that the address") as wrong:
            list(elsewhere.person("ann").list_memories())
        assert not isinstance(wrong.value, NotRemembered)


@pytest.mark.django_db
def test_a_path_may_begin_and_end_with_a_slash_and_a_body_stands_third(ann: Person, services: None) -> None:
    kept = ann.call("POST", "/memories/", {"text": "Ann buys oat milk"})
    assert ann.call("GET", f"memories/{kept['id']}/")["text"] == "Ann buys oat milk"


class Slow(httpx.HTTPTransport):
    """Says nothing of what was done, as often as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.left = self.sent = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        answer = super().handle_request(request)
        answer.read()
        if self.left:
            self.left -= 1
            raise httpx.ReadTimeout("too late", request=request)
        return answer


@pytest.mark.django_db
def test_a_write_that_got_no_answer_is_done_once(address: str, key: str, services: None) -> None:
    slow = Slow()
    ann = Commonplace(address, key, timeout=30, transport=slow).person("ann")
    slow.left = 1
    first = ann.store("Ann buys oat milk")
    assert (slow.sent, [one["id"] for one in ann.list_memories()]) == (2, [first["id"]])
    slow.left = 1
    ann.store_exchange("t", "Which milk?", "Oat.")
    assert len(ann.call("GET", "exchanges")["items"]) == 1
    # Whoever tries again names the write.
    slow.left = 2
    with pytest.raises(MemoryUnavailable):
        ann.store("Ann buys rye", idempotency_key="rye")
    ann.store("Ann buys rye", idempotency_key="rye")
    assert len(list(ann.list_memories())) == 3
    # A read is nobody's second write.
    sent, slow.left = slow.sent, 1
    with pytest.raises(MemoryUnavailable):
        ann.search("milk")
    assert slow.sent == sent + 1


def test_a_call_that_waits_has_time_to() -> None:
    waits: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        waits.append(request.extensions["timeout"]["read"])
        return httpx.Response(201, json={"id": "1"})

    ann = Commonplace("http://memory", "key", timeout=5, transport=httpx.MockTransport(answer)).person("ann")
    ann.store("x", wait="index")
    ann.store("x")
    assert waits == [15.0, 5.0]


@pytest.mark.django_db
def test_facts_outcomes_and_books_have_methods(ann: Person, services: None, tmp_path: Path) -> None:
    ann.call("POST", "facts", {"statement": "I live in York."})
    ann.call("POST", "facts", {"statement": "I have a cat called Tom."})
    assert [one["statement"] for one in ann.list_facts(relation="lives_in")] == ["I live in York."]
    assert len(list(ann.list_facts(limit=1))) == 1
    context = ann.get_context("Where do I live?", thread_id="t")
    assert "scored" in ann.record_outcome("worked", turn_id=context["turn_id"])
    page = tmp_path / "notes.txt"
    page.write_text("The lighthouse was lit in 1850. " * 20)
    job = ann.upload_book(page, title="Lights")
    assert ann.call_books("GET", f"jobs/{job['job_id']}/status")["status"]
