"""Where clients look: each document is asked for alone and with the path of MCP behind it."""

from django.urls import path, re_path

from memory.oauth import consent, endpoints

app_name = "oauth"

urlpatterns = [
    re_path(r"^\.well-known/oauth-protected-resource(?:/mcp)?/?$", endpoints.show_resource, name="resource"),
    re_path(r"^\.well-known/oauth-authorization-server(?:/mcp)?/?$", endpoints.show_server, name="server"),
    path("authorize", consent.authorize, name="authorize"),
    path("register", endpoints.register, name="register"),
    path("token", endpoints.give_token, name="token"),
    path("revoke", endpoints.revoke_token, name="revoke"),
]
