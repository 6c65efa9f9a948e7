"""A template as it is worked on in a page: the YAML, and beside it the fields that most people change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from memory.language.text import estimate_tokens
from personality.editing import FieldEntry, set_field
from personality.reading import TemplateFault, TemplateRefused, normalize_template
from personality.schema import FIELD_AT, FieldKind, FieldValues, TemplateField
from personality.validation import check_template
from personality.wording import render_prompt

QUICK: Final = (
    "identity.name",
    "identity.role",
    "identity.background",
    "communication.tone",
    "communication.verbosity",
    "communication.formality",
    "response_behavior.clarification",
    "memory_usage.priority",
    "memory_usage.pattern_trust",
    "communication.use_analogies",
    "communication.use_examples",
    "communication.use_humor",
    "response_behavior.show_reasoning",
    "custom_instructions",
)
# The names of choices as one reads them, where the underscore alone does not do.
CHOICE_NAMES: Final = {
    "when_relevant": "where it matters",
    "frequently": "often",
    "always_reference": "in every answer",
    "balanced": "balanced",
    "heavily_favor": "before new ideas",
}
FLAG_ENTRY: Final = "true"

# What a form sent of a field, None where it sent nothing.
ReadEntry = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class QuickField:
    """A field as a form shows it."""

    field: TemplateField
    value: str = ""

    @property
    def name(self) -> str:
        return self.field.path

    @property
    def element_id(self) -> str:
        return f"id_{self.field.path.replace('.', '_')}"

    @property
    def widget(self) -> str:
        if self.field.kind == FieldKind.TEXT and self.field.longest >= FIELD_AT["identity.background"].longest:
            return "lines"
        return self.field.kind.value

    @property
    def is_checked(self) -> bool:
        return self.value == FLAG_ENTRY

    @property
    def options(self) -> list[tuple[str, str, bool]]:
        """Value, name, and whether it is the one chosen."""
        names = [(choice, CHOICE_NAMES.get(choice, choice.replace("_", " "))) for choice in self.field.choices]
        return [(value, name, value == self.value) for value, name in [("", "not said"), *names]]


@dataclass(frozen=True, slots=True)
class TemplateDraft:
    """``base`` is the last text that could be read: what the fields beside it were made of."""

    text: str
    base: str
    quick: list[QuickField]
    prompt: str = ""
    faults: list[TemplateFault] = field(default_factory=list)
    warnings: list[TemplateFault] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.prompt)


def open_draft(text: str, base: str = "", entries: Mapping[str, str] | None = None) -> TemplateDraft:
    """The page of a text. One with faults keeps the fields of ``base``, and what was entered in them."""
    try:
        checked = check_template(text)
    except TemplateRefused as refusal:
        values = {**describe_values(read_values(base)), **(entries or {})}
        return TemplateDraft(text, base, list_quick(values), faults=list(refusal.faults))
    fields = list_quick(describe_values(checked.values))
    return TemplateDraft(text, text, fields, render_prompt(checked.values), warnings=checked.warnings)


def merge_entries(text: str, base: str, read_entry: ReadEntry) -> TemplateDraft:
    """The text with every field set that was changed since ``base``: both sides of a page may have been worked on."""
    text, base = normalize_template(text), normalize_template(base)
    before = describe_values(read_values(base))
    entries = {path: read_field_entry(path, read_entry) for path in QUICK}
    changed = {path: entry for path, entry in entries.items() if entry != before.get(path, "")}
    try:
        for path, entry in changed.items():
            text = set_field(text, path, convert_entry(path, entry))
    except TemplateRefused:
        return open_draft(text, base, entries)
    return open_draft(text, base, entries)


def read_field_entry(path: str, read_entry: ReadEntry) -> str:
    return normalize_template(read_entry(path) or "").strip()


def convert_entry(path: str, entry: str) -> FieldEntry:
    return entry == FLAG_ENTRY if FIELD_AT[path].kind == FieldKind.FLAG else entry


def read_values(text: str) -> FieldValues:
    try:
        return check_template(text).values
    except TemplateRefused:
        return {}


def describe_values(values: FieldValues) -> dict[str, str]:
    """As the fields of a form hold them."""
    shown = {}
    for path in QUICK:
        value = values.get(path, "")
        shown[path] = (FLAG_ENTRY if value else "") if FIELD_AT[path].kind == FieldKind.FLAG else str(value)
    return shown


def list_quick(values: Mapping[str, str]) -> list[QuickField]:
    return [QuickField(FIELD_AT[path], values.get(path, "")) for path in QUICK]
