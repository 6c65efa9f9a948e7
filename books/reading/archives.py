"""Checks the archive a docx or xlsx is before any library unpacks it: by its directory, so nothing is unpacked here."""

import stat
import zipfile
from io import BytesIO

from books.reading.document import DocumentRefused, ReadingLimits, RefusalCode

ENCRYPTED = 0x1
# A part below this size harms nobody however well it is packed; sheets of one repeated value pack 500 to 1.
SMALL_PART = 1024 * 1024
PACKINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
LOCAL_HEADER = b"PK\x03\x04"
# Parts that are programs. None would ever run here; a document of these kinds has none.
MACROS = ("vbaproject.bin", "vbadata.xml")
# Of the macro language before that one, which Excel still runs.
MACRO_SHEETS = "macrosheets"


def check_archive(data: bytes, limits: ReadingLimits) -> None:
    """Refuse an archive that unpacks to too much, is encrypted, holds programs or lies about what it holds."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, UnicodeError) as error:
        raise DocumentRefused(RefusalCode.DAMAGED, "The archive inside the document is damaged.") from error
    if len(members) > limits.max_members or len({member.filename for member in members}) < len(members):
        raise DocumentRefused(RefusalCode.DAMAGED, "The archive inside the document has too many parts, or one twice.")
    for member in members:
        check_member(member, limits)
    if sum(member.file_size for member in members) > limits.max_unpacked_bytes:
        raise refuse_unpacked(limits)
    check_places(data, members)


def check_member(member: zipfile.ZipInfo, limits: ReadingLimits) -> None:
    if member.flag_bits & ENCRYPTED:
        raise DocumentRefused(RefusalCode.ENCRYPTED, "The document is protected by a password.")
    parts = member.filename.replace("\\", "/").split("/")
    if member.filename.lower().endswith(MACROS) or MACRO_SHEETS in (part.lower() for part in parts[:-1]):
        raise DocumentRefused(RefusalCode.KIND_MISMATCH, "The document holds macros; save it as one without them.")
    is_link = stat.S_ISLNK(member.external_attr >> 16)
    if is_link or member.filename.startswith(("/", "\\")) or ".." in parts or member.compress_type not in PACKINGS:
        raise DocumentRefused(RefusalCode.DAMAGED, "The archive inside the document has parts that no document has.")
    if member.file_size > SMALL_PART and member.file_size > limits.max_ratio * max(1, member.compress_size):
        raise refuse_unpacked(limits)


def check_places(data: bytes, members: list[zipfile.ZipInfo]) -> None:
    """Refuse parts that lie over one another: so a few bytes unpack to thousands of parts."""
    end = 0
    for member in sorted(members, key=lambda each: each.header_offset):
        start = member.header_offset
        if start < end or data[start : start + 4] != LOCAL_HEADER:
            raise DocumentRefused(RefusalCode.DAMAGED, "The archive inside the document is damaged.")
        end = start + 30 + member.compress_size


def refuse_unpacked(limits: ReadingLimits) -> DocumentRefused:
    most = limits.max_unpacked_bytes // (1024 * 1024)
    return DocumentRefused(
        RefusalCode.TOO_LARGE,
        f"The document unpacks to more than {most} MiB, or to more than {limits.max_ratio} times its size.",
    )
