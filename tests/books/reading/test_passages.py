"""Passages: whole sentences and rows, short enough for the embedder, and nothing of the document lost."""

import random
from itertools import pairwise

import pytest

from books.reading.chunking import LONGEST, cut_into_chunks, estimate_pieces
from books.reading.document import BlockKind, DocumentBlock, DocumentChunk, DocumentKind, ReadDocument
from memory.language.sentences import split_sentences

TERMS = "harbour tide vessel berth master rope anchor signal channel engine storm lamp chart crew cargo"


def cut(*blocks: DocumentBlock) -> list[DocumentChunk]:
    return list(cut_into_chunks(ReadDocument(DocumentKind.TXT, "Guide", "", blocks)))


def row(*cells: str, section: tuple[str, ...] = ()) -> DocumentBlock:
    return DocumentBlock(BlockKind.ROW, "; ".join(cells), section, None, cells)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            'We met Dr. Levi on the 11. Oktober. "Stay." J. R. Cohen told me. He left.',
            ["We met Dr. Levi on the 11. Oktober.", '"Stay."', "J. R. Cohen told me.", "He left."],
        ),
        (
            "It took approx. five days. 今日は晴れ。明日は雨。",
            ["It took approx. five days.", "今日は晴れ。", "明日は雨。"],
        ),
        ("הנמל נבנה. האם הוא גדול? כן!", ["הנמל נבנה.", "האם הוא גדול?", "כן!"]),
        ("¿Dónde está? «Aquí.» Muy bien.", ["¿Dónde está?", "«Aquí.»", "Muy bien."]),
    ],
)
def test_sentences_end_where_they_end_in_each_language(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_passages_hold_whole_sentences_and_begin_with_the_end_of_the_one_before() -> None:
    chance = random.Random(7)
    sentences = [f"S{n} {' '.join(chance.choices(TERMS.split(), k=chance.randint(5, 20)))}." for n in range(200)]
    blocks = [
        DocumentBlock(
            BlockKind.TEXT, " ".join(sentences[start : start + 10]), ("Part", str(start // 100)), start // 10 + 1
        )
        for start in range(0, 200, 10)
    ]
    chunks = cut(*blocks)
    assert [chunk.position for chunk in chunks] == list(range(len(chunks)))
    assert all(any(sentence in chunk.text for chunk in chunks) for sentence in sentences)
    assert max(estimate_pieces(chunk.text) for chunk in chunks) <= LONGEST
    overlapping = [
        after.text.split(". ")[0] in before.text
        for before, after in pairwise(chunks)
        if (before.section, before.page) == (after.section, after.page)
    ]
    assert sum(overlapping) > len(overlapping) * 0.7
    (second,) = [place for place, chunk in enumerate(chunks) if "S100 " in chunk.text]
    assert chunks[second].section == "Part > 1"
    assert chunks[second].text.startswith("S100 ")
    assert chunks[second].page == 11


def test_a_passage_is_cited_by_the_page_of_its_text() -> None:
    pages = (
        "The harbour office opens at seven in the morning and closes at noon, also on Sundays and holidays.",
        "The crane may lift nine tonnes when there is no wind, and four tonnes when the flag stands straight out.",
    )
    chunks = cut(*(DocumentBlock(BlockKind.TEXT, text, (), number) for number, text in enumerate(pages, 1)))
    assert [(chunk.text, chunk.page, chunk.last_page) for chunk in chunks] == [(pages[0], 1, 1), (pages[1], 2, 2)]
    short = ["The ferry to Texel leaves at 7:30 from dock B.", "Dogs travel for free in winter."]
    chunks = cut(*(DocumentBlock(BlockKind.TEXT, text, (), number) for number, text in enumerate(short, 1)))
    assert [(chunk.text, chunk.page) for chunk in chunks] == [(short[0], 1), (short[1], 2)]
    # A title page is no passage of its own.
    [whole] = cut(DocumentBlock(BlockKind.TEXT, "Port rules", (), 1), DocumentBlock(BlockKind.TEXT, pages[1], (), 2))
    assert (whole.page, whole.last_page) == (1, 2)


def test_rows_stay_whole_and_a_long_one_repeats_what_it_is_about() -> None:
    rows = [row(f"Town: T{n}", f"People: {n * 31}", section=("Towns",)) for n in range(60)]
    long = row(
        "Town: Longville", *(f"Year {year}: {year * 7} people and some more words" for year in range(1900, 1990))
    )
    chunks = cut(*rows, long)
    lines = [line for chunk in chunks for line in chunk.text.split("\n")]
    assert [line for line in lines if line in {block.text for block in rows}] == [block.text for block in rows]
    parts = [line for line in lines if "Longville" in line]
    assert len(parts) > 3
    assert all(line.startswith("Town: Longville; Year") for line in parts)
    assert all(sum(cell in line for line in parts) == 1 for cell in long.cells[1:])


def test_what_has_no_sentences_is_cut_all_the_same_and_code_is_marked() -> None:
    text = "".join(random.Random(3).choices("abcdefghij[", k=40_000))
    chunks = cut(DocumentBlock(BlockKind.TEXT, text), DocumentBlock(BlockKind.CODE, "def tie():\n    return 1"))
    assert "".join(chunk.text for chunk in chunks).startswith(text)
    assert max(len(chunk.text) for chunk in chunks) < 1000
    assert [chunk.has_code for chunk in chunks[-2:]] in ([False, True], [True, True])


def test_a_heading_goes_with_what_stands_below_it() -> None:
    blocks = [
        DocumentBlock(BlockKind.TEXT, "One", ("One",)),
        DocumentBlock(BlockKind.TEXT, "Deeper", ("One", "Deeper")),
        DocumentBlock(BlockKind.TEXT, "The mooring ropes are checked each morning by the crew.", ("One", "Deeper")),
    ]
    (chunk,) = cut(*blocks)
    assert chunk.section == "One > Deeper"
    assert chunk.text.startswith("One\nDeeper\nThe mooring")


def test_a_passage_of_much_text_in_rows_holds_more_of_them() -> None:
    """Ninety rows of ten thousand cells were 20,000 passages of a cell's width."""
    wide = row("Town: Haifa", *(f"Column {n}: {n * 7}" for n in range(200)))
    few, many = cut(*[wide] * 3), cut(*[wide] * 400)
    assert len(many) / 400 < len(few) / 3 / 2
    assert all(chunk.text.startswith("Town: Haifa; ") for chunk in many)
    assert max(estimate_pieces(chunk.text) for chunk in few) <= LONGEST
