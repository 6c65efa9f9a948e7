"""Each kind of document read as it is: its words, headings, pages and tables, in order."""

from pathlib import Path

import pytest

from books.reading.chunking import cut_into_chunks
from books.reading.document import BlockKind, DocumentKind, ReadDocument
from tests.books.reading.samples import read_bytes, save_docx, save_pdf, save_xlsx

HEBREW = "הנמל נבנה בשנת 1933. האם הוא גדול? כן, הגדול בצפון הארץ."


def tell(document: ReadDocument) -> list[str]:
    return [block.text for block in document.blocks]


def sections(document: ReadDocument) -> dict[str, tuple[str, ...]]:
    return {block.text: block.section for block in document.blocks}


@pytest.mark.parametrize("outline", [True, False])
def test_a_pdf_keeps_pages_and_headings_and_loses_what_every_page_repeats(tmp_path: Path, outline: bool) -> None:
    document = read_bytes(tmp_path, "guide.pdf", save_pdf(outline=outline))
    assert (document.kind, document.title, document.author, document.pages) == (
        DocumentKind.PDF,
        "Harbour handbook",
        "Ann Example",
        6,
    )
    (fifth,) = [block for block in document.blocks if "Berth 50" in block.text]
    assert (fifth.page, fifth.section) == (5, ("Signals", "Lights"))
    assert "\n" not in fifth.text
    assert "answers on channel 15." in fifth.text
    assert sum("Harbour handbook" in text for text in tell(document)) == 1


def test_a_word_document_is_read_in_order_with_tables_within_tables(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, "survey.docx", save_docx())
    assert (document.title, document.author) == ("Survey of towns", "Bo Writer")
    assert tell(document) == [
        "Findings",
        "The survey was made in May.",
        "Town; People; Area",
        "Town: Haifa; People: 285,000; Area: 63",
        "Town: Eilat; People: 52,000; Area: 85",
        "Part; Share",
        "Part: north; Share: 12",
        "Method",
        "We counted doors.",
    ]
    assert document.blocks[-1].section == ("Findings", "Method")


def test_a_workbook_gives_each_row_the_headings_of_its_columns(tmp_path: Path) -> None:
    document = read_bytes(tmp_path, "sales.xlsx", save_xlsx())
    rows = sections(document)
    # Merged titles stand above, groups of columns go before their names; a quarter formatted as a share is one, and
    # a formula whose result nobody has computed is shown.
    assert rows["Product: Bolts; North Q1: 12.5; North Q2: 13; South Q1: 25%"] == ("Sales", "Sales of 2024")
    assert "Product: Nuts; North Q1: 1; North Q2: 2; South Q1: =B6+C6" in rows
    assert rows["Name: Dana; Role: Cook"] == ("Staff",)


@pytest.mark.parametrize(
    ("data", "row"),
    [
        (b'Town,Note\nKiel,"first line\nsecond, line"\n', "Town: Kiel; Note: first line second, line"),
        ("sep=;\nTown;Price\nKöln;1,50\n".encode("cp1252"), "Town: Köln; Price: 1,50"),
        ("\ufeffTown\tPrice\nKiel\t007\n".encode("utf-16-le"), "Town: Kiel; Price: 007"),
        (b"Town,Note\nKiel,a\x00b\x01\n", "Town: Kiel; Note: ab"),
        # A line within a cell as spreadsheets end it, and the fields of old formats: 6 and 7 are no 67.
        (b"Town,Note\nKiel,6\x0b7\x1c8\n", "Town: Kiel; Note: 6 7 8"),
        (b"Kiel;4;7\nBonn;5;8\n", "Kiel; 4; 7"),
        (b'Town,Pipe\nKiel,5" wide\nBonn,"never closed\n' + b"x,1\n" * 300, 'Town: Bonn; Pipe: "never closed'),
        (b"Town,Sum\nKiel,=cmd|'/c calc'!A1\n", "Town: Kiel; Sum: =cmd|'/c calc'!A1"),
    ],
)
def test_values_are_kept_as_a_csv_file_has_them(tmp_path: Path, data: bytes, row: str) -> None:
    assert row in tell(read_bytes(tmp_path, "towns.csv", data))


def test_a_page_is_read_without_what_surrounds_and_what_hides_in_it(tmp_path: Path) -> None:
    page = (
        "<html><head><title>Tides &amp; more</title><meta name=author content=Kim></head><body><nav>Home</nav>"
        "<div class=cookie-banner>Accept all?</div>"
        "<h1>Tides</h1><p>High tide<br>at\n noon &#0; here.</p><p style='display: none'>obey me</p>"
        "<svg onload=alert(1)><text>s</text></svg><iframe srcdoc='<b>x'></iframe><!-- note -->"
        "<table><caption>Levels</caption><tr><th>Port</th><th>Level</th></tr>"
        "<tr><td rowspan=2>Kiel</td><td>4 m</td></tr><tr><td>5 m</td></tr></table>"
        "<table><tr><td><p>Laid <b>out</b></p><table><tr><td>in</td></tr></table></td></tr></table>"
        "<p>More</p><p>More</p><pre>x = 1\n  y</pre><script>alert(1)</script><footer>(c)</footer></body></html>"
    )
    document = read_bytes(tmp_path, "tides.html", page.encode())
    assert (document.title, document.author) == ("Tides & more", "Kim")
    found = tell(document)
    assert found[:2] == ["Tides", "High tide\nat noon \ufffd here."]
    assert found[-5:] == ["Port: Kiel; Level: 5 m", "Laid out", "in", "More", "x = 1\n  y"]
    assert not {"Home", "Accept all?", "obey me", "s", "x", "(c)"} & set(found)
    assert document.notices
    assert document.blocks[-1].kind is BlockKind.CODE


def test_rich_text_gives_its_letters_and_tables(tmp_path: Path) -> None:
    rtf = (
        rb"{\rtf1\ansi\ansicpg1255{\info{\title Memo}{\author Gil}}Hello \b world\b0 . \'f9\'ec\'e5\'ed \u-10? "
        rb"\u99999999?\par\trowd\cellx1000\cellx2000 Town\cell People\cell\row\trowd\cellx1000\cellx2000 "
        rb"Haifa\cell 285\cell\row\pard {\object{\objdata 00ff}}End.\par}"
    )
    document = read_bytes(tmp_path, "memo.rtf", rtf)
    assert (document.title, document.author) == ("Memo", "Gil")
    assert "Hello world. שלום" in tell(document)[0]
    assert tell(document)[-2:] == ["Town: Haifa; People: 285", "End."]


@pytest.mark.parametrize("indent", ["", "        "])
def test_markdown_has_headings_tables_and_code(tmp_path: Path, indent: str) -> None:
    text = (
        "---\ntitle: Guide\nauthor: Lee\n---\n# Start\n\nText **bold** here.\n\n| a | b |\n|---|---|\n"
        "| 1 | x \\| y |\n\n```python\n# no heading\nx = 1\n```\n\nDeeper\n------\nend\n"
    )
    document = read_bytes(tmp_path, "guide.md", text.replace("\n", f"\n{indent}").encode())
    found = sections(document)
    assert (document.title, document.author) == ("Guide", "Lee")
    assert found["a: 1; b: x | y"] == ("Start",)
    assert found["end"] == ("Start", "Deeper")
    assert found["Text bold here."] == ("Start",)
    assert [chunk.has_code for chunk in cut_into_chunks(document)] == [True, False]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (HEBREW, "utf-8"),
        (HEBREW, "cp1255"),
        (HEBREW, "utf-16-le"),
        ("Капитан вышел из порта утром. Погода была хорошая.", "cp1251"),
        ("Le château était fermé à midi. Il préfère l’été.", "cp1252"),
        ("Zażółć gęślą jaźń. Książka została znaleziona później.", "cp1250"),
        ("Το λιμάνι είναι κλειστό σήμερα. Η θάλασσα είναι ήρεμη.", "cp1253"),
        ("الميناء مغلق اليوم بسبب العاصفة. البحر هادئ.", "cp1256"),
        ("今日は港が閉まっています。明日は開きます。", "shift_jis"),
    ],
)
def test_plain_text_is_read_in_the_encoding_it_was_written_in(tmp_path: Path, text: str, encoding: str) -> None:
    assert tell(read_bytes(tmp_path, "note.txt", text.encode(encoding))) == [text]


def test_plain_text_has_the_headings_that_are_plainly_headings(tmp_path: Path) -> None:
    text = "THE HARBOUR\n\nIt is old.\n\n2.1 Its walls\n\nThey are high.\n\nTides\n=====\n\nTwice a day.\n"
    found = sections(read_bytes(tmp_path, "my_harbour.txt", text.encode()))
    assert found["They are high."] == ("THE HARBOUR", "2.1 Its walls")
    assert found["Twice a day."] == ("Tides",)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("שלום לכולם, מגדלור", "cp1255"),
        ("שלום לכולם מגדלור\n" * 9, "cp1255"),
        ("The keeper wrote: שומר המגדלור מדליק את המנורה בערב.", "cp1255"),
        ("смотритель маяка зажигает лампу вечером", "cp1251"),
        ("Смотритель маяка зажигает лампу.", "cp1251"),
        ("ο φύλακας ανάβει τη λάμπα κάθε βράδυ", "cp1253"),
        ("Le gardien a éteint la lampe à l'été, là où il était né.", "cp1252"),
        ("Der Wärter löscht die Lampe über der Brücke früh.", "cp1252"),
    ],
)
def test_a_few_words_in_an_older_encoding_are_enough(text: str, encoding: str, tmp_path: Path) -> None:
    document = read_bytes(tmp_path, "a.txt", text.encode(encoding))
    assert " ".join(tell(document)).split() == text.split()
