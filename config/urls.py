"""Where each surface is mounted."""

from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from config.api import api
from memory.admin.dispatch import answer_admin_api, answer_admin_site
from memory.api.metrics import metrics_view
from memory.api.operations import health_view
from memory.gateway.views import refuse_path
from memory.hooks.endpoint import answer_hook, send_script
from memory.mcp.forwarding import forward_mcp
from memory.web.adapters import send_adapter
from memory.web.middleware import answer_unknown_route

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/health", health_view),
    path("metrics", metrics_view),
    path("api/v1/", api.urls),
    path("v1/", include("memory.gateway.views")),
    # In front of what answers for unknown addresses: mem0's clients ask below /api/v1/ as well.
    *([path("", include("memory.mem0.urls"))] if settings.FLAGS["mem0"] else []),
    re_path(r"^v1/(?P<rest>.*)$", refuse_path),
    re_path(r"^mcp/?$", forward_mcp),
    path("", include("memory.oauth.urls")),
    path("", include("memory.personal_page.urls")),
    path("hooks/commonplace-hook", send_script),
    path("clients/<name>", send_adapter),
    re_path(r"^hooks/(?P<client>[a-z-]{1,40})/?$", answer_hook),
    # Its frameworks are imported with the first request to it.
    re_path(r"^api/admin/v1(?:/(?P<rest>.*))?$", answer_admin_api),
    re_path(r"^api(?:/(?P<rest>.*))?$", answer_unknown_route),
]
# Last, as nothing of the API may depend on whether there is a console.
if settings.FLAGS["ui"]:
    urlpatterns += [
        path("", RedirectView.as_view(pattern_name="console:home")),
        path("console/", include("memory.console.urls")),
        re_path(r"^admin(?:/(?P<rest>.*))?$", answer_admin_site),
    ]
