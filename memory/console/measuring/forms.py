"""What an operator asks of a measurement: one setting or several that differ, and which questions."""

import uuid
from collections.abc import Iterable
from typing import Any, Final

from django import forms
from django.http import QueryDict

from memory.console.forms import validate_query_length
from memory.console.signal_wordings import name_signal
from memory.inference import reranker
from memory.measuring.labels import ChosenQuestions
from memory.measuring.runs import NewRun
from memory.retrieval.results import LEXICAL, RERANK, VECTOR
from memory.retrieval.variants import BadSetting, SearchSettings, list_boosts, parse_settings
from memory.tiers import Tier
from memory.web.labels import TIER_NAMES
from memory.web.refused_forms import show_refusal
from memory.web.wordings import translate as _

QUESTIONS: Final = (
    (ChosenQuestions.ALL.value, _("All")),
    (ChosenQuestions.NAMED.value, _("Only where memories were named")),
    (ChosenQuestions.SAVED.value, _("Only saved ones")),
)
STAGE_NAMES: Final = {VECTOR: _("Meaning"), LEXICAL: _("Words"), RERANK: _("Reranker")}
FUSION_NAMES: Final = (
    ("", _("As configured")),
    ("zscore", "z-scores"),
    ("rrf", _("Ranks (RRF)")),
    ("blend", _("Blend")),
)
# Of the person whose page it is, or of their organisation.
EVERYBODY: Final = "everybody"
WHOSE: Final = (("", _("Of this person")), (EVERYBODY, _("Of everybody of the organisation")))
LIMITS: Final = (("", _("Ten, as usual")), ("3", "3"), ("5", "5"), ("20", "20"), ("50", "50"))


def list_stages() -> list[tuple[str, str]]:
    return [(stage, name) for stage, name in STAGE_NAMES.items() if stage != RERANK or reranker() is not None]


class SettingsForm(forms.Form):
    """What differs from the search as configured; all of it may be left open."""

    tiers = forms.MultipleChoiceField(required=False, choices=[(tier.value, TIER_NAMES[tier]) for tier in Tier])
    without = forms.MultipleChoiceField(required=False)
    skip = forms.MultipleChoiceField(required=False)
    fusion = forms.ChoiceField(required=False, choices=FUSION_NAMES)
    limit = forms.TypedChoiceField(required=False, choices=LIMITS, coerce=int, empty_value=None)

    def __init__(self, data: QueryDict | None = None, *, prefix: str | None = None) -> None:
        super().__init__(data, label_suffix="", prefix=prefix)
        choices = {"without": [(name, name_signal(name)) for name in list_boosts()], "skip": list_stages()}
        for name, listed in choices.items():
            field = self.fields[name]
            if isinstance(field, forms.MultipleChoiceField):
                field.choices = sorted(listed, key=lambda one: one[1]) if name == "without" else listed

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if self.errors:
            return fields
        names = ("tiers", "without", "skip", "fusion", "limit")
        try:
            settings = parse_settings({name: fields[name] for name in names if fields[name]})
        except BadSetting as error:
            show_refusal(self, error)
            return fields
        return {**fields, "settings": settings}


class ChangeForm(SettingsForm):
    """Setting B of a measurement, ``base`` is setting A, and the questions it is measured with: which, and whose."""

    questions = forms.ChoiceField(required=False, choices=QUESTIONS)
    whose = forms.ChoiceField(required=False, choices=WHOSE)

    def __init__(self, data: QueryDict | None = None) -> None:
        super().__init__(data)
        self.base = SettingsForm(data, prefix="base")

    def clean(self) -> dict[str, Any]:
        fields = super().clean()
        if not self.base.is_valid():
            show_refusals_of(self, self.base)
        elif "settings" in fields and (base := self.base.cleaned_data["settings"]) and base == fields["settings"]:
            self.add_error(None, _("Both settings are the same: choose what is to differ."))
        return fields

    @property
    def is_of_everybody(self) -> bool:
        return bool(self.cleaned_data["whose"] == EVERYBODY)

    def as_run(self) -> NewRun:
        chosen = self.cleaned_data["questions"] or ChosenQuestions.ALL
        return NewRun(self.cleaned_data["settings"], self.base.cleaned_data["settings"], chosen=ChosenQuestions(chosen))


def show_refusals_of(form: forms.Form, part: forms.Form) -> None:
    """At the form that is shown: what is wrong with one that is part of it."""
    for errors in part.errors.values():
        for error in errors:
            form.add_error(None, error)


class QuestionForm(forms.Form):
    """A question to be saved, and the memories that should be found."""

    question = forms.CharField(strip=True, max_length=1_000)
    expected = forms.TypedMultipleChoiceField(coerce=uuid.UUID, required=False)

    def __init__(self, data: QueryDict | None = None, *, among: list[uuid.UUID] | None = None) -> None:
        super().__init__(data, label_suffix="")
        field = self.fields["expected"]
        if isinstance(field, forms.TypedMultipleChoiceField):
            field.choices = [(str(item_id), "") for item_id in among or ()]

    def clean_question(self) -> str:
        return validate_query_length(self.cleaned_data["question"])


def describe_settings(given: dict[str, Any]) -> str:
    """Settings in words, as the page tells them."""
    try:
        settings = parse_settings(given)
    except BadSetting:
        # Of an installation that had other signals.
        return ", ".join(f"{name} {value}" for name, value in given.items())
    return word_settings(settings) or _("As configured")


def name_all(said: str, names: Iterable[str]) -> str:
    """Nothing where there are none."""
    listed = ", ".join(map(str, names))
    return said.format(names=listed) if listed else ""


def word_settings(settings: SearchSettings) -> str:
    stages, fusions = STAGE_NAMES | {"rate": _("Rating")}, dict(FUSION_NAMES)
    parts = [
        name_all(_("only {names}"), (TIER_NAMES[Tier(tier)] for tier in settings.tiers)),
        name_all(_("without {names}"), map(name_signal, settings.without)),
        name_all(_("without the stage: {names}"), (stages[stage].lower() for stage in settings.skip)),
        _("joined by {fusions}").format(fusions=fusions[settings.fusion]) if settings.fusion else "",
        _("{limit} found").format(limit=settings.limit) if settings.limit else "",
    ]
    told = "; ".join(part for part in parts if part)
    return told[:1].upper() + told[1:]
