"""What each noun shows, and what may be said of it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rest_framework import serializers

from memory.access.confinement import SCOPE_ID_PATTERN, SCOPE_ID_RULE
from memory.access.keys import SCOPES
from memory.access.users import EXTERNAL_ID_PATTERN
from memory.models import (
    ApiKey,
    AuditEvent,
    BackupRun,
    DriftReport,
    EndUser,
    Erasure,
    Membership,
    ModelCall,
    Organization,
    ReindexRun,
    WebhookEndpoint,
)
from memory.models.people import OperatorRole, SecretHandling


class OwnOrganizationField(serializers.SlugRelatedField[Organization]):
    """By its slug; the view hands over which organisations there are for the caller."""

    def __init__(self) -> None:
        super().__init__(slug_field="slug", queryset=Organization.objects.none())

    def get_queryset(self) -> Any:  # noqa: ANN401 -- as the framework has it
        return self.context["organizations"]


class OwnerField(serializers.SlugRelatedField[Organization]):
    """Whose row it is, by the slug; never changed."""

    def __init__(self) -> None:
        super().__init__(slug_field="slug", read_only=True)


class NamesChoices:
    """A refusal names what may be sent instead; the framework's repeats what was sent alone."""

    def __init__(self, choices: Sequence[str], **settings: Any) -> None:
        messages = {"invalid_choice": f"must be {' or '.join(choices)}"}
        super().__init__(choices=choices, error_messages=messages, **settings)  # type: ignore[call-arg]


class NamedChoiceField(NamesChoices, serializers.ChoiceField):
    pass


class NamedChoicesField(NamesChoices, serializers.MultipleChoiceField):
    pass


class OrganizationSerializer(serializers.ModelSerializer[Organization]):
    class Meta:
        model = Organization
        fields = ("slug", "name", "created_at")
        read_only_fields = ("created_at",)

    def validate_slug(self, slug: str) -> str:
        # What addresses and clients name it by.
        if self.instance is not None and slug != self.instance.slug:
            raise serializers.ValidationError("cannot be changed")
        return slug


class KeySerializer(serializers.ModelSerializer[ApiKey]):
    organization: "serializers.SlugRelatedField[Organization]" = OwnOrganizationField()
    scopes = NamedChoicesField(choices=SCOPES, allow_empty=False)
    user_ids = serializers.ListField(
        child=serializers.RegexField(rf"^{EXTERNAL_ID_PATTERN.pattern}\Z", max_length=128),
        allow_null=True,
        allow_empty=False,
        required=False,
        max_length=1_000,
    )
    requests_per_second = serializers.IntegerField(min_value=1, max_value=100_000, allow_null=True, required=False)
    secrets = NamedChoiceField(choices=[one.value for one in SecretHandling], required=False)
    lifetime_days = serializers.IntegerField(min_value=1, max_value=3_650, required=False, write_only=True)

    class Meta:
        model = ApiKey
        fields = (
            *("id", "organization", "name", "hint", "scopes", "user_ids", "agent_id", "project_id"),
            *("requests_per_second", "secrets", "created_at", "expires_at", "revoked_at", "last_used_at"),
            "lifetime_days",
        )
        read_only_fields = ("hint", "created_at", "expires_at", "revoked_at", "last_used_at")

    def validate_agent_id(self, value: str) -> str:
        return validate_scope_id(value)

    def validate_project_id(self, value: str) -> str:
        return validate_scope_id(value)

    @property
    def lifetime(self) -> timedelta | None:
        days = self.validated_data.get("lifetime_days")
        return timedelta(days=days) if days else None


def validate_scope_id(value: str) -> str:
    if value and not SCOPE_ID_PATTERN.fullmatch(value):
        raise serializers.ValidationError(SCOPE_ID_RULE)
    return value


class KeyLimitSerializer(serializers.Serializer[ApiKey]):
    """All that may be changed of a key: what it opens is what whoever has it was given."""

    requests_per_second = serializers.IntegerField(min_value=1, max_value=100_000, allow_null=True)


class MemberSerializer(serializers.ModelSerializer[Membership]):
    organization: "serializers.SlugRelatedField[Organization]" = OwnOrganizationField()
    username = serializers.CharField(source="operator.username", max_length=150)
    role = NamedChoiceField(choices=[role.value for role in OperatorRole])
    is_active = serializers.BooleanField(source="operator.is_active", read_only=True)
    last_login = serializers.DateTimeField(source="operator.last_login", read_only=True)

    class Meta:
        model = Membership
        fields = ("id", "organization", "username", "role", "is_active", "last_login")


class RoleSerializer(serializers.Serializer[Membership]):
    role = NamedChoiceField(choices=[role.value for role in OperatorRole])


class PersonSerializer(serializers.ModelSerializer[EndUser]):
    organization: "serializers.SlugRelatedField[Organization]" = OwnerField()
    user_id = serializers.CharField(source="external_id", read_only=True)

    class Meta:
        model = EndUser
        fields = ("id", "organization", "user_id", "created_at", "last_active_at", "consolidated_at")


class ErasureSerializer(serializers.ModelSerializer[Erasure]):
    organization: "serializers.SlugRelatedField[Organization]" = OwnerField()

    class Meta:
        model = Erasure
        fields = ("id", "organization", "removed", "requested_at", "finished_at")


class ErasureConfirmationSerializer(serializers.Serializer[Erasure]):
    confirm = serializers.CharField()


class WebhookSerializer(serializers.ModelSerializer[WebhookEndpoint]):
    organization: "serializers.SlugRelatedField[Organization]" = OwnOrganizationField()
    events = serializers.ListField(child=serializers.CharField(max_length=40), min_length=1, max_length=20)
    user_id = serializers.CharField(source="person", required=False, allow_blank=True, max_length=128)
    include_content = serializers.BooleanField(source="includes_content", required=False)
    enabled = serializers.SerializerMethodField()

    class Meta:
        model = WebhookEndpoint
        fields = (
            *("id", "organization", "url", "events", "user_id", "include_content", "enabled", "note", "failures"),
            *("delivered_at", "created_at"),
        )
        read_only_fields = ("note", "failures", "delivered_at", "created_at")

    def get_enabled(self, row: WebhookEndpoint) -> bool:
        return row.disabled_at is None


class WebhookChangesSerializer(serializers.Serializer[WebhookEndpoint]):
    url = serializers.CharField(required=False, max_length=2_000)
    events = serializers.ListField(child=serializers.CharField(max_length=40), required=False, max_length=20)
    user_id = serializers.CharField(source="person", required=False, allow_blank=True, max_length=128)
    include_content = serializers.BooleanField(source="includes_content", required=False)
    enabled = serializers.BooleanField(source="is_enabled", required=False)


class AuditEventSerializer(serializers.ModelSerializer[AuditEvent]):
    organization: "serializers.SlugRelatedField[Organization]" = OwnerField()

    class Meta:
        model = AuditEvent
        fields = ("id", "organization", "action", "actor", "subject", "details", "at")


class ModelCallSerializer(serializers.ModelSerializer[ModelCall]):
    class Meta:
        model = ModelCall
        fields = ("id", "purpose", "model", "outcome", "prompt_tokens", "answer_tokens", "ms", "cost", "at")


class ReindexSerializer(serializers.ModelSerializer[ReindexRun]):
    class Meta:
        model = ReindexRun
        fields = (
            *("id", "collection", "scope", "state", "phase", "rows_total", "rows_done", "rows_mended"),
            *("rows_refused", "error", "started_at", "advanced_at", "finished_at"),
        )


class ReindexChangeSerializer(serializers.Serializer[ReindexRun]):
    state = NamedChoiceField(choices=["running", "paused", "cancelled"])


class CheckSerializer(serializers.ModelSerializer[DriftReport]):
    class Meta:
        model = DriftReport
        fields = (
            *("id", "mode", "repair", "collection", "users", "rows", "points", "found", "mended", "problem"),
            *("started_at", "finished_at"),
        )


class BackupSerializer(serializers.ModelSerializer[BackupRun]):
    class Meta:
        model = BackupRun
        fields = (
            *("id", "state", "host", "path", "attempts", "tables_total", "tables_done", "rows", "bytes", "error"),
            *("actor", "started_at", "finished_at"),
        )


class SettingSerializer(serializers.Serializer[dict[str, Any]]):
    """One setting in force; of a secret whether it is set, of an address where it leads."""

    name = serializers.CharField()
    kind = serializers.CharField()
    value = serializers.CharField()
    default = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]
    about = serializers.CharField()
    is_secret = serializers.BooleanField()
