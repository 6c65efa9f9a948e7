"""Organisations, and what governs them: keys, members, webhooks, what was changed."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework import mixins, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from memory.access.audit import record_change
from memory.access.confinement import RowScope
from memory.access.keys import issue_key, limit_key, revoke_key
from memory.access.members import add_member, change_role, remove_member
from memory.admin.api import filters, serializers
from memory.admin.api.base import AdminViewSet, OwnRowsViewSet
from memory.models import ApiKey, AuditEvent, Membership, Operator, Organization, WebhookEndpoint
from memory.models.administration import AuditAction
from memory.models.people import OperatorRole, SecretHandling
from memory.web.problems import Problem
from memory.web.viewing import can_see_everybody
from memory.webhooks import endpoints
from memory.webhooks.endpoints import NewEndpoint


class OrganizationViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, AdminViewSet):
    serializer_class = serializers.OrganizationSerializer
    filterset_fields = ("slug", "name")
    lookup_field = "slug"
    bodies = dict.fromkeys(("create", "partial_update"), serializers.OrganizationSerializer)

    def get_queryset(self) -> Any:  # noqa: ANN401 -- as the framework has it
        return self.list_own_organizations()

    def create(self, request: Request) -> Response:
        # A key belongs to one organisation, an owner governs theirs: another one is for who governs the installation.
        if not isinstance(request.user, Operator) or not request.user.is_superuser:
            raise Problem(403, "forbidden", "Superusers alone make organisations.")
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        now = timezone.now()
        with transaction.atomic():
            row = Organization.objects.create(created_at=now, **given.validated_data)
            record_change(row.pk, AuditAction.ORGANIZATION_CREATED, actor=self.actor, now=now, subject=row.slug)
        return Response(self.get_serializer(row).data, status=status.HTTP_201_CREATED)

    def partial_update(self, request: Request, slug: str) -> Response:
        row = self.get_object()
        given = self.get_serializer(row, data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        before = row.name
        with transaction.atomic():
            given.save()
            about = {"name": row.name, "before": before}
            now = timezone.now()
            record_change(row.pk, AuditAction.ORGANIZATION_RENAMED, actor=self.actor, now=now, subject=slug, **about)
        return Response(given.data)


class KeyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, OwnRowsViewSet):
    model = ApiKey
    serializer_class = serializers.KeySerializer
    filterset_class = filters.KeyFilterSet
    ordering_fields = ("created_at", "last_used_at", "name")
    bodies = {"create": serializers.KeySerializer, "partial_update": serializers.KeyLimitSerializer}

    def create(self, request: Request) -> Response:
        """The answer has the key itself, this once."""
        self.require_organization()
        given = serializers.KeySerializer(data=request.data, context=self.get_serializer_context())
        given.is_valid(raise_exception=True)
        fields = given.validated_data
        row, plain = issue_key(
            fields["organization"],
            fields["name"],
            sorted(fields["scopes"]),
            now=timezone.now(),
            user_ids=fields.get("user_ids"),
            lifetime=given.lifetime,
            requests_per_second=fields.get("requests_per_second"),
            secret_handling=SecretHandling(fields.get("secrets", SecretHandling.REDACT)),
            scope=RowScope(fields.get("agent_id", ""), fields.get("project_id", "")),
            actor=self.actor,
        )
        return Response({**self.get_serializer(row).data, "key": plain}, status=status.HTTP_201_CREATED)

    def partial_update(self, request: Request, pk: str) -> Response:
        row = self.get_object()
        given = serializers.KeyLimitSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        limit_key(row, given.validated_data["requests_per_second"], now=timezone.now(), actor=self.actor)
        return Response(self.get_serializer(row).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Revokes it. The row stays, and says when it ended."""
        revoke_key(self.get_object(), now=timezone.now(), actor=self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MemberViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, OwnRowsViewSet):
    model = Membership
    related = ("organization", "operator")
    serializer_class = serializers.MemberSerializer
    filterset_class = filters.MemberFilterSet
    bodies = {"create": serializers.MemberSerializer, "partial_update": serializers.RoleSerializer}

    def create(self, request: Request) -> Response:
        """The answer has the password of an account that was made, this once."""
        self.require_organization()
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        fields = given.validated_data
        role = OperatorRole(fields["role"])
        row, password = add_member(
            fields["organization"], fields["operator"]["username"], role, now=timezone.now(), actor=self.actor
        )
        shown = {"password": password} if password else {}
        return Response({**self.get_serializer(row).data, **shown}, status=status.HTTP_201_CREATED)

    def partial_update(self, request: Request, pk: str) -> Response:
        row = self.get_object()
        given = serializers.RoleSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        change_role(row, OperatorRole(given.validated_data["role"]), now=timezone.now(), actor=self.actor)
        return Response(self.get_serializer(row).data)

    def destroy(self, request: Request, pk: str) -> Response:
        remove_member(self.get_object(), now=timezone.now(), actor=self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)


class WebhookViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, OwnRowsViewSet):
    model = WebhookEndpoint
    serializer_class = serializers.WebhookSerializer
    filterset_class = filters.WebhookFilterSet
    ordering = ("-created_at", "pk")
    bodies = {"create": serializers.WebhookSerializer, "partial_update": serializers.WebhookChangesSerializer}

    def create(self, request: Request) -> Response:
        """The answer has the secret that signs, this once."""
        self.require_organization()
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        fields = given.validated_data
        new = NewEndpoint(
            fields["url"], fields["events"], fields.get("person", ""), fields.get("includes_content", False)
        )
        now = timezone.now()
        row, secret = endpoints.create_endpoint(fields["organization"].pk, new, now=now, actor=self.actor)
        return Response({**self.get_serializer(row).data, "secret": secret}, status=status.HTTP_201_CREATED)

    def partial_update(self, request: Request, pk: str) -> Response:
        row = self.get_object()
        given = serializers.WebhookChangesSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        endpoints.update_endpoint(row, given.validated_data, now=timezone.now(), actor=self.actor)
        return Response(self.get_serializer(row).data)

    def destroy(self, request: Request, pk: str) -> Response:
        endpoints.delete_endpoint(self.get_object(), now=timezone.now(), actor=self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @action(detail=True, methods=["post"])
    def rotate(self, request: Request, pk: str) -> Response:
        """Another secret, shown this once. The one before signs beside it for a day."""
        row = self.get_object()
        secret = endpoints.rotate_secret(row, now=timezone.now(), actor=self.actor)
        return Response({**self.get_serializer(row).data, "secret": secret})


class AuditEventViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, OwnRowsViewSet):
    """What was changed and by whom; what concerns the installation to whoever sees all of it."""

    model = AuditEvent
    serializer_class = serializers.AuditEventSerializer
    filterset_class = filters.AuditEventFilterSet
    ordering = ("-at", "-pk")

    def get_queryset(self) -> Any:  # noqa: ANN401 -- as the framework has it
        rows = super().get_queryset()
        if isinstance(self.request.user, Operator) and can_see_everybody(self.request.user):
            rows = rows | AuditEvent.objects.filter(organization__isnull=True).select_related("organization")
        return rows
