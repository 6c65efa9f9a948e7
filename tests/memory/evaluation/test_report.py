import json
from pathlib import Path

import pytest
from rich.console import Console

from memory.evaluation import report
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import summarize_latencies
from memory.measuring.metrics import Average


@pytest.fixture
def console() -> Console:
    return Console(record=True, width=120, quiet=False, color_system=None)


def test_a_table_of_spreads_names_the_figure_to_reach(console: Console) -> None:
    report.print_spreads(
        console, "through HTTP", {"store": summarize_latencies([1.0, 2.0, 30.04])}, {"store": BenchmarkTarget(25)}
    )
    text = console.export_text()
    assert "store" in text
    assert "30.0" in text
    assert "<= 25" in text


def test_quality_figures_have_three_places_and_tokens_none(console: Console) -> None:
    report.print_quality(console, "modes", {"vector": Average(4, {"MRR": 0.51249, "tok@5": 87.4})})
    text = console.export_text()
    assert "0.512" in text
    assert "87" in text
    assert "87.4" not in text


def test_a_target_is_met_at_the_figure_itself() -> None:
    assert BenchmarkTarget(25).is_met(25)
    assert not BenchmarkTarget(25).is_met(25.1)
    assert BenchmarkTarget(150, at_least=True).is_met(150)
    assert not BenchmarkTarget(150, at_least=True).is_met(149)


def test_json_keeps_every_script_readable(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "figures.json"
    report.write_json(path, {"question": "שלום"})
    assert "שלום" in path.read_text()
    assert json.loads(path.read_text()) == {"question": "שלום"}
