"""A number with what is counted: "1 row", "1,204 rows", in the language and number of whoever looks."""

from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import get_language_bidi, ngettext_lazy

# One entry for each noun that stands after a figure in more than one place, or beside another figure in one sentence,
# where gettext can bend one of the two only.
UNITS: Final[dict[str, Any]] = {
    "calls": ngettext_lazy("%(number)s call", "%(number)s calls", "count"),
    "connections": ngettext_lazy("%(number)s connection", "%(number)s connections", "count"),
    "days": ngettext_lazy("%(number)s day", "%(number)s days", "count"),
    "differences": ngettext_lazy("%(number)s difference", "%(number)s differences", "count"),
    "exchanges": ngettext_lazy("%(number)s exchange", "%(number)s exchanges", "count"),
    "hours": ngettext_lazy("%(number)s hour", "%(number)s hours", "count"),
    "memories": ngettext_lazy("%(number)s memory", "%(number)s memories", "count"),
    "names": ngettext_lazy("%(number)s name", "%(number)s names", "count"),
    "people": ngettext_lazy("%(number)s person", "%(number)s people", "count"),
    "questions": ngettext_lazy("%(number)s question", "%(number)s questions", "count"),
    "rows": ngettext_lazy("%(number)s row", "%(number)s rows", "count"),
    "times": ngettext_lazy("%(number)s time", "%(number)s times", "count"),
    "tokens": ngettext_lazy("%(number)s token", "%(number)s tokens", "count"),
}

# Longer ones are none of ours, and take time to read.
MOST_DIGITS: Final = 18


def say_number(number: int) -> str:
    """With its thousands parted as the language does: to a German "1,000" is one."""
    return str(number_format(number, use_l10n=True, force_grouping=True))


def localize_figure(figure: str) -> str:
    """A number of an English sentence."""
    plain = figure.replace(",", "")
    is_number = plain.isascii() and plain.isdecimal() and len(plain) <= MOST_DIGITS
    return say_number(int(plain)) if is_number else figure


def say_quantity(number: int, unit: str) -> str:
    return str(UNITS[unit] % {"count": number, "number": say_number(number)})


def keep_sign(figure: str) -> str:
    """A figure with its sign in front of it, from right to left too, where it would be drawn behind."""
    return "\N{LEFT-TO-RIGHT MARK}" + figure if get_language_bidi() else figure
