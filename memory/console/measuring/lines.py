"""How a run is told: its figures, the questions that came out otherwise, and the runs so far as a line."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils import formats, timezone

from memory.console import charts
from memory.console.measuring.forms import describe_settings
from memory.measuring.intervals import COSTS, FEWEST, DifferenceVerdict
from memory.measuring.labels import LabelledQuestion
from memory.measuring.runs import OPEN, is_lost
from memory.measuring.words import RunWords
from memory.models import EvaluationRun
from memory.models.evaluation import MeasuringState
from memory.web.quantities import keep_sign, say_number, say_quantity
from memory.web.wordings import translate as _

MEASURE_NAMES: Final = {
    "hit@1": (_("First is right"), _("the first memory is one that was expected")),
    "R@5": (_("Found in 5"), _("the share of what was expected that is among the first five")),
    "R@10": (_("Found in 10"), _("the share of what was expected that is among the first ten")),
    "MRR": (_("Place (MRR)"), _("one divided by the place of the first expected memory")),
    "tokens": (_("Tokens"), _("of everything that was found, as an assistant would read it")),
}
VERDICTS: Final = {
    DifferenceVerdict.BETTER: (_("better"), "good"),
    DifferenceVerdict.WORSE: (_("worse"), "bad"),
    DifferenceVerdict.NOISE: (_("noise"), "plain"),
    DifferenceVerdict.SAME: (_("the same"), "plain"),
}
LEFT_OUT: Final = {
    "gone": _("what they expect is not there any more"),
    "later": _("all they expect was stored after they were asked"),
    "repeated": _("they repeat another"),
}
STATES: Final = {
    MeasuringState.PENDING: _("waits"),
    MeasuringState.RUNNING: _("goes on"),
    MeasuringState.COMPLETED: _("done"),
    MeasuringState.FAILED: _("failed"),
}
SIDES: Final = ("a", "b", "difference")
HEADLINE: Final = "MRR"
# Questions that a page shows; those that differ come first.
SHOWN: Final = 50


@dataclass(frozen=True, slots=True)
class MeasureRanges:
    """Where each figure would lie 95 times of 100."""

    before: str
    after: str
    difference: str


@dataclass(frozen=True, slots=True)
class MeasureLine:
    """One measure under both settings. ``verdict`` says what to make of the difference."""

    name: str
    meaning: str
    before: str
    after: str
    difference: str
    ranges: MeasureRanges
    verdict: str
    badge: str
    better: int
    worse: int


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in the list. ``change`` is setting B in words, ``base`` what it is compared with, ``sides`` name both.

    ``is_first``: there is nothing to compare it with.
    """

    run: EvaluationRun
    change: str
    base: str
    sides: tuple[str, str]
    state: str
    is_open: bool
    is_lost: bool
    headline: MeasureLine | None
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """A question under both settings: the places of the first expected memory, and whether B is better."""

    number: int
    question: str
    source: str
    is_named: bool
    expected: str
    before: int | None
    after: int | None
    first_before: str
    first_after: str
    differs: str


def format_figure(name: str, value: float, *, signed: bool = False) -> str:
    plus = "+" if signed and value > 0 else ""
    figure = plus + (say_number(round(value)) if name in COSTS else f"{value:.3f}")
    return keep_sign(figure) if signed else figure


def write_range(name: str, interval: Sequence[float], *, signed: bool) -> str:
    low, high = (format_figure(name, value, signed=signed) for value in interval[1:])
    return _("{low} to {high}").format(low=low, high=high)


def build_measure(name: str, found: Mapping[str, Any]) -> MeasureLine:
    title, meaning = MEASURE_NAMES.get(name, (name, ""))
    verdict, badge = VERDICTS[DifferenceVerdict(found["verdict"])]
    before, after, difference = (format_figure(name, found[side][0], signed=side == "difference") for side in SIDES)
    spans = MeasureRanges(*(write_range(name, found[side], signed=side == "difference") for side in SIDES))
    # Of costs fewer is better, and a figure that rose is told as one that got worse.
    better, worse = (found["worse"], found["better"]) if name in COSTS else (found["better"], found["worse"])
    return MeasureLine(title, meaning, before, after, difference, spans, verdict, badge, better, worse)


def build_measures(run: EvaluationRun) -> list[MeasureLine]:
    measures = run.figures.get("measures", {})
    return [build_measure(name, measures[name]) for name in MEASURE_NAMES if name in measures]


def build_run_line(run: EvaluationRun, now: datetime) -> RunLine:
    measures = run.figures.get("measures", {})
    lost = is_lost(run, now)
    return RunLine(
        run,
        describe_settings(run.settings_b) if run.settings_a or run.settings_b else _("Current settings"),
        describe_base(run),
        name_sides(run),
        _("lost") if lost else STATES[MeasuringState(run.state)],
        run.state in OPEN and not lost,
        lost,
        build_measure(HEADLINE, measures[HEADLINE]) if HEADLINE in measures else None,
        is_first=bool(measures) and is_plain(run) and "since" not in run.figures,
    )


def is_plain(run: EvaluationRun) -> bool:
    """Asked as the search is configured: what it is compared with is the plain run before it."""
    return not run.settings_a and not run.settings_b


def describe_base(run: EvaluationRun) -> str:
    if run.settings_a:
        return describe_settings(run.settings_a)
    if run.settings_b:
        return _("the search as configured")
    since = run.figures.get("since")
    when = formats.date_format(timezone.localtime(datetime.fromisoformat(since)), "j M Y, H:i") if since else ""
    return str(_("the run of {when}").format(when=when)) if since else ""


def name_sides(run: EvaluationRun) -> tuple[str, str]:
    if is_plain(run):
        return str(_("Last time")), str(_("Now"))
    configured = str(_("As configured"))
    changed = str(_("With the change")) if run.settings_b else configured
    return str(_("Before")) if run.settings_a else configured, changed


def build_notes(run: EvaluationRun) -> list[str]:
    """What a reader should know before believing the figures."""
    figures = run.figures
    count = figures.get("questions", 0)
    notes = []
    if count == 1:
        notes.append(_("One question tells nothing of others: its range is the figure itself. Save more questions."))
    elif count < FEWEST:
        notes.append(_("Fewer than {fewest} questions: take the ranges for hints.").format(fewest=FEWEST))
    if whole := count - figures.get("named", 0):
        notes.append(
            _(
                "{whole} of {count} outcomes named no memory, so all that was shown counts as expected. "
                "That favours the settings of then."
            ).format(whole=say_number(whole), count=say_number(count))
        )
    if figures.get("of_turns"):
        notes.append(_("Scores and graphs are those of today; they know what came of the turns."))
    if count < run.total:
        notes.append(
            _("The time was up after {count} of {total}.").format(
                count=say_number(count), total=say_quantity(run.total, "questions")
            )
        )
    notes += [
        _("Left out {number}: {why}.").format(number=say_number(number), why=LEFT_OUT.get(why, why))
        for why, number in figures.get("left_out", {}).items()
    ]
    notes += [
        _("Failed meanwhile: {name}, {times}.").format(name=name, times=say_quantity(number, "times"))
        for name, number in figures.get("fallbacks", {}).items()
    ]
    return notes


Numbered = tuple[int, Mapping[str, Any]]


def build_answers(results: Sequence[Numbered], words: RunWords) -> list[AnswerLine]:
    return [build_answer(number, result, words) for number, result in results]


def sort_results(results: Sequence[Mapping[str, Any]]) -> list[Numbered]:
    """Those that differ most first, the worse before the better, each with its number in the run."""

    def key(numbered: Numbered) -> tuple[float, float]:
        change = numbered[1]["b"][HEADLINE] - numbered[1]["a"][HEADLINE]
        return -abs(change), change

    return sorted(enumerate(results), key=key)


def build_answer(number: int, result: Mapping[str, Any], words: RunWords) -> AnswerLine:
    change = result["b"][HEADLINE] - result["a"][HEADLINE]
    first = {side: next((words.memories.get(one, "") for one in result[side]["found"][:1]), "") for side in ("a", "b")}
    return AnswerLine(
        number,
        words.find_question(result),
        "saved" if result["source"] == "saved" else "turn",
        bool(result["is_named"]),
        next((words.memories[item_id] for item_id in result["expected"] if item_id in words.memories), ""),
        result["a"]["place"],
        result["b"]["place"],
        first["a"],
        first["b"],
        _("better") if change > 0 else _("worse") if change < 0 else "",
    )


def draw_runs(runs: Sequence[EvaluationRun]) -> list[charts.Chart]:
    """How well the search did as it was configured at each plain run, the earliest first: a what-if is no step on it,
    and may have asked other questions."""
    done = [run for run in reversed(runs) if is_plain(run) and run.figures.get("measures")]
    if len(done) < 2:
        return []
    curves = {
        title: (css, [100 * run.figures["measures"][name]["b"][0] for run in done])
        for name, title, css in (("hit@1", _("first is right"), "curve-p95"), ("R@10", _("found in 10"), "curve-p50"))
    }
    moments = [timezone.localtime(run.created_at) for run in done]
    return [charts.draw_lines(moments, curves, "%", sheet, top=100) for sheet in charts.CHART_SIZES]


def write_line(row: LabelledQuestion, **about: str) -> str:
    """A question with the ids of what is expected."""
    told = {
        **about,
        "source": row.source,
        "question": row.question,
        "expected_ids": [str(item_id) for item_id in row.expected],
        "asked_at": row.asked_at.isoformat() if row.asked_at else None,
    }
    return json.dumps(told, ensure_ascii=False) + "\n"
