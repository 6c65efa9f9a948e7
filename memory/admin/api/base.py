"""What every noun has in common: who is admitted, how much of a list is handed out, whose rows there are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.db.models import Model, QuerySet
from django.utils import timezone
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.filters import OrderingFilter
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.pagination import PageNumberPagination
from rest_framework.parsers import FormParser, JSONParser, MultiPartParser
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.serializers import Serializer
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from memory.admin.api.callers import (
    AdminKeyAuthentication,
    AdmittedCaller,
    InstallationCaller,
    OperatorSession,
    OperatorThrottle,
    list_organizations,
    name_actor,
)
from memory.admin.api.problems import answer_fault
from memory.web.bodies import read_json
from memory.web.problems import FieldError, Problem, refuse_unknown

if TYPE_CHECKING:
    from memory.models import Organization


class AdminPagination(PageNumberPagination):
    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200


class StrictJSONParser(JSONParser):
    """Reads what the REST API reads, and refuses it in its words."""

    def parse(self, stream: Any, *_: object, **__: object) -> Any:  # noqa: ANN401 -- any JSON
        return read_json(stream.read())


class AdminView(APIView):
    """The rules of the house, here and not in settings: those would name the framework to every process."""

    authentication_classes = (AdminKeyAuthentication, OperatorSession)
    permission_classes = (AdmittedCaller,)
    throttle_classes = (OperatorThrottle,)
    renderer_classes = (JSONRenderer, BrowsableAPIRenderer)
    parser_classes = (StrictJSONParser, FormParser, MultiPartParser)
    content_negotiation_class = DefaultContentNegotiation

    def get_exception_handler(self) -> Any:  # noqa: ANN401 -- as the framework has it
        return answer_fault

    @property
    def actor(self) -> str:
        return name_actor(self.request)

    def list_own_organizations(self) -> "QuerySet[Organization, Organization]":
        return list_organizations(self.request)


class AdminViewSet(AdminView, GenericViewSet[Any]):
    pagination_class: Any = AdminPagination
    filter_backends: Any = (DjangoFilterBackend, OrderingFilter)
    ordering: tuple[str, ...] = ("-pk",)
    # What may be said, by action: an action that is not named takes no body.
    bodies: Mapping[str, type[Serializer[Any]]] = {}
    parameters: tuple[str, ...] = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        refuse_unknown(request.query_params, self.list_parameters(), "unknown parameter")
        if isinstance(request.data, Mapping):
            refuse_unknown(request.data, self.list_body_fields(), "unknown field")

    def list_parameters(self) -> set[str]:
        """Of every action, as the page of a list sends its forms to the address that it was asked for with."""
        filtered = getattr(getattr(self, "filterset_class", None), "base_filters", {})
        paged = ("page", "page_size") if self.pagination_class else ()
        ordered = ("ordering",) if self.filter_backends else ()
        return {"format", *paged, *ordered, *filtered, *getattr(self, "filterset_fields", ()), *self.parameters}

    def list_body_fields(self) -> set[str]:
        serializer = self.bodies.get(self.action)
        fields = serializer(context=self.get_serializer_context()).fields if serializer else {}
        # A page's forms send their token along.
        return {"csrfmiddlewaretoken"} | {name for name, field in fields.items() if not field.read_only}

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "organizations": self.list_own_organizations()}

    def require_organization(self) -> None:
        """Whoever names an organisation that is not theirs is told what one that does not exist is told."""
        slug = read_field(self.request, "organization")
        if isinstance(slug, str) and slug and not self.list_own_organizations().filter(slug=slug).exists():
            rule = "names no organisation of yours"
            raise Problem(404, "not_found", f"organization: {rule}", errors=[FieldError("organization", rule)])


def read_field(request: Request, name: str) -> object:
    """A field of the body, which may be no object at all."""
    return request.data.get(name) if isinstance(request.data, Mapping) else None


class OwnRowsViewSet(AdminViewSet):
    """Rows of organisations: those of others do not exist."""

    model: type[Model]
    related: tuple[str, ...] = ("organization",)

    def get_queryset(self) -> "QuerySet[Any, Any]":
        rows = self.model._default_manager.filter(organization__in=self.list_own_organizations())
        return rows.select_related(*self.related)


class InstallationViewSet(AdminViewSet):
    """What concerns everybody."""

    permission_classes = (InstallationCaller,)
    now = staticmethod(timezone.now)
