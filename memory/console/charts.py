"""Numbers of days as pictures: where each bar and each point of a line stands. Pure; templates draw SVG of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from django.utils.formats import date_format
from django.utils.translation import pgettext

HEIGHT = 180
# Room for the numbers at the left and the dates below.
LEFT, RIGHT, TOP, BOTTOM = 48, 8, 8, 22
# Lines of the grid, the ground not counted.
LEVELS = 4
# A bar's part of its day's width.
SHARE = 0.62
# What a date takes of the ground line.
DATE = 70
MOMENT = 110
LEAST_SHORTENED = 10_000


@dataclass(frozen=True, slots=True)
class ChartSize:
    """What a chart is drawn on; ``css`` says to which screens it is shown."""

    width: int
    css: str


# Drawn twice and one hidden by the style: SVG text does not wrap, and the server does not know the screen.
CHART_SIZES = (ChartSize(720, "wide"), ChartSize(340, "narrow"))


@dataclass(frozen=True, slots=True)
class AxisLabel:
    """A word beside an axis."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class ChartBar:
    css: str
    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartPoint:
    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """``points`` as SVG writes them, one string for each stretch of days that have a value."""

    css: str
    name: str
    points: list[str]
    dots: list[ChartPoint]


@dataclass(frozen=True, slots=True)
class Chart:
    bars: list[ChartBar]
    lines: list[ChartLine]
    levels: list[AxisLabel]
    dates: list[AxisLabel]
    width: int
    css: str
    height: int = HEIGHT
    left: int = LEFT

    @property
    def right(self) -> int:
        return self.width - RIGHT


def stack_bars(days: Sequence[date], parts: Mapping[str, tuple[str, Sequence[float]]], size: ChartSize) -> Chart:
    """A pile of bars for each day. ``parts``: name to class and one number for each day, the lowest first."""
    sums = [sum(numbers[position] for _name, numbers in parts.values()) for position in range(len(days))]
    top = round_up_to_scale(max(sums, default=0))
    step = day_width(days, size)
    bars = []
    for position, day in enumerate(days):
        ground = 0.0
        for name, (css, numbers) in parts.items():
            if numbers[position]:
                upper = scale_y(ground + numbers[position], top)
                x = LEFT + step * (position + (1 - SHARE) / 2)
                height = scale_y(ground, top) - upper
                label = f"{name_day(day)}: {name} {numbers[position]:,.0f}"
                bars.append(ChartBar(css, round(x, 2), upper, round(step * SHARE, 2), round(height, 2), label))
                ground += numbers[position]
    return Chart(bars, [], label_levels(top, ""), label_dates(days, size), size.width, size.css)


def draw_lines(
    days: Sequence[date],
    curves: Mapping[str, tuple[str, Sequence[float | None]]],
    unit: str,
    size: ChartSize,
    *,
    top: float = 0.0,
) -> Chart:
    """A line for each name, broken where a day has no value. The axis ends at ``top``, else above the highest."""
    known = [value for _name, values in curves.values() for value in values if value is not None]
    top = top or round_up_to_scale(max(known, default=0))
    lines = [draw_line(name, css, values, days, top, unit, size) for name, (css, values) in curves.items()]
    return Chart([], lines, label_levels(top, unit), label_dates(days, size), size.width, size.css)


def draw_line(
    name: str, css: str, values: Sequence[float | None], days: Sequence[date], top: float, unit: str, size: ChartSize
) -> ChartLine:
    stretches: list[list[ChartPoint]] = [[]]
    for position, value in enumerate(values):
        if value is None:
            # A day without searches has no latency; a line drawn through it would invent one.
            stretches.append([])
            continue
        label = f"{name_day(days[position])}: {name} {value:,.0f} {unit}"
        stretches[-1].append(ChartPoint(find_center_of_day(position, days, size), scale_y(value, top), label))
    points = [" ".join(f"{dot.x},{dot.y}" for dot in stretch) for stretch in stretches if stretch]
    return ChartLine(css, name, points, [dot for stretch in stretches for dot in stretch])


def name_day(day: date) -> str:
    """With its time where it is a moment: two runs of one day are not told apart by the day."""
    if isinstance(day, datetime):
        return date_format(day, pgettext("a moment without its year", "d M, H:i"))
    return date_format(day, pgettext("a day without its year", "d M"))


def round_up_to_scale(most: float) -> float:
    """The least of 1, 2, 5, 10, 20, 50 ... times the number of levels that nothing rises above."""
    # Round numbers on the axis say more than a chart that is filled to the edge.
    size = 1.0
    while True:
        for factor in (1, 2, 5):
            if factor * size * LEVELS >= most:
                return factor * size * LEVELS
        size *= 10


def scale_y(value: float, top: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top, 2)


def day_width(days: Sequence[date], size: ChartSize) -> float:
    return (size.width - LEFT - RIGHT) / max(1, len(days))


def find_center_of_day(position: int, days: Sequence[date], size: ChartSize) -> float:
    return round(LEFT + day_width(days, size) * (position + 0.5), 2)


def label_levels(top: float, unit: str) -> list[AxisLabel]:
    steps = [top * level / LEVELS for level in range(LEVELS + 1)]
    return [AxisLabel(LEFT - 6, scale_y(value, top), f"{shorten(value)} {unit}".strip()) for value in steps]


def shorten(value: float) -> str:
    """Left of the axis there is room for five characters: 9,999, 150k, 2.5M."""
    if value < LEAST_SHORTENED:
        return f"{value:,.0f}"
    return f"{value / 1e3:.4g}k" if value < 1e6 else f"{value / 1e6:.4g}M"


def label_dates(days: Sequence[date], size: ChartSize) -> list[AxisLabel]:
    most = (size.width - LEFT - RIGHT) // (MOMENT if isinstance(next(iter(days), None), datetime) else DATE)
    every = -(-len(days) // most) if days else 1
    # Counted from the last day, so that today always has its date.
    labelled = [(position, day) for position, day in enumerate(days) if (len(days) - 1 - position) % every == 0]
    return [
        AxisLabel(find_center_of_day(position, days, size), HEIGHT - 6, name_day(day)) for position, day in labelled
    ]
