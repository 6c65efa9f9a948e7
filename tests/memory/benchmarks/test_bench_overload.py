import json
from collections import Counter

from memory.benchmarks.overload import OverloadFigures


def test_figures_of_a_flood_are_kept_as_they_were_counted() -> None:
    told = Counter({"200": 40, "503": 7})
    figures = OverloadFigures(capacity=10.0, sent=47, in_time=40, statuses=told, seconds=1.0)
    kept = json.loads(json.dumps(figures.as_json()))
    assert kept["statuses"] == {"200": 40, "503": 7}
    assert kept["is_kept"]
