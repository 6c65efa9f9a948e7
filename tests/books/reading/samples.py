"""Documents made for the tests, as good and as hostile as they come."""

import io
import zipfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import openpyxl
from docx import Document
from fpdf import FPDF

from books.reading.document import ReadDocument, ReadingLimits
from books.reading.sandbox import read_document

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
PARTS = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
CONTENT_TYPES = (
    f'<Types xmlns="{PARTS}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    f'<Relationships xmlns="{PARTS}/relationships"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def read_bytes(folder: Path, name: str, data: bytes, **limits: float) -> ReadDocument:
    """What reading these bytes under this name gives, in the process that does it for everybody."""
    path = folder / "upload"
    path.write_bytes(data)
    settings = ReadingLimits(**limits)  # type: ignore[arg-type]
    return read_document(path, name, limits=settings, on_progress=lambda _stage, _done: None)


def paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def build_docx(body: str, extra: Iterable[tuple[str | zipfile.ZipInfo, bytes]] = (), head: str = "") -> bytes:
    """A Word document with this XML for its body, and these parts beside it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", CONTENT_TYPES)
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", f"{head}<w:document {WORD}><w:body>{body}</w:body></w:document>")
        for name, data in extra:
            archive.writestr(name, data)
    return file.getvalue()


def build_xlsx(rows: str, head: str = "") -> bytes:
    """A workbook with this XML for the rows of its one sheet."""
    plain, file = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(plain)
    sheet = f"{head}<worksheet {SHEET}>{rows}</worksheet>"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            archive.writestr(name, sheet if name == "xl/worksheets/sheet1.xml" else source.read(name))
    return file.getvalue()


def build_laughs(root: str) -> str:
    """Ten entities, each ten times the one before it."""
    names = "abcdefghij"
    entities = "".join(f'<!ENTITY {name} "{f"&{last};" * 10}">' for last, name in pairwise(names))
    return f'<!DOCTYPE {root} [<!ENTITY a "lol">{entities}]>'


def build_pdf(objects: list[bytes]) -> bytes:
    out = b"%PDF-1.5\n"
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def build_page_pdf(stream: bytes, settings: bytes = b"", *, catalog: bytes = b"", pages: int = 1) -> bytes:
    """A PDF whose pages are one, with this content, as many times as said."""
    return build_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog,
            b"<</Type/Pages/Kids[%s]/Count %d>>" % (b"3 0 R " * pages, pages),
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
            b"<</Length %d%s>>stream\n%s\nendstream" % (len(stream), settings, stream),
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )


def save_pdf(*, password: str = "", outline: bool = True) -> bytes:
    """Six pages in two chapters, with a running title, page numbers and a word parted at a line's end."""
    pdf = FPDF()
    pdf.set_title("Harbour handbook")
    pdf.set_author("Ann Example")
    if password:
        pdf.set_encryption(owner_password=f"{password}!", user_password=password)
    for number in range(1, 7):
        pdf.add_page()
        pdf.set_font("helvetica", "", 8)
        pdf.cell(0, 5, f"Harbour handbook - {number}", new_x="LMARGIN", new_y="NEXT")
        if number in {1, 4}:
            title = "Moorings" if number == 1 else "Signals"
            if outline:
                pdf.start_section(title)
            pdf.set_font("helvetica", "", 18)
            pdf.cell(0, 10, title, new_x="LMARGIN", new_y="NEXT")
        if number == 5:
            pdf.set_font("helvetica", "", 14)
            pdf.cell(0, 8, "Lights", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("helvetica", "", 11)
        text = f"Berth {number}0 takes vessels of {number}7 metres. Tie up before the tide turns, Capt. Levi says."
        pdf.multi_cell(
            0, 6, f"{text} The harbour master answers on channel {number * 3}.", new_x="LMARGIN", new_y="NEXT"
        )
    return bytes(pdf.output())


def save_docx() -> bytes:
    document = Document()
    document.core_properties.title = "Survey of towns"
    document.core_properties.author = "Bo Writer"
    document.add_heading("Findings", 1)
    document.add_paragraph("The survey was made in May.")
    table = document.add_table(3, 3)
    for row, cells in zip(
        table.rows, (("Town", "People", "Area"), ("Haifa", "285,000", "63"), ("Eilat", "52,000", "85")), strict=True
    ):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    within = table.cell(2, 2).add_table(2, 2)
    for place, words in enumerate((("Part", "Share"), ("north", "12"))):
        for cell, text in zip(within.rows[place].cells, words, strict=True):
            cell.text = text
    document.add_heading("Method", 2)
    document.add_paragraph("We counted doors.")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def save_xlsx() -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.worksheets[0])
    sheet = workbook.create_sheet("Sales")
    for row in (
        ["Sales of 2024"],
        [],
        ["", "North", "", "South"],
        ["Product", "Q1", "Q2", "Q1"],
        ["Bolts", 12.5, 13, 0.25],
    ):
        sheet.append(row)
    sheet.append(["Nuts", 1, 2, "=B6+C6"])
    sheet.merge_cells("A1:D1")
    sheet.merge_cells("B3:C3")
    sheet["D5"].number_format = "0%"
    staff = workbook.create_sheet("Staff")
    staff.append(["Name", "Role"])
    staff.append(["Dana", "Cook"])
    file = io.BytesIO()
    workbook.save(file)
    return file.getvalue()
