"""Dates written in digits, so that the 06 of a date and `June` meet."""

from __future__ import annotations

import re
from typing import Final

_YEAR_FIRST: Final = re.compile(r"(?P<year>\d{4})[-./](?P<month>\d{1,2})(?:[-./](?P<day>\d{1,2}))?(?:T[\d:.Z+-]*)?")
_YEAR_LAST: Final = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-./])(?P<second>\d{1,2})(?:(?P=mark)(?P<year>\d{4}|\d{2}))?\.?"
)


def split_date(core: str) -> list[str]:
    """Year, month and day of a date written in digits, as searchable forms; nothing for anything else.

    Dots mean day first. Slashes are read both ways where both are possible, since writers disagree.
    """
    if not core[:1].isdigit():
        return []
    if match := _YEAR_FIRST.fullmatch(core):
        return _list_forms(match["year"], [int(match["month"])], [int(match["day"] or 0)])
    if match := _YEAR_LAST.fullmatch(core):
        first, second = int(match["first"]), int(match["second"])
        if match["mark"] == ".":
            return _list_forms(match["year"], [second], [first]) if match["year"] or _is_day_and_month(core) else []
        if match["year"]:
            return _list_forms(match["year"], [first, second], [first, second])
    return []


def _is_day_and_month(core: str) -> bool:
    """Two numbers with a dot are a date where each has a leading zero (05.06), else a decimal or a version."""
    return re.fullmatch(r"\d\d\.\d\d", core) is not None and "0" in (core[0], core[3])


def _list_forms(year: str | None, months: list[int], days: list[int]) -> list[str]:
    if not all(0 <= day <= 31 for day in days) or not any(1 <= month <= 12 for month in months):
        return []
    years = [] if not year else [year if len(year) == 4 else f"20{year}"]
    forms = [*years, *(f"month:{month}" for month in months if 1 <= month <= 12), *(str(day) for day in days if day)]
    return list(dict.fromkeys(forms))
