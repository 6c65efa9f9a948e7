"""The page of a person's personality: choose one, work on one in fields or in YAML, see the prompt that comes of it."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_POST, require_safe

from memory.web.pages import OperatorRequest, person_page
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _
from personality import templates
from personality.api import name_of_file
from personality.drafts import TemplateDraft, merge_entries, open_draft
from personality.reading import MAX_BYTES, TemplateFault, TemplateRefused, decode_template, normalize_template
from personality.templates import FoundTemplate, NameRefused, SavedTemplate, TemplateMissing

PAGE: Final = "console/personality/page.html"
SYNC: Final = "console/personality/_sync.html"
# Which side of the page was worked on.
QUICK, YAML = "quick", "yaml"


class TemplateFileForm(forms.Form):
    file = forms.FileField(
        label=_("File"), error_messages={"required": _("Choose a file."), "empty": _("The file is empty.")}
    )


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    opened = find_opened(person, request.GET.get("template", ""))
    return render_editor(request, person, opened, open_draft(opened.content))


def find_opened(person: ViewedPerson, template_id: str) -> FoundTemplate:
    """The template named, else the one in force. Raises Http404."""
    if not template_id:
        return templates.find_current(person.user)
    try:
        return templates.find_template(person.user, template_id)
    except TemplateMissing as missing:
        raise Http404("no such template") from missing


def render_editor(
    request: OperatorRequest,
    person: ViewedPerson,
    opened: FoundTemplate,
    draft: TemplateDraft,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    listed = templates.list_templates(person.user)
    current = templates.find_current(person.user)
    context: dict[str, Any] = {
        "person": person,
        "now": timezone.now(),
        "opened": opened,
        "draft": draft,
        "presets": [one for one in listed if one.is_preset],
        "own": [one for one in listed if not one.is_preset],
        "current": current,
        # Without one in use the editor shows a preset all the same, which nobody has chosen.
        "is_chosen": current.is_active or "template" in request.GET or "template" in request.POST,
        # A template that was saved again since it was put in force.
        "is_older": current.is_active and is_changed(listed, current),
        "name": opened.title if not opened.is_preset else f"My {opened.title.lower()}",
        "is_unsaved": draft.text != normalize_template(opened.content),
        **more,
    }
    return render(request, PAGE, context, status=status)


def is_changed(listed: list[FoundTemplate], current: FoundTemplate) -> bool:
    return any(one.id == current.id and one.content != current.content for one in listed)


def read_draft(request: OperatorRequest) -> TemplateDraft:
    return merge_entries(request.POST.get("content", ""), request.POST.get("base", ""), request.POST.get)


@require_POST
@person_page
def sync(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """What follows from a change on one side of the page: the other side, what is wrong, and the prompt."""
    side = YAML if request.POST.get("edited") == YAML else QUICK
    context = {"person": person, "draft": read_draft(request), "swaps_quick": side == YAML, "swaps_yaml": side == QUICK}
    return render(request, SYNC, context)


@require_POST
@person_page
def save(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    draft, name, now = read_draft(request), request.POST.get("name", ""), timezone.now()
    opened = find_opened(person, request.POST.get("template", ""))
    if "check" in request.POST or draft.faults:
        status = 422 if draft.faults else 200
        return render_editor(request, person, opened, draft, status=status, name=name)
    try:
        saved = templates.save_template(person.user, name, templates.read_template(draft.text), now=now)
        if "use" in request.POST:
            templates.activate_template(person.user, saved.id, now=now)
    except NameRefused as refusal:
        return render_editor(request, person, opened, draft, status=422, name=name, refused=word_refusal(refusal.rule))
    except TemplateRefused as refusal:
        draft.faults.extend(refusal.faults)
        return render_editor(request, person, opened, draft, status=422, name=name)
    report_saved(request, saved, is_used="use" in request.POST)
    return lead_to(person, saved.id)


def report_saved(request: OperatorRequest, saved: SavedTemplate, *, is_used: bool) -> None:
    said = {
        (False, False): _("{name} is saved."),
        (True, False): _("{name} is saved again."),
        (False, True): _("{name} is saved and in use from the next answer on."),
        (True, True): _("{name} is saved again and in use from the next answer on."),
    }
    messages.success(request, said[saved.is_overwritten, is_used].format(name=saved.id))
    if saved.redacted:
        messages.warning(request, _("Not kept, as no secret is: {names}.").format(names=", ".join(saved.redacted)))


def lead_to(person: ViewedPerson, template_id: str = "") -> HttpResponse:
    address = reverse("console:personality", args=person.path)
    return redirect(f"{address}?{urlencode({'template': template_id})}" if template_id else address)


@require_POST
@person_page
def use(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """Put a template in force, or none."""
    template_id = request.POST.get("template", "")
    try:
        if template_id:
            templates.activate_template(person.user, template_id, now=timezone.now())
            messages.success(
                request, _("{template_id} is in use from the next answer on.").format(template_id=template_id)
            )
        elif templates.deactivate(person.user):
            messages.success(request, _("No personality is in use any more."))
    except TemplateMissing as missing:
        raise Http404("no such template") from missing
    except TemplateRefused as refusal:
        fault = describe_fault(refusal.faults[0])
        messages.error(
            request, _("{template_id} cannot be used: {faults}").format(template_id=template_id, faults=fault)
        )
    return lead_to(person, template_id)


def describe_fault(fault: TemplateFault) -> str:
    what = word_refusal(fault.message)
    said = f"{fault.field}: {what}" if fault.field else what
    return _("line {line}, column {column}: {what}").format(line=fault.line, column=fault.column, what=said)


@require_POST
@person_page
def delete(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    template_id = request.POST.get("template", "")
    try:
        templates.delete_template(person.user, template_id)
        messages.success(request, _("{template_id} is deleted.").format(template_id=template_id))
    except TemplateMissing as missing:
        raise Http404("no such template") from missing
    except NameRefused as refusal:
        messages.error(request, f"{template_id} {word_refusal(refusal.rule)}.")
        return lead_to(person, template_id)
    return lead_to(person)


@require_POST
@person_page
def upload(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    form = TemplateFileForm(request.POST, request.FILES)
    if not form.is_valid():
        opened = find_opened(person, "")
        return render_editor(request, person, opened, open_draft(opened.content), status=422, upload=form)
    file = form.cleaned_data["file"]
    opened = find_opened(person, "")
    text, name = "", name_of_file(file.name)
    try:
        text = normalize_template(decode_template(file.read(MAX_BYTES + 1)))
        saved = templates.save_template(person.user, name, templates.read_template(text), now=timezone.now())
    except TemplateRefused as refusal:
        # Shown as it came, to be put right here.
        draft = open_draft(text, opened.content)
        draft.faults[:] = refusal.faults
        return render_editor(request, person, opened, draft, status=422, name=name)
    except NameRefused as refusal:
        return render_editor(
            request, person, opened, open_draft(text), status=422, name=name, refused=word_refusal(refusal.rule)
        )
    report_saved(request, saved, is_used=False)
    return lead_to(person, saved.id)


@require_safe
@person_page
def download(request: OperatorRequest, person: ViewedPerson, template_id: str) -> HttpResponse:
    found = find_opened(person, template_id)
    name = f"{templates.clean_name(found.id) or 'personality'}.yaml"
    answer = HttpResponse(found.content, content_type="application/yaml; charset=utf-8")
    answer.headers["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or ""
    return answer
