"""The vocabulary of an organisation: its terms, what fitted none of them, and every version. Owners change it."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods

from memory.models import Organization, TermSuggestion
from memory.models.vocabulary import MEANS_CHARS, TERM_CHARS
from memory.store.admission import WriteRefused
from memory.vocabulary import suggestions
from memory.vocabulary.editions import (
    NewTerm,
    TermChanges,
    add_term,
    change_term,
    choose_preset,
    list_changes,
    read_vocabulary,
)
from memory.vocabulary.presets import list_presets
from memory.vocabulary.terms import ControlledVocabulary, TermKind, TermState
from memory.web.pages import OperatorRequest, operator_page, require_owner
from memory.web.refusal_wordings import name_field, word_refusal
from memory.web.viewing import list_visible_organizations
from memory.web.wordings import translate as _

LISTED = 50
# A word of one message is an accident.
LEAST_MESSAGES = 2
KINDS = [
    (TermKind.TOPIC.value, _("Topics")),
    (TermKind.CATEGORY.value, _("Categories")),
    (TermKind.MESSAGE_TYPE.value, _("Kinds of message")),
]


class TermForm(forms.Form):
    """``aliases`` are parted by commas."""

    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS)
    name = forms.CharField(label=_("Name"), max_length=TERM_CHARS, widget=forms.TextInput(attrs={"dir": "ltr"}))
    means = forms.CharField(label=_("What it means"), required=False, max_length=MEANS_CHARS)
    aliases = forms.CharField(
        label=_("Words that tell it, with commas"),
        required=False,
        max_length=4_000,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )

    def __init__(self, data: Any = None) -> None:  # noqa: ANN401 -- what a form is given
        super().__init__(data, label_suffix="")


def choose_organization(request: OperatorRequest) -> Organization:
    own = list_visible_organizations(request.user)
    slug = request.GET.get("organization", "")
    found = (own.filter(slug=slug) if slug else own).first()
    if found is None:
        raise Http404("no such organisation")
    return found


@require_http_methods(["GET", "HEAD", "POST"])
@operator_page
def page(request: OperatorRequest) -> HttpResponse:
    organization = choose_organization(request)
    if request.method != "POST":
        return render_page(request, organization, TermForm())
    require_owner(request.user, organization)
    form = TermForm(request.POST) if request.POST.get("action") == "add" else None
    if form is not None and not form.is_valid():
        return render_page(request, organization, form, status=422)
    try:
        done = act(request, organization, form)
    except suggestions.AlreadyDecided as error:
        messages.error(request, capfirst(word_refusal(str(error))) + ".")
    except WriteRefused as error:
        if form is not None:
            form.add_error(
                error.field if error.field in form.fields else None,
                _("This {rule}.").format(rule=word_refusal(error.rule)),
            )
            return render_page(request, organization, form, status=422)
        messages.error(
            request, _("The {field} {rule}.").format(field=name_field(error.field), rule=word_refusal(error.rule))
        )
    else:
        messages.success(request, done)
    return redirect(f"{reverse('console:vocabulary')}?organization={organization.slug}")


def act(request: OperatorRequest, organization: Organization, form: TermForm | None) -> str:
    """Do what the form asks for. Returns what was done, in words."""
    now, actor, posted = timezone.now(), request.user.actor, request.POST
    if form is not None:
        given = form.cleaned_data
        new = NewTerm(TermKind(given["kind"]), given["name"], given["means"], given["aliases"].split(","))
        return _("{name} is a term now.").format(name=add_term(organization.pk, new, now=now, actor=actor).name)
    action = posted.get("action", "")
    if action == "preset":
        found = choose_preset(organization.pk, posted.get("preset", ""), now=now, actor=actor)
        return _("It builds on the preset {preset} now.").format(preset=found.preset)
    if action in {"retire", "use"}:
        return change_state(request, organization, is_retired=action == "retire")
    row = find_suggestion(organization, posted.get("suggestion", ""))
    if action == "approve":
        return _("{row} is a topic now.").format(row=suggestions.approve_suggestion(row, now=now, actor=actor))
    if action == "map":
        suggestions.map_suggestion(row, posted.get("topic", ""), now=now, actor=actor)
        return _("{name} tells {term} now.").format(name=row.name, term=row.term)
    if action == "reject":
        suggestions.reject_suggestion(row, now=now, actor=actor)
        return _("{name} is not asked about again.").format(name=row.name)
    raise Http404("no such action")


def change_state(request: OperatorRequest, organization: Organization, *, is_retired: bool) -> str:
    kind, name = request.POST.get("kind", ""), request.POST.get("name", "")
    if kind not in list(TermKind):
        raise Http404("no such kind")
    changes = TermChanges(is_retired=is_retired)
    term = change_term(organization.pk, TermKind(kind), name, changes, now=timezone.now(), actor=request.user.actor)
    if term is None:
        raise Http404("no such term")
    said = _("{name} is given to nothing any more.") if is_retired else _("{name} is in use again.")
    return said.format(name=term.name)


def find_suggestion(organization: Organization, number: str) -> TermSuggestion:
    own = TermSuggestion.objects.filter(organization=organization)
    row = own.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None
    if row is None:
        raise Http404("no such suggestion")
    return row


def render_page(
    request: OperatorRequest, organization: Organization, form: TermForm, *, status: int = 200
) -> HttpResponse:
    vocabulary = read_vocabulary(organization.pk)
    suggested = suggestions.list_suggestions(organization.pk, min_frequency=LEAST_MESSAGES, limit=LISTED)
    context = {
        "organization": organization,
        "organizations": list_visible_organizations(request.user),
        "vocabulary": vocabulary,
        "presets": list_presets(),
        "groups": group_terms(vocabulary),
        "topics": vocabulary.list_names(TermKind.TOPIC),
        "suggestions": [(row, suggestions.read_examples(row)) for row in suggested],
        "versions": list_changes(organization.pk, limit=LISTED),
        "form": form,
        "now": timezone.now(),
    }
    return render(request, "console/vocabulary/page.html", context, status=status)


def group_terms(vocabulary: ControlledVocabulary) -> list[tuple[str, list[dict[str, Any]]]]:
    """By kind, with the organisation's own aliases; those of the preset are in seven languages and too many to read."""
    return [
        (
            label,
            [
                {
                    "kind": kind,
                    "name": term.name,
                    "means": term.means,
                    "aliases": ", ".join(term.aliases.get("", ())),
                    "is_retired": term.state is TermState.RETIRED,
                }
                for term in vocabulary.terms
                if term.kind == kind
            ],
        )
        for kind, label in KINDS
    ]
