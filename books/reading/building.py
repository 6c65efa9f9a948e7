"""Where the readers put what they find: cleaned, counted against the limits, and passed on block by block."""

import re
from collections.abc import Callable, Iterable, Sequence

from books.reading.document import BlockKind, DocumentBlock, DocumentRefused, ReadingLimits, RefusalCode

# Controls, overrides of direction, what is no character, and tags that a reader does not see.
CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff\U000e0000-\U000e007f]"
)
# What parts words all the same: a line within a cell, a page, the fields of old data formats.
LINE_BREAKS = re.compile("[\x0b\x0c]")
SEPARATORS = re.compile("[\x1c-\x1f]")
SURROGATE = re.compile("[\ud800-\udfff]")
BLANKS = re.compile(r"[^\S\n]+")
NEWLINES = re.compile(r" ?\n\s*")
# Headings are repeated with every passage and every cell; a paragraph that poses as one must not multiply the text.
LONGEST_HEADING = 160
DEEPEST_SECTION = 6
# Cells come with their headings, so a table is longer as text than in its file: 20,000 rows of ten columns two and a
# half times.
GROWTH = 4


class DocumentBuilder:
    """Takes what a reader finds, in the order of the document. Refuses what exceeds the limits.

    Every block goes to ``emit`` at once, so that a long document is never held as a whole here.
    """

    def __init__(
        self, limits: ReadingLimits, emit: Callable[[DocumentBlock], None], report: Callable[[float], None]
    ) -> None:
        self.limits = limits
        self.title = ""
        self.author = ""
        self.pages: int | None = None
        self.notices: dict[str, None] = {}
        self.blocks = 0
        self._emit = emit
        self._report = report
        self._reported = 0.0
        self._characters = 0
        self._written = 0
        self._reserved = 0
        self._cells = 0
        self._headings: list[tuple[int, str]] = []

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def describe(self, title: object, author: object) -> None:
        """Title and author as the document states them, where they are worth something."""
        self.title = self.title or clean_title(title)
        name = clean_line(author)[:LONGEST_HEADING]
        self.author = self.author or ("" if name in PROGRAMS else name)

    def enter_heading(self, level: int, text: str, page: int | None = None) -> None:
        """Begin a section. The heading is also part of the text, as nothing may stand below it."""
        line = clean_line(text)
        if not line:
            return
        if len(line) <= LONGEST_HEADING:
            self._headings = [held for held in self._headings if held[0] < level][: DEEPEST_SECTION - 1]
            self._headings.append((level, line))
        self.add_text(line, page)

    def leave_headings(self) -> None:
        self._headings = []

    def add_text(self, text: str, page: int | None = None) -> None:
        cleaned = clean_text(text)
        self._count(len(cleaned), len(cleaned))
        if cleaned:
            self._add(DocumentBlock(BlockKind.TEXT, cleaned, self.section, page))

    def add_code(self, text: str, page: int | None = None) -> None:
        """Text whose spaces and line breaks are kept."""
        code = clean_characters(text).strip("\n").rstrip()
        self._count(len(code), len(code))
        if code.strip():
            self._add(DocumentBlock(BlockKind.CODE, code, self.section, page))

    def add_row(self, cells: Sequence[tuple[str, str]], caption: Iterable[str] = (), page: int | None = None) -> None:
        """A table's row of headings and values; empty values are left out, and a heading may be empty."""
        filled = [(heading, cleaned) for heading, value in cells if (cleaned := clean_line(value))]
        worded = tuple(f"{heading}: {value}" if heading else value for heading, value in filled)
        self._cells += len(worded)
        if self._cells > self.limits.max_cells:
            raise DocumentRefused(
                RefusalCode.TOO_LARGE, f"The tables have more than {self.limits.max_cells:,} cells with content."
            )
        self._count(sum(len(value) for _, value in filled), sum(map(len, worded)))
        if worded:
            section = (*self.section, *caption)[:DEEPEST_SECTION]
            self._add(DocumentBlock(BlockKind.ROW, "; ".join(worded), section, page, worded))

    def add_notice(self, notice: str) -> None:
        self.notices[notice] = None

    def reserve(self, characters: int) -> None:
        """Count text that a reader holds before it adds it, so that holding it is limited as well."""
        self._reserved += characters
        if self._reserved > self.limits.max_characters:
            raise self._refuse_length()

    def report(self, done: float) -> None:
        """How much is read, from 0 to 1; passed on in steps of a hundredth."""
        if done - self._reported >= 0.01:
            self._reported = done
            self._report(min(done, 1.0))

    def _add(self, block: DocumentBlock) -> None:
        self.blocks += 1
        self._emit(block)

    def _count(self, characters: int, written: int) -> None:
        self._characters += characters
        self._written += written
        most = self.limits.max_characters
        if self._characters > most or self._written > GROWTH * most:
            raise self._refuse_length()

    def _refuse_length(self) -> DocumentRefused:
        return DocumentRefused(
            RefusalCode.TOO_LARGE, f"The text is longer than {self.limits.max_characters:,} characters."
        )


def clean_characters(text: str) -> str:
    """The text without controls, invisible tags, overrides of direction and halves of characters."""
    text = SEPARATORS.sub(" ", LINE_BREAKS.sub("\n", text.replace("\r\n", "\n").replace("\r", "\n")))
    return SURROGATE.sub("\ufffd", CONTROL.sub("", text))


def clean_text(text: str) -> str:
    """Lines stay lines; the blanks within them become single spaces."""
    return NEWLINES.sub("\n", BLANKS.sub(" ", clean_characters(text))).strip()


def clean_line(value: object) -> str:
    """One line of whatever a document gives for a heading, a cell or a name."""
    return " ".join(clean_characters("" if value is None else str(value)).split())


# Programs that name themselves where the author stands.
PROGRAMS = frozenset({"openpyxl", "python-docx", "Unknown", "unknown", "anonymous", "Author"})
UNTITLED = re.compile(r"(?:untitled|document|presentation|workbook|book|title|slide)\s*\d*", re.IGNORECASE)
PRINTED_BY = re.compile(r"^Microsoft (?:Word|Excel|PowerPoint) - ", re.IGNORECASE)
FILE_NAME = re.compile(r"\.(?:docx?|xlsx?|pptx?|pdf|rtf|txt|indd|tex|dvi|html?)$", re.IGNORECASE)


def clean_title(value: object) -> str:
    """A title as stated, without what programs put there; empty for one that says nothing."""
    title = FILE_NAME.sub("", PRINTED_BY.sub("", clean_line(value)))[:LONGEST_HEADING].strip()
    return "" if UNTITLED.fullmatch(title) else title


def derive_title(name: str) -> str:
    """A title for a document that states none: its file's name without folders and extension."""
    base = re.split(r"[\\/]", clean_line(name))[-1]
    stem = base.rpartition(".")[0] or base
    return " ".join(re.sub(r"[_+]+", " ", stem).split())[:LONGEST_HEADING] or "Untitled"
