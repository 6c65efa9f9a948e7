"""What a client reads before it asks: of the resource (RFC 9728) and of the server that gives tokens (RFC 8414)."""

from typing import Any, Final

from django.http import HttpRequest

from memory.conf import memory_conf
from memory.web.addresses import MCP_PATH, read_base_url

SCOPES: Final = ("read", "write")
AUTH_METHODS: Final = ("none", "client_secret_post", "client_secret_basic")
# At the root: clients of the protocol's first version with OAuth ask there without looking, and so does its own library
# when it starts again with a refresh token it kept.
AUTHORIZE, TOKEN, REGISTER, REVOKE = "/authorize", "/token", "/register", "/revoke"


def describe_resource(request: HttpRequest) -> dict[str, Any]:
    base = read_base_url(request)
    return {
        "resource": f"{base}{MCP_PATH}",
        "authorization_servers": [base],
        "scopes_supported": list(SCOPES),
        "bearer_methods_supported": ["header"],
        "resource_name": "Commonplace",
    }


def describe_server(request: HttpRequest) -> dict[str, Any]:
    base = read_base_url(request)
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}{AUTHORIZE}",
        "token_endpoint": f"{base}{TOKEN}",
        "registration_endpoint": f"{base}{REGISTER}",
        "revocation_endpoint": f"{base}{REVOKE}",
        "scopes_supported": list(SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": list(AUTH_METHODS),
        "revocation_endpoint_auth_methods_supported": list(AUTH_METHODS),
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": memory_conf().flags["oauth_documents"],
    }
