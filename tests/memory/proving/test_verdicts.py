"""A row can fail: what each of them looks for is found where it is, and a bad figure is a broken promise."""

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from memory.inference.remote import JsonService
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Unavailable
from memory.proving.loads import measure_overlap, prove_latency, prove_new_index
from memory.proving.neighbours import DIMENSIONS, LIES, serve_lies
from memory.proving.pages import MarkedPage, word_payloads
from memory.proving.secrecy import mutate

MARK = "zq0123456789abcd"
CLEAN = {
    "quiet": {"p95": 20.0},
    "busy": {"p95": 40.0, "count": 90},
    "written": 50,
    "deleted": 5,
    "rebuilt": "in 2 s",
    "lost": 0,
    "stale": 0,
    "drift": 0,
    "errors": [],
}


@pytest.mark.parametrize("payload", [one for one in word_payloads(MARK) if "{{" not in one and "[" not in one])
def test_a_page_that_does_not_escape_is_found_out(payload: str) -> None:
    fields: tuple[str, ...] = (
        f"<p>{payload}</p>",
        f'<input value="{payload}">',
        f"<input value='{payload}'>",
        f"<a x=`{payload}`>",
    )
    fields += (f"<!-- {payload} -->", f"<textarea>{payload}</textarea>", f'<a href="{payload}">', f"<b a={payload}>")
    fields += (f"<script>{payload}</script>", f"<style>{payload}</style>", f"<title>{payload}</title>")
    assert any(MarkedPage(field, MARK).as_code for field in fields)


def test_a_page_that_escapes_shows_text_alone() -> None:
    page = f'<p>&lt;{MARK}&gt; {MARK}</p><a href="/search?query={MARK}">{MARK}</a><input value="{MARK}">'
    data = f'<script type="application/json">"{MARK}"</script>'
    read = MarkedPage(page + data, MARK)
    assert (read.as_code, read.as_text) == ([], 3)


def test_no_mutant_is_the_token_itself() -> None:
    dice, token = random.Random(1), "cpl_aaaaaaaaaaaaaaa_0a1b2c3d"
    made = {mutate(token, dice) for _ in range(5000)}
    assert len(made) > 500
    assert made & {token, ""} == set()
    assert all(one == one.strip() for one in made)


def stage_bench(tmp_path: Path, **changes: Any) -> Any:
    """A stage whose benchmark comes to these figures."""

    def manage(*words: str) -> str:
        [file] = [word.removeprefix("--json=") for word in words if word.startswith("--json=")]
        Path(file).write_text(json.dumps({**CLEAN, **changes}), encoding="utf-8")
        return ""

    return SimpleNamespace(
        manage=manage, scale=lambda brief, _nightly: brief, stack=SimpleNamespace(data_dir=tmp_path / "data")
    )


def test_an_index_that_loses_nothing_under_writes_is_kept(tmp_path: Path) -> None:
    assert prove_new_index(stage_bench(tmp_path)).is_kept
    for fault in ({"lost": 1}, {"stale": 1}, {"drift": 1}, {"errors": ["503"]}, {"written": 0}, {"deleted": 0}):
        assert not prove_new_index(stage_bench(tmp_path, **fault)).is_kept, fault


def test_a_slow_search_breaks_the_promise_of_latency(tmp_path: Path) -> None:
    assert prove_latency(stage_bench(tmp_path)).is_kept
    for fault in ({"busy": {"p95": 201.0, "count": 90}}, {"quiet": {"p95": 201.0}}, {"errors": ["503"]}):
        assert not prove_latency(stage_bench(tmp_path, **fault)).is_kept, fault


def test_overlap_is_of_what_was_found_before() -> None:
    assert measure_overlap([{"a", "b"}, {"c"}], [{"a", "b", "d"}, {"c"}]) == 1
    assert measure_overlap([{"a", "b"}, {"c", "d"}], [{"a"}, {"c", "d"}]) == 0.75
    assert measure_overlap([set()], [set()]) == 0


@pytest.mark.parametrize("lie", [lie for lie in LIES if lie != "no answer"])
def test_the_embedder_lies_as_it_is_told_and_else_tells_the_truth(lie: str) -> None:
    asked = {"inputs": ["a lamp", "a kettle"]}
    with serve_lies() as embedder:
        [right, again] = [httpx.post(f"{embedder.url}/embed", json=asked).json() for _ in range(2)]
        assert right == again
        assert [len(one) for one in right] == [DIMENSIONS] * 2
        embedder.lie = lie
        service = JsonService("embedder", embedder.url)
        try:
            said = service.exchange("POST", "/embed", asked, Deadline(5))
        except (BadReply, Unavailable):
            said = None
        finally:
            service.close()
        assert said != right
        assert embedder.asked[lie] >= 1
