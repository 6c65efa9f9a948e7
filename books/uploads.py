"""A file and its fields out of a multipart body, which is held in memory once and never under a name of its own."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import IO, Any, cast

from django.core.exceptions import SuspiciousOperation, TooManyFilesSent
from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from books.jobs import NewUpload
from books.models import FILE_NAME_CHARS, TITLE_CHARS
from books.reading.document import DocumentRefused
from books.reading.kinds import recognise_kind
from memory.guard import redact_secrets
from memory.language.text import CONTROL, SMUGGLED
from memory.web.bodies import find_text_fault
from memory.web.fields import NAME_LIMIT
from memory.web.idempotency import MULTIPART
from memory.web.large_bodies import BOOK_BYTES, get_spooled_body
from memory.web.problems import FieldError, Problem, invalid_field, invalid_fields

FILE, TITLE, THREAD = "file", "title", "thread_id"
MOST_CHARS = {TITLE: TITLE_CHARS, THREAD: NAME_LIMIT}


@dataclass(frozen=True, slots=True)
class UploadForm:
    file_name: str
    body: bytes
    fields: dict[str, str]


class LimitedUpload(FileUploadHandler):
    """Keeps a file in memory; one byte more than a book may have is refused."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.body = BytesIO()

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if start + len(raw_data) > BOOK_BYTES:
            raise book_too_large()
        self.body.write(raw_data)

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        self.body.seek(0)
        return InMemoryUploadedFile(
            self.body, self.field_name, self.file_name or "", self.content_type, file_size, self.charset
        )


def book_too_large() -> Problem:
    return Problem(
        413, "too_large", f"A file may have {BOOK_BYTES:,} bytes.", errors=[FieldError(FILE, "is too large")]
    )


def read_upload(request: HttpRequest, *, refuses_secrets: bool) -> NewUpload:
    """Raises Problem for what is no file that can be read, by its name, its first bytes and its size."""
    form = parse_form(request, get_spooled_body(request, MULTIPART))
    file_name = clean_file_name(form.file_name)
    fields = {name: clean_field(name, value, refuses_secrets=refuses_secrets) for name, value in form.fields.items()}
    try:
        recognise_kind(BytesIO(form.body), file_name)
    except DocumentRefused as refusal:
        raise invalid_field(FILE, refusal.detail) from refusal
    return NewUpload(
        form.body,
        file_name,
        title=fields.get(TITLE, ""),
        thread_id=fields.get(THREAD, ""),
        refuses_secrets=refuses_secrets,
    )


def parse_form(request: HttpRequest, stream: IO[bytes]) -> UploadForm:
    try:
        fields, files = MultiPartParser(request.META, cast("Any", stream), [LimitedUpload(request)], "utf-8").parse()
    except MultiPartParserError as error:
        # Django reads a part's head of 1,024 bytes; of our two fields only the file's name can make it so long.
        if "header" in str(error):
            raise invalid_field(FILE, "its name is too long to be read: shorten it") from error
        raise invalid_field("", f"the body is not multipart/form-data: {error}") from error
    except TooManyFilesSent as error:
        raise invalid_field(FILE, "is given more than once: hand in one file at a time") from error
    except SuspiciousOperation as error:
        raise invalid_field("", "the body has more parts than are read") from error
    names = [*fields.lists(), *files.lists()]
    if unknown := sorted({name for name, _ in names} - {FILE, *MOST_CHARS}):
        raise invalid_fields(FieldError(CONTROL.sub("\ufffd", name)[:100], "unknown field") for name in unknown)
    if twice := [name for name, values in names if len(values) > 1]:
        raise invalid_fields(FieldError(name, "is given more than once") for name in twice)
    file = files.get(FILE)
    if file is None:
        raise invalid_field(FILE, "is required: one file with a name")
    return UploadForm(file.name or "", file.read(), {name: str(fields[name]) for name in MOST_CHARS if name in fields})


def clean_file_name(name: str) -> str:
    """The last part of a name in one line, without what cannot be seen. It is told and never becomes a path."""
    last = CONTROL.sub("", SMUGGLED.sub("", name)).replace("\\", "/").rsplit("/", 1)[-1].strip()
    path = PurePosixPath(redact_secrets(last).text)
    return f"{path.stem[: FILE_NAME_CHARS - len(path.suffix)]}{path.suffix}"[-FILE_NAME_CHARS:]


def clean_field(name: str, value: str, *, refuses_secrets: bool) -> str:
    if fault := find_text_fault(value):
        raise invalid_field(name, fault)
    text = SMUGGLED.sub("", " ".join(value.split()))
    redacted = redact_secrets(text)
    if redacted.kinds and refuses_secrets:
        raise invalid_field(name, f"holds a secret ({', '.join(redacted.kinds)}), which this key refuses")
    if len(text) > MOST_CHARS[name]:
        raise invalid_field(name, f"must have at most {MOST_CHARS[name]} characters")
    return redacted.text[: MOST_CHARS[name]]
