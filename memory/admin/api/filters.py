"""By what each noun is filtered."""

from django_filters import rest_framework as filters

from memory.models import ApiKey, AuditEvent, EndUser, Erasure, Membership, ModelCall, WebhookEndpoint


class OrganizationFilterSet(filters.FilterSet):
    organization = filters.CharFilter(field_name="organization__slug")


class KeyFilterSet(OrganizationFilterSet):
    name = filters.CharFilter(lookup_expr="icontains")
    scope = filters.CharFilter(method="filter_scope")
    revoked = filters.BooleanFilter(field_name="revoked_at", lookup_expr="isnull", exclude=True)
    used_after = filters.IsoDateTimeFilter(field_name="last_used_at", lookup_expr="gt")
    used_before = filters.IsoDateTimeFilter(field_name="last_used_at", lookup_expr="lt")

    class Meta:
        model = ApiKey
        fields: tuple[str, ...] = ()

    def filter_scope(self, rows, name, value):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201 -- as it is called
        return rows.filter(scopes__contains=[value])


class MemberFilterSet(OrganizationFilterSet):
    username = filters.CharFilter(field_name="operator__username", lookup_expr="icontains")

    class Meta:
        model = Membership
        fields = ("role",)


class PersonFilterSet(OrganizationFilterSet):
    user_id = filters.CharFilter(field_name="external_id", lookup_expr="icontains")
    active_after = filters.IsoDateTimeFilter(field_name="last_active_at", lookup_expr="gt")
    active_before = filters.IsoDateTimeFilter(field_name="last_active_at", lookup_expr="lt")

    class Meta:
        model = EndUser
        fields: tuple[str, ...] = ()


class ErasureFilterSet(OrganizationFilterSet):
    finished = filters.BooleanFilter(field_name="finished_at", lookup_expr="isnull", exclude=True)

    class Meta:
        model = Erasure
        fields: tuple[str, ...] = ()


class WebhookFilterSet(OrganizationFilterSet):
    enabled = filters.BooleanFilter(field_name="disabled_at", lookup_expr="isnull")

    class Meta:
        model = WebhookEndpoint
        fields: tuple[str, ...] = ()


class AuditEventFilterSet(OrganizationFilterSet):
    after = filters.IsoDateTimeFilter(field_name="at", lookup_expr="gt")
    before = filters.IsoDateTimeFilter(field_name="at", lookup_expr="lt")

    class Meta:
        model = AuditEvent
        fields = ("action", "actor")


class ModelCallFilterSet(filters.FilterSet):
    after = filters.IsoDateTimeFilter(field_name="at", lookup_expr="gt")
    before = filters.IsoDateTimeFilter(field_name="at", lookup_expr="lt")

    class Meta:
        model = ModelCall
        fields = ("purpose", "outcome", "model")
