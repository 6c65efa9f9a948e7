"""What is filled in on the page of the memory bank."""

import uuid
from typing import Any, Final

from django import forms

from memory.console.forms import BankedForm
from memory.models.conditions import RowConditions
from memory.store.admission import NewMemory
from memory.store.listing import ItemFilter
from memory.tiers import MAX_TAG_CHARS, SourceType, Status, Tier
from memory.web.wordings import translate as _

VIEWS: Final = ((Status.ACTIVE.value, _("Active")), (Status.ARCHIVED.value, _("Archived")))
MOST_CHOSEN: Final = 200
CHANGES: Final = ("archive", "restore", "tag", "untag", "always", "ask")


class BankFilterForm(forms.Form):
    """Which statements to list: those that have all of the chosen tags."""

    view = forms.ChoiceField(required=False, choices=VIEWS)
    q = forms.CharField(required=False, max_length=200, strip=True)
    tags = forms.Field(required=False, widget=forms.SelectMultiple)

    @property
    def status(self) -> Status:
        return Status(self.cleaned_data["view"] or Status.ACTIVE)

    def clean_tags(self) -> list[str]:
        # Whatever somebody called a tag; one that no statement has finds nothing.
        return [tag[:MAX_TAG_CHARS] for tag in self.cleaned_data["tags"] or ()][:16]

    def as_filter(self) -> ItemFilter:
        fields = self.cleaned_data
        rows = RowConditions.of(tags=fields["tags"])
        return ItemFilter(status=self.status, tier=Tier.MEMORY_BANK, words=fields["q"] or None, rows=rows)


class StatementForm(BankedForm):
    """A new statement. ``anyway``: the operator answers for it in spite of what the guard suspects."""

    anyway = forms.BooleanField(required=False)

    @classmethod
    def empty(cls) -> "StatementForm":
        return cls(initial={"importance": 0.7, "confidence": 0.9}, label_suffix="")

    def as_new(self) -> NewMemory:
        given = self.cleaned_data
        return NewMemory(
            text=given["text"],
            tier=Tier.MEMORY_BANK,
            tags=self.tags_given(),
            importance=given["importance"],
            confidence=given["confidence"],
            always_inject=given["always_inject"],
            source_type=SourceType.USER,
            source={"kind": "console"},
            is_vouched=given["anyway"],
        )


class ChangeManyForm(forms.Form):
    """What is done to the chosen statements."""

    do = forms.ChoiceField(choices=[(name, name) for name in CHANGES])
    tag = forms.CharField(required=False, max_length=MAX_TAG_CHARS, strip=True)
    item = forms.Field(required=False, widget=forms.SelectMultiple)

    def clean_item(self) -> list[uuid.UUID]:
        try:
            chosen = [uuid.UUID(value) for value in self.cleaned_data["item"] or ()]
        except ValueError:
            raise forms.ValidationError(_("That is no statement.")) from None
        if not chosen:
            raise forms.ValidationError(_("Choose at least one statement."))
        if len(chosen) > MOST_CHOSEN:
            raise forms.ValidationError(
                _("Choose at most {most_chosen} statements at a time.").format(most_chosen=MOST_CHOSEN)
            )
        return chosen

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if fields.get("do") in {"tag", "untag"} and not fields.get("tag"):
            self.add_error("tag", _("Write the tag."))
        return fields
