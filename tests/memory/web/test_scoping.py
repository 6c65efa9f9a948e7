"""A request's scope: as long as its answer, however that is sent, and no longer."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from memory.access.confinement import EVERYTHING, RowScope, confine_request, current_scope
from memory.web.scoping import ScopeMiddleware

ATLAS = RowScope(project_id="atlas")


class Parts:
    """An answer that is made while it is sent, and has something to do when it ends."""

    def __init__(self) -> None:
        self.seen: list[RowScope] = []

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(2):
            self.seen.append(current_scope())
            yield b"part"

    def close(self) -> None:
        self.seen.append(current_scope())


def answer_with(response: HttpResponseBase) -> HttpResponseBase:
    def view(request: HttpRequest) -> HttpResponseBase:
        confine_request(ATLAS, is_bound=False)
        return response

    return ScopeMiddleware(view)(HttpRequest())


def test_a_scope_ends_with_its_request() -> None:
    answer_with(HttpResponse())
    assert current_scope() == EVERYTHING


def test_an_answer_in_parts_is_made_and_ended_in_the_scope() -> None:
    parts = Parts()
    response = answer_with(StreamingHttpResponse(parts))
    assert isinstance(response, StreamingHttpResponse)
    sent = iter(response.streaming_content)  # type: ignore[arg-type]
    assert next(sent) == b"part"
    assert current_scope() == EVERYTHING
    response.close()
    assert parts.seen == [ATLAS, ATLAS]
