"""Reads rich text: its words, and its tables, whose cells the library parts by bars."""

import re
from itertools import groupby

from striprtf.striprtf import rtf_to_text

from books.reading.building import DocumentBuilder
from books.reading.decoding import try_decoding
from books.reading.document import DocumentRefused, RefusalCode
from books.reading.readers.plain_text import add_paragraph
from books.reading.tables import add_table

INFO = re.compile(r"\{\\(title|author) ([^{}]{1,400})\}")
# Numbers that are no character's; the library stops at them.
BEYOND_UNICODE = re.compile(r"\\u-?\d{6,}\??")
CODE_PAGE = re.compile(rb"\\ansicpg(\d{3,5})")
DEEPEST = 2_000


def read_rtf(data: bytes, builder: DocumentBuilder) -> None:
    check_groups(data)
    source = data.decode("latin-1")
    page = CODE_PAGE.search(data[:4096])
    encoding = f"cp{page[1].decode('ascii')}" if page else "cp1252"
    if try_decoding(b"", encoding) is None:
        encoding = "cp1252"
    fields = {name: read_plain_text(f"{{\\rtf1 {value}}}", encoding) for name, value in INFO.findall(source[:65_536])}
    builder.describe(fields.get("title", ""), fields.get("author", ""))
    text = read_plain_text(BEYOND_UNICODE.sub("", source), encoding)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for is_row, group in groupby(lines, key=is_table_row):
        if is_row:
            add_table(builder, [line.strip().removesuffix("|").split("|") for line in group])
        else:
            for line in group:
                add_paragraph(builder, line.strip())


def read_plain_text(source: str, encoding: str) -> str:
    return str(rtf_to_text(source, encoding, "ignore"))  # type: ignore[no-untyped-call]


def check_groups(data: bytes) -> None:
    """Refuse groups nested absurdly deep or never closed; a document's own are a few dozen deep."""
    depth = 0
    for brace in re.finditer(rb"(?<!\\)[{}]", data):
        depth += 1 if brace[0] == b"{" else -1
        if depth > DEEPEST:
            raise DocumentRefused(RefusalCode.DAMAGED, "The document is nested too deeply to be read.")


def is_table_row(line: str) -> bool:
    return line.rstrip().endswith("|") and line.count("|") > 1
