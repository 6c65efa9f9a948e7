"""Codes, PINs and numbers told in words: "my alarm code is 4471", "the lockbox opens with 3390", "SSN 219-09-9999"."""

import re
from collections.abc import Iterator
from typing import Final

from memory.guard.redaction.forms import SecretSpan, is_mixed
from memory.guard.redaction.values import (
    ValuePiece,
    count_digits,
    ends_with_any,
    find_digit_sequence,
    is_access_code,
    is_counted,
    is_digits,
    is_strong,
    load_digit_words,
    read_piece,
    read_pieces,
    read_tail,
)
from memory.guard.redaction.words import REACH, WORD, CueLabel, CueReading, load_words

CODES: Final = re.compile(r"(?=[A-Za-z0-9 -]{0,12}\d)[A-Za-z0-9]{3,12}(?:[ -][A-Za-z0-9]{2,12}){0,4}")
NUMBER_BEFORE: Final = re.compile(r"(?<![^\s\"'(])(\d{4,8})[\"']?\s(\S{1,8})(?:\s\S{1,8}){0,3}\s?$")
DATE_OR_TIME: Final = re.compile(r"(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d\d?[./]\d\d?[./](?:19|20)\d\d|\d\d?[:.]\d\d")
CARD_NUMBER: Final = re.compile(r"(?<![\w.])(?:\d[ .-]?){12,18}\d(?!\w)")
WORDS_BEFORE: Final = 6
IDENTITY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ./-]{4,24}[A-Za-z0-9]")


def find_recovery_codes(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    """A list of codes, up to the end of the line."""
    text = reading.text
    end = min(label.stop, label.end + 300)
    line_end = text.find("\n", label.end, end)
    for match in CODES.finditer(text, label.end, line_end if line_end >= 0 else min(end, len(text))):
        piece = ValuePiece(match[0], match.start(), match.end(), "")
        if count_digits(match[0]) > 3 or (is_mixed(match[0]) and is_strong(piece)):
            yield SecretSpan(match.start(), match.end(), "recovery code")


def find_pin(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    # A number that comes without a link is as often a plug's, or the one of a place: "PIN 4417".
    yield from find_digits(reading, label, "pin", least=4, reach=-1)
    yield from find_number_before(reading, label, "pin")


def find_door_code(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    yield from find_digits(reading, label, "code", least=3)
    yield from find_number_before(reading, label, "code")


def find_number_before(reading: CueReading, label: CueLabel, kind: str) -> Iterator[SecretSpan]:
    """ "4821 is my PIN", "4471 is the alarm code": an answer repeats it so."""
    start = max(0, label.start - 50)
    match = NUMBER_BEFORE.search(reading.text[start : label.start])
    if match and match[2].casefold() in load_words("link"):
        yield SecretSpan(start + match.start(1), start + match.end(1), kind)


def find_code(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    """A code counts beside what it opens: of "the error code is 404" nothing is a lock."""
    if reading.text[label.start - 1 : label.start] == "_":
        # A part of a name in code: ``status_code``.
        return
    if reading.has_near("lock", label.start, label.end, 45) or reading.has_near("account", label.start, label.end, 45):
        yield from find_digits(reading, label, "code", least=3, reach=1)


def find_digits(reading: CueReading, label: CueLabel, kind: str, *, least: int, reach: int = 4) -> Iterator[SecretSpan]:
    text, tail = reading.text, read_tail(reading, label)
    if tail is None:
        return
    is_linked = bool(tail["sign"] or tail["is"])
    if tail["quote"] and not is_linked:
        return
    passed = tail.end()
    for at, piece in enumerate(read_pieces(text, tail.end(), 12, label.stop)):
        if piece.start < passed:
            continue
        is_linked = is_linked or piece.folded in load_words("link") or ":" in piece.mark or piece.folded == "="
        if not is_linked and at > reach:
            continue
        end = find_digit_sequence(text, piece)
        is_number = end and (
            count_digits(text[piece.start : end]) >= least or not count_digits(text[piece.start : end])
        )
        if (is_number or is_access_code(piece)) and not is_no_code(text, piece, end):
            yield SecretSpan(piece.start, end or piece.end, kind)
            passed = end or piece.end
            is_linked = False
        elif piece.ends_sentence and "?" not in piece.mark:
            return


def is_no_code(text: str, piece: ValuePiece, end: int) -> bool:
    """Dates, times and counts: "changed on 2024-05-01", "4000 lines"."""
    whole = text[piece.start : end] if end else piece.raw
    if DATE_OR_TIME.fullmatch(whole) or is_counted(text, piece):
        return True
    return text[end or piece.end : (end or piece.end) + 1] in {"%", "€", "°"}


def find_entries(reading: CueReading) -> Iterator[SecretSpan]:
    """What is typed where something opens: "enter 2203 on the keypad", "the lockbox opens with 3390".

    Asked of each number and not of each lock: most doors open without one.
    """
    text, passed = reading.text, 0
    for place in reading.list_numbers(load_digit_words()):
        if place < passed or not reading.has_near("lock", place, place, REACH):
            continue
        piece = read_piece(text, find_run(text, place))
        if piece is None:
            continue
        passed = piece.end
        end = passed if is_digits(piece, 4, 8) else find_digit_sequence(text, piece)
        if not end or is_counted(text, piece):
            continue
        is_keyed = end - piece.start > 3 and any(
            one.folded in load_words("key pressed") for one in read_pieces(text, end, 3)
        )
        if is_keyed or (ends_as_code(text, end) and is_entered(reading, piece.start)):
            yield SecretSpan(piece.start, end, "code")
            passed = end


def find_run(text: str, place: int) -> int:
    """Where what stands between two spaces begins."""
    while place and not text[place - 1].isspace():
        place -= 1
    return place


def is_entered(reading: CueReading, place: int) -> bool:
    """Whether words in front say that it is typed, or that something opens with it."""
    start = max(reading.text.rfind("\n", 0, place) + 1, place - REACH)
    before = " ".join(WORD.findall(reading.folded, start, place)[-WORDS_BEFORE:])
    if ends_with_any(before, "enter"):
        return True
    around = WORD.findall(reading.folded, start, place + REACH)
    return ends_with_any(before, "with") and not load_words("opens").isdisjoint(around)


def ends_as_code(text: str, end: int) -> bool:
    """Whether nothing is counted by the digits before: "opened with 2000 guests"."""
    following = read_piece(text, end)
    if following is None or not text[end : end + 1].isspace():
        return True
    word = following.folded
    return word in load_words("follow") or word in load_words("key pressed") or word.startswith(("ו", "כד", "ב"))


def find_security_code(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    for piece in read_pieces(reading.text, label.end, 8, label.stop):
        if re.fullmatch(r"\d{3,4}", piece.raw) and not is_counted(reading.text, piece):
            yield SecretSpan(piece.start, piece.end, "security code")
            return
        if piece.ends_sentence:
            return


def find_card_number(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    """A number said to be a card's, whether or not it passes the check."""
    if match := CARD_NUMBER.search(reading.text, label.end, min(label.stop, label.end + 40)):
        yield SecretSpan(match.start(), match.end(), "payment card number")


def find_national_number(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    for piece in read_pieces(reading.text, label.end, 6, label.stop):
        match = IDENTITY.match(reading.text, piece.start) if any(char.isdigit() for char in piece.raw) else None
        if match and count_digits(match[0]) > 5:
            end = piece.end if count_digits(piece.raw) > 5 else match.end()
            yield SecretSpan(piece.start, end, "national number")
            return
        if piece.ends_sentence:
            return
