"""Reads PDF files page by page: lines joined to paragraphs, headings by the outline or by the size of their letters."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from books.reading.building import DocumentBuilder, clean_line
from books.reading.document import DocumentRefused, RefusalCode
from books.reading.readers.pdf_sight import PageSight

# What the library puts where a word is parted at the end of a line.
PARTED_WORD = re.compile("[\x02\u00ad\ufffe]\\s*\n?")
HYPHEN_AT_END = re.compile(r"(?<=[^\W\d_])- ?\n(?=[a-zß-öø-ÿа-я])")
ENDS_SENTENCE = tuple('.!?:;…。！？"”»)')
# A line this much shorter than the page's long ones ends its paragraph.
SHORT_LINE = 0.8
# And one so much shorter is a line of its own: an entry of a list, a verse.
OWN_LINE = 0.6
HEADING_SIZE = 1.12
LONGEST_HEADING_LINE = 120
# Lines at the edges of pages that most pages share, figures aside: running titles and page numbers.
EDGE_LINES = 2
SHARED_BY = 0.5
FEWEST_PAGES = 5
NUMBER = re.compile(r"[0-9]{1,6}")
DEEPEST_OUTLINE = 6
MOST_ENTRIES = 5_000
ENCRYPTED_ERROR = 4


@dataclass(slots=True)
class PrintedLine:
    text: str
    size: float
    page: int
    # Of the character in the middle, among those of the page.
    middle: int = 0


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    title: str
    level: int


def read_pdf(data: bytes, builder: DocumentBuilder) -> None:
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise explain_failure(error) from error
    count = len(document)
    if count > builder.limits.max_pages:
        raise DocumentRefused(
            RefusalCode.TOO_MANY_PAGES, f"The file has {count:,} pages; {builder.limits.max_pages:,} can be read."
        )
    builder.pages = count
    metadata = document.get_metadata_dict(skip_empty=True)
    builder.describe(metadata.get("Title"), metadata.get("Author"))
    pages = [read_page(document, number, builder) for number in range(count)]
    if not any(pages):
        raise DocumentRefused(RefusalCode.NO_TEXT, "The pages hold no text; a scan needs its text recognised first.")
    drop_edges(pages)
    write_pages(pages, read_outline(document), builder)


def explain_failure(error: pypdfium2.PdfiumError) -> DocumentRefused:
    if getattr(error, "err_code", None) == ENCRYPTED_ERROR or "password" in str(error).lower():
        return DocumentRefused(RefusalCode.ENCRYPTED, "The document is protected by a password.")
    return DocumentRefused(RefusalCode.DAMAGED, "The PDF file is damaged.")


def read_page(document: pypdfium2.PdfDocument, number: int, builder: DocumentBuilder) -> list[PrintedLine]:
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        builder.add_notice(f"Page {number + 1} is damaged and was left out.")
        return []
    textpage = page.get_textpage()
    text = textpage.get_text_range()
    # Counted here already, as the pages are held until the last one is read.
    builder.reserve(len(text))
    every = list(list_lines(textpage, text, number + 1))
    sight = PageSight(page, textpage)
    lines = [line for line in every if not sight.is_hidden(line.middle)]
    if len(lines) < len(every):
        builder.add_notice("Text that a reader of the pages would not see was left out.")
    textpage.close()
    page.close()
    builder.report(0.9 * (number + 1) / len(document))
    return lines


def list_lines(textpage: pypdfium2.PdfTextPage, text: str, page: int) -> Iterator[PrintedLine]:
    start = 0
    for line in text.split("\n"):
        if line.strip():
            # A letter in the middle: initials are large in some books.
            middle = start + find_middle(line.rstrip())
            size = pdfium.FPDFText_GetFontSize(textpage, middle)
            yield PrintedLine(line.rstrip("\r"), round(size, 1), page, middle)
        start += len(line) + 1


def find_middle(line: str) -> int:
    """The place of a character with a shape of its own, near the middle."""
    half = len(line) // 2
    return half + len(line[half:]) - len(line[half:].lstrip())


def drop_edges(pages: list[list[PrintedLine]]) -> None:
    """Take out running titles and page numbers, but for where each first stands."""
    filled = [page for page in pages if page]
    if len(filled) < FEWEST_PAGES:
        return
    counts = Counter(key for page in filled for key in {key for line in take_edges(page) for key in list_keys(line)})
    shared = {key for key, count in counts.items() if count > SHARED_BY * len(filled)}
    seen: set[str] = set()
    for page in filled:
        edges = {id(line): list_keys(line) & shared for line in take_edges(page)}
        repeated = {place for place, keys in edges.items() if keys & seen}
        seen.update(*edges.values())
        page[:] = [line for line in page if id(line) not in repeated]


def take_edges(page: list[PrintedLine]) -> list[PrintedLine]:
    return page if len(page) <= 2 * EDGE_LINES else page[:EDGE_LINES] + page[-EDGE_LINES:]


def list_keys(line: PrintedLine) -> set[str]:
    """What a line has in common with those of other pages: itself, or itself but for a number that counts pages.

    Other figures must agree, so that the rows of a table that goes on over pages are not taken for its titles.
    """
    text = clean_line(line.text).casefold()[:LONGEST_HEADING_LINE]
    numbers = list(NUMBER.finditer(text))
    counted = {
        f"{text[: found.start()]}#{int(found[0]) - line.page}{text[found.end() :]}"
        for found in (numbers[:1] + numbers[-1:])
    }
    return counted or {text}


def read_outline(document: pypdfium2.PdfDocument) -> dict[int, list[OutlineEntry]]:
    """The table of contents a file carries: its entries by the page they lead to."""
    entries: dict[int, list[OutlineEntry]] = {}
    for number, mark in enumerate(document.get_toc(max_depth=DEEPEST_OUTLINE)):
        if number >= MOST_ENTRIES:
            break
        target = mark.get_dest()
        place = target.get_index() if target else None
        title = clean_line(mark.get_title())
        if place is not None and title:
            entries.setdefault(place + 1, []).append(OutlineEntry(title, mark.level + 1))
    return entries


def write_pages(
    pages: list[list[PrintedLine]], outline: dict[int, list[OutlineEntry]], builder: DocumentBuilder
) -> None:
    sizes = find_heading_sizes([line for page in pages for line in page])
    # Sizes tell the headings below those that an outline has.
    below = max((entry.level for entries in outline.values() for entry in entries), default=0)
    for number, lines in enumerate(pages, start=1):
        levels = place_entries(lines, outline.get(number, []), builder) if outline else {}
        widths = sorted((len(line.text) for line in lines), reverse=True)
        short = SHORT_LINE * widths[len(widths) // 10] if widths else 0
        paragraph: list[PrintedLine] = []
        for place, line in enumerate(lines):
            size_level = find_heading_level(line, sizes)
            level = levels.get(place) or (size_level and below + size_level)
            if level:
                add_paragraph(paragraph, short, builder)
                builder.enter_heading(level, line.text, number)
                continue
            paragraph.append(line)
            if line.text.rstrip().endswith(ENDS_SENTENCE) and len(line.text) < short:
                add_paragraph(paragraph, short, builder)
        add_paragraph(paragraph, short, builder)


def place_entries(lines: list[PrintedLine], entries: list[OutlineEntry], builder: DocumentBuilder) -> dict[int, int]:
    """The levels of the lines that are the outline's entries; one that is no line begins with its page."""
    levels: dict[int, int] = {}
    letters = [keep_letters(line.text) for line in lines]
    for entry in entries:
        title = keep_letters(entry.title)
        found = next((place for place, text in enumerate(letters) if place not in levels and says(text, title)), None)
        if found is None:
            builder.enter_heading(entry.level, entry.title, lines[0].page if lines else None)
        else:
            levels[found] = entry.level
    return levels


def says(text: str, title: str) -> bool:
    """Whether a line is a title, with a number or a word such as Chapter before it perhaps."""
    return text == title or (len(title) > 3 and text.endswith(title) and len(text) < len(title) + 16)


def keep_letters(text: str) -> str:
    return "".join(filter(str.isalnum, clean_line(text).casefold()))


def find_heading_sizes(lines: list[PrintedLine]) -> dict[float, int]:
    """The level of each size of letters larger than the text's own."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    if not letters:
        return {}
    body = letters.most_common(1)[0][0]
    larger = sorted((size for size in letters if size >= HEADING_SIZE * body), reverse=True)
    return {size: min(level, 6) for level, size in enumerate(larger, start=1)}


def find_heading_level(line: PrintedLine, sizes: dict[float, int]) -> int:
    text = line.text.strip()
    if len(text) > LONGEST_HEADING_LINE or not any(map(str.isalpha, text)):
        return 0
    return sizes.get(line.size, 0)


def add_paragraph(lines: list[PrintedLine], short: float, builder: DocumentBuilder) -> None:
    """Join the lines of a paragraph; words parted at a line's end become whole, and short lines stay lines."""
    if lines:
        text = "".join(
            line.text.rstrip() + (" \n" if len(line.text) >= short * OWN_LINE / SHORT_LINE else "\n") for line in lines
        )
        text = HYPHEN_AT_END.sub("", PARTED_WORD.sub("", text)).replace(" \n", " ")
        builder.add_text(text, lines[0].page)
        lines.clear()
