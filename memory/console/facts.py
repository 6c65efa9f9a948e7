"""The list of what is held true of a person: by subject, with how sure that is and when it holds."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memory.claims.claim import SPEAKER
from memory.console.acting import open_facade
from memory.console.fact_lines import KIND_NAMES, FactLine, build_fact_lines
from memory.console.forms import FactFilterForm
from memory.console.nights import find_last_night
from memory.console.scope_choices import list_scope_choices
from memory.facts.browsing import FactSubject
from memory.facts.keys import fold_key
from memory.facts.queries import FactFilter
from memory.models.facts import FactState
from memory.web.pages import OperatorRequest, person_page, render_page, wants_fragment
from memory.web.relation_wordings import name_subject
from memory.web.viewing import ViewedPerson

PAGE = 40
MAX_DIGITS = 6
ONLY_CURRENT = FactFilter(state=FactState.ACTIVE)


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The facts of one subject on a page. ``skipped`` of them stood on the page before."""

    name: str
    kind: str
    count: int
    skipped: int
    lines: list[FactLine]


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = FactFilterForm(request.GET, label_suffix="")
    waiting = open_facade(person).count_open_reviews(person.user)
    context: dict[str, Any] = {"person": person, "form": form, "now": timezone.now(), "open_reviews": waiting}
    if not wants_fragment(request):
        context["night"] = find_last_night(person)
        context["scopes"] = list_scope_choices(open_facade(person).list_scopes(person.user))
    if not form.is_valid():
        return render_page(request, "console/facts/page.html", "console/facts/_list.html", context, status=422)
    start = read_place(request.GET.get("from", ""))
    context |= build_list_context(person, form, start)
    # What follows a list is only its groups; a list that was filtered anew is the whole list.
    part = "console/facts/_groups.html" if start else "console/facts/_list.html"
    return render_page(request, "console/facts/page.html", part, context)


def read_place(digits: str) -> int:
    """How many facts to skip; 0 when the address names none."""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS else 0


def build_list_context(person: ViewedPerson, form: FactFilterForm, start: int) -> dict[str, Any]:
    wanted, now = form.as_filter(), timezone.now()
    groups, total = list_groups(person, wanted, start)
    shown = sum(len(group.lines) for group in groups)
    fields = form.cleaned_data
    following = {name: value for name, value in fields.items() if value} | {"from": start + PAGE}
    return {
        "groups": groups,
        "total": total,
        "start": start,
        "shown": shown,
        "now": now,
        "only_state": "" if fields["q"] or fields["as_of"] or fields["scope"] else fields["state"],
        "is_filtered": wanted != ONLY_CURRENT,
        "next_page": urlencode(following) if start + shown < total else "",
    }


def list_groups(person: ViewedPerson, wanted: FactFilter, start: int, limit: int = PAGE) -> tuple[list[FactGroup], int]:
    memory, now = open_facade(person), timezone.now()
    found, total = memory.list_facts_by_subject(person.user, wanted, now=now, start=start, limit=limit)
    successors = memory.find_successors(person.user, [fact for one in found for fact in one.facts])
    own_name = memory.find_name(person.user)
    groups: list[FactGroup] = []
    for one in found:
        is_own = is_about_person(one.subject, own_name)
        group = FactGroup(
            own_name or person.user.external_id if is_own else name_subject(one.subject.name),
            KIND_NAMES.get(one.subject.kind, ""),
            one.subject.count,
            one.skipped,
            build_fact_lines(one.facts, successors, now),
        )
        if is_own and groups and is_about_person(found[0].subject, own_name):
            groups[0] = join_groups(groups[0], group)
        else:
            groups.append(group)
    return groups, total


def is_about_person(subject: FactSubject, own_name: str) -> bool:
    """What they say of themselves, and what is told of them by their name: "Tamar drinks no coffee"."""
    called = fold_key(own_name)
    return subject.key == SPEAKER or (called != "" and subject.key in {called, called.split()[0]})


def join_groups(first: FactGroup, more: FactGroup) -> FactGroup:
    return replace(first, count=first.count + more.count, lines=[*first.lines, *more.lines])
