"""Webhooks of the organisations an operator sees, with what was sent; made, changed and sent again by owners."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import format_lazy
from django.views.decorators.http import require_http_methods

from memory.models import Organization, WebhookDelivery, WebhookEndpoint
from memory.models.spaces import is_space
from memory.models.webhooks import URL_CHARS
from memory.store.admission import WriteRefused
from memory.web.pages import OperatorRequest, operator_page, require_owner
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import list_owned_organizations, list_visible_organizations
from memory.web.wordings import translate as _
from memory.webhooks import endpoints, listing
from memory.webhooks.endpoints import NewEndpoint
from memory.webhooks.events import EVENTS

LISTED = 50
DEFAULT_EVENTS = ("memory.stored", "memory.promoted", "memory.superseded", "secret.redacted", "review.due")
EVENT_NAMES = {
    "memory.stored": _("a memory is stored"),
    "memory.revised": _("its words or labels change"),
    "memory.promoted": _("it moves to another tier"),
    "memory.dormant": _("its time in its tier has passed"),
    "memory.archived": _("it is archived"),
    "memory.restored": _("it is active again"),
    "memory.deleted": _("it is deleted for good"),
    "memory.superseded": _("a later statement takes the place of a fact"),
    "secret.redacted": _("a secret is taken out of what is stored"),
    "review.due": _("a person has to decide something"),
}
# The forms call some fields differently than the core does.
FIELDS = {"user_id": "person"}


class EndpointForm(forms.Form):
    organization: "forms.ModelChoiceField[Organization]" = forms.ModelChoiceField(
        queryset=None, label=_("Organisation"), empty_label=None
    )
    url = forms.CharField(label=_("Address"), max_length=URL_CHARS, widget=forms.URLInput(attrs={"dir": "ltr"}))
    person = forms.CharField(
        label=_("Of one person alone"), required=False, max_length=128, help_text=_("Their id; empty for everybody.")
    )
    includes_content = forms.BooleanField(label=_("Send the words too, not their ids alone"), required=False)
    events = forms.MultipleChoiceField(
        label=_("When"),
        choices=[(name, format_lazy("{} ({})", EVENT_NAMES[name], name)) for name in EVENTS],
        widget=forms.CheckboxSelectMultiple,
        initial=DEFAULT_EVENTS,
    )

    def __init__(self, request: OperatorRequest, data: Any = None) -> None:  # noqa: ANN401 -- what a form is given
        super().__init__(data, label_suffix="")
        field = self.fields["organization"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 -- tells the type checker
        field.queryset = list_owned_organizations(request.user)


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    form = EndpointForm(request, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"form": form, "now": timezone.now()}
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid() and (made := make_endpoint(request, form)):
            # Shown in this answer and never again.
            context["made"], context["secret"], status = *made, 200
            context["form"] = EndpointForm(request)
    own = list_visible_organizations(request.user)
    context["may_make"] = list_owned_organizations(request.user).exists()
    context["endpoints"] = WebhookEndpoint.objects.filter(organization__in=own).select_related("organization")
    return render(request, "console/webhooks/page.html", context, status=status)


def make_endpoint(request: OperatorRequest, form: EndpointForm) -> tuple[WebhookEndpoint, str] | None:
    given = form.cleaned_data
    new = NewEndpoint(given["url"], given["events"], given["person"], given["includes_content"])
    try:
        return endpoints.create_endpoint(given["organization"].pk, new, now=timezone.now(), actor=request.user.actor)
    except WriteRefused as error:
        form.add_error(FIELDS.get(error.field, error.field), _("This {rule}.").format(rule=word_refusal(error.rule)))
        return None


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def detail(request: OperatorRequest, endpoint_id: UUID) -> HttpResponse:
    own = WebhookEndpoint.objects.filter(organization__in=list_visible_organizations(request.user))
    row = own.select_related("organization").filter(pk=endpoint_id).first()
    if row is None:
        raise Http404("no such endpoint")
    if request.method != "POST":
        return render_endpoint(request, row)
    require_owner(request.user, row.organization)
    try:
        return act_on_endpoint(request, row)
    except listing.NotSentAgain as error:
        messages.error(request, word_refusal(str(error)))
        return redirect("console:webhook", row.pk)


def act_on_endpoint(request: OperatorRequest, row: WebhookEndpoint) -> HttpResponse:
    action, now, actor = request.POST.get("action", ""), timezone.now(), request.user.actor
    if action == "rotate":
        return render_endpoint(request, row, secret=endpoints.rotate_secret(row, now=now, actor=actor))
    if action == "delete":
        endpoints.delete_endpoint(row, now=now, actor=actor)
        messages.success(request, _("The endpoint is told nothing more."))
        return redirect("console:webhooks")
    if action in {"enable", "disable"}:
        endpoints.update_endpoint(row, {"is_enabled": action == "enable"}, now=now, actor=actor)
    elif action == "test":
        listing.send_test(row, now=now)
        messages.success(request, _("A test was queued."))
    elif action == "again":
        messages.success(request, _("{row} are queued again.").format(row=listing.send_dead_again(row, now=now)))
    elif action.isdecimal() and len(action) < 19:
        delivery = listing.find_delivery(row, int(action))
        if delivery is None:
            raise Http404("no such delivery")
        listing.send_again(row, delivery, now=now)
        messages.success(request, _("It is queued again."))
    return redirect("console:webhook", row.pk)


def name_whom(delivery: WebhookDelivery) -> str:
    """Whom a message tells of; the partition of a space has no name for people."""
    if delivery.end_user is None:
        return _("nobody")
    return _("a space") if is_space(delivery.end_user.pk) else delivery.end_user.external_id


def render_endpoint(request: OperatorRequest, row: WebhookEndpoint, *, secret: str = "") -> HttpResponse:
    deliveries = listing.list_deliveries(row, limit=LISTED)
    context = {
        "endpoint": row,
        "secret": secret,
        "now": timezone.now(),
        "deliveries": [(one, name_whom(one)) for one in deliveries],
        "has_dead": any(one.state == "dead" for one in deliveries),
    }
    return render(request, "console/webhooks/endpoint.html", context)
