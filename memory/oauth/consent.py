"""The page on which an operator allows a client one person's memory, or does not.

Nothing happens by opening it, and nobody is sent anywhere by it before a button was pressed: anybody can register a
client with any address, so a page that redirected by itself would lead wherever its link says.
"""

from typing import Any, cast
from urllib.parse import parse_qsl, urlencode, urlsplit

from django import forms
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from memory.access.grants import ClientApproval
from memory.access.members import is_owner
from memory.conf import memory_conf
from memory.console import throttle
from memory.console.forms import KeyForm
from memory.models import EndUser
from memory.oauth.documents import is_document_address, refresh_client
from memory.oauth.metadata import SCOPES
from memory.oauth.registration import ClientRefused
from memory.oauth.server import ConsentedCodeGrant, InvalidClientError, OAuth2Error, answer_consent, load_server
from memory.web.addresses import build_resource_url, offers_grants, read_base_url
from memory.web.pages import LAST_VIEWED, OperatorRequest, OwnersOnly, operator_page, require_owner
from memory.web.viewing import ViewedPerson, find_viewed_person, list_owned_organizations, list_visible_organizations
from memory.web.wordings import translate as _

PEOPLE_OFFERED = 200
MOST_CONSENTS = 20
MOST_DOCUMENTS = 60
ALLOW = "allow"
READ = "read"
ACCESSES = ((" ".join(SCOPES), _("Read and write")), (READ, _("Read only")))


class ConsentForm(KeyForm):
    """Whose memory, and what of it."""

    person = forms.CharField(label=_("Whose memory"), max_length=200)
    access = forms.ChoiceField(label=_("What it may do"), choices=ACCESSES, widget=forms.RadioSelect)

    def __init__(self, request: OperatorRequest, grant: ConsentedCodeGrant) -> None:
        people = list_people_offered(request)
        asked = str(grant.request.scope)
        super().__init__(
            request.POST if request.method == "POST" else None,
            label_suffix="",
            initial={"person": people[0][0] if people else "", "access": asked if "write" in asked else READ},
        )
        self.operator = request.user
        self.fields["person"].widget = forms.Select(choices=people)
        self.people = people
        # More than the client asked for is not offered.
        self.accesses = ACCESSES if "write" in asked else ACCESSES[1:]
        cast("forms.ChoiceField", self.fields["access"]).choices = self.accesses

    def clean_person(self) -> ViewedPerson:
        organization, _slash, external_id = self.cleaned_data["person"].partition("/")
        try:
            person = find_viewed_person(self.operator, organization, external_id)
            require_owner(self.operator, person.organization)
        except (Http404, OwnersOnly) as error:
            raise forms.ValidationError(_("There is no such person.")) from error
        return person


def list_people_offered(request: OperatorRequest) -> list[tuple[str, str]]:
    """Whom this operator may choose: first whom they looked at last, then who was active last."""
    owned = list_owned_organizations(request.user)
    rows = EndUser.objects.filter(organization__in=owned)
    rows = rows.exclude(external_id__startswith="#").select_related("organization")
    people = list(rows.order_by(F("last_active_at").desc(nulls_last=True), "external_id")[:PEOPLE_OFFERED])
    last = request.session.get(LAST_VIEWED)
    if last:
        try:
            viewed = find_viewed_person(request.user, *last)
            if is_owner(request.user, viewed.organization.pk):
                people = [viewed.user, *(one for one in people if one.pk != viewed.user.pk)]
        except Http404:
            pass
    many = len({one.organization_id for one in people}) > 1
    return [
        (
            f"{one.organization.slug}/{one.external_id}",
            f"{one.external_id} ({one.organization.name})" if many else one.external_id,
        )
        for one in people
    ]


@require_http_methods(["GET", "HEAD", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    if not offers_grants():
        raise Http404("no grants here")
    return ask_operator(request)


@operator_page
def ask_operator(request: OperatorRequest) -> HttpResponse:
    # What a client is allowed is a key, and keys are made by owners.
    if not list_owned_organizations(request.user).exists():
        raise OwnersOnly(list_visible_organizations(request.user).first())
    try:
        if request.method != "POST":
            fetch_client(request)
        grant: ConsentedCodeGrant = load_server().get_consent_grant(request)
    except OAuth2Error as error:
        context = {"code": error.error, "reason": error.description}
        return render(request, "console/consent/refused.html", context, status=400)
    if request.method != "POST":
        return render_question(request, grant, ConsentForm(request, grant))
    if request.POST.get("decision") != ALLOW:
        return send_back(request, answer_consent(request, grant, None))
    form = ConsentForm(request, grant)
    if not form.is_valid():
        return render_question(request, grant, form, status=422)
    if wait_s := throttle.count_attempt(f"consents of {request.user.get_username()}", "", MOST_CONSENTS):
        return render_question(request, grant, form, status=429, wait_minutes=-(-wait_s // 60))
    return send_back(request, answer_consent(request, grant, build_approval(request, form)))


def fetch_client(request: OperatorRequest) -> None:
    """What the client says of itself, where it is known by a document. Raises OAuth2Error."""
    client_id = request.GET.get("client_id", "")
    if not is_document_address(client_id) or not memory_conf().flags["oauth_documents"]:
        return
    if throttle.count_attempt(f"documents for {request.user.get_username()}", "", MOST_DOCUMENTS):
        raise OAuth2Error(description=_("Many clients were looked up just now. Try again in a quarter of an hour."))
    try:
        refresh_client(client_id, now=timezone.now())
    except ClientRefused as refusal:
        raise InvalidClientError(description=str(refusal)) from refusal


def build_approval(request: OperatorRequest, form: ConsentForm) -> ClientApproval:
    person: ViewedPerson = form.cleaned_data["person"]
    return ClientApproval(
        organization=person.organization,
        external_id=person.user.external_id,
        scopes=form.cleaned_data["access"].split(),
        scope=form.scope,
        resource=build_resource_url(request),
        actor=person.actor,
    )


def render_question(
    request: OperatorRequest, grant: ConsentedCodeGrant, form: ConsentForm, *, status: int = 200, **more: Any
) -> HttpResponse:
    target = urlsplit(grant.redirect_uri)
    context = {"client": grant.client.row, "form": form, "host": target.netloc, **more}
    context["is_own_machine"] = target.hostname in {"localhost", "127.0.0.1", "::1"}
    # The one thing a client cannot say of somebody else.
    own_id = grant.client.row.client_id
    context["published_by"] = urlsplit(own_id).netloc if is_document_address(own_id) else ""
    context["site"] = urlsplit(read_base_url(request)).netloc
    context["here"] = request.get_full_path()
    return render(request, "console/consent/page.html", context, status=status)


def send_back(request: OperatorRequest, response: HttpResponse) -> HttpResponse:
    """The library's redirect, with the name of this server (RFC 9207) and with 303: other codes let some browsers send
    the form on to the client."""
    target = urlsplit(response.headers["Location"])
    query = urlencode([*parse_qsl(target.query, keep_blank_values=True), ("iss", read_base_url(request))])
    response.headers["Location"] = target._replace(query=query).geturl()
    response.status_code = 303
    return response
