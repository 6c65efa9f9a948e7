"""Where this site is reached from outside, and what a client without a key is told of the way in."""

from typing import Final
from urllib.parse import urlsplit

from django.http import HttpRequest

from memory.conf import LOOPBACK_HOSTS, memory_conf
from memory.web.problems import Problem

MCP_PATH: Final = "/mcp"
RESOURCE_METADATA: Final = "/.well-known/oauth-protected-resource"


def read_base_url(request: HttpRequest) -> str:
    """The address of the site, without a slash at its end.

    A public one that is configured holds whatever a request says: tokens and metadata must not follow a header that
    anybody can send. Without one it is the host that was asked, which has to be among the allowed hosts.
    """
    public = memory_conf().mcp.public_url
    if urlsplit(public).hostname not in {None, "::1", *LOOPBACK_HOSTS}:
        return public
    return f"{request.scheme}://{request.get_host()}"


def build_resource_url(request: HttpRequest) -> str:
    """What a token for MCP is a token for."""
    return f"{read_base_url(request)}{MCP_PATH}"


def offers_grants() -> bool:
    """Whether clients may ask for consent here: there is a console to give it, and MCP to use it."""
    conf = memory_conf()
    return bool(conf.flags["oauth"] and conf.flags["ui"] and conf.mcp.url)


def show_way_in(problem: Problem, request: HttpRequest) -> Problem:
    """Add to a 401 where a client finds out how it can ask for consent (RFC 9728)."""
    challenge = problem.headers.get("WWW-Authenticate")
    if problem.status == 401 and challenge and offers_grants():
        where = f"{read_base_url(request)}{RESOURCE_METADATA}{MCP_PATH}"
        problem.headers["WWW-Authenticate"] = f'{challenge}, resource_metadata="{where}", scope="read write"'
    return problem
