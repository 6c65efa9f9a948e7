"""What the console says about searches, changes and times."""

import ast
import re
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import polib
import pytest
from django.utils.translation import override

from knowledge_graph.advice import boosts
from memory.console import explanations
from memory.console.explanations import (
    FALLBACKS,
    STAGES,
    WEIGHTS,
    describe_fallbacks,
    explain_hit,
    format_number,
    format_ordinal,
    split_timings,
)
from memory.console.signal_wordings import SIGNAL_WORDINGS, explain_signal
from memory.console.tags import exact, format_time_ago
from memory.console.text_diff import DiffRun, diff_texts
from memory.console.timeline import describe_changes
from memory.retrieval import signals, validity
from memory.retrieval.ranking import RankingSignal
from memory.retrieval.variants import list_boosts
from memory.web.labels import draw_arrow
from tests.interface.messages import LOCALE

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EXPLAIN: dict[str, Any] = {
    "vector_rank": 2,
    "text_rank": 1,
    "distance": 0.61,
    "fusion": "zscore",
    "relevance": 0.82,
    "boosts": {},
    "ce": None,
}


def test_a_hit_found_both_ways_says_so() -> None:
    assert explain_hit(EXPLAIN, 1, 0.82, "relevance") == (
        "It was the 2nd nearest in meaning (very close, distance 0.61) and best match for the words. "
        "Both sides were weighed by how far it stood out on each side, which gave 0.82."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"text_rank": None}, "The words of the question did not find it."),
        ({"vector_rank": None, "distance": None}, "It was not among the nearest in meaning."),
        ({"vector_rank": None, "text_rank": None}, "It was found by neither meaning nor words."),
        (
            {"boosts": {"question": -0.5, "date": 1.0, "speaker": 1.5, "new_signal": 0.1}},
            "raised because the question names who said it, it is of the time that is asked about and new signal; "
            "lowered because it is itself a short question, and is 0.90 between 0 and 1.",
        ),
        ({"boosts": {"turn_before": -0.1}}, "lowered because the turn before it does not fit"),
        ({"ce": 0.7}, "looked at again by the reranker"),
        ({"fusion": "rrf"}, "reciprocal rank fusion"),
        ({"relevance": None}, "The final score is 0.90."),
    ],
)
def test_a_hit_says_what_else_placed_it(changes: dict[str, Any], said: str) -> None:
    assert said in explain_hit({**EXPLAIN, **changes}, 3, 0.9, "relevance")


def test_every_reason_a_search_can_have_is_put_into_words() -> None:
    modules = [import_module(f"{signals.__name__}.{found.name}") for found in iter_modules(signals.__path__)]
    known = {
        value.name
        for module in [*modules, boosts]
        for value in vars(module).values()
        if isinstance(value, RankingSignal)
    }
    assert len(known) > 25
    of_validity = {validity.ASKED, validity.CURRENT, validity.ENDED, validity.LATEST, validity.FORMER}
    assert known | of_validity <= set(SIGNAL_WORDINGS)
    assert all(reason.raises or reason.lowers for reason in SIGNAL_WORDINGS.values())


def test_every_signal_that_may_be_switched_off_is_put_into_words() -> None:
    assert set(list_boosts()) <= set(SIGNAL_WORDINGS)


# What names a stage that took time, that was left out, or both; with the place of the stage among the arguments.
TIMED = {"time_stage": 0, "attempt": 0}
SKIPPED = {"attempt": 0, "skip_on_failure": 0, "note_skipped": 0, "read_or_skip": 0}
ROOT = Path(explanations.__file__).parents[2]


def list_named_stages(calls: dict[str, int]) -> set[str]:
    """The stages that code names in these calls, as a constant of its module or as a word."""
    found = set()
    for path in [*ROOT.glob("memory/**/*.py"), *ROOT.glob("knowledge_graph/**/*.py")]:
        source = path.read_text("utf-8")
        if not any(f".{name}(" in source for name in calls):
            continue
        module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in calls:
                given = ast.unparse(node.args[calls[node.func.attr]])
                # The argument of one that passes it on is no name of a stage.
                if given != "stage":
                    found.add(eval(given, vars(module)))  # noqa: S307 -- a word or a constant of our own code
    return found


def test_every_stage_has_a_title_and_a_sentence_for_when_it_is_missing() -> None:
    """The stage of crowding stood as that word in pages of all languages."""
    timed, skipped = list_named_stages(TIMED) | {"total"}, list_named_stages(SKIPPED)
    assert {"crowding", "late", "embed", "rank"} <= timed
    assert {"hot", "staged", "remember"} <= skipped
    assert timed | skipped <= set(STAGES)
    assert {f"{stage}_skipped" for stage in skipped} <= set(FALLBACKS)
    unhued = timed - {"total"} - set(re.findall(r"^\.stage-(\w+)", (ROOT / "static/css/marks.css").read_text(), re.M))
    assert unhued == set()


def test_the_words_for_signals_and_stages_are_in_every_language() -> None:
    said = [text for wording in SIGNAL_WORDINGS.values() for text in astuple(wording) if text]
    said += [*STAGES.values(), *FALLBACKS.values(), *WEIGHTS.values()]
    for language in sorted(folder.name for folder in LOCALE.iterdir()):
        known = {
            entry.msgid for entry in polib.pofile(str(LOCALE / language / "LC_MESSAGES/django.po")) if entry.msgstr
        }
        with override("en"):
            assert {str(text) for text in said} - known == set(), language


@pytest.mark.parametrize("name", sorted(SIGNAL_WORDINGS))
def test_a_reason_that_points_one_way_only_says_the_same_either_way(name: str) -> None:
    assert {explain_signal(name, 1.0), explain_signal(name, -1.0)} == {
        said for said in astuple(SIGNAL_WORDINGS[name])[1:] if said
    }


def test_another_order_is_named() -> None:
    assert "its outcome score, so that decided place 3" in explain_hit(EXPLAIN, 3, 0.5, "score")


def test_stages_fill_the_bar_and_the_rest_is_named() -> None:
    parts = split_timings({"embed": 5.0, "rank": 3.0, "total": 10.0})
    assert [(part.stage, part.x, part.width) for part in parts] == [
        ("embed", 0, 50),
        ("rank", 50, 30),
        ("other", 80, 20),
    ]
    assert split_timings({}) == []
    assert split_timings({"embed": 2.0, "total": 1.0})[0].width == 100


def test_what_was_left_out_is_put_into_words() -> None:
    assert describe_fallbacks(["embed_skipped", "embed_skipped", "new_stage"], "disabled_breaker_open") == [
        "The question could not be embedded, so only words were compared.",
        "new stage",
        "Comparing by meaning is paused: it failed repeatedly a moment ago.",
    ]


def test_numbers_are_short() -> None:
    assert [format_number(value) for value in (None, 3, 0.50001, 0.0, "x")] == ["–", "3", "0.5", "0", "x"]
    assert [format_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        ("same", "same", [DiffRun("same", "same")]),
        ("", "new", [DiffRun("added", "new")]),
        (
            "a red cat",
            "a blue cat",
            [DiffRun("same", "a "), DiffRun("removed", "red"), DiffRun("added", "blue"), DiffRun("same", " cat")],
        ),
        (
            "the old grey mare",
            "the young white mare",
            [
                DiffRun("same", "the "),
                DiffRun("removed", "old grey"),
                DiffRun("added", "young white"),
                DiffRun("same", " mare"),
            ],
        ),
        ("תה בבוקר", "קפה בבוקר", [DiffRun("removed", "תה"), DiffRun("added", "קפה"), DiffRun("same", " בבוקר")]),
    ],
)
def test_wordings_are_compared_by_words(before: str, after: str, runs: list[DiffRun]) -> None:
    assert diff_texts(before, after) == runs


@pytest.mark.parametrize(
    ("before", "after"),
    [("word " * 3000, "other " * 3000), ("a\nb\n" * 1000, "a\nc\n" * 1000), ("x" * 32_000, "y"), (" a  b ", "b\n\n a")],
)
def test_nothing_is_lost_between_wordings(before: str, after: str) -> None:
    runs = diff_texts(before, after)
    assert "".join(run.text for run in runs if run.kind != "added") == before
    assert "".join(run.text for run in runs if run.kind != "removed") == after


def test_changes_are_told_from_what_to_what() -> None:
    before = {"score": 0.5, "text": "secret", "always_inject": False, "tags": ["a"], "tier": "working"}
    after = {"score": 0.7, "text": "other", "always_inject": True, "tags": [], "tier": "memory_bank", "uses": 1}
    arrow = draw_arrow()
    assert describe_changes(before, after) == [
        f"score 0.5 {arrow} 0.7",
        "text changed",
        f"always in context no {arrow} yes",
        f"tags a {arrow} none",
        f"tier Working {arrow} Memory bank",
        "uses 1",
    ]
    assert describe_changes({"mentions": {"odd": 1}}, {}) == ["mentions was {'odd': 1}"]


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=3), "3 hours ago"),
        (-timedelta(days=2), "in 2 days"),
        (timedelta(days=30), "31 Jan 2026"),
    ],
)
def test_times_are_said_as_people_say_them(gap: timedelta, said: str) -> None:
    assert format_time_ago(NOW - gap, NOW) == said
    assert exact(NOW) == "2 Mar 2026, 09:30 UTC"
