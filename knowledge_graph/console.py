"""What this memory knows of its questions and names: a picture, the foremost concepts, one of them in detail."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from knowledge_graph.graph_layout import draw_graph
from knowledge_graph.models import Concept
from knowledge_graph.queries import browsing, graph_view, paths, statistics
from knowledge_graph.queries.browsing import ConceptDetail, EntityDetail, GraphQuery, Sort, Span
from knowledge_graph.queries.graph_view import GraphView
from knowledge_graph.queries.names import NamePair, decide_names, find_name_pairs
from knowledge_graph.queries.paths import EntityPath
from knowledge_graph.queries.statistics import ConceptRouting, KnownSolution, TierRecord
from knowledge_graph.queries.wordings import name_edge
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, MemoryItem
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

TOP = 20
SHOWN_SIZES = ("concepts", "entities", "edges")
# What is larger is counted once a minute by each process: 50,000 concepts, their names and connections took Postgres 22
# ms each time, and 60 where no vacuum had been by.
LARGE = 2_000
COUNTED_EVERY_S = 60
LONGEST_NAME = 200
MOST_DAYS = 36_500
SPANS = (
    (Span.ALL, _("All time")),
    (Span.TODAY, _("Today")),
    (Span.WEEK, _("This week")),
    (Span.SESSION, _("One conversation")),
)
SORTS = ((Sort.IMPORTANCE, _("Importance")), (Sort.RECENT, _("Most recent")), (Sort.OLDEST, _("Oldest")))
LEGEND = (
    ("blue", _("asked about")),
    ("green", _("mentioned in memories")),
    ("purple", _("both")),
    ("orange", _("actions")),
)


class GraphForm(forms.Form):
    """What to show; what the address leaves out is as usual."""

    time = forms.ChoiceField(required=False, choices=[(span.value, name) for span, name in SPANS])
    sort = forms.ChoiceField(required=False, choices=[(sort.value, name) for sort, name in SORTS])
    thread = forms.CharField(required=False, max_length=LONGEST_NAME)
    name = forms.CharField(required=False, max_length=LONGEST_NAME)
    start = forms.CharField(required=False, max_length=LONGEST_NAME)
    end = forms.CharField(required=False, max_length=LONGEST_NAME)
    back = forms.IntegerField(required=False, min_value=0, max_value=MOST_DAYS)

    def as_query(self) -> GraphQuery:
        fields = self.cleaned_data
        day = timezone.now().date() - timedelta(days=fields["back"] or 0)
        return GraphQuery(
            Sort(fields["sort"] or Sort.IMPORTANCE),
            Span(fields["time"] or Span.ALL),
            fields["thread"].strip(),
            limit=TOP,
            as_of=datetime.combine(day, time.max, UTC) if fields["back"] else None,
        )


@dataclass(frozen=True, slots=True)
class GraphLink:
    """Where a step of a path leads."""

    label: str
    kind: str
    weight: int


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = GraphForm(request.GET)
    context: dict[str, Any] = {
        "person": person,
        "form": form,
        "spans": SPANS,
        "sorts": SORTS,
        "legend": LEGEND,
        "now": timezone.now(),
        "is_off": not memory_conf().flags["kg"],
        "is_drawn": memory_conf().flags["kg_viz"],
        "days": count_days(person),
    }
    if not form.is_valid():
        return render_page(request, "console/graph/page.html", "console/graph/_graph.html", context, status=422)
    context.update(build_graph_context(person, form))
    return render_page(request, "console/graph/page.html", "console/graph/_graph.html", context)


def build_graph_context(person: ViewedPerson, form: GraphForm) -> dict[str, Any]:
    # In one transaction: seven of their own took 8 ms.
    with user_scope(person.user):
        context, view = load_graph(person, form)
    return {**context, "drawings": draw_graph(view) if view.nodes else []}


def load_graph(person: ViewedPerson, form: GraphForm) -> tuple[dict[str, Any], GraphView]:
    """What the page tells, and what it draws. In the person's scope."""
    fields, query, user, now = form.cleaned_data, form.as_query(), person.user, timezone.now()
    # The table's twenty; the drawing asks for its own entities and actions.
    concepts = browsing.list_concepts(user, query, now=now)
    routing = statistics.load_routing(user, [row.key for row in concepts])
    # Bars are relative to the first: importance has no scale of its own.
    top = max((row.importance for row in concepts), default=0.0) or 1.0
    concept = browsing.load_concept(user, fields["name"]) if fields["name"] else None
    entity = browsing.load_entity(user, fields["name"]) if fields["name"] else None
    chosen = entity.entity.key if entity else concept.concept.key if concept else ""
    view, is_around = view_graph(person, query, chosen, concepts)
    return {
        "sizes": browsing.count_met_by(user, query.as_of) if query.as_of else count_sizes(user, now),
        "concepts": [(row, row.importance / top, find_best_tier(routing.get(row.key))) for row in concepts],
        "is_around": is_around,
        "concept": concept,
        "entity": entity,
        "chosen": chosen,
        "names": list_names(person, entity),
        "solutions": list_solutions(person, concept),
        "name": fields["name"],
        "as_of": query.as_of,
        "filters": urlencode(
            {"time": query.span, "sort": query.sort, "thread": query.thread_id, "back": fields["back"] or 0}
        ),
        **build_path_context(person, fields["start"].strip(), fields["end"].strip()),
    }, view


def count_sizes(user: EndUser, now: datetime) -> dict[str, int]:
    minute = int(now.timestamp() // COUNTED_EVERY_S)
    sizes = browsing.count_graph_rows(user, SHOWN_SIZES, most=LARGE)
    return {kind: number if number < LARGE else count_large(user.pk, kind, minute) for kind, number in sizes.items()}


@lru_cache(maxsize=500)
def count_large(user_id: int, kind: str, minute: int) -> int:
    """As it was when it was first asked within the minute."""
    return browsing.count_graph_rows(user_id, (kind,))[kind]


def find_best_tier(routing: ConceptRouting | None) -> Sequence[TierRecord]:
    return routing.tiers[:1] if routing else ()


def view_graph(
    person: ViewedPerson, query: GraphQuery, chosen: str, concepts: Sequence[Concept]
) -> tuple[GraphView, bool]:
    """The neighbourhood of what was chosen, else the most important of all, ``concepts`` among them; and whether it is
    the former."""
    if not memory_conf().flags["kg_viz"]:
        return GraphView([], []), False
    if chosen:
        view = graph_view.build_neighbourhood(person.user, chosen, query)
        # What stands alone is seen better among the others.
        if len(view.nodes) > 1:
            return view, True
    return graph_view.build_graph_view(person.user, query, now=timezone.now(), concepts=concepts), False


def list_solutions(person: ViewedPerson, concept: ConceptDetail | None) -> list[tuple[KnownSolution, MemoryItem]]:
    """What was tried on problems of a concept and still exists, the best first."""
    if concept is None:
        return []
    items = browsing.load_solution_items(person.user, concept.solutions)
    return [(one, items[one.item_id]) for one in concept.solutions if one.item_id in items]


def list_names(person: ViewedPerson, entity: EntityDetail | None) -> list[NamePair]:
    """Longer and shorter names that may be of the same person."""
    if entity is None:
        return []
    with user_scope(person.user):
        return find_name_pairs(person.user, [entity.entity.key])


class NamesForm(forms.Form):
    """What somebody says of two names; ``unsaid`` leaves it to the evidence."""

    first = forms.CharField(max_length=LONGEST_NAME)
    second = forms.CharField(max_length=LONGEST_NAME)
    answer = forms.ChoiceField(
        choices=[("same", _("One person")), ("two", _("Two people")), ("unsaid", _("By the evidence"))]
    )


@require_POST
@person_page
def decide(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = NamesForm(request.POST)
    address = reverse("console:graph", args=person.path)
    if not form.is_valid():
        messages.error(request, _("Say of two names whether they are one person."))
        return redirect(address)
    said = form.cleaned_data
    is_same = {"same": True, "two": False}.get(said["answer"])
    if decide_names(
        person.user, said["first"], said["second"], is_same=is_same, now=timezone.now(), actor=person.actor
    ):
        messages.success(request, _("Noted. It can be changed here at any time."))
    else:
        messages.error(request, _("These are not two names of which one is part of the other."))
    return redirect(f"{address}?{urlencode({'name': said['second']})}")


def count_days(person: ViewedPerson) -> int:
    """How far back the slider goes."""
    first = browsing.find_first_day(person.user)
    return max(0, (timezone.now() - first).days + 1) if first else 0


def build_path_context(person: ViewedPerson, start: str, end: str) -> dict[str, Any]:
    """The path between two names, if two were given."""
    if not start or not end:
        return {"has_ends": False}
    path = paths.find_entity_path(person.user, start, end)
    return {"has_ends": True, "path": path, "links": list_links(path) if path and path.steps else []}


def list_links(path: EntityPath) -> list[GraphLink]:
    return [
        GraphLink(path.labels.get(step.target, step.target), name_edge(step.kind), step.weight)
        for step in path.steps or ()
    ]
