"""The templates of a person: kept, put in force, looked up. A template with faults changes nothing."""

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser
from personality.editing import redact_template
from personality.models import MAX_NAME_CHARS, ActivePersonality, PersonalityTemplate
from personality.presets import DEFAULT, PresetTemplate, find_preset, load_presets
from personality.reading import TemplateFault, normalize_template
from personality.validation import CheckedTemplate, check_template

# Of one person; each may have 256 KiB.
MOST_TEMPLATES: Final = 50
MAX_TITLE_CHARS: Final = 100


class NameRefused(Exception):
    """``field`` of the request, and the rule its name breaks."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field, self.rule = field, rule


class TemplateMissing(Exception):
    """Neither a preset nor a template of this person has that name."""


@dataclass(frozen=True, slots=True)
class FoundTemplate:
    """A template by its id; ``is_active``: contexts begin with it. Of presets nobody changed the time."""

    id: str
    title: str
    content: str
    is_preset: bool
    is_active: bool = False
    updated_at: datetime | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SavedTemplate:
    id: str
    is_overwritten: bool
    warnings: list[TemplateFault] = field(default_factory=list)
    # Secrets that were not kept, by kind.
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadableTemplate:
    """A template as it is kept: without secrets. ``checked`` is what it says."""

    checked: CheckedTemplate
    redacted: tuple[str, ...]


def clean_name(title: str) -> str:
    """The id of a template by its title: letters, digits, ``-`` and ``_``, in small letters. May be empty."""
    folded = unicodedata.normalize("NFKC", " ".join(title.split())).lower()
    # Names never become paths; this keeps them readable in an address.
    kept = "".join(letter for letter in folded if letter.isalnum() or letter in " -_").strip()
    return kept.replace(" ", "_")[:MAX_NAME_CHARS]


def read_template(text: str) -> ReadableTemplate:
    """Raises TemplateRefused."""
    # Before its secrets are taken out, so that faults stand where the writer sees them.
    check_template(normalize_template(text))
    redacted = redact_template(normalize_template(text))
    return ReadableTemplate(check_template(redacted.text), redacted.kinds)


def save_template(user: EndUser, title: str, template: ReadableTemplate, *, now: datetime) -> SavedTemplate:
    """Keep an own template under its name, in the place of the one before. Raises NameRefused."""
    title, name = " ".join(title.split())[:MAX_TITLE_CHARS], clean_name(title)
    if not name.strip("_-"):
        raise NameRefused("name", "must have a letter or a digit")
    text = template.checked.text
    with user_scope(user):
        # Two new ones at once may not both be the last.
        lock_for_transaction("personality", user)
        row = PersonalityTemplate.objects.filter(user=user, name=name).first()
        is_new = row is None
        if row is None:
            refuse_name(user, name)
            row = PersonalityTemplate(user=user, name=name, created_at=now)
        row.title, row.content, row.updated_at = title, text, now
        row.save(force_insert=is_new)
    return SavedTemplate(name, not is_new, template.checked.warnings, template.redacted)


def refuse_name(user: EndUser, name: str) -> None:
    """Raises NameRefused where a new template may not be called so."""
    if name in load_presets():
        raise NameRefused("name", f"{name} is a preset, which cannot be changed: choose another name")
    if PersonalityTemplate.objects.filter(user=user).count() >= MOST_TEMPLATES:
        raise NameRefused("name", f"a person has at most {MOST_TEMPLATES} templates: delete one first")


def activate_template(user: EndUser, template_id: str, *, now: datetime) -> list[TemplateFault]:
    """Begin every context with it from now on. Returns warnings. Raises TemplateMissing, TemplateRefused."""
    found = find_template(user, template_id)
    checked = check_template(found.content)
    with user_scope(user):
        values = {"name": found.id, "content": found.content, "updated_at": now}
        ActivePersonality.objects.update_or_create(user=user, defaults=values)
    return checked.warnings


def deactivate(user: EndUser) -> bool:
    """Back to what the installation gives who chose none. False where nothing was in force."""
    with user_scope(user):
        return bool(ActivePersonality.objects.filter(user=user).delete()[0])


def delete_template(user: EndUser, template_id: str) -> None:
    """Raises TemplateMissing, and NameRefused for a preset and for the one in force."""
    with user_scope(user):
        row = PersonalityTemplate.objects.filter(user=user, name=template_id).first()
        if row is None:
            if template_id in load_presets():
                raise NameRefused("template_id", "is a preset, which cannot be deleted")
            raise TemplateMissing(template_id)
        if ActivePersonality.objects.filter(user=user, name=row.name).exists():
            raise NameRefused("template_id", "is in use: choose another one first")
        row.delete()


def find_template(user: EndUser | None, template_id: str) -> FoundTemplate:
    """A person's own one before a preset of the same name. Raises TemplateMissing."""
    for found in list_templates(user):
        if found.id == template_id:
            return found
    raise TemplateMissing(template_id)


def list_templates(user: EndUser | None) -> list[FoundTemplate]:
    """Presets, then the person's own in the order of their names."""
    own: list[PersonalityTemplate] = []
    active = None
    if user is not None:
        with user_scope(user):
            own = list(PersonalityTemplate.objects.filter(user=user).order_by("name"))
            active = ActivePersonality.objects.filter(user=user).first()
    in_force = active.name if active else ""
    names = {row.name for row in own}
    presets = [describe_preset(one, in_force) for one in load_presets().values() if one.id not in names]
    return [*presets, *(describe_own(row, is_active=row.name == in_force) for row in own)]


def describe_preset(preset: PresetTemplate, in_force: str = "") -> FoundTemplate:
    return FoundTemplate(
        preset.id,
        preset.title,
        preset.content,
        is_preset=True,
        is_active=preset.id == in_force,
        summary=preset.summary,
    )


def describe_own(row: PersonalityTemplate, *, is_active: bool) -> FoundTemplate:
    return FoundTemplate(
        row.name, row.title, row.content, is_preset=False, is_active=is_active, updated_at=row.updated_at
    )


def find_current(user: EndUser | None) -> FoundTemplate:
    """The template in force, a preset by what it says and not by its name; not active where none was chosen."""
    active = find_active(user) if user is not None else None
    if active is None:
        chosen = memory_conf().context.default_personality
        given = load_presets()[chosen or DEFAULT]
        return describe_preset(given, chosen)
    preset = find_preset(active.content)
    if preset is not None:
        return describe_preset(preset, preset.id)
    title = find_title(active)
    return FoundTemplate(
        active.name, title, active.content, is_preset=False, is_active=True, updated_at=active.updated_at
    )


def find_title(active: ActivePersonality) -> str:
    with user_scope(active.user_id):
        row = PersonalityTemplate.objects.filter(user=active.user_id, name=active.name).first()
    return row.title if row else active.name


def find_active(user: EndUser) -> ActivePersonality | None:
    with user_scope(user):
        return ActivePersonality.objects.filter(user=user).first()
