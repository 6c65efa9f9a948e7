"""One reader for each kind of document. Each takes the bytes and tells a `DocumentBuilder` what it finds, in order.

A new kind needs a reader here, a member of `DocumentKind`, and a way to be recognised in `kinds`.
"""

import codecs
import sys
import types
from collections.abc import Callable
from importlib import import_module
from typing import cast

from books.reading.building import DocumentBuilder
from books.reading.decoding import EAST_ASIAN, EIGHT_BITS
from books.reading.document import DocumentKind

Reader = Callable[[bytes, DocumentBuilder], None]
# By name, as the libraries of all kinds together take most of a second to load.
READERS = {
    DocumentKind.PDF: ("pdf_pages", "read_pdf"),
    DocumentKind.DOCX: ("docx_documents", "read_docx"),
    DocumentKind.XLSX: ("xlsx_workbooks", "read_xlsx"),
    DocumentKind.CSV: ("csv_tables", "read_csv"),
    DocumentKind.HTML: ("html_pages", "read_html"),
    DocumentKind.RTF: ("rtf_documents", "read_rtf"),
    DocumentKind.TXT: ("plain_text", "read_text"),
    DocumentKind.MD: ("markdown", "read_markdown"),
}
# Beside those guessed, what HTML pages and RTF documents name.
ENCODINGS = (
    *EIGHT_BITS, *EAST_ASIAN, "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp437", "cp850", "cp852",
    "cp862", "cp866", "cp874", "cp932", "cp936", "cp949", "cp950", "cp1257", "cp1258", "euc_jp", "gb2312", "gbk",
    "iso2022_jp", "koi8_r", "koi8_u", "latin-1", "mac_roman", *(f"iso8859_{part}" for part in (2, 5, 6, 7, 8, 9, 15)),
)  # fmt: skip
# What the standard library and the readers' libraries import within functions.
LOADED_LATE = ("heapq",)


def load_reader(kind: DocumentKind) -> Reader:
    """The reader of a kind with all it needs: the process that reads can open no file afterwards."""
    # openpyxl loads numpy where it is, to know its numbers in cells; that alone took as long as all else.
    sys.modules.setdefault("numpy", cast("types.ModuleType", None))
    for encoding in ENCODINGS:
        codecs.lookup(encoding)
    for name in LOADED_LATE:
        import_module(name)
    module, function = READERS[kind]
    return cast("Reader", getattr(import_module(f"{__name__}.{module}"), function))
