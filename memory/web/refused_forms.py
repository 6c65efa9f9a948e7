"""What was refused, said in the form it was handed in by."""

from typing import Protocol

from django import forms

from memory.web.refusal_wordings import word_refusal


class RefusedField(Protocol):
    """Which field was refused, and the rule it breaks."""

    field: str
    rule: str


def show_refusal(form: forms.Form, refused: RefusedField) -> None:
    """At the field it is about, or above the form where that has no such field."""
    form.add_error(refused.field if refused.field in form.fields else None, word_refusal(refused.rule))
