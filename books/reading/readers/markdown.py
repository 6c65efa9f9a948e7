"""Reads Markdown: headings, code, tables and front matter; everything else stays as it is written."""

import re
from itertools import groupby
from textwrap import dedent

from books.reading.building import DocumentBuilder
from books.reading.decoding import decode_text
from books.reading.tables import add_table

FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})(.*)")
HEADING = re.compile(r"[ ]{0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*")
UNDERLINE = re.compile(r"[ ]{0,3}(=+|-{2,})\s*")
# Possessive: a line of nothing but blanks is given up at its end, not tried again from each of them.
TABLE_RULE = re.compile(r"\A\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+\|?\s*+")
FIELD = re.compile(r"(title|author)\s*:\s*(.+)", re.IGNORECASE)
CELL_EDGE = re.compile(r"(?<!\\)\|")
FRONT_MATTER_LINES = 60
# Lines after which progress is told.
STEP = 1000


class MarkdownReader:
    """Goes through the lines once; what is gathered becomes a paragraph, a table or code where it ends."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._paragraph: list[str] = []
        self._code: list[str] = []
        self._fence = ""

    def read(self, lines: list[str]) -> None:
        for number, line in enumerate(lines):
            self._take(line)
            if number % STEP == 0:
                self._builder.report(number / len(lines))
        self._end_code()
        self._end_paragraph()

    def _take(self, line: str) -> None:
        fence = FENCE.fullmatch(line) if "`" in line or "~" in line else None
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not fence[2].strip():
                self._end_code()
            else:
                self._code.append(line)
        elif fence and "`" not in fence[2]:
            self._end_paragraph()
            self._fence = fence[1]
        elif "#" in line and (heading := HEADING.fullmatch(line)):
            self._end_paragraph()
            self._builder.enter_heading(len(heading[1]), strip_line_marks(heading[2] or ""))
        elif len(self._paragraph) == 1 and "|" not in self._paragraph[0] and (under := UNDERLINE.fullmatch(line)):
            self._builder.enter_heading(1 if under[1][0] == "=" else 2, strip_line_marks(self._paragraph.pop()))
        elif line.strip():
            self._paragraph.append(line)
        else:
            self._end_paragraph()

    def _end_code(self) -> None:
        self._builder.add_code("\n".join(self._code))
        self._code, self._fence = [], ""

    def _end_paragraph(self) -> None:
        lines, self._paragraph = self._paragraph, []
        rule = next((place for place, line in enumerate(lines) if is_table_rule(lines, place)), None)
        if rule is None:
            self._builder.add_text("\n".join(map(strip_emphasis, lines)))
            return
        self._builder.add_text("\n".join(lines[: rule - 1]))
        for is_row, group in groupby([lines[rule - 1], *lines[rule + 1 :]], key=lambda line: "|" in line):
            if is_row:
                add_table(self._builder, map(split_cells, group), heading_rows=1)
            else:
                self._builder.add_text("\n".join(group))


def read_markdown(data: bytes, builder: DocumentBuilder) -> None:
    first, *rest = decode_text(data).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # Text that a program wrote is often indented as a whole, but for its first line.
    lines = [first, *dedent("\n".join(rest)).split("\n")]
    if lines[0].rstrip() == "---":
        lines = take_front_matter(lines, builder)
    MarkdownReader(builder).read(lines)


def take_front_matter(lines: list[str], builder: DocumentBuilder) -> list[str]:
    """Title and author from the fields above the text; the fields stay text, as what they say may be asked for."""
    for end, line in enumerate(lines[1:FRONT_MATTER_LINES], start=1):
        if line.rstrip() in {"---", "..."}:
            fields = {found[1].lower(): found[2].strip("\"' ") for each in lines[1:end] if (found := FIELD.match(each))}
            builder.describe(fields.get("title", ""), fields.get("author", ""))
            builder.add_text("\n".join(lines[1:end]))
            return lines[end + 1 :]
    return lines


def is_table_rule(lines: list[str], place: int) -> bool:
    line = lines[place]
    return place > 0 and "|" in lines[place - 1] and "-" in line and TABLE_RULE.fullmatch(line) is not None


def split_cells(line: str) -> list[str]:
    cells = CELL_EDGE.split(line.strip().removeprefix("|"))
    if line.rstrip().endswith("|"):
        cells = cells[:-1]
    return [strip_line_marks(cell.replace("\\|", "|")) for cell in cells]


def strip_line_marks(text: str) -> str:
    return strip_emphasis(text).strip()


EMPHASIS = re.compile(r"(\*\*|__)(?=\S)([^*_\n]+?)(?<=\S)\1")


def strip_emphasis(line: str) -> str:
    """Without the marks of bold, which stand between a word and its search."""
    return EMPHASIS.sub(r"\2", line)
