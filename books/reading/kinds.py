"""Recognises what kind of document a file is. Its name and its content must agree, and neither is believed alone."""

import zipfile
from pathlib import PurePosixPath
from typing import BinaryIO

from books.reading.building import clean_line
from books.reading.decoding import looks_binary
from books.reading.document import DocumentKind, DocumentRefused, RefusalCode

KIND_BY_EXTENSION = {
    "pdf": DocumentKind.PDF,
    "docx": DocumentKind.DOCX,
    "xlsx": DocumentKind.XLSX,
    "csv": DocumentKind.CSV,
    "tsv": DocumentKind.CSV,
    "html": DocumentKind.HTML,
    "htm": DocumentKind.HTML,
    "xhtml": DocumentKind.HTML,
    "rtf": DocumentKind.RTF,
    "txt": DocumentKind.TXT,
    "text": DocumentKind.TXT,
    "md": DocumentKind.MD,
    "markdown": DocumentKind.MD,
}
PLAIN_KINDS = frozenset({DocumentKind.CSV, DocumentKind.HTML, DocumentKind.TXT, DocumentKind.MD})
HEAD = 4096
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# As an OLE file names the part that holds an encrypted Office document.
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
MAIN_PARTS = {"word/document.xml": DocumentKind.DOCX, "xl/workbook.xml": DocumentKind.XLSX}
# Names of the parts an archive lists; a directory longer than this belongs to no document.
LARGEST_DIRECTORY = 1024 * 1024
BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def recognise_kind(file: BinaryIO, name: str) -> DocumentKind:
    """The kind of a document by its name's extension, confirmed by its content. Raises DocumentRefused.

    Reads the beginning of the file, and an archive's directory; unpacks nothing.
    """
    claimed = guess_kind(name)
    file.seek(0)
    head = file.read(HEAD)
    if not head.strip():
        raise DocumentRefused(RefusalCode.NO_TEXT, "The file is empty.")
    found = find_kind(file, head)
    if found is claimed or (found is None and claimed in PLAIN_KINDS):
        file.seek(0)
        return claimed
    is_said = f"The name says .{claimed}"
    if found is None:
        raise DocumentRefused(RefusalCode.KIND_MISMATCH, f"{is_said}, but the content is not of that kind.")
    raise DocumentRefused(RefusalCode.KIND_MISMATCH, f"{is_said}, but the content is {found}.")


def guess_kind(name: str) -> DocumentKind:
    extension = PurePosixPath(clean_line(name)).suffix.lower().removeprefix(".")
    kind = KIND_BY_EXTENSION.get(extension)
    if kind is None:
        known = ", ".join(kind.value for kind in DocumentKind)
        raise DocumentRefused(RefusalCode.UNSUPPORTED_KIND, f"Only these kinds can be read: {known}.")
    return kind


def find_kind(file: BinaryIO, head: bytes) -> DocumentKind | None:
    """The kind the content shows; None for plain text, whose kind the name tells. Raises for what is no document."""
    text = head.removeprefix(BOMS[0]).lstrip()
    if text.startswith(b"%PDF-"):
        return DocumentKind.PDF
    if text.startswith(b"{\\rtf"):
        return DocumentKind.RTF
    if head.startswith(b"PK"):
        return find_office_kind(file)
    if head.startswith(OLE):
        raise refuse_ole(file)
    if not head.startswith(BOMS) and looks_binary(head):
        raise DocumentRefused(
            RefusalCode.KIND_MISMATCH, "The content is not a document: it is a program, picture or archive."
        )
    if text[:512].lower().startswith((b"<!doctype html", b"<html")):
        return DocumentKind.HTML
    return None


def find_office_kind(file: BinaryIO) -> DocumentKind:
    """Which Office document an archive is, by the part that every one of its kind has."""
    try:
        names = list_members(file)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentRefused(RefusalCode.DAMAGED, "The archive inside the document is damaged.") from error
    kinds = {kind for part, kind in MAIN_PARTS.items() if part in names}
    if len(kinds) != 1 or "[Content_Types].xml" not in names:
        raise DocumentRefused(RefusalCode.KIND_MISMATCH, "The content is an archive, neither docx nor xlsx.")
    return kinds.pop()


def list_members(file: BinaryIO) -> set[str]:
    file.seek(0, 2)
    size = file.tell()
    # The directory stands at the end; its length is checked before the library reads it whole.
    file.seek(max(0, size - 66_000))
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or int.from_bytes(tail[end + 12 : end + 16], "little") > LARGEST_DIRECTORY:
        raise ValueError("no directory, or one too long")
    with zipfile.ZipFile(file) as archive:
        return set(archive.namelist())


def refuse_ole(file: BinaryIO) -> DocumentRefused:
    file.seek(0)
    if ENCRYPTED_PACKAGE in file.read():
        return DocumentRefused(RefusalCode.ENCRYPTED, "The document is protected by a password.")
    return DocumentRefused(
        RefusalCode.KIND_MISMATCH, "The content is an older Office document; save it as docx or xlsx."
    )
