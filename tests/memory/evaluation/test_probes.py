"""What the hot path lays beside turns, measured on probes."""

from typing import Any

from memory.evaluation.probes import measure_probes

STORE = [
    ["you", "brother", "kofi"],
    ["kofi", "lives_in", "kumasi"],
    ["you", "likes", "chess"],
    ["you", "owns", "kayak"],
]


def probe(query: str, *relevant: int, lang: str = "en") -> dict[str, Any]:
    return {
        "id": query, "lang": lang, "store": STORE, "query": query, "relevant": list(relevant),
        "expect_inject": bool(relevant),
    }  # fmt: skip


def test_probes_are_counted_by_what_is_shown_first() -> None:
    figures = measure_probes(
        [probe("where does my brother live?", 0, 1), probe("haha good one"), probe("kofi rang", 0)]
    )
    assert (figures.probes, figures.gated_right, figures.silent, figures.spoken_up) == (3, 3, 1, 0)
    assert figures.relevance == [1.0, 1.0]
    assert figures.precision == [1.0, 0.5]
    assert dict(figures.rows())["gating"].startswith("1.000")


def test_what_is_missed_is_told() -> None:
    figures = measure_probes([probe("set an alarm for six", 3)])
    assert figures.gated_right == 0
    assert figures.misses == ["set an alarm for six: set an alarm for six || [], not ['you owns kayak']"]
