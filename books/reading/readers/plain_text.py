"""Reads plain text: paragraphs as blank lines part them, and the lines that are plainly headings."""

import re

from books.reading.building import DocumentBuilder
from books.reading.decoding import decode_text
from memory.language.sentences import ENDS

PARAGRAPHS = re.compile(r"\n[^\S\n]*\n\s*")
UNDERLINED = re.compile(r"([^\n]{1,120})\n[^\S\n]*([=\-~*])\2{2,}[^\S\n]*")
NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})[.)]?\s+[^\W\d_].*")
LONGEST_HEADING_LINE = 80
LINE_ENDS = (*ENDS, ",", ";", ":")


def read_text(data: bytes, builder: DocumentBuilder) -> None:
    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    start = 0
    for gap in [*PARAGRAPHS.finditer(text), None]:
        end = gap.start() if gap else len(text)
        add_paragraph(builder, text[start:end].strip("\n\f "))
        start = gap.end() if gap else end
        builder.report(end / max(1, len(text)))


def add_paragraph(builder: DocumentBuilder, paragraph: str) -> None:
    if level := find_heading_level(paragraph):
        builder.enter_heading(level, paragraph.split("\n")[0])
    else:
        builder.add_text(paragraph)


def find_heading_level(paragraph: str) -> int:
    """The depth of a heading that stands by itself: underlined, in capitals, or numbered; 0 for anything else."""
    if under := UNDERLINED.fullmatch(paragraph):
        return 1 if under[2] in "=*" else 2
    if "\n" in paragraph or len(paragraph) > LONGEST_HEADING_LINE or paragraph.endswith(LINE_ENDS):
        return 0
    if numbered := NUMBERED.fullmatch(paragraph):
        return 1 + numbered[1].count(".")
    return int(paragraph.isupper() and sum(map(str.isalpha, paragraph)) > 3)
