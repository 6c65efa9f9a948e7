"""Taking everything away, and deleting everything."""

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memory.personal_page.forms import ErasureForm
from memory.personal_page.session import PersonalVisit, end_visit, personal_page
from memory.web.large_bodies import open_spool


@require_safe
@personal_page
def page(request: HttpRequest, visit: PersonalVisit) -> HttpResponse:
    return render_leaving(request, visit, ErasureForm(label_suffix=""))


def render_leaving(request: HttpRequest, visit: PersonalVisit, form: ErasureForm, *, status: int = 200) -> HttpResponse:
    return render(request, "personal/leaving.html", {"form": form, "may_erase": visit.may_erase}, status=status)


@require_POST
@personal_page
def download(request: HttpRequest, visit: PersonalVisit) -> HttpResponseBase:
    """By POST, as it leaves a record that the data was taken out."""
    spool = open_spool()
    try:
        visit.memory.export_person(visit.user, spool, now=timezone.now())
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    return FileResponse(spool, as_attachment=True, filename="my-memory.jsonl", content_type="application/x-ndjson")


@require_POST
@personal_page
def erase(request: HttpRequest, visit: PersonalVisit) -> HttpResponse:
    form = ErasureForm(request.POST, label_suffix="")
    if not visit.may_erase:
        return render_leaving(request, visit, form, status=403)
    if not form.is_valid():
        return render_leaving(request, visit, form, status=422)
    visit.memory.request_erasure(visit.user, now=timezone.now(), link_by=visit.link.actor)
    return end_visit(render(request, "personal/erased.html"))
