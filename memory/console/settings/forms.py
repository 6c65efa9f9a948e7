"""What the pages of settings are given: keys to make and to limit, operators to add."""

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any, Final

from django import forms
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.access.confinement import RowScope
from memory.access.keys import SCOPES
from memory.access.users import EXTERNAL_ID_PATTERN
from memory.console.forms import end_day, validate_scope_id
from memory.models import EndUser, Operator, Organization
from memory.models.people import OperatorRole, SecretHandling
from memory.web.viewing import list_owned_organizations

HIGHEST_RATE: Final = 100_000
LONGEST_DAYS: Final = 3_650
MOST_PEOPLE: Final = 1_000
SCOPE_CHOICES: Final = (
    ("read", gettext_lazy("read: search, context, lists")),
    ("write", gettext_lazy("write: store, change, delete, also a whole person")),
    ("admin", gettext_lazy("admin: import, export, promote, govern")),
)


def require_id(external_id: str) -> str:
    if not EXTERNAL_ID_PATTERN.fullmatch(external_id):
        raise forms.ValidationError(
            _("“%(id)s” is no id: 1-128 of A-Z a-z 0-9 _ . @ : + | - are.") % {"id": external_id[:60]}
        )
    return external_id


def list_unknown(organization: Organization, external_ids: Collection[str]) -> list[str]:
    """Of these ids, those by which the organisation knows nobody."""
    rows = EndUser.objects.filter(organization=organization, external_id__in=external_ids)
    return sorted(set(external_ids) - set(rows.values_list("external_id", flat=True)))


class OwnedOrganizationField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """One of the organisations that the operator governs."""

    def __init__(self) -> None:
        super().__init__(queryset=Organization.objects.none(), label=gettext_lazy("Organisation"), empty_label=None)


class WholeNumberField(forms.IntegerField):
    """From 1 on. Django's own words for a number beyond its limits are about "this value"."""

    def __init__(self, highest: int, **more: Any) -> None:
        super().__init__(min_value=1, max_value=highest, required=False, **more)
        rule = format_lazy(gettext_lazy("Choose a whole number from 1 to {highest}."), highest=highest)
        self.error_messages["invalid"] = rule
        for limit in self.validators:
            limit.message = rule  # type: ignore[attr-defined]


class RateForm(forms.Form):
    requests_per_second = WholeNumberField(
        HIGHEST_RATE,
        label=gettext_lazy("Requests a second"),
        help_text=gettext_lazy("Empty: as many as the installation allows."),
    )


class KeyNameForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("What for"), max_length=200, strip=True, widget=forms.TextInput(attrs={"dir": "auto"})
    )


class KeyEndForm(forms.Form):
    """Until the end of which day a key works."""

    ends = forms.DateField(
        label=gettext_lazy("Ends with the day"),
        required=False,
        help_text=gettext_lazy("Empty: it does not end by itself."),
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )

    def clean_ends(self) -> date | None:
        day: date | None = self.cleaned_data["ends"]
        if day and end_day(day) <= timezone.now():
            raise forms.ValidationError(_("Choose a day to come. Revoke the key to end it now."))
        return day


class RotateKeyForm(forms.Form):
    """How many hours longer the key works that another takes the place of."""

    old_for = forms.TypedChoiceField(
        label=gettext_lazy("The old one works"),
        choices=(
            ("24", gettext_lazy("a day more")),
            ("168", gettext_lazy("7 days more")),
            ("", gettext_lazy("until somebody revokes it")),
            ("0", gettext_lazy("no longer: it is revoked now")),
        ),
        coerce=lambda hours: timedelta(hours=int(hours)),
        empty_value=None,
        initial="24",
        required=False,
    )


class IssueKeyForm(KeyNameForm, RateForm):
    organization = OwnedOrganizationField()
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("It may"),
        choices=SCOPE_CHOICES,
        initial=("read", "write"),
        widget=forms.CheckboxSelectMultiple,
    )
    people = forms.CharField(
        label=gettext_lazy("For these people only"),
        required=False,
        max_length=MOST_PEOPLE * 130,
        help_text=gettext_lazy("Ids with commas between them; empty for everybody of the organisation."),
        widget=forms.TextInput(attrs={"dir": "ltr"}),
    )
    allows_unknown = forms.BooleanField(label=gettext_lazy("They will come: make the key all the same"), required=False)
    project_id = forms.CharField(
        label=gettext_lazy("Project"), required=False, strip=True, validators=[validate_scope_id]
    )
    agent_id = forms.CharField(label=gettext_lazy("Agent"), required=False, strip=True, validators=[validate_scope_id])
    days = WholeNumberField(
        LONGEST_DAYS,
        label=gettext_lazy("Ends after so many days"),
        help_text=gettext_lazy("Empty: it does not end by itself."),
    )
    refuses_secrets = forms.BooleanField(
        label=gettext_lazy("Refuse writes that hold a secret, instead of taking it out"), required=False
    )

    field_order = (
        "organization",
        "name",
        "scopes",
        "people",
        "allows_unknown",
        "project_id",
        "agent_id",
        "requests_per_second",
        "days",
    )

    def __init__(self, operator: Operator, data: Any = None) -> None:  # noqa: ANN401 -- what a form is given
        super().__init__(data, label_suffix="")
        self.fields["organization"].queryset = list_owned_organizations(operator)  # type: ignore[attr-defined]
        if data is None:
            del self.fields["allows_unknown"]

    def clean(self) -> dict[str, Any]:
        """A slip of the pen opens nothing, and is not noticed: ask about whoever is not known yet."""
        given = super().clean() or {}
        named, organization = given.get("people"), given.get("organization")
        unknown = list_unknown(organization, named) if named and organization else []
        if not unknown:
            del self.fields["allows_unknown"]
        elif not given.get("allows_unknown"):
            message = _("Nobody is known yet by the name %(ids)s. Correct it, or tick the box below.")
            self.add_error("people", message % {"ids": ", ".join(f"“{one}”" for one in unknown)})
        return given

    def clean_people(self) -> list[str] | None:
        ids = [part.strip() for part in self.cleaned_data["people"].replace("\n", ",").split(",")]
        named = sorted({one for one in ids if one})
        return [require_id(one) for one in named] or None

    def clean_scopes(self) -> list[str]:
        return [scope for scope in SCOPES if scope in self.cleaned_data["scopes"]]

    @property
    def scope(self) -> RowScope:
        return RowScope(self.cleaned_data["agent_id"], self.cleaned_data["project_id"])

    @property
    def lifetime(self) -> timedelta | None:
        days = self.cleaned_data["days"]
        return timedelta(days=days) if days else None

    @property
    def secret_handling(self) -> SecretHandling:
        return SecretHandling.REFUSE if self.cleaned_data["refuses_secrets"] else SecretHandling.REDACT


class PersonForm(forms.Form):
    """Somebody of whom nothing is remembered yet."""

    organization = OwnedOrganizationField()
    external_id = forms.CharField(
        label=gettext_lazy("Id of the person"),
        max_length=128,
        strip=True,
        help_text=gettext_lazy("As your programs will name them: a name, an address or a number."),
        widget=forms.TextInput(attrs={"dir": "ltr", "autocomplete": "off"}),
    )

    def __init__(self, operator: Operator, data: Any = None) -> None:  # noqa: ANN401 -- what a form is given
        super().__init__(data, label_suffix="")
        self.fields["organization"].queryset = list_owned_organizations(operator)  # type: ignore[attr-defined]

    def clean_external_id(self) -> str:
        return require_id(self.cleaned_data["external_id"])


ROLE_CHOICES: Final = (
    (OperatorRole.MEMBER.value, gettext_lazy("member: looks and puts right")),
    (OperatorRole.OWNER.value, gettext_lazy("owner: governs as well")),
)


class MemberForm(forms.Form):
    organization = OwnedOrganizationField()
    username = forms.CharField(
        label=gettext_lazy("Name they sign in with"),
        max_length=150,
        strip=True,
        help_text=gettext_lazy("An existing operator is added; for a new name an account is made."),
        widget=forms.TextInput(attrs={"dir": "auto", "autocomplete": "off"}),
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLE_CHOICES)

    def __init__(self, operator: Operator, data: Any = None) -> None:  # noqa: ANN401 -- what a form is given
        super().__init__(data, label_suffix="")
        self.fields["organization"].queryset = list_owned_organizations(operator)  # type: ignore[attr-defined]
