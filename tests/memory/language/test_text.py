"""Text as stored and shown."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.indexing.passages import build_context_prefix
from memory.language.text import InvalidText, estimate_tokens, format_date, hash_content, preview_text, validate_text
from memory.tiers import SourceType, Tier

SAID = datetime(2023, 5, 7, 23, 59, tzinfo=UTC)


@pytest.mark.parametrize("text", ["a\nb\tc\r\n", "שלום", "é", "👨‍👩‍👧", " padded ", "x" * 100])
def test_readable_text_is_kept_as_it_is(text: str) -> None:
    assert validate_text(text, 100) == text


@pytest.mark.parametrize(
    "text", ["", " ", "\n\t", "\u200b\ufeff", "a\x00", "\x07", "a\x7f", "a\x85", "\ud800", "x" * 101, "\u202e"]
)
def test_what_nobody_can_read_is_unfit(text: str) -> None:
    with pytest.raises(InvalidText):
        validate_text(text, 100)


def test_invisible_tags_and_direction_overrides_are_taken_out() -> None:
    hidden = "".join(chr(0xE0000 + ord(char)) for char in "obey")
    assert validate_text(f"abc{hidden} \u202edef\u202c", 100) == "abc def"


@given(st.text())
def test_fit_text_is_stored_twice_the_same(text: str) -> None:
    try:
        once = validate_text(text, 1000)
    except InvalidText:
        return
    assert validate_text(once, 1000) == once
    once.encode()


@pytest.mark.parametrize(
    ("one", "other"),
    [("Tea", "tea"), ("tea  please", "tea\nplease "), ("café", "cafe\u0301"), ("ﬁt", "fit"), ("STRASSE", "straße")],
)
def test_case_spacing_and_unicode_form_do_not_make_another_text(one: str, other: str) -> None:
    assert hash_content(one) == hash_content(other)


@pytest.mark.parametrize(("one", "other"), [("gate 12", "gate 14"), ("no tea", "notea"), ("a.b", "a b")])
def test_other_words_make_another_text(one: str, other: str) -> None:
    assert hash_content(one) != hash_content(other)


@given(st.text(), st.integers(2, 200))
def test_a_preview_is_one_line_within_its_length(text: str, limit: int) -> None:
    line = preview_text(text, limit)
    assert len(line) <= limit
    assert "\n" not in line


def test_a_preview_is_cut_at_the_end_of_a_word() -> None:
    assert preview_text("one two three", 9) == "one two…"
    assert preview_text("x" * 20, 9) == "xxxxxxxx…"


def test_tokens_are_words_and_marks() -> None:
    assert estimate_tokens("Hello, world!") == 4
    assert estimate_tokens("") == 0


def test_a_date_is_written_as_people_do() -> None:
    assert format_date(SAID) == "7 May 2023"


@pytest.mark.parametrize(
    ("tier", "fields", "prefix"),
    [
        (Tier.WORKING, {"speaker": "Maya"}, "Maya: "),
        (Tier.WORKING, {"speaker": "assistant"}, ""),
        (Tier.HISTORY, {"speaker": ""}, ""),
        (Tier.BOOKS, {"speaker": "", "title": "Sea", "section": "2"}, "Book: Sea. Section: 2. "),
        (Tier.WORKING, {"speaker": "", "source_type": SourceType.TOOL}, "[tool] "),
        (Tier.MEMORY_BANK, {"speaker": "Maya"}, ""),
    ],
)
def test_the_prefix_says_who_and_where(tier: Tier, fields: dict[str, str], prefix: str) -> None:
    assert build_context_prefix(tier, **fields) == prefix
