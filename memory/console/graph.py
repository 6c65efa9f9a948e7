"""What this memory knows of its questions and names: a picture, the foremost concepts, one of them in detail."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from knowledge_graph.queries.browsing import GraphQuery, Sort, Span
from knowledge_graph.queries.statistics import ConceptRouting, TierRecord
from memory.conf import memory_conf
from memory.console.graph_layout import GraphDrawing, draw_graph
from memory.console.pages import OperatorRequest, place_page, render_page
from memory.console.places import ViewedPerson
from memory.facade.graphs import EntityPath

TOP = 20
LONGEST_NAME = 200
SPANS = ((Span.ALL, "All time"), (Span.TODAY, "Today"), (Span.WEEK, "This week"), (Span.SESSION, "One conversation"))
SORTS = ((Sort.IMPORTANCE, "Importance"), (Sort.RECENT, "Most recent"), (Sort.OLDEST, "Oldest"))
LEGEND = (
    ("blue", "asked about"),
    ("green", "named in what is kept"),
    ("purple", "both"),
    ("orange", "actions"),
)


class GraphForm(forms.Form):
    """What to show; what does not stand in the address is as usual."""

    time = forms.ChoiceField(required=False, choices=[(span.value, name) for span, name in SPANS])
    sort = forms.ChoiceField(required=False, choices=[(sort.value, name) for sort, name in SORTS])
    thread = forms.CharField(required=False, max_length=LONGEST_NAME)
    name = forms.CharField(required=False, max_length=LONGEST_NAME)
    start = forms.CharField(required=False, max_length=LONGEST_NAME)
    end = forms.CharField(required=False, max_length=LONGEST_NAME)

    def wanted(self) -> GraphQuery:
        told = self.cleaned_data
        return GraphQuery(
            Sort(told["sort"] or Sort.IMPORTANCE), Span(told["time"] or Span.ALL), told["thread"].strip(), limit=TOP
        )


@dataclass(frozen=True, slots=True)
class GraphLink:
    """Where a step of a way leads on."""

    label: str
    kind: str
    weight: int


@require_safe
@place_page
def page(request: OperatorRequest, place: ViewedPerson) -> HttpResponse:
    form = GraphForm(request.GET)
    context: dict[str, Any] = {
        "place": place,
        "form": form,
        "spans": SPANS,
        "sorts": SORTS,
        "legend": LEGEND,
        "now": timezone.now(),
        "is_off": not memory_conf().flags["kg"],
        "is_drawn": memory_conf().flags["kg_viz"],
    }
    if not form.is_valid():
        return render_page(request, "console/graph/page.html", "console/graph/_graph.html", context, status=422)
    context.update(build_graph_context(place, form))
    return render_page(request, "console/graph/page.html", "console/graph/_graph.html", context)


def build_graph_context(place: ViewedPerson, form: GraphForm) -> dict[str, Any]:
    told, now = form.cleaned_data, timezone.now()
    wanted = form.wanted()
    concepts = place.facade.concepts(place.user, wanted, now=now)
    routing = place.facade.routings(place.user, [row.key for row in concepts])
    top = max((row.importance for row in concepts), default=0.0) or 1.0
    return {
        "wanted": wanted,
        "sizes": place.facade.graph_sizes(place.user),
        "concepts": [(row, row.importance / top, find_best_tier(routing.get(row.key))) for row in concepts],
        "drawings": draw_overview(place, wanted) if memory_conf().flags["kg_viz"] else [],
        "concept": place.facade.concept(place.user, told["name"]) if told["name"] else None,
        "entity": place.facade.entity(place.user, told["name"]) if told["name"] else None,
        "name": told["name"],
        "kept": urlencode({"time": wanted.span, "sort": wanted.sort, "thread": wanted.thread_id}),
        **build_path_context(place, told["start"].strip(), told["end"].strip()),
    }


def find_best_tier(routing: ConceptRouting | None) -> Sequence[TierRecord]:
    return routing.tiers[:1] if routing else ()


def draw_overview(place: ViewedPerson, wanted: GraphQuery) -> list[GraphDrawing]:
    found = place.facade.picture(place.user, wanted, now=timezone.now())
    return draw_graph(found) if found.nodes else []


def build_path_context(place: ViewedPerson, start: str, end: str) -> dict[str, Any]:
    """The way between two names, if two were given."""
    if not start or not end:
        return {"is_asked": False}
    found = place.facade.way(place.user, start, end)
    return {"is_asked": True, "way": found, "links": list_links(found) if found and found.steps else []}


def list_links(found: EntityPath) -> list[GraphLink]:
    return [
        GraphLink(found.labels.get(step.target, step.target), step.kind.replace("_", " ").lower(), step.weight)
        for step in found.steps or ()
    ]
