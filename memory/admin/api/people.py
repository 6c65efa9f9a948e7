"""People of whom something is remembered, as rows: listed, and erased. What is remembered has endpoints of its own."""

from typing import Any

from django.utils import timezone
from rest_framework import mixins, status
from rest_framework.request import Request
from rest_framework.response import Response

from memory.admin.api import filters, serializers
from memory.admin.api.base import OwnRowsViewSet, read_field
from memory.facade import MemoryFacade
from memory.models import EndUser, Erasure
from memory.web.problems import invalid_field


class PersonViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, OwnRowsViewSet):
    model = EndUser
    serializer_class = serializers.PersonSerializer
    filterset_class = filters.PersonFilterSet
    ordering_fields = ("created_at", "last_active_at", "external_id")
    bodies = {"destroy": serializers.ErasureConfirmationSerializer}

    def get_queryset(self) -> Any:  # noqa: ANN401 -- as the framework has it
        # Partitions of spaces, and people whose rows are being erased, are nobody's to name.
        return super().get_queryset().exclude(external_id__startswith="#")

    def destroy(self, request: Request, pk: str) -> Response:
        """Erases the person. ``confirm`` in the body is their id, so that no loop erases by mistake."""
        user = self.get_object()
        if read_field(request, "confirm") != user.external_id:
            raise invalid_field("confirm", "must be the user_id of the person who is to be erased")
        done = MemoryFacade(actor=self.actor).request_erasure(user, now=timezone.now())
        shown = serializers.ErasureSerializer(done, context=self.get_serializer_context())
        return Response(shown.data, status=status.HTTP_202_ACCEPTED)


class ErasureViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, OwnRowsViewSet):
    model = Erasure
    serializer_class = serializers.ErasureSerializer
    filterset_class = filters.ErasureFilterSet
    ordering = ("-requested_at", "pk")
