"""Stretches of time that a question names relative to now: yesterday, last week, three days ago. Pure."""

import re
from datetime import datetime, timedelta
from typing import Final

TimeWindow = tuple[datetime, datetime]

_UNITS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
_NAMES: Final = {
    "day": r"days?|dias?|jours?|tage?n?|giorn[oi]|ימים|יום",
    "week": r"weeks?|semanas?|semaines?|wochen?|settiman[ae]|שבועות|שבוע",
    "month": r"months?|mes(?:es)?|mois|monate?n?|mes[ei]|חודשים|חודש",
    "year": r"years?|anos?|ans?|annees?|jahre?n?|ann[oi]|שנים|שנה",
}
_FEW: Final = {
    **dict.fromkeys(["a", "an", "one", "un", "una", "une", "ein", "eine", "einem", "einer", "uno", "אחד", "אחת"], 1),
    **dict.fromkeys(["two", "couple", "dos", "deux", "zwei", "due", "שני", "שתי"], 2),
    **dict.fromkeys(["three", "few", "tres", "trois", "drei", "tre", "שלושה", "שלוש"], 3),
    **dict.fromkeys(["four", "cuatro", "quatre", "vier", "quattro", "ארבעה", "ארבע"], 4),
    **dict.fromkeys(["five", "cinco", "cinq", "funf", "cinque", "חמישה", "חמש"], 5),
    **dict.fromkeys(["six", "seis", "sechs", "sei", "שישה", "שש"], 6),
}
_COUNT: Final = rf"(?P<count>\d{{1,3}}|{'|'.join(_FEW)})"
_UNIT: Final = "|".join(f"(?P<{unit}>{names})" for unit, names in _NAMES.items())
_AGO: Final = (
    re.compile(rf"\b{_COUNT} (?:of )?(?:{_UNIT}) ago\b"),
    re.compile(rf"\b(?:hace|il y a|vor|לפני) {_COUNT} (?:{_UNIT})\b"),
    re.compile(rf"\b{_COUNT} (?:{_UNIT}) fa\b"),
)
_TODAY: Final = re.compile(
    r"\b(?:today|this (?:morning|afternoon|evening)|tonight|earlier today|hoy|esta (?:manana|tarde)|aujourd'hui|"
    r"ce (?:matin|soir)|heute|oggi|stamattina|stasera|היום|הבוקר)\b"
)
_BEFORE_YESTERDAY: Final = re.compile(
    r"\b(?:(?:the )?day before yesterday|anteayer|antes de ayer|antier|avant[- ]hier|vorgestern|"
    r"l'altro ?ieri|altroieri|שלשום)\b"
)
_YESTERDAY: Final = re.compile(r"\b(?:yesterday|last night|ayer|anoche|hier|gestern|ieri|אתמול|אמש)\b")
_THIS: Final = re.compile(
    r"\b(?:this|esta|este|cette|ce|diese[nrsm]?|questa|questo|quest') ?"
    rf"(?:{_UNIT})\b|\bה(?P<hweek>שבוע)\b(?! שעבר)|\bה(?P<hmonth>חודש)\b(?! שעבר)"
)
_LAST: Final = re.compile(
    rf"\b(?:last|past|previous|letzte[nrsm]?|vergangene[nrsm]?|vorige[nrsm]?) (?:{_UNIT})\b|"
    r"\bla (?:semana pasada|(?P<sweek>settimana scorsa))\b|\b(?P<iweek>semaine derniere|scorsa settimana)\b|"
    r"\b(?P<imonth>mes pasado|mois dernier|mese scorso|[בהמ]?חודש שעבר)\b|\b(?P<hweek>[בהמ]?שבוע שעבר)\b|"
    r"\b(?P<iyear>ano pasado|annee derniere|anno scorso|[בהמ]?שנה שעברה)\b"
)
_SLACK: Final = 0.5
"""People round: "three weeks ago" is two and a half to three and a half."""


def find_window(bare: str, now: datetime) -> TimeWindow | None:
    """The first such stretch in a plain text; None when it names none."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    for pattern in _AGO:
        if match := pattern.search(bare):
            length = timedelta(days=_UNITS[_unit(match)])
            middle = now - _count(match["count"]) * length
            slack = max(day, length * _SLACK)
            return middle - slack, middle + slack
    if _BEFORE_YESTERDAY.search(bare):
        return midnight - 2 * day, midnight - day
    if _YESTERDAY.search(bare):
        return midnight - day, midnight
    if _TODAY.search(bare):
        return midnight, midnight + day
    if match := _LAST.search(bare):
        length = timedelta(days=_UNITS[_unit(match)])
        # A calendar week that is past may have ended today or six days ago.
        return midnight - 2 * length, midnight - day if length > day else midnight
    if match := _THIS.search(bare):
        return midnight - timedelta(days=_UNITS[_unit(match)]), midnight + day
    return None


def _unit(match: re.Match[str]) -> str:
    named = (name for name, value in match.groupdict().items() if value and name != "count")
    return next((name.removeprefix("i").removeprefix("h").removeprefix("s") for name in named), "week")


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else _FEW[text]
