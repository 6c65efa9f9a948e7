"""The timeline of a person: what was learned, changed, promoted, superseded and forgotten, by day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from itertools import groupby
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import ngettext_lazy
from django.views.decorators.http import require_safe

from memory.console import fact_history, timeline
from memory.console.acting import open_facade
from memory.console.fact_lines import FactLine, build_fact_lines
from memory.console.forms import end_day
from memory.console.history.events import (
    HistoryEvent,
    HistoryKind,
    count_by_day,
    count_memories_until,
    list_history,
    read_place,
)
from memory.facts.queries import FactFilter
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.quantities import say_number
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

PAGE: Final = 60
# Facts of a day that are shown at once; the list of facts has the others.
FACTS: Final = 6
LONGEST_PLACE: Final = 80
KIND_NAMES: Final = {
    HistoryKind.LEARNED: _("learned"),
    HistoryKind.CHANGED: _("changed"),
    HistoryKind.PROMOTED: _("promoted"),
    HistoryKind.JUDGED: _("judged"),
    HistoryKind.SUPERSEDED: _("superseded or merged"),
    HistoryKind.FORGOTTEN: _("archived or forgotten"),
}


COUNTED: Final = {
    HistoryKind.LEARNED: ngettext_lazy("%(number)s learned", "%(number)s learned", "count"),
    HistoryKind.CHANGED: ngettext_lazy("%(number)s changed", "%(number)s changed", "count"),
    HistoryKind.PROMOTED: ngettext_lazy("%(number)s promoted", "%(number)s promoted", "count"),
    HistoryKind.JUDGED: ngettext_lazy("%(number)s judged", "%(number)s judged", "count"),
    HistoryKind.SUPERSEDED: ngettext_lazy(
        "%(number)s superseded or merged", "%(number)s superseded or merged", "count"
    ),
    HistoryKind.FORGOTTEN: ngettext_lazy(
        "%(number)s archived or forgotten", "%(number)s archived or forgotten", "count"
    ),
}


class HistoryForm(forms.Form):
    """What to show; without a day everything up to now."""

    kind = forms.ChoiceField(
        label=_("What"),
        required=False,
        choices=[("", _("Everything")), *((kind.value, capfirst(name)) for kind, name in KIND_NAMES.items())],
    )
    as_of = forms.DateField(label=_("As of"), required=False, widget=forms.DateInput(attrs={"type": "date"}))


@dataclass(frozen=True, slots=True)
class HistoryLine:
    event: HistoryEvent
    title: str
    trend: str


@dataclass(frozen=True, slots=True)
class HistoryDay:
    """``counts`` are of the whole day, ``lines`` what this page shows of it."""

    day: date
    counts: list[str]
    lines: list[HistoryLine]


@dataclass(frozen=True, slots=True)
class DayState:
    """What was so at the end of a day, by what is known now."""

    day: date
    facts: list[FactLine]
    fact_count: int
    memories: list[tuple[str, int]]
    before: date | None
    after: date | None


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = HistoryForm(request.GET, label_suffix="")
    context: dict[str, Any] = {"person": person, "form": form, "now": timezone.now()}
    whole, part = "console/history/page.html", "console/history/_days.html"
    if not form.is_valid():
        return render_page(request, whole, part, context, status=422)
    context |= build_history_context(person, form, request.GET.get("after", "")[:LONGEST_PLACE])
    return render_page(request, whole, part, context)


def build_history_context(person: ViewedPerson, form: HistoryForm, written: str) -> dict[str, Any]:
    fields, now = form.cleaned_data, timezone.now()
    day, kind = fields["as_of"], HistoryKind(fields["kind"]) if fields["kind"] else None
    after = read_place(written)
    until = end_day(day) if day else now
    events, following = list_history(person.user, kind, until=until, after=after, limit=PAGE)
    filters = {"kind": fields["kind"], "as_of": day.isoformat() if day else ""}
    filters = {name: value for name, value in filters.items() if value}
    return {
        "days": build_days(person, events),
        "state": load_day_state(person, day) if day and after is None else None,
        "is_filtered": bool(filters),
        "is_later_page": after is not None,
        "next_page": urlencode(filters | {"after": str(following)}) if following else "",
    }


def build_days(person: ViewedPerson, events: Sequence[HistoryEvent]) -> list[HistoryDay]:
    if not events:
        return []
    counts = count_by_day(person.user, events[-1].at.astimezone(UTC).date(), events[0].at.astimezone(UTC).date())
    return [
        HistoryDay(day, name_counts(counts.get(day, {})), [describe_event(event) for event in found])
        for day, found in groupby(events, key=lambda event: event.at.astimezone(UTC).date())
    ]


def name_counts(counts: Mapping[HistoryKind, int]) -> list[str]:
    """ "6 learned": other languages bend the word by the number."""
    return [
        str(words % {"count": counts[kind], "number": say_number(counts[kind])})
        for kind, words in COUNTED.items()
        if counts.get(kind)
    ]


def describe_event(event: HistoryEvent) -> HistoryLine:
    words = fact_history if event.source == "fact" else timeline
    title = words.TITLES.get(event.kind, event.kind.replace("_", " ").capitalize())
    return HistoryLine(event, title, "up" if event.kind in words.UP else "down" if event.kind in words.DOWN else "even")


def load_day_state(person: ViewedPerson, day: date) -> DayState:
    memory, now = open_facade(person), timezone.now()
    wanted = FactFilter(as_of=end_day(day))
    found, total = memory.list_facts_by_subject(person.user, wanted, now=now, limit=FACTS)
    facts = [fact for one in found for fact in one.facts]
    memories = count_memories_until(person.user, end_day(day))
    return DayState(
        day,
        build_fact_lines(facts, memory.find_successors(person.user, facts), now),
        total,
        sorted(memories.items()),
        day - timedelta(days=1) if day > date.min else None,
        day + timedelta(days=1) if day < now.date() else None,
    )
