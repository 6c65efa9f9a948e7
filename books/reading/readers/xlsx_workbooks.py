"""Reads workbooks: each sheet a section, each row with the headings of its columns, results instead of formulas."""

import datetime as dt
import zipfile
from collections.abc import Iterator
from io import BytesIO

from openpyxl import DEFUSEDXML, load_workbook
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.workbook import Workbook

from books.reading.archives import check_archive
from books.reading.building import DocumentBuilder
from books.reading.document import DocumentRefused, RefusalCode
from books.reading.tables import add_table

STEP = 500
FORMULA_MARKS = (b"<f>", b"<f ")
# Rows are padded up to their last cell, so a cell far to the right costs as much as all before it.
PLACES_PER_CELL = 5


def read_xlsx(data: bytes, builder: DocumentBuilder) -> None:
    if not DEFUSEDXML:
        raise RuntimeError("defusedxml must be installed: openpyxl reads entities without it")
    check_archive(data, builder.limits)
    try:
        results = open_workbook(data, is_result=True)
        formulas = open_workbook(data, is_result=False) if has_formulas(data) else None
        builder.describe(results.properties.title, results.properties.creator)
        # Sheets are parsed as they are gone through.
        WorkbookReader(builder, results, formulas).read()
    except (InvalidFileException, LookupError, ValueError, TypeError) as error:
        raise DocumentRefused(RefusalCode.DAMAGED, "The workbook is damaged.") from error


def open_workbook(data: bytes, *, is_result: bool) -> Workbook:
    return load_workbook(BytesIO(data), read_only=True, data_only=is_result, keep_links=False)


def has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        sheets = (name for name in archive.namelist() if name.startswith("xl/worksheets/") and name.endswith(".xml"))
        return any(mark in archive.read(name) for name in sheets for mark in FORMULA_MARKS)


class WorkbookReader:
    """Goes through the sheets. A formula is shown where its result was never stored, as other programs leave it."""

    def __init__(self, builder: DocumentBuilder, results: Workbook, formulas: Workbook | None) -> None:
        self._builder = builder
        self._results = results
        self._formulas = formulas
        self._places = 0

    def read(self) -> None:
        sheets = self._results.worksheets
        for number, sheet in enumerate(sheets):
            self._builder.leave_headings()
            rows = self._list_rows(number)
            if len(sheets) > 1 or not sheet.title.lower().startswith("sheet"):
                self._builder.enter_heading(1, sheet.title)
            add_table(self._builder, rows)
            self._builder.report((number + 1) / len(sheets))

    def _list_rows(self, number: int) -> Iterator[list[str]]:
        for place, row in enumerate(self._walk(self._results, number)):
            self._places += len(row)
            if self._places > PLACES_PER_CELL * self._builder.limits.max_cells:
                raise DocumentRefused(RefusalCode.TOO_LARGE, "The sheets are too wide to be read.")
            yield row
            if place % STEP == 0:
                # The number of rows is not known, but a workbook that can be read has not many more.
                self._builder.report((number + min(0.99, place / 50_000)) / len(self._results.worksheets))

    def _walk(self, workbook: Workbook, number: int) -> Iterator[list[str]]:
        sheet = workbook.worksheets[number]
        # What a sheet says of its size is a claim; 5 KB can claim seventeen thousand million cells.
        sheet.reset_dimensions()
        if self._formulas is None:
            yield from ([word_cell(cell) for cell in row] for row in sheet.iter_rows())
            return
        other = self._formulas.worksheets[number]
        other.reset_dimensions()
        for row, written in zip(sheet.iter_rows(), other.iter_rows(), strict=False):
            yield [word_cell(cell) or word_cell(formula) for cell, formula in zip(row, written, strict=False)]


def word_cell(cell: object) -> str:
    """A cell's value as a person reads it: 25% for a quarter formatted so, a date without a time at midnight."""
    value = getattr(cell, "value", None)
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        shown = getattr(cell, "number_format", "") or ""
        return f"{value * 100:.10g}%" if "%" in shown else f"{value:.15g}"
    if isinstance(value, dt.datetime):
        return f"{value:%Y-%m-%d}" if value.time() == dt.time() else f"{value:%Y-%m-%d %H:%M}"
    return str(value)
