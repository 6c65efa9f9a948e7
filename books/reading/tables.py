"""Tables as text: which row holds the headings, what stands above it, and each row with them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from books.reading.building import LONGEST_HEADING, DocumentBuilder, clean_line

# Rows in which titles, units and headings are looked for.
ROWS_ABOVE = 12
NUMBER = re.compile(r"\A(?=\D*+\d)[\s\d.,:/%€$£¥₪+()°'-]++(?:[A-Za-z%€$£₪°²³]{1,3}\.?)?")
YEAR = re.compile(r"(?:19|20)\d\d")

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class TableHead:
    """``titles`` stand above the headings; ``rows`` is how many rows both take together."""

    titles: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    rows: int = 0


def add_table(
    builder: DocumentBuilder,
    rows: Iterable[Row],
    *,
    heading_rows: int | None = None,
    caption: str = "",
    page: int | None = None,
) -> int:
    """Add a table's rows, each with its headings. Empty rows are left out; the number of the others is returned.

    ``heading_rows`` says how many rows are headings where the document tells; otherwise they are recognised.
    """
    filled = (row for row in rows if any(row))
    first = list(islice(filled, ROWS_ABOVE))
    head = find_head(first) if heading_rows is None else join_headings(first[:heading_rows])
    captions = tuple(text for text in (caption, *head.titles) if text)
    for title in captions:
        builder.add_row([("", title)], page=page)
    # Once by themselves, too: a question may ask what a table has, and a column may have nothing but its heading.
    builder.add_row([("", heading) for heading in head.headings], captions, page)
    count = 0
    for row in chain(first[head.rows :], filled):
        builder.add_row(list(pair_cells(head.headings, row)), captions, page)
        count += 1
    return count


def pair_cells(headings: Row, row: Row) -> Iterator[tuple[str, str]]:
    for place, value in enumerate(row):
        yield (headings[place] if place < len(headings) else ""), value


def find_head(rows: Sequence[Row]) -> TableHead:
    """What the first rows are: titles of one cell each, then headings in one row or in two, groups above names."""
    start = 0
    widest = max((count_filled(row) for row in rows), default=0)
    while widest > 1 and start < len(rows) and count_filled(rows[start]) == 1:
        start += 1
    if start >= len(rows) or widest < 2 or not is_heading(rows[start]):
        return TableHead()
    titles = tuple(clean_line(" ".join(filter(None, row)))[:LONGEST_HEADING] for row in rows[:start])
    is_group = start + 1 < len(rows) and has_gaps_filled_by(rows[start], rows[start + 1])
    last = start + (2 if is_group else 1)
    # A heading over a table of words alone cannot be told from its rows, but is one far more often than not.
    joined = join_headings(rows[start:last])
    return TableHead(titles, joined.headings, last)


def join_headings(rows: Sequence[Row]) -> TableHead:
    """The headings of several rows as one: a group's name goes on to the right until the next one."""
    width = max(map(len, rows), default=0)
    columns: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(rows):
        group = ""
        for place in range(width):
            own = clean_line(row[place]) if place < len(row) else ""
            # A name above the first columns that have no group belongs to its own column alone.
            group = own or (group if number < len(rows) - 1 else "")
            if group and group not in columns[place]:
                columns[place].append(group)
    return TableHead(headings=tuple(" ".join(words)[:LONGEST_HEADING] for words in columns), rows=len(rows))


def is_heading(row: Row) -> bool:
    """Whether a row could hold headings: words and no figures, but for years, beside words or an empty corner."""
    cells = [cell.strip() for cell in row if cell.strip()]
    if len(cells) < 2 or any(len(cell) > LONGEST_HEADING for cell in cells):
        return False
    words = [cell for cell in cells if not NUMBER.fullmatch(cell)]
    return len(words) + sum(YEAR.fullmatch(cell) is not None for cell in cells) == len(cells) and (
        bool(words) or not row[0].strip()
    )


def has_gaps_filled_by(upper: Row, lower: Row) -> bool:
    """Whether the upper row names groups of the lower row's columns, as merged cells do."""
    gaps = [place for place, cell in enumerate(upper[: len(lower)]) if not cell.strip() and place > 0]
    if not gaps or not is_heading(lower):
        return False
    return all(lower[place].strip() for place in gaps) and count_filled(lower) > count_filled(upper)


def count_filled(row: Row) -> int:
    return sum(bool(cell.strip()) for cell in row)
