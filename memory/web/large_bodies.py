"""Bodies of up to 256 MiB, on the few routes that take a file: spooled to the disk while they come."""

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

from django.http import HttpRequest

from memory.conf import data_dir
from memory.web.problems import Problem, too_large

MAX_BYTES: Final = 256 * 1024 * 1024
# The import of a person; the console's forms with a file are read by Django, which spools them itself.
SPOOLED: Final = re.compile(r"/api/v1/users/[^/]{1,400}/import")
# A book with the parts of the form around it.
BOOK_BYTES: Final = 10 * 1024 * 1024
BOOK_FORM_BYTES: Final = BOOK_BYTES + 64 * 1024
BOOKS: Final = "/api/v1/books/upload"
FORMS: Final = {
    re.compile(r"/console/[^/]{1,200}/[^/]{1,400}/transfer/import"): MAX_BYTES,
    re.compile(r"/console/[^/]{1,200}/[^/]{1,400}/books/upload"): BOOK_FORM_BYTES,
}
CHUNK: Final = 256 * 1024
ATTRIBUTE: Final = "_spooled_body"
# Where the server has the body already, in a request's META: memory/web/receiving.py.
RECEIVED: Final = "commonplace.received_body"


def find_body_limit(request: HttpRequest, usual: int | None) -> int | None:
    """How many bytes the body of this request may have."""
    if is_book(request):
        return BOOK_FORM_BYTES
    return MAX_BYTES if is_spooled(request) else find_form_limit(request) or usual


def find_form_limit(request: HttpRequest) -> int | None:
    """How many bytes a form of the console with a file may have; None for any other request."""
    if request.method != "POST":
        return None
    return next((most for path, most in FORMS.items() if path.fullmatch(request.path_info)), None)


def is_spooled(request: HttpRequest) -> bool:
    return is_book(request) or (request.method == "POST" and bool(SPOOLED.fullmatch(request.path_info)))


def is_book(request: HttpRequest) -> bool:
    return request.method == "POST" and request.path_info == BOOKS


def open_spool() -> IO[bytes]:
    """A file without a name: gone when it is closed, or with the process."""
    return tempfile.TemporaryFile(dir=open_folder())


def open_folder() -> Path:
    """For files on their way. Not the system's folder, which often is memory."""
    folder = data_dir() / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def spool_body(request: HttpRequest) -> None:
    """Read the body into a file, where the server has not yet. Before the request holds a database connection."""
    if RECEIVED in request.META:
        setattr(request, ATTRIBUTE, request.META[RECEIVED])
        return
    spool, most = open_spool(), BOOK_FORM_BYTES if is_book(request) else MAX_BYTES
    while chunk := request.read(CHUNK):
        spool.write(chunk)
        if spool.tell() > most:
            spool.close()
            raise too_large(most)
    spool.seek(0)
    setattr(request, ATTRIBUTE, spool)


def close_spool(request: HttpRequest) -> None:
    """Once the answer is made, whatever it is."""
    spool = getattr(request, ATTRIBUTE, None)
    if spool is not None:
        spool.close()


def read_body_in_chunks(request: HttpRequest) -> Iterator[bytes]:
    """Any body, without a second copy of one that was spooled; that is left where it begins."""
    spool = getattr(request, ATTRIBUTE, None)
    if spool is None:
        yield request.body
        return
    spool.seek(0)
    while chunk := spool.read(CHUNK):
        yield chunk
    spool.seek(0)


def get_spooled_body(request: HttpRequest, media_type: str) -> IO[bytes]:
    """The file with the body. Raises Problem for a body of another type."""
    if request.content_type != media_type:
        raise Problem(415, "unsupported_media_type", f"Send Content-Type: {media_type}.")
    spool = getattr(request, ATTRIBUTE, None)
    if spool is None:
        spool_body(request)
        spool = getattr(request, ATTRIBUTE)
    return cast("IO[bytes]", spool)
