"""Text as it is stored and shown. Pure: no framework."""

import hashlib
import re
import unicodedata
from datetime import datetime

CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# What a terminal is told by: "ESC[31m" is red.
TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,20}[@-~]")
# Invisible tag characters and bidi overrides carry text that a reader does not see.
SMUGGLED = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]")
# What has no UTF-8: halves of a pair.
SURROGATE = re.compile("[\ud800-\udfff]")
BLANK = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]*")
SPACES = re.compile(r"\s+")
PAGE_BREAK = re.compile(r"\n?[\x0b\x0c]\n?")
WORDS_AND_MARKS = re.compile(r"\w+|[^\w\s]")

PREVIEW = 160
# Characters of the previous turn that are embedded with a turn.
REPLY_EXCERPT = 180


class InvalidText(ValueError):
    """A text that cannot be stored; the message says which rule it breaks."""


def validate_text(text: str, limit: int) -> str:
    """The text as stored: invisible tag and override characters removed. Raises Unfit, naming the rule."""
    if CONTROL.search(text):
        raise InvalidText("control characters other than tab and newline are not allowed")
    if any(0xD800 <= ord(char) <= 0xDFFF for char in text):
        raise InvalidText("lone surrogates are not valid text")
    text = SMUGGLED.sub("", text)
    if BLANK.fullmatch(text):
        raise InvalidText("must contain something to read")
    if len(text) > limit:
        raise InvalidText(f"must be at most {limit:,} characters, not {len(text):,}")
    return text


def strip_controls(text: str) -> str:
    """A message without the colours of a terminal, page breaks, bells: they are nobody's words."""
    return CONTROL.sub("", PAGE_BREAK.sub("\n", TERMINAL.sub("", text))) if CONTROL.search(text) else text


def hash_content(text: str) -> str:
    """Equal for texts that differ only in case, spacing or Unicode form."""
    folded = SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()


def preview_text(text: str, limit: int = PREVIEW) -> str:
    """One line, cut at the end of a word."""
    line = SPACES.sub(" ", text).strip()
    if len(line) <= limit:
        return line
    cut = line[: limit - 1].rsplit(" ", 1)[0] or line[: limit - 1]
    return f"{cut}…"


def estimate_tokens(text: str) -> int:
    """Words and marks, counted: close to what tokenisers of chat models make of plain text."""
    return len(WORDS_AND_MARKS.findall(text))


def format_date(moment: datetime) -> str:
    """A date in words, so that both indexes can match "in May 2023"."""
    return f"{moment.day} {moment:%B %Y}"


def blank_match(found: re.Match[str]) -> str:
    """As many blanks as were found, so that places in the text stay what they are; lines end where they did."""
    return "".join("\n" if char == "\n" else " " for char in found[0])
