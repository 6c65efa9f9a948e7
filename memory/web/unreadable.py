"""What a browser never types, and Postgres takes in no text: a NUL character, as in "/console/find?q=a%00b".

Forms refuse it at their field. An address, or a value that a page reads without a form, reaches the database: that is
the sender's mistake and no failure of the server.
"""

from collections.abc import Callable, Iterator
from typing import Final

from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from memory.web.localizing import is_interface

NUL: Final = "\x00"

Next = Callable[[HttpRequest], HttpResponseBase]


class UnreadableRequestMiddleware:
    """Answers a page for people with 400 where the database could not take what was sent."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        is_theirs = isinstance(error, DataError) and any(NUL in value for value in list_sent(request))
        return render(request, "400.html", status=400) if is_theirs and is_interface(request.path_info) else None


def list_sent(request: HttpRequest) -> Iterator[str]:
    yield request.path_info
    for sent in (request.GET, request.POST):
        for name, values in sent.lists():
            yield from (name, *map(str, values))
