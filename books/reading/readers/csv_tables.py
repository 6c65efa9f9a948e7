"""Reads values parted by commas, semicolons, tabs or bars, as the file has them: no figure is turned into another."""

import csv
import io
from collections import Counter
from collections.abc import Iterator

from books.reading.building import DocumentBuilder
from books.reading.decoding import decode_text
from books.reading.tables import add_table

DELIMITERS = ",;\t|"
SAMPLE_RECORDS = 60
SAMPLE = 65_536
# No cell is so long; one that seems to be began with a quotation mark that nothing closes.
LONGEST_CELL = 50_000
MOST_LINES = 200
STEP = 500


def read_csv(data: bytes, builder: DocumentBuilder) -> None:
    text = decode_text(data).replace("\x00", "").replace("\r\n", "\n").replace("\r", "\n")
    csv.field_size_limit(len(text) + 1)
    if text[:4].lower() == "sep=":
        # A line of Excel's own that names the delimiter.
        first, _, text = text.partition("\n")
        delimiter = first[4:5] or ","
    else:
        delimiter = find_delimiter(text)
    source = io.StringIO(text, newline="")
    if has_sound_quotes(text, delimiter):
        records = csv.reader(source, delimiter=delimiter)
    else:
        records = csv.reader(source, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    lines = text.count("\n") + 1
    add_table(builder, report_records(records, builder, lines))


def report_records(records: Iterator[list[str]], builder: DocumentBuilder, lines: int) -> Iterator[list[str]]:
    for number, record in enumerate(records):
        if number % STEP == 0:
            builder.report(number / lines)
        yield record


def find_delimiter(text: str) -> str:
    """The delimiter that parts most records into the same number of cells, more than one."""
    sample = text[:SAMPLE].rpartition("\n")[0] or text[:SAMPLE]
    return max(DELIMITERS, key=lambda delimiter: rate_delimiter(sample, delimiter))


def rate_delimiter(sample: str, delimiter: str) -> tuple[float, int]:
    widths: Counter[int] = Counter()
    for number, record in enumerate(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)):
        if number >= SAMPLE_RECORDS:
            break
        widths[len(record)] += bool(record)
    width, count = max(widths.items(), key=lambda pair: (pair[1], pair[0]), default=(1, 0))
    return (count / max(1, widths.total()) if width > 1 else 0.0), width


def has_sound_quotes(text: str, delimiter: str) -> bool:
    """Whether the quotation marks enclose cells; one that is never closed swallows the rest of the file."""
    return '"' not in text or not any(
        len(cell) > LONGEST_CELL or cell.count("\n") > MOST_LINES
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        for cell in record
    )
