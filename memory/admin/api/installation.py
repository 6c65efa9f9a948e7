"""What concerns everybody: settings in force, calls of the language model, work that was started, health."""

from typing import Any

from django.db.models import Count, Sum
from django.db.models.functions import TruncDate
from rest_framework import mixins, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from memory.admin.api import filters, serializers
from memory.admin.api.base import InstallationViewSet
from memory.facade import installation
from memory.models import BackupRun, DriftReport, ModelCall, ReindexRun
from memory.operations import health
from memory.operations.configuration import list_configuration
from memory.web.problems import not_found

CHANGES = {
    "paused": installation.pause_reindex,
    "running": installation.resume_reindex,
    "cancelled": installation.cancel_reindex,
}


class SettingViewSet(InstallationViewSet):
    """By name. Settings are changed in the environment, not here."""

    serializer_class = serializers.SettingSerializer
    lookup_field = "name"
    lookup_value_regex = "[A-Z0-9_]+"
    filter_backends = ()
    parameters = ("q", "source")

    def list(self, request: Request) -> Response:
        """``q`` finds words in names and explanations, ``source`` leaves out what comes from elsewhere."""
        words, source = request.query_params.get("q", "").casefold(), request.query_params.get("source")
        found = [
            one
            for one in list_configuration()
            if words in f"{one['name']} {one['about']}".casefold() and source in {None, one["source"]}
        ]
        page = self.paginate_queryset(found)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def retrieve(self, request: Request, name: str) -> Response:
        one = next((one for one in list_configuration() if one["name"] == name), None)
        if one is None:
            raise not_found()
        return Response(self.get_serializer(one).data)


class ModelCallViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, InstallationViewSet):
    queryset = ModelCall.objects.all()
    serializer_class = serializers.ModelCallSerializer
    filterset_class = filters.ModelCallFilterSet
    ordering_fields = ("at", "cost", "ms")

    @action(detail=False)
    def totals(self, request: Request) -> Response:
        """By purpose and by day, of the calls that the filters leave."""
        rows: Any = self.filter_queryset(self.get_queryset()).order_by()
        tokens = Sum("prompt_tokens") + Sum("answer_tokens")
        counted = {"calls": Count("pk"), "tokens": tokens, "total_cost": Sum("cost")}
        by_day = rows.annotate(day=TruncDate("at")).values("day").annotate(**counted).order_by("day")
        by_purpose = rows.values("purpose").annotate(**counted).order_by("purpose")
        return Response({"by_day": list(by_day), "by_purpose": list(by_purpose)})


class ReindexViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, InstallationViewSet):
    queryset = ReindexRun.objects.all()
    serializer_class = serializers.ReindexSerializer
    filterset_fields = ("state",)
    ordering = ("-started_at", "pk")
    bodies = {"partial_update": serializers.ReindexChangeSerializer}

    def create(self, request: Request) -> Response:
        run = installation.start_reindex(now=self.now(), actor=self.actor)
        return Response(self.get_serializer(run).data, status=status.HTTP_202_ACCEPTED)

    def partial_update(self, request: Request, pk: str) -> Response:
        """``state``: paused, running or cancelled."""
        row = self.get_object()
        given = serializers.ReindexChangeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        if not row.is_open:
            raise installation.TaskRefused("this run has ended")
        CHANGES[given.validated_data["state"]](now=self.now(), actor=self.actor)
        row.refresh_from_db()
        return Response(self.get_serializer(row).data)


class CheckViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, InstallationViewSet):
    queryset = DriftReport.objects.all()
    serializer_class = serializers.CheckSerializer
    filterset_fields = ("mode",)
    ordering = ("-started_at", "pk")

    def create(self, request: Request) -> Response:
        """A full comparison of the index with the rows, which mends what differs."""
        report = installation.start_check(now=self.now(), actor=self.actor)
        return Response(self.get_serializer(report).data, status=status.HTTP_202_ACCEPTED)


class BackupViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, InstallationViewSet):
    queryset = BackupRun.objects.all()
    serializer_class = serializers.BackupSerializer
    filterset_fields = ("state",)
    ordering = ("-started_at", "pk")

    def create(self, request: Request) -> Response:
        run = installation.start_backup(now=self.now(), actor=self.actor)
        return Response(self.get_serializer(run).data, status=status.HTTP_202_ACCEPTED)


class HealthViewSet(InstallationViewSet):
    """Each part, breakers, the disk and the sizes of tables, as last looked at."""

    pagination_class = None
    filter_backends = ()

    def list(self, request: Request) -> Response:
        return Response(health.current().as_dict())
