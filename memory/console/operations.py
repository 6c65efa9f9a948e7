"""How the vector index is kept: its collections, the runs that rebuild it, the comparisons with the rows.

What stands here is about everybody, in numbers; so only operators who may see everybody may look.
"""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe
from django_htmx.http import HTMX_STOP_POLLING

from memory.conf import memory_conf
from memory.indexing.drift import DIFFERENCE_TEXTS
from memory.models import DriftReport, ReindexRun, VectorCollection
from memory.web.pages import OperatorRequest, operator_page, wants_fragment
from memory.web.viewing import can_see_everybody
from memory.web.wordings import translate as _

RUNS, REPORTS = 10, 20


@require_safe
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    """The page; the part is what changes while a run goes on, asked for until it rests."""
    # Numbers of everybody together tell about people this operator may not see.
    if not can_see_everybody(request.user):
        raise Http404("not for this operator")
    context = build_index_context()
    if not wants_fragment(request):
        return render(request, "console/operations/page.html", context)
    # The page asks every two seconds; 286 is how htmx is told to stop.
    status = 200 if context["is_running"] else HTMX_STOP_POLLING
    return render(request, "console/operations/_index.html", context, status=status)


def build_index_context() -> dict[str, Any]:
    runs = list(ReindexRun.objects.order_by("-started_at")[:RUNS])
    vector = memory_conf().vector
    collections = VectorCollection.objects.filter(backend=vector.backend, alias=vector.collection)
    return {
        "now": timezone.now(),
        "runs": runs,
        "is_running": any(run.state == ReindexRun.State.RUNNING for run in runs),
        "collections": collections.order_by("-pk"),
        "reports": [
            (report, describe_drift(report)) for report in DriftReport.objects.order_by("-started_at")[:REPORTS]
        ],
        "backend": vector.backend,
    }


def describe_drift(report: DriftReport) -> str:
    """What was found, in words."""
    parts = []
    for kind, meaning in DIFFERENCE_TEXTS.items():
        if found := report.found.get(kind, 0):
            mended = report.mended.get(kind, 0)
            said = f"{found} {gettext(meaning)}"
            parts.append(said if mended == found else _("{said} ({mended} mended)").format(said=said, mended=mended))
    return ", ".join(parts)
