"""Forms of the console. What a memory must satisfy is the core's to say; these read fields."""

from datetime import UTC, date, datetime, time
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.http import QueryDict
from django.utils import timezone

from memory.access.confinement import SCOPE_ID_PATTERN, SCOPE_ID_RULE, RowScope
from memory.console.scope_choices import read_scope_choice
from memory.facts.queries import FactFilter
from memory.models import Fact, MemoryItem
from memory.models.facts import STATEMENT_CHARS, FactState
from memory.retrieval.results import RECENCY, RELEVANCE, SCORE
from memory.store.listing import ItemFilter
from memory.tiers import BANK_TAGS, MAX_QUERY_CHARS, Indexing, Status, Tier
from memory.web.labels import TIER_NAMES
from memory.web.quantities import say_number
from memory.web.wordings import translate as _

SORTS = ((RELEVANCE, _("Relevance")), (RECENCY, _("Most recent")), (SCORE, _("Outcome score")))
DEFAULTS = {"sort_by": RELEVANCE, "limit": 10}
LIMITS = ((5, "5"), (10, "10"), (20, "20"), (50, "50"))
FAILED = "failed"
REVIEW = "review"
STATUSES = (
    (Status.ACTIVE.value, _("Active")),
    (Status.DORMANT.value, _("Dormant")),
    (Status.ARCHIVED.value, _("Archived")),
    (REVIEW, _("To review")),
    (FAILED, _("Not indexed")),
)
# Of facts; what the address leaves out is current, and "all" is every state but forgotten.
ALL = "all"
FACT_STATES = (
    ("", _("Current")),
    (FactState.SUPERSEDED.value, _("Ended or superseded")),
    (FactState.RETRACTED.value, _("Rejected")),
    (FactState.MERGED.value, _("Merged")),
    (FactState.DEPRECATED.value, _("Faded")),
    (ALL, _("All")),
)
ORDERS = (("recent", _("Newest first")), ("score", _("Best score first")))


class SignInForm(AuthenticationForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        self.error_messages = {
            **self.error_messages,
            "invalid_login": _("That name and password do not belong together."),
        }
        for field in self.fields.values():
            # Names come in every script, so each field takes its direction from what is typed.
            field.widget.attrs.update({"dir": "auto"})


def validate_scope_id(value: str) -> None:
    if not SCOPE_ID_PATTERN.fullmatch(value):
        raise forms.ValidationError(_("An id {scope_id_rule}.").format(scope_id_rule=SCOPE_ID_RULE))


class PeopleForm(forms.Form):
    q = forms.CharField(required=False, max_length=128, strip=True)


class FindForm(forms.Form):
    q = forms.CharField(required=False, max_length=200, strip=True)


class SearchForm(forms.Form):
    """A search as it stands in the address bar; what does not stand there is as usual."""

    query = forms.CharField(required=False, strip=True)
    tiers = forms.MultipleChoiceField(required=False, choices=[(tier.value, TIER_NAMES[tier]) for tier in Tier])
    sort_by = forms.ChoiceField(choices=SORTS)
    limit = forms.TypedChoiceField(choices=LIMITS, coerce=int)
    scope = forms.CharField(required=False, max_length=200)

    def __init__(self, data: QueryDict | None = None) -> None:
        if data is not None:
            # A link from another page names only the question.
            data = data.copy()
            for name, value in DEFAULTS.items():
                data[name] = data.get(name) or str(value)
        super().__init__(data, initial=DEFAULTS)

    def clean_query(self) -> str:
        return validate_query_length(self.cleaned_data["query"])


class ContextForm(forms.Form):
    """A question to an assistant, and the conversation it is asked in."""

    query = forms.CharField(required=False, strip=True)
    thread = forms.CharField(required=False, max_length=200, strip=True)

    def clean_query(self) -> str:
        return validate_query_length(self.cleaned_data["query"])


def validate_query_length(query: str) -> str:
    if len(query) > MAX_QUERY_CHARS:
        raise forms.ValidationError(
            _("A question may have at most {max_query_chars} characters; this has {query}.").format(
                max_query_chars=say_number(MAX_QUERY_CHARS), query=say_number(len(query))
            )
        )
    return query


class FilterForm(forms.Form):
    """Which memories to list."""

    tier = forms.ChoiceField(
        label=_("Tier"), required=False, choices=[("", _("All tiers")), *((t.value, TIER_NAMES[t]) for t in Tier)]
    )
    status = forms.ChoiceField(label=_("Status"), required=False, choices=STATUSES)
    sort = forms.ChoiceField(required=False, choices=ORDERS)
    tag = forms.CharField(required=False, max_length=64, strip=True)
    q = forms.CharField(required=False, max_length=200, strip=True)
    scope = forms.CharField(required=False, max_length=200)

    def as_filter(self) -> ItemFilter:
        fields = self.cleaned_data
        is_failed, is_review = fields["status"] == FAILED, fields["status"] == REVIEW
        return ItemFilter(
            status=Status.ACTIVE if is_failed or is_review else Status(fields["status"] or Status.ACTIVE),
            tier=Tier(fields["tier"]) if fields["tier"] else None,
            tag=fields["tag"] or None,
            words=fields["q"] or None,
            # No statuses of their own: such memories are active and found by their words.
            indexing=Indexing.FAILED if is_failed else None,
            review=True if is_review else None,
            scope=read_scope_choice(fields["scope"]),
        )


class FactFilterForm(forms.Form):
    """Which facts to list. With a day, what held on it by what is known now."""

    q = forms.CharField(label=_("Words"), required=False, max_length=200, strip=True)
    state = forms.ChoiceField(label=_("State"), required=False, choices=FACT_STATES)
    as_of = forms.DateField(label=_("As of"), required=False, widget=forms.DateInput(attrs={"type": "date"}))
    scope = forms.CharField(required=False, max_length=200)

    def as_filter(self) -> FactFilter:
        fields = self.cleaned_data
        state = None if fields["state"] == ALL or fields["as_of"] else FactState.ACTIVE
        if fields["state"] not in {"", ALL}:
            state = FactState(fields["state"])
        as_of = end_day(fields["as_of"]) if fields["as_of"] else None
        return FactFilter(state=state, words=fields["q"], as_of=as_of, scope=read_scope_choice(fields["scope"]))


def end_day(day: date) -> datetime:
    """The last moment of a day: what was said on it has held on it."""
    return datetime.combine(day, time.max, UTC)


class FactForm(forms.Form):
    """A fact put right. ``revision`` is the one the operator saw while writing."""

    statement = forms.CharField(
        label=_("Statement"),
        max_length=STATEMENT_CHARS,
        widget=forms.Textarea(attrs={"dir": "auto", "spellcheck": "true", "rows": 3}),
    )
    valid_from = forms.DateField(label=_("True since"), widget=forms.DateInput(attrs={"type": "date"}))
    valid_to = forms.DateField(
        label=_("True until"),
        required=False,
        help_text=_("Empty while it holds."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    revision = forms.IntegerField(widget=forms.HiddenInput)

    @classmethod
    def of(cls, fact: Fact) -> "FactForm":
        return cls(initial=read_fact_fields(fact), label_suffix="")

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        start, end = fields.get("valid_from"), fields.get("valid_to")
        if start and end and end < start:
            self.add_error("valid_to", _("This is before the day from which it is true."))
        return fields

    def changes(self, fact: Fact) -> dict[str, Any]:
        """The fields that differ from the fact. A day that was left alone keeps its time of day."""
        given, before = self.cleaned_data, read_fact_fields(fact)
        found: dict[str, Any] = {}
        if given["statement"] != before["statement"]:
            found["statement"] = given["statement"]
        if given["valid_from"] != before["valid_from"]:
            found["valid_from"] = datetime.combine(given["valid_from"], time.min, UTC)
        if given["valid_to"] != before["valid_to"]:
            found["valid_to"] = end_day(given["valid_to"]) if given["valid_to"] else None
        return found


class EndForm(forms.Form):
    """Until when a fact was so. ``revision`` is the one the operator saw."""

    until = forms.DateField(label=_("True until"), widget=forms.DateInput(attrs={"type": "date"}))
    revision = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(self, fact: Fact, data: Any = None) -> None:  # noqa: ANN401 -- what a form is given
        initial = {"until": timezone.localdate(), "revision": fact.revision}
        super().__init__(data, label_suffix="", initial=initial)
        self.fact = fact

    def clean_until(self) -> date:
        until: date = self.cleaned_data["until"]
        if until < read_fact_fields(self.fact)["valid_from"]:
            raise forms.ValidationError(_("This is before the day from which it is true."))
        return until

    def read_end(self, now: datetime) -> datetime:
        """Of today it is over at once; another day has held until its last moment."""
        until: date = self.cleaned_data["until"]
        return now if until == timezone.localdate(now) else end_day(until)


def read_fact_fields(fact: Fact) -> dict[str, Any]:
    return {
        "statement": fact.statement,
        "valid_from": (fact.valid_from or fact.first_seen).astimezone(UTC).date(),
        "valid_to": fact.valid_to.astimezone(UTC).date() if fact.valid_to else None,
        "revision": fact.revision,
    }


class KeyForm(forms.Form):
    """What a key is bound to; nothing where both are left empty."""

    project_id = forms.CharField(label=_("Project"), required=False, strip=True, validators=[validate_scope_id])
    agent_id = forms.CharField(label=_("Agent"), required=False, strip=True, validators=[validate_scope_id])

    @property
    def scope(self) -> RowScope:
        return RowScope(self.cleaned_data["agent_id"], self.cleaned_data["project_id"])


class WritingForm(forms.Form):
    """What an operator may say of a memory."""

    # Stripping would make a new version of every memory that begins with a space.
    text = forms.CharField(
        label=_("Text"), strip=False, widget=forms.Textarea(attrs={"dir": "auto", "spellcheck": "true"})
    )
    tags = forms.CharField(
        label=_("Tags"),
        required=False,
        help_text=_("Separated by commas."),
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    importance = forms.FloatField(
        label=_("Importance"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.05", "inputmode": "decimal"}),
    )
    confidence = forms.FloatField(
        label=_("Confidence"),
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "0.05", "inputmode": "decimal"}),
    )
    always_inject = forms.BooleanField(required=False, label=_("Put it into every conversation"))

    def clean_text(self) -> str:
        # A browser sends every line end as two characters; the text kept one.
        return str(self.cleaned_data["text"]).replace("\r\n", "\n")

    def tags_given(self) -> list[str]:
        return [tag for tag in self.cleaned_data["tags"].split(",") if tag.strip()]


class BankedForm(WritingForm):
    """What goes into the memory bank, which keeps nothing without a tag: the usual ones are chosen, others written."""

    usual = forms.MultipleChoiceField(required=False, choices=[(tag, tag) for tag in BANK_TAGS])

    def tags_given(self) -> list[str]:
        return list(dict.fromkeys([*self.cleaned_data.get("usual", ()), *super().tags_given()]))

    def has_tags(self) -> bool:
        """Says so at the field where there is none."""
        if self.tags_given():
            return True
        self.add_error("tags", _("Choose or write at least one tag."))
        return False


class PinForm(BankedForm):
    """What goes into the memory bank, begun with what a memory says."""

    @classmethod
    def of(cls, item: MemoryItem) -> "PinForm":
        tags = [tag for tag in item.tags if tag not in BANK_TAGS]
        usual = [tag for tag in item.tags if tag in BANK_TAGS]
        initial = {"text": item.text, "tags": ", ".join(tags), "usual": usual, "importance": 0.7, "confidence": 0.7}
        return cls(initial=initial, label_suffix="")


class RevisionForm(WritingForm):
    """What an operator changes of a memory. ``version`` is the one they saw while writing."""

    # Two operators at once: the second would overwrite what the first wrote without having seen it.
    version = forms.IntegerField(widget=forms.HiddenInput)

    @classmethod
    def of(cls, item: MemoryItem, text: str | None = None) -> "RevisionForm":
        """``text``: another wording to begin with."""
        return cls(
            initial={
                "text": item.text if text is None else text,
                "tags": ", ".join(item.tags),
                "importance": item.importance,
                "confidence": item.confidence,
                "always_inject": item.always_inject,
                "version": item.version,
            },
            label_suffix="",
        )

    def changes(self, item: MemoryItem) -> dict[str, Any]:
        """The fields that differ from the item."""
        given = {**self.cleaned_data, "tags": self.tags_given()}
        names = ["text", "tags", "importance", "confidence"]
        # Only the bank is handed over without a search.
        if item.tier == Tier.MEMORY_BANK:
            names.append("always_inject")
        return {name: given[name] for name in names if given[name] != getattr(item, name)}
