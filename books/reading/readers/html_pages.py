"""Reads HTML pages: what a reader sees of the text, without what surrounds it, scripts or anything fetched."""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree

from books.reading.building import DocumentBuilder
from books.reading.decoding import decode_text
from books.reading.document import DocumentRefused, RefusalCode
from books.reading.tables import add_table

Element = Any
NO_TEXT_TAGS = (
    "script style template noscript iframe object embed svg math canvas audio video select button input textarea "
    "head link meta map"
)
NO_TEXT = frozenset(NO_TEXT_TAGS.split())
AROUND = frozenset({"nav", "footer"})
# Names that makers of pages give to what lies over a page or leads elsewhere, in whatever language the page is.
AROUND_NAMES = re.compile(
    r"(?:^|[\s_-])(?:cookies?|consent|gdpr|newsletter|breadcrumbs?|adverts?|advertisement)(?:$|[\s_-])"
)
AROUND_ROLES = frozenset({"navigation", "contentinfo", "search", "menu", "menubar"})
BLOCK_TAGS = (
    "address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form "
    "header hr html legend li main nav ol p section summary td th tr tbody thead tfoot ul caption"
)
BLOCKS = frozenset(BLOCK_TAGS.split())
HEADINGS = {f"h{level}": level for level in range(1, 7)}
HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em)?\s*(?:;|$)", re.IGNORECASE
)
CHARSET = re.compile(
    rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_:-]{1,40})"
    rb"|<\?xml[^>]{0,100}encoding=[\"']([A-Za-z0-9_:-]{1,40})",
    re.IGNORECASE,
)
SPACES = re.compile(r"\s+")
# Pages made by people stay below 100 levels, those with elements never closed below some thousands. The parser's own
# limit of 256 drops what lies deeper without a word; 1.9 million levels cost other parsers 1.2 GB.
DEEPEST = 20_000
OPENING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*?(/?)>")
NESTING_TAGS = "div span p ul ol li table tr td section article blockquote b i font a em strong"
NESTING = frozenset(NESTING_TAGS.split())


def read_html(data: bytes, builder: DocumentBuilder) -> None:
    text = decode_text(data, find_declared_encoding(data[:4096]))
    check_depth(text)
    parser = etree.HTMLParser(
        no_network=True, remove_comments=True, remove_pis=True, encoding="utf-8", recover=True, huge_tree=True
    )
    root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    if root is None:
        raise DocumentRefused(RefusalCode.NO_TEXT, "There is no text in the page.")
    head = root.find("head")
    if head is not None:
        author = head.xpath("string(meta[@name='author' or @name='Author']/@content)")
        builder.describe(head.findtext("title"), author)
    body = root.find("body")
    reader = HtmlReader(builder, skips_around=True)
    reader.read(root if body is None else body)
    if not builder.blocks:
        # A page that consists of what others have around their text.
        HtmlReader(builder, skips_around=False).read(root if body is None else body)
    if reader.has_hidden:
        builder.add_notice("Text that a reader of the page would not see was left out.")


def find_declared_encoding(head: bytes) -> str:
    found = CHARSET.search(head)
    return (found[1] or found[2]).decode("ascii") if found else ""


def check_depth(text: str) -> None:
    """Refuse elements nested absurdly deep before a tree is built of them."""
    depth = 0
    for slash, name, closed in OPENING.findall(text):
        if name.lower() in NESTING and not closed:
            depth = max(0, depth - 1) if slash else depth + 1
            if depth > DEEPEST:
                raise DocumentRefused(RefusalCode.DAMAGED, "The page is nested too deeply to be read.")


class HtmlReader:
    """Walks the elements without recursion, gathering the words of a block until the next one begins."""

    def __init__(self, builder: DocumentBuilder, *, skips_around: bool) -> None:
        self.has_hidden = False
        self._builder = builder
        self._skips_around = skips_around
        self._words: list[str] = []
        self._last = ""

    def read(self, root: Element) -> None:
        waiting: list[tuple[Element, Iterator[Element]]] = [(root, iter(root))]
        self._words.append(flatten(root.text))
        while waiting:
            element, children = waiting[-1]
            child = next(children, None)
            if child is None:
                waiting.pop()
                if element.tag in BLOCKS:
                    self._end_block()
                if waiting:
                    self._words.append(flatten(element.tail))
            elif self._is_left_out(child) or self._take_whole(child):
                self._words.append(flatten(child.tail))
            else:
                if child.tag in BLOCKS:
                    self._end_block()
                self._words.append(flatten(child.text))
                waiting.append((child, iter(child)))
        self._end_block()

    def _is_left_out(self, element: Element) -> bool:
        if not isinstance(element.tag, str) or element.tag in NO_TEXT:
            return True
        if is_hidden(element):
            self.has_hidden = self.has_hidden or bool("".join(element.itertext()).strip())
            return True
        return self._skips_around and is_around(element)

    def _take_whole(self, element: Element) -> bool:
        """Headings, code, tables and line breaks, which are more than their words."""
        if element.tag == "br":
            self._words.append("\n")
        elif element.tag in HEADINGS:
            self._end_block()
            self._builder.enter_heading(HEADINGS[element.tag], " ".join(collect_visible_text(element).split()))
        elif element.tag == "pre":
            self._end_block()
            self._builder.add_code("".join(element.itertext()))
        elif element.tag == "table" and is_data_table(element):
            self._end_block()
            self._read_table(element)
        else:
            return False
        return True

    def _read_table(self, table: Element) -> None:
        caption = " ".join((table.findtext("caption") or "").split())
        rows = list(table.iter("tr"))
        headings = 0
        while headings < len(rows) and is_heading_row(rows[headings]):
            headings += 1
        worded = spread_spans(rows)
        count = headings if 0 < headings < min(4, len(rows)) else None
        add_table(self._builder, worded, heading_rows=count, caption=caption)

    def _end_block(self) -> None:
        text = "".join(self._words).strip()
        self._words = []
        if text != self._last:
            # The same again and again is what pages fill themselves with.
            self._builder.add_text(text)
        self._last = text or self._last


def flatten(text: str | None) -> str:
    """Line breaks in the source are spaces; those that ``br`` puts in are kept."""
    return SPACES.sub(" ", text or "")


def is_around(element: Element) -> bool:
    """Whether an element is no part of the text but stands around it on every page of a site."""
    if element.tag in AROUND or element.get("role") in AROUND_ROLES:
        return True
    names = f"{element.get('class') or ''} {element.get('id') or ''}".lower()
    return element.tag not in {"body", "main", "article"} and AROUND_NAMES.search(names) is not None


def is_hidden(element: Element) -> bool:
    return (
        element.get("hidden") is not None
        or element.get("aria-hidden") == "true"
        or HIDDEN_STYLE.search(element.get("style") or "") is not None
    )


def is_data_table(table: Element) -> bool:
    """Whether a table holds data rather than arranging a page: two rows and columns, no tables or headings within."""
    if table.get("role") in {"presentation", "none"}:
        return False
    if next(table.iterdescendants("table", *HEADINGS), None) is not None:
        return False
    widths = [sum(1 for _ in row.iterchildren("td", "th")) for row in table.iter("tr")]
    return len(widths) > 1 and max(widths) > 1


def is_heading_row(row: Element) -> bool:
    cells = list(row.iterchildren("td", "th"))
    return bool(cells) and all(cell.tag == "th" for cell in cells)


def spread_spans(rows: list[Element]) -> Iterator[list[str]]:
    """The rows as texts, a cell that reaches over several rows in each of them."""
    reaching: dict[int, tuple[int, str]] = {}
    for row in rows:
        texts: list[str] = []
        for cell in row.iterchildren("td", "th"):
            while (held := reaching.get(len(texts), (0, "")))[0] > 0:
                reaching[len(texts)] = (held[0] - 1, held[1])
                texts.append(held[1])
            text = " ".join(collect_visible_text(cell).split())
            if (down := read_span(cell, "rowspan")) > 1:
                reaching[len(texts)] = (down - 1, text)
            texts += [text, *[""] * (read_span(cell, "colspan") - 1)]
        while (held := reaching.get(len(texts), (0, "")))[0] > 0:
            reaching[len(texts)] = (held[0] - 1, held[1])
            texts.append(held[1])
        yield texts


def read_span(cell: Element, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return max(1, min(int(value), 100)) if value.isdigit() and value.isascii() and len(value) < 5 else 1


def collect_visible_text(element: Element) -> str:
    """The words of an element without scripts and hidden parts; blocks within it are parted by spaces."""
    parts: list[str] = [element.text or ""]
    waiting: list[Iterator[Element]] = [iter(element)]
    tails: list[str] = []
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
            parts.append(tails.pop() if tails else "")
        elif not isinstance(child.tag, str) or child.tag in NO_TEXT or is_hidden(child):
            parts.append(child.tail or "")
        else:
            gap = " " if child.tag in BLOCKS or child.tag == "br" else ""
            parts.append(gap + (child.text or ""))
            tails.append(gap + (child.tail or ""))
            waiting.append(iter(child))
    return "".join(parts)
