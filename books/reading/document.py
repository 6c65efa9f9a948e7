"""What reading a document gives: its text in order, the passages cut from it, or why it was refused."""

from dataclasses import dataclass, field
from enum import StrEnum

MIB = 1024 * 1024


class DocumentKind(StrEnum):
    """The kinds that can be read; the value is also the file name's extension."""

    PDF = "pdf"
    DOCX = "docx"
    XLSX = "xlsx"
    CSV = "csv"
    HTML = "html"
    RTF = "rtf"
    TXT = "txt"
    MD = "md"


class RefusalCode(StrEnum):
    """Why a document was not read, for a client to act on."""

    UNSUPPORTED_KIND = "unsupported_kind"
    KIND_MISMATCH = "kind_mismatch"
    ENCRYPTED = "encrypted"
    DAMAGED = "damaged"
    TOO_LARGE = "too_large"
    TOO_MANY_PAGES = "too_many_pages"
    NO_TEXT = "no_text"
    TOOK_TOO_LONG = "took_too_long"
    TOO_MUCH_MEMORY = "too_much_memory"


class DocumentRefused(Exception):
    """A document that cannot be read. ``detail`` is a sentence for the person who handed it in."""

    def __init__(self, code: RefusalCode, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """What reading one document may take. Beyond any of these it is refused; nothing is cut off silently."""

    max_bytes: int = 10 * MIB
    max_pages: int = 3_000
    # As many as the largest file can hold, so that no plain text is refused for its length.
    max_characters: int = 10 * MIB
    max_cells: int = 1_000_000
    # Of archives (docx, xlsx), checked by their directory before any of them is unpacked.
    max_unpacked_bytes: int = 200 * MIB
    max_members: int = 2_000
    max_ratio: int = 100
    # Of the process that reads.
    memory_bytes: int = 512 * MIB
    wall_seconds: float = 60.0
    cpu_seconds: int = 50


class BlockKind(StrEnum):
    TEXT = "text"
    ROW = "row"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """A paragraph, a table's row or a piece of code, where it stands in its document.

    ``cells`` are those of a row, each as ``column heading: value``, the row's own heading first; ``text`` joins them.
    ``section`` is the path of headings above it, outermost first.
    """

    kind: BlockKind
    text: str
    section: tuple[str, ...] = ()
    page: int | None = None
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document as text. ``pages`` is None where the kind has none; ``notices`` tell what a reader would not see."""

    kind: DocumentKind
    title: str
    author: str
    blocks: tuple[DocumentBlock, ...] = field(repr=False)
    pages: int | None = None
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage to be stored and embedded: whole sentences or whole rows, overlapping the passage before it.

    ``position`` counts from 0 without gaps. ``section`` is one line, headings joined by " > ". ``page`` is where the
    passage begins, counted from 1, and ``last_page`` where its last sentence does.
    """

    position: int
    text: str
    section: str
    page: int | None
    tokens: int
    has_code: bool
    # Of a table; 0 where there is anything else.
    rows: int = 0
    last_page: int | None = None
