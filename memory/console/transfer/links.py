"""Links to a person's own page: made, shown once, and ended. By owners: it can do what an export and an erasure do."""

import uuid
from datetime import timedelta
from typing import Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from memory.console.acting import open_facade
from memory.web.addresses import read_base_url
from memory.web.pages import OperatorRequest, person_page, require_owner
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

LIVES: Final = {"1": _("an hour"), "24": _("a day"), "168": _("7 days"), "720": _("30 days")}


class LinkForm(forms.Form):
    hours = forms.ChoiceField(label=_("Opens the page for"), choices=list(LIVES.items()), initial="168")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """The links there are; the one just made stands in this answer and nowhere else."""
    if request.method == "POST":
        require_owner(request.user, person.organization)
    form = LinkForm(request.POST or None, label_suffix="")
    memory, now, made = open_facade(person), timezone.now(), ""
    if request.method == "POST" and form.is_valid():
        life = timedelta(hours=int(form.cleaned_data["hours"]))
        _link, token = memory.make_personal_link(person.user, life, now=now)
        made = f"{read_base_url(request)}/me/{token}"
    context = {
        "person": person,
        "now": now,
        "form": form,
        "made": made,
        "links": memory.list_personal_links(person.user, now=now),
    }
    return render(request, "console/transfer/links.html", context, status=422 if form.errors else 200)


@require_POST
@person_page
def revoke(request: OperatorRequest, person: ViewedPerson, link_id: uuid.UUID) -> HttpResponse:
    require_owner(request.user, person.organization)
    if open_facade(person).revoke_personal_links(person.user, now=timezone.now(), link_id=link_id):
        messages.success(request, _("The link opens nothing any more."))
    return redirect("console:links", *person.path)
