"""What is replayed, and what is to differ."""

import uuid
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone

from memory.console.forms import validate_query_length
from memory.console.measuring.forms import SettingsForm
from memory.web.wordings import translate as _


class ReplayForm(SettingsForm):
    """A turn or a question, the day it is asked on, and what differs from the search as configured."""

    turn = forms.UUIDField(required=False)
    query = forms.CharField(required=False, strip=True)
    as_of = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))

    def clean_query(self) -> str:
        return validate_query_length(self.cleaned_data["query"])

    def read_moment(self) -> datetime | None:
        """The end of the chosen day, in the time zone of the pages; None where none was chosen."""
        day = self.cleaned_data["as_of"]
        return timezone.make_aware(datetime.combine(day, time.min) + timedelta(days=1)) if day else None


class ReplayedCaseForm(forms.Form):
    """A replayed question to be saved with the memories that should have been found."""

    question = forms.CharField(strip=True)
    turn = forms.UUIDField(required=False)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        self._marked = data.getlist("expected")

    def clean_question(self) -> str:
        return validate_query_length(self.cleaned_data["question"])

    def clean(self) -> dict[str, Any]:
        try:
            marked = [uuid.UUID(value) for value in self._marked]
        except ValueError as error:
            raise forms.ValidationError(_("Mark memories of the list.")) from error
        return {**(super().clean() or {}), "expected": marked}
