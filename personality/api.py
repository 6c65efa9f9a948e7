"""Templates of the assistant's character: choose, keep, put in force. The person is named by a header."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Any, Final, Literal

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import File, Form, Path, Router
from ninja.files import UploadedFile
from pydantic import BaseModel, Field, PlainValidator, WithJsonSchema

from memory.language.text import estimate_tokens
from memory.models import EndUser
from memory.web.auth import READ, WRITE_WHOLE
from memory.web.endpoints import name_by_header, optional_user, require_user, write_once
from memory.web.fields import RequestBody, is_empty
from memory.web.idempotency import json_response
from memory.web.openapi import describe_responses
from memory.web.problems import FieldError, Problem, ProblemOut, not_found, unknown_reference
from memory.web.redaction import FOUND, refuse_secrets
from personality import templates
from personality.prompts import load_prompt
from personality.reading import MAX_BYTES, TemplateFault, TemplateRefused, decode_template
from personality.templates import FoundTemplate, NameRefused, ReadableTemplate, TemplateMissing
from personality.validation import check_template

router = Router(tags=["Personality"])

YAML_SUFFIXES: Final = (".yaml", ".yml", ".txt")


def require_text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    return value


# Whatever text it is: what is wrong with it is said with line and column.
TemplateText = Annotated[str, PlainValidator(require_text), WithJsonSchema({"type": "string", "maxLength": MAX_BYTES})]
TemplateId = Annotated[str, Path(..., min_length=1, max_length=200, description="A preset or an own template.")]


class TemplateItem(BaseModel):
    id: str
    name: str
    type: Literal["preset", "custom"]
    is_active: bool = Field(description="Whether the person's contexts begin with it.")
    summary: str
    updated_at: datetime | None = Field(description="Null for a preset, which nobody changes.")

    @classmethod
    def of(cls, found: FoundTemplate) -> "TemplateItem":
        kind: Literal["preset", "custom"] = "preset" if found.is_preset else "custom"
        return cls(
            id=found.id,
            name=found.title,
            type=kind,
            is_active=found.is_active,
            summary=found.summary,
            updated_at=found.updated_at,
        )


class TemplateList(BaseModel):
    items: list[TemplateItem]


class TemplateOut(BaseModel):
    template_id: str
    name: str
    content: str
    is_preset: bool
    is_active: bool


class CurrentTemplate(TemplateOut):
    assistant_name: str = Field(description="``identity.name``, for a heading.")
    prompt: str = Field(description="What contexts begin with. Empty while no personality was chosen.")
    tokens: int = Field(description="What the prompt takes of each context.")


class TemplateWarning(BaseModel):
    """What is left out of the prompt, and where it stands."""

    field: str
    message: str
    line: int
    column: int

    @classmethod
    def of(cls, fault: TemplateFault) -> "TemplateWarning":
        return cls(field=fault.field, message=fault.message, line=fault.line, column=fault.column)


class SaveIn(RequestBody):
    name: str = Field(
        strict=True,
        min_length=1,
        max_length=200,
        description="Letters, digits, space, ``-`` and ``_`` make its id, in small letters; others are left out.",
        examples=["My tutor"],
    )
    content: TemplateText = Field(
        description="YAML, up to 256 KiB.", examples=["identity:\n  name: Ada\ncommunication:\n"]
    )


class ActivateIn(RequestBody):
    template_id: str = Field(strict=True, min_length=1, max_length=200, examples=["teacher"])


class SavedOut(BaseModel):
    template_id: str
    overwrite: bool = Field(description="Whether there was one of this name, which it took the place of.")
    warnings: list[TemplateWarning]
    redacted: list[str] = Field(
        default_factory=list,
        exclude_if=is_empty,
        description="Secrets that were not kept. Present when there were any.",
    )


class ActivatedOut(BaseModel):
    template_id: str
    warnings: list[TemplateWarning]


def describe_faults(status: int, model: type[BaseModel] | None, **more: bool) -> dict[int, Any]:
    return {**describe_responses(status, model, **more), 400: ProblemOut}


@contextmanager
def answer_faults(named_by: str = "") -> Iterator[None]:
    """What is wrong with a template or its name as a problem; never a failure of ours.

    ``named_by`` is the body's field that names the template; else the address does.
    """
    try:
        yield
    except TemplateRefused as refusal:
        errors = [FieldError(one.field or "content", one.message, one.line, one.column) for one in refusal.faults]
        raise Problem(400, "validation_failed", str(refusal.faults[0]), errors=errors) from refusal
    except NameRefused as refusal:
        error = FieldError(refusal.field, refusal.rule)
        raise Problem(400, "validation_failed", str(refusal), errors=[error]) from refusal
    except TemplateMissing as missing:
        raise (unknown_reference(named_by) if named_by else not_found()) from missing


@router.get(
    "/personality/presets",
    auth=READ,
    response=describe_responses(200, TemplateList),
    operation_id="list_personalities",
    summary="List presets and own templates",
)
@name_by_header
@optional_user
def list_personalities(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    found = templates.list_templates(user)
    return json_response(200, TemplateList(items=[TemplateItem.of(one) for one in found]))


@router.get(
    "/personality/current",
    auth=READ,
    response=describe_responses(200, CurrentTemplate),
    operation_id="get_personality",
    summary="Read the personality in force",
)
@name_by_header
@optional_user
def get_personality(request: HttpRequest, user: EndUser | None) -> HttpResponse:
    """The default preset, with ``is_active: false`` and an empty prompt, while none was chosen."""
    found = templates.find_current(user)
    prompt = load_prompt(user) if user else ""
    shown = CurrentTemplate(
        **describe_template(found),
        assistant_name=find_assistant_name(found),
        prompt=prompt,
        tokens=estimate_tokens(prompt),
    )
    return json_response(200, shown)


def describe_template(found: FoundTemplate) -> dict[str, Any]:
    return {
        "template_id": found.id,
        "name": found.title,
        "content": found.content,
        "is_preset": found.is_preset,
        "is_active": found.is_active,
    }


def find_assistant_name(found: FoundTemplate) -> str:
    try:
        return check_template(found.content).name
    except TemplateRefused:
        return ""


@router.get(
    "/personality/template/{template_id}",
    auth=READ,
    response=describe_responses(200, TemplateOut, may_miss=True),
    operation_id="get_personality_template",
    summary="Read a template",
)
@name_by_header
@optional_user
def get_personality_template(request: HttpRequest, user: EndUser | None, template_id: TemplateId) -> HttpResponse:
    with answer_faults():
        found = templates.find_template(user, template_id)
    return json_response(200, TemplateOut(**describe_template(found)))


@router.post(
    "/personality/save",
    auth=WRITE_WHOLE,
    response=describe_faults(200, SavedOut, reads_body=True, writes=True),
    operation_id="save_personality",
    summary="Keep an own template",
)
@name_by_header
@write_once(creates_user=True)
def save_personality(request: HttpRequest, user: EndUser, body: SaveIn) -> HttpResponse:
    """In the place of the own one of that name. What is in force stays as it is until this is activated."""
    return save_content(request, user, body.name, body.content)


@router.post(
    "/personality/upload",
    auth=WRITE_WHOLE,
    response=describe_faults(200, SavedOut, reads_body=True, writes=True),
    operation_id="upload_personality",
    summary="Upload a template as a file",
)
@name_by_header
@write_once(creates_user=True)
def upload_personality(
    request: HttpRequest, user: EndUser, file: File[UploadedFile], name: Form[str | None] = None
) -> HttpResponse:
    """A YAML file as an own template, called ``name`` or like the file."""
    with answer_faults():
        content = decode_template(file.read(MAX_BYTES + 1))
    return save_content(request, user, name or name_of_file(file.name or ""), content)


def save_content(request: HttpRequest, user: EndUser, title: str, content: str) -> HttpResponse:
    with answer_faults():
        template = read_for_key(request, content)
        saved = templates.save_template(user, title, template, now=timezone.now())
    warnings = [TemplateWarning.of(fault) for fault in saved.warnings]
    shown = SavedOut(
        template_id=saved.id, overwrite=saved.is_overwritten, warnings=warnings, redacted=list(saved.redacted)
    )
    return json_response(200, shown)


def read_for_key(request: HttpRequest, content: str) -> ReadableTemplate:
    """A template, unless it holds secrets and the key refuses them."""
    template = templates.read_template(content)
    if template.redacted:
        setattr(request, FOUND, {("content",): template.redacted})
        refuse_secrets(request)
    return template


def name_of_file(name: str) -> str:
    """What a file is called without its folders and its ending."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.stem if path.suffix.lower() in YAML_SUFFIXES else path.name


@router.post(
    "/personality/activate",
    auth=WRITE_WHOLE,
    response=describe_faults(200, ActivatedOut, reads_body=True, writes=True, may_miss=True),
    operation_id="activate_personality",
    summary="Put a template in force",
)
@name_by_header
@write_once(creates_user=True)
def activate_personality(request: HttpRequest, user: EndUser, body: ActivateIn) -> HttpResponse:
    """Checked first; the next context begins with it."""
    with answer_faults("template_id"):
        warnings = templates.activate_template(user, body.template_id, now=timezone.now())
    shown = [TemplateWarning.of(fault) for fault in warnings]
    return json_response(200, ActivatedOut(template_id=body.template_id, warnings=shown))


@router.delete(
    "/personality/custom/{template_id}",
    auth=WRITE_WHOLE,
    response=describe_faults(204, None, writes=True, may_miss=True),
    operation_id="delete_personality",
    summary="Delete an own template",
)
@name_by_header
@require_user
def delete_personality(request: HttpRequest, user: EndUser, template_id: TemplateId) -> HttpResponse:
    """Not the one in force, and no preset."""
    with answer_faults():
        templates.delete_template(user, template_id)
    return HttpResponse(status=204)


@router.delete(
    "/personality/current",
    auth=WRITE_WHOLE,
    response=describe_responses(204, None, writes=True, may_miss=True),
    operation_id="drop_personality",
    summary="Have no personality of one's own",
)
@name_by_header
@require_user
def drop_personality(request: HttpRequest, user: EndUser) -> HttpResponse:
    """Contexts begin again as they do for somebody who never chose one; templates stay."""
    if not templates.deactivate(user):
        raise not_found()
    return HttpResponse(status=204)
