"""Reads Word documents: headings, paragraphs and tables in the order they stand, tables within tables too."""

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any

from docx import Document
from docx.opc.exceptions import OpcError
from docx.oxml.ns import qn
from docx.styles.style import BaseStyle
from lxml import etree

from books.reading.archives import check_archive
from books.reading.building import DocumentBuilder
from books.reading.document import DocumentRefused, RefusalCode
from books.reading.tables import add_table

Element = Any
PARAGRAPH, TABLE, ROW, CELL, CONTENT = qn("w:p"), qn("w:tbl"), qn("w:tr"), qn("w:tc"), qn("w:sdtContent")
TEXT, TAB, BREAK, RETURN, HYPHEN = qn("w:t"), qn("w:tab"), qn("w:br"), qn("w:cr"), qn("w:noBreakHyphen")
DRAWN = qn("w:txbxContent")
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
# What a run leaves out: text that was deleted, and boxes, which are read after their paragraph.
SKIPPED = frozenset({qn("w:del"), qn("w:moveFrom"), DRAWN, FALLBACK, qn("w:pPr"), qn("w:rPr"), qn("w:instrText")})
# What only wraps blocks: content controls, insertions, custom XML.
WRAPPERS = frozenset({qn("w:sdt"), CONTENT, qn("w:ins"), qn("w:moveTo"), qn("w:customXml"), qn("w:smartTag")})
NOTE_PARTS = ("/footnotes", "/endnotes")
DEEPEST_TABLE = 12


def read_docx(data: bytes, builder: DocumentBuilder) -> None:
    check_archive(data, builder.limits)
    try:
        document = Document(BytesIO(data))
    except (OpcError, KeyError, ValueError, etree.XMLSyntaxError) as error:
        raise DocumentRefused(RefusalCode.DAMAGED, "The document is damaged.") from error
    properties = document.core_properties
    builder.describe(properties.title, properties.author)
    # Without styles of its own python-docx would open a file to take those of a template.
    has_styles = any(relation.reltype.endswith("/styles") for relation in document.part.rels.values())
    styles = document.styles if has_styles else ()
    levels = {style.style_id: level for style in styles if (level := find_heading_level(style))}
    body = document.element.body
    reader = DocxReader(builder, levels)
    reader.read_body(body, lambda done: builder.report(done / max(1, len(body))))
    for relation in document.part.rels.values():
        if relation.reltype.endswith(NOTE_PARTS) and not relation.is_external:
            reader.read_notes(relation.target_part.blob)


class DocxReader:
    """Walks the body; python-docx's own paragraphs leave out what was inserted, and content controls."""

    def __init__(self, builder: DocumentBuilder, levels: dict[str, int]) -> None:
        self._builder = builder
        self._levels = levels

    def read_body(self, body: Element, report: Callable[[float], None] = lambda _: None, depth: int = 0) -> None:
        for number, block in enumerate(list_blocks(body)):
            if block.tag == PARAGRAPH:
                self._read_paragraph(block, depth)
            else:
                self._read_table(block, depth)
            report(number)

    def read_notes(self, blob: bytes) -> None:
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        for note in etree.fromstring(blob, parser):
            if note.get(qn("w:type")) is None:
                self._builder.add_text(" ".join(read_paragraph(each) for each in note.iter(PARAGRAPH)))

    def _read_paragraph(self, paragraph: Element, depth: int) -> None:
        text = read_paragraph(paragraph)
        properties = paragraph.find(qn("w:pPr"))
        level = 0 if properties is None or depth else self._find_heading_level(properties)
        if level:
            self._builder.enter_heading(level, text)
        else:
            self._builder.add_text(text)
        for box in paragraph.iter(DRAWN):
            if next(box.iterancestors(FALLBACK), None) is None and depth < DEEPEST_TABLE:
                self.read_body(box, depth=depth + 1)

    def _find_heading_level(self, properties: Element) -> int:
        outline, style = properties.find(qn("w:outlineLvl")), properties.find(qn("w:pStyle"))
        if outline is not None and (outline.get(qn("w:val")) or "9").isdigit():
            level = int(outline.get(qn("w:val")) or "9")
            return level + 1 if level < 9 else 0
        return 0 if style is None else self._levels.get(style.get(qn("w:val")) or "", 0)

    def _read_table(self, table: Element, depth: int) -> None:
        """The table's rows; a table of one column or row only arranges what stands in it."""
        if depth > DEEPEST_TABLE:
            raise DocumentRefused(RefusalCode.DAMAGED, "The document has tables nested too deeply to be read.")
        rows = [list_cells(row) for row in unwrap(table, ROW)]
        if max(map(len, rows), default=0) < 2 or len(rows) < 2:
            for row in rows:
                for cell in row:
                    self.read_body(cell, depth=depth + 1)
            return
        inner: list[Element] = []
        headings = sum(1 for row in unwrap(table, ROW) if row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None)
        worded = TableWording(inner)
        add_table(
            self._builder, [worded.word_row(row) for row in rows], heading_rows=headings if 0 < headings < 4 else None
        )
        for table_within in inner:
            self._read_table(table_within, depth + 1)


class TableWording:
    """The cells of a table's rows as text. A cell merged downwards says the same in every row it reaches."""

    def __init__(self, inner: list[Element]) -> None:
        self._inner = inner
        self._above: dict[int, str] = {}

    def word_row(self, row: list[Element]) -> list[str]:
        texts: list[str] = []
        for cell in row:
            properties = cell.find(qn("w:tcPr"))
            merged = None if properties is None else properties.find(qn("w:vMerge"))
            place = len(texts)
            if merged is not None and merged.get(qn("w:val")) != "restart":
                text = self._above.get(place, "")
            else:
                text = self._word_cell(cell)
            self._above[place] = text
            texts += [text, *[""] * (read_span(properties) - 1)]
        return texts

    def _word_cell(self, cell: Element) -> str:
        parts: list[str] = []
        for block in list_blocks(cell):
            if block.tag == PARAGRAPH:
                parts.append(read_paragraph(block))
            else:
                self._inner.append(block)
        return " ".join(part for part in parts if part)


def read_span(properties: Element | None) -> int:
    """Over how many columns a cell reaches."""
    span = None if properties is None else properties.find(qn("w:gridSpan"))
    value = "1" if span is None else span.get(qn("w:val")) or "1"
    return min(int(value), 63) if value.isdigit() and value.isascii() else 1


def list_blocks(parent: Element) -> Iterator[Element]:
    """The paragraphs and tables of a part in their order, also those inside content controls."""
    return unwrap(parent, PARAGRAPH, TABLE)


def unwrap(parent: Element, *tags: str) -> Iterator[Element]:
    """Children with these tags, also those that wrappers hold, however deep."""
    waiting = [iter(parent)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag in tags:
            yield child
        elif child.tag in WRAPPERS:
            waiting.append(iter(child))


def list_cells(row: Element) -> list[Element]:
    return list(unwrap(row, CELL))


def read_paragraph(paragraph: Element) -> str:
    """A paragraph's words with what was inserted and without what was deleted."""
    parts: list[str] = []
    waiting = [iter(paragraph)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag == TEXT:
            parts.append(child.text or "")
        elif child.tag == TAB:
            parts.append(" ")
        elif child.tag in {BREAK, RETURN}:
            parts.append("\n")
        elif child.tag == HYPHEN:
            parts.append("-")
        elif child.tag not in SKIPPED:
            waiting.append(iter(child))
    return "".join(parts).strip()


def find_heading_level(style: BaseStyle) -> int:
    """The level of a style for headings, by the name that Word gives it in every language."""
    name = (style.name or "").lower()
    if name == "title":
        return 1
    level = name.removeprefix("heading ")
    return int(level) if name != level and level.isdigit() and len(level) == 1 else 0
