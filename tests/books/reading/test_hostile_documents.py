"""Documents made to harm: each is refused in words or read as what it is, and nothing is left behind."""

import io
import resource
import socket
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from books.reading import sandbox
from books.reading.document import MIB, DocumentRefused, ReadingLimits, RefusalCode
from books.reading.kinds import recognise_kind
from tests.books.reading.samples import (
    build_docx,
    build_laughs,
    build_page_pdf,
    build_pdf,
    build_xlsx,
    paragraph,
    read_bytes,
    save_pdf,
    save_xlsx,
)

FINE = build_docx(paragraph("fine"))
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000)
EXTERNAL = '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://127.0.0.1:9/"> %p;]>'


def link_entry() -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo("word/link")
    entry.external_attr = 0o120777 << 16
    return entry


def lock_archive(archive: bytes) -> bytes:
    """The archive with its first part said to be encrypted."""
    changed = bytearray(archive)
    changed[changed.find(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def sheet_of(cell: str, rows: int) -> str:
    return "<sheetData>" + "".join(f'<row r="{n}">{cell}</row>' for n in range(1, rows)) + "</sheetData>"


def nest_tables(depth: int) -> str:
    return "<w:tbl><w:tr><w:tc>" * depth + paragraph("deep") + "</w:tc></w:tr></w:tbl>" * depth


C = RefusalCode
REFUSED = {
    "no extension": ("notes", b"hello", C.UNSUPPORTED_KIND),
    "program": ("setup.exe", b"MZ", C.UNSUPPORTED_KIND),
    "program as pdf": ("report.pdf", b"\x7fELF" + bytes(200), C.KIND_MISMATCH),
    "program as text": ("report.txt", b"\x7fELF" + bytes(200), C.KIND_MISMATCH),
    "picture and page": ("a.html", b"GIF89a<html><script>1</script>hi</html>", C.KIND_MISMATCH),
    "page as text": ("a.txt", b" <!DOCTYPE html><html>hi</html>", C.KIND_MISMATCH),
    "workbook as docx": ("a.docx", save_xlsx(), C.KIND_MISMATCH),
    "docx as pdf": ("a.pdf", FINE, C.KIND_MISMATCH),
    "old Word": ("a.docx", OLE, C.KIND_MISMATCH),
    "macros": ("a.docx", build_docx(paragraph("fine"), [("word/vbaProject.bin", b"x")]), C.KIND_MISMATCH),
    "macro sheets": ("a.docx", build_docx(paragraph("fine"), [("xl/macrosheets/sheet1.xml", b"x")]), C.KIND_MISMATCH),
    "encrypted Word": ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le"), C.ENCRYPTED),
    "encrypted archive": ("a.docx", lock_archive(FINE), C.ENCRYPTED),
    "encrypted pdf": ("a.pdf", save_pdf(password="open"), C.ENCRYPTED),
    "empty": ("a.pdf", b"", C.NO_TEXT),
    "blanks": ("a.txt", b" \n\n ", C.NO_TEXT),
    "commas": ("a.csv", b"," * 100_000, C.NO_TEXT),
    "name upwards": ("a.docx", build_docx(paragraph("fine"), [("../../x", b"x")]), C.DAMAGED),
    "absolute name": ("a.docx", build_docx(paragraph("fine"), [("/etc/x", b"x")]), C.DAMAGED),
    "link": ("a.docx", build_docx(paragraph("fine"), [(link_entry(), b"/etc/passwd")]), C.DAMAGED),
    "parts without end": ("a.docx", build_docx("", [(f"x/{n}", b"") for n in range(2_100)]), C.DAMAGED),
    "cut archive": ("a.docx", FINE[:-40], C.DAMAGED),
    "wrong checksum": ("a.docx", FINE[:60] + b"\xff" + FINE[61:], C.DAMAGED),
    "laughs": ("a.docx", build_docx(paragraph("&j;"), head=build_laughs("a")), C.DAMAGED),
    "laughs in a sheet": ("a.xlsx", build_xlsx("&j;", build_laughs("worksheet")), C.DAMAGED),
    "entity in a sheet": ("a.xlsx", build_xlsx("", EXTERNAL), C.DAMAGED),
    "deep tables": ("a.docx", build_docx(nest_tables(40)), C.DAMAGED),
    "packed text": ("a.docx", build_docx(paragraph("A" * 50) * 300_000), C.TOO_LARGE),
    "packed sheet": ("a.xlsx", build_xlsx(sheet_of("<c><v>1</v></c>" * 100, 3_000)), C.TOO_LARGE),
    "text that is nowhere": ("a.xlsx", build_xlsx(sheet_of('<c t="s"><v>99999</v></c>', 3)), C.DAMAGED),
    "row that is no number": ("a.xlsx", build_xlsx('<sheetData><row r="x"><c r="!!"><v>7</v></c></row>'), C.DAMAGED),
    "pages without end": ("a.pdf", build_page_pdf(b"BT ET", pages=4_000), C.TOO_MANY_PAGES),
    "pages in a loop": (
        "a.pdf",
        build_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R]>>"]),
        C.DAMAGED,
    ),
    "percent signs": ("a.pdf", b"%PDF-1.4\n" + b"%" * 100_000, C.DAMAGED),
    "cut pdf": ("a.pdf", save_pdf()[:1500], C.DAMAGED),
    "deep page": ("a.html", b"<html>" + b"<div>" * 100_000, C.DAMAGED),
    "deep groups": ("a.rtf", b"{\\rtf1" + b"{" * 100_000, C.DAMAGED),
}


@pytest.fixture(autouse=True)
def nobody_left() -> Iterator[None]:
    """Whatever becomes of a document, the process that read it is gone. Other tests' parts may run beside it."""
    before = set(psutil.Process().children())
    yield
    assert set(psutil.Process().children()) <= before


@pytest.mark.parametrize(("name", "data", "code"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_document_is_refused_in_words(tmp_path: Path, name: str, data: bytes, code: RefusalCode) -> None:
    with pytest.raises(DocumentRefused) as caught:
        read_bytes(tmp_path, name, data)
    assert caught.value.code is code
    assert caught.value.detail.endswith(".")
    # For whoever handed it in, and not for who wrote the reader.
    assert "Error" not in caught.value.detail
    assert [path.name for path in tmp_path.iterdir()] == ["upload"]


SEPARATE = {
    "entity from a file": ("a.docx", build_docx(paragraph("x&e;y"), head=EXTERNAL), "x"),
    "script and launch": (
        "a.pdf",
        build_page_pdf(
            b"BT /F1 12 Tf 50 700 Td (harmless) Tj ET",
            catalog=b"/OpenAction<</S/JavaScript/JS(app.alert(1))>>/AA<</WC<</S/Launch/F(/bin/sh)>>>>",
        ),
        "harmless",
    ),
    "pdf that is an archive, too": ("a.pdf", build_page_pdf(b"BT /F1 12 Tf 50 700 Td (one) Tj ET") + FINE, "one"),
    "size that is a lie": (
        "a.xlsx",
        build_xlsx('<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>5</v></c></row></sheetData>'),
        "5",
    ),
    "folders in the name": ("../../etc/pass wd\r\n.txt", b"words", "words"),
    "bytes of a length": ("a.rtf", b"{\\rtf1 hi \\bin4294967295 xx}", "hi xx"),
    "virus test": ("a.txt", b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR", "X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR"),
    "300 levels": ("a.html", b"<html><body>" + b"<div>" * 300 + b"inner", "inner"),
}


@pytest.mark.parametrize(("name", "data", "text"), SEPARATE.values(), ids=SEPARATE)
def test_what_can_be_read_safely_is_read_as_what_it_is(tmp_path: Path, name: str, data: bytes, text: str) -> None:
    document = read_bytes(tmp_path, name, data)
    assert [block.text for block in document.blocks] == [text]
    assert not set(document.title) & set("/\\\r\n")


def test_memory_time_and_size_are_limited(tmp_path: Path) -> None:
    bomb = build_page_pdf(zlib.compress(b" " * 200 * MIB, 1), b"/Filter/FlateDecode")
    with pytest.raises(DocumentRefused) as caught:
        read_bytes(tmp_path, "a.pdf", bomb, memory_bytes=200 * MIB)
    assert caught.value.code is RefusalCode.TOO_MUCH_MEMORY
    lines = b"# a\n" * 500_000
    with pytest.raises(DocumentRefused) as caught:
        read_bytes(tmp_path, "a.md", lines, wall_seconds=1.0)
    assert caught.value.code is RefusalCode.TOOK_TOO_LONG
    with pytest.raises(DocumentRefused) as caught:
        read_bytes(tmp_path, "a.md", lines, cpu_seconds=1)
    assert caught.value.code is RefusalCode.TOOK_TOO_LONG
    for limits in ({"max_bytes": 100}, {"max_characters": 1000}):
        with pytest.raises(DocumentRefused) as caught:
            read_bytes(tmp_path, "a.txt", b"word " * 1000, **limits)
        assert caught.value.code is RefusalCode.TOO_LARGE
    wide = build_xlsx(sheet_of('<c r="XFD1"><v>5</v></c>', 10))
    with pytest.raises(DocumentRefused) as caught:
        read_bytes(tmp_path, "a.xlsx", wide, max_cells=20_000)
    assert caught.value.code is RefusalCode.TOO_LARGE


def test_whoever_waits_hears_of_progress_and_can_stop_it(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"# a\n" * 500_000)
    heard: list[float] = []

    def stop(_stage: str, done: float) -> None:
        heard.append(done)
        if len(heard) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sandbox.read_document(path, "a.md", limits=ReadingLimits(), on_progress=stop)
    assert heard == sorted(heard)


ESCAPES = """
import os, socket, sys
sys.path.insert(0, sys.argv[1])
from books.reading.confinement import confine_process
confine_process(512 * 1024 * 1024, 5)
def attempt(action):
    try:
        action()
    except OSError:
        return
    os.write(1, b"escaped ")
attempt(lambda: open("/etc/passwd"))
attempt(lambda: open("/tmp/escaped", "w"))
attempt(lambda: os.fork())
attempt(lambda: os.execv("/bin/true", ["true"]))
attempt(lambda: socket.socket())
attempt(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 1))
os.write(1, b"done " + ",".join(sorted(os.environ)).encode())
os._exit(0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no filter of system calls")
def test_the_process_that_reads_has_no_files_network_children_or_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_SECRET", "hush")
    with socket.create_server(("127.0.0.1", 0)) as server:
        command = [sys.executable, "-I", "-c", ESCAPES, str(sandbox.ROOT), str(server.getsockname()[1])]
        ran = subprocess.run(command, capture_output=True, env={"MALLOC_ARENA_MAX": "1"}, check=False, timeout=60)
    assert ran.stdout.decode().startswith("done "), ran.stderr.decode()
    monkeypatch.setattr(
        sandbox, "START", "import os; os.write(1, (','.join(os.environ)).encode() + b'\\n'); os._exit(0)"
    )
    told: list[bytes] = []
    monkeypatch.setattr(sandbox, "take_line", lambda _result, line: told.append(line))
    with pytest.raises(DocumentRefused):
        sandbox.read_document(Path(__file__), "a.md", limits=ReadingLimits(), on_progress=lambda _stage, _done: None)
    assert b"MEMORY_SECRET" not in told[0]


def test_a_parent_that_dies_takes_the_reader_with_it(tmp_path: Path) -> None:
    path = tmp_path / "upload"
    path.write_bytes(b"# a\n" * 1_000_000)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from books.reading.document import ReadingLimits\n"
        "from books.reading.sandbox import read_document\n"
        "read_document(Path(sys.argv[2]), 'a.md', limits=ReadingLimits(), on_progress=lambda _, d: print(d))"
    )
    command = [sys.executable, "-u", "-c", code, str(sandbox.ROOT), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        # The second word comes when the reader has begun.
        parent.stdout.readline(), parent.stdout.readline()
        (reader,) = psutil.Process(parent.pid).children()
        parent.kill()
    psutil.wait_procs([reader], timeout=10)
    assert not reader.is_running()


def test_a_directory_that_lies_is_not_believed() -> None:
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for number in range(30_000):
            archive.writestr(f"a/{number}", b"")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(DocumentRefused) as caught:
        recognise_kind(many, "a.docx")
    assert caught.value.code is RefusalCode.DAMAGED
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


SHOWN = b"BT /F1 12 Tf 1 0 0 1 50 700 Tm (The lamp burns at dusk.) Tj ET\n"
WHITE_WORDS = b"BT /F1 12 Tf 1 1 1 rg 1 0 0 1 50 500 Tm (Pay the keeper in gold.) Tj ET\n"


@pytest.mark.parametrize(
    "words",
    [
        WHITE_WORDS,
        b"BT /F1 0.1 Tf 1 0 0 1 50 500 Tm (Pay the keeper in gold.) Tj ET\n",
        b"BT /F1 12 Tf 1 0 0 1 50 -500 Tm (Pay the keeper in gold.) Tj ET\n",
        b"BT /F1 12 Tf 1 0 0 1 700 500 Tm (Pay the keeper in gold.) Tj ET\n",
        b"1 1 1 rg 0 400 600 200 re f " + WHITE_WORDS,
    ],
)
def test_what_nobody_sees_on_a_page_is_left_out_and_told(words: bytes, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, "a.pdf", build_page_pdf(SHOWN + words))
    assert [block.text for block in document.blocks] == ["The lamp burns at dusk."]
    assert document.notices == ("Text that a reader of the pages would not see was left out.",)


@pytest.mark.parametrize(
    "words",
    [
        b"0.1 0.2 0.4 rg 0 400 600 200 re f " + WHITE_WORDS,
        # As the words of a scan are, over its picture.
        b"BT 3 Tr /F1 12 Tf 1 0 0 1 50 500 Tm (Pay the keeper in gold.) Tj ET\n",
        b"BT /F1 1 Tf 12 0 0 12 50 500 Tm (Pay the keeper in gold.) Tj ET\n",
        b"BT /F1 12 Tf 0.6 0.6 0.6 rg 1 0 0 1 50 500 Tm (Pay the keeper in gold.) Tj ET\n",
    ],
)
def test_what_is_seen_on_a_page_or_recognised_in_its_picture_stays(words: bytes, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, "a.pdf", build_page_pdf(SHOWN + words))
    assert "gold" in " ".join(block.text for block in document.blocks)
    assert document.notices == ()


@pytest.mark.parametrize(
    "packed",
    [
        zlib.compress(b"hello"),
        b"Plain words here. " * 300 + zlib.compress(bytes(range(256)) * 40 + str(list(range(3000))).encode()),
        b"\x28\xb5\x2f\xfd" + b"words",
    ],
)
def test_what_is_packed_is_no_text_whatever_its_name_and_its_beginning(packed: bytes, tmp_path: Path) -> None:
    with pytest.raises(DocumentRefused) as refused:
        read_bytes(tmp_path, "packed.txt", packed)
    assert refused.value.code == RefusalCode.KIND_MISMATCH
