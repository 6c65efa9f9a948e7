"""Parses untrusted JSON bodies. Values that cannot be stored are refused here, with their path."""

import json
import re
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from django.http import HttpRequest
from django.http.request import QueryDict
from django.utils.datastructures import MultiValueDict
from ninja.parser import Parser

from memory.language.text import CONTROL, SURROGATE, strip_controls
from memory.web.problems import FieldError, Problem, format_field_path, invalid_field, invalid_fields
from memory.web.redaction import redact_body, redact_query

MAX_DEPTH = 32
# A string up to its end or the end of the input; possessive, so that no input makes it try twice.
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
BRACKET = re.compile(rb"[\[\]{}]")
MESSAGE_PAIR = ("user_message", "assistant_message")
MESSAGE_LISTS = ("messages", "recent_messages")
MESSAGE_TEXTS = ("content", "text", "refusal")
JSON_TYPE = re.compile(r"application/(?:[a-z0-9.+-]+\+)?json\s*(?:;\s*charset=\"?utf-?8\"?\s*)?", re.IGNORECASE)


# Their own reader takes the secrets out: a mark in the midst of YAML would be read as a list, and what cannot be stored
# is refused there with its line and column.
VERBATIM = frozenset({"/api/v1/personality/save"})


class StrictJsonParser(Parser):
    """The parser of every body: bounded depth, no duplicate keys, finite numbers, storable text, no secrets."""

    def parse_body(self, request: HttpRequest) -> Any:  # noqa: ANN401 -- any JSON
        # A form or plain text can be sent from any web page without asking first; JSON cannot.
        if not JSON_TYPE.fullmatch(request.headers.get("Content-Type", "").strip()):
            raise Problem(415, "unsupported_media_type", "Send Content-Type: application/json in UTF-8.")
        if request.path_info in VERBATIM:
            return parse_json(request.body)
        return redact_body(request, read_json(request.body))

    def parse_querydict(
        self, data: MultiValueDict[str, Any], list_fields: list[str], request: HttpRequest
    ) -> dict[str, Any]:
        if isinstance(data, QueryDict):
            check_query(data, request.META.get("QUERY_STRING", ""))
        return redact_query(super().parse_querydict(data, list_fields, request))


def check_query(data: QueryDict, sent: str) -> None:
    for name, values in data.lists():
        if len(values) > 1:
            raise invalid_field(name, "is given more than once")
    # Parsed again, because Django replaces bytes that are not UTF-8. WSGI gives the bytes as Latin-1.
    raw = sent.encode("latin-1", "replace").decode("utf-8", "surrogateescape")
    for name, value in parse_qsl(raw, keep_blank_values=True, errors="surrogateescape"):
        if fault := find_text_fault(value) or find_text_fault(name):
            raise invalid_field(make_printable(name), fault)


def read_json(raw: bytes) -> object:
    """The value of a body. Raises Problem, which names the field if it is known."""
    value = parse_json(raw, UnreadableNumber.of)
    strip_messages(value)
    errors: list[FieldError] = []
    find_faults(value, [], errors)
    if errors:
        raise invalid_fields(errors)
    return value


def read_json_object(raw: bytes) -> dict[str, Any]:
    """The object of a body whose texts are passed on rather than stored. Raises Problem."""
    value = parse_json(raw)
    if not isinstance(value, dict):
        raise invalid_field("", "the body must be a JSON object")
    return value


class UnreadableNumber(float):
    """Stands where a number cannot be read, until the field it stands in is known."""

    fault: str

    @classmethod
    def of(cls, fault: str) -> "UnreadableNumber":
        number = cls("nan")
        number.fault = fault
        return number


def refuse_number(fault: str) -> NoReturn:
    raise invalid_field("", fault)


def parse_json(raw: bytes, replace_number: Callable[[str], float] = refuse_number) -> object:
    """The value of a body whose texts may hold anything: control characters, lone surrogates. Raises Problem.

    ``replace_number`` makes of a fault what stands in the place of a number that cannot be read.
    """
    check_depth(raw)
    # Bytes that are not UTF-8 become lone surrogates, so that the check below can name the field they stand in.
    text = raw.decode("utf-8", "surrogateescape")
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=reject_duplicate_keys,
            parse_constant=lambda name: replace_number(f"{name} is not a JSON number"),
            parse_float=partial(parse_finite_float, replace_number),
            parse_int=partial(parse_bounded_int, replace_number),
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise invalid_field("", f"the body is not JSON: {error.msg} ({where})") from error
    except ValueError as error:
        raise invalid_field("", f"the body cannot be read: {error}") from error
    return value


def check_depth(raw: bytes) -> None:
    # Nearly every body ends here: counting costs less than reading.
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for match in BRACKET.finditer(STRING.sub(b"", raw)):
        depth += 1 if match.group() in b"[{" else -1
        if depth > MAX_DEPTH:
            raise invalid_field("", f"the body is nested more than {MAX_DEPTH} deep")


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Readers disagree on which of two equal keys counts, and a proxy may have checked the other one.
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise invalid_field(make_printable(key), "is given more than once")
            seen.add(key)
    return found


def parse_finite_float(replace_number: Callable[[str], float], digits: str) -> float:
    number = float(digits)
    is_finite = number not in {float("inf"), float("-inf")}
    return number if is_finite else replace_number(f"the number {digits[:20]} is too large")


def parse_bounded_int(replace_number: Callable[[str], float], digits: str) -> float:
    try:
        return int(digits)
    except ValueError:
        # More digits than Python reads; its own words tell how to set that.
        return replace_number(f"the number {digits[:20]}... has too many digits")


def strip_messages(value: object) -> None:
    """Takes out of what was said the control characters that are no words, in a pair of messages or in a list of them.

    A tool that prints in colours would keep a whole exchange from being stored. Other texts are what their writer
    means, and refused.
    """
    if not isinstance(value, dict):
        return
    # One message may stand for a list of one, as a text or an object.
    strip_texts(value, (*MESSAGE_PAIR, *MESSAGE_LISTS))
    for name in MESSAGE_LISTS:
        listed = value.get(name)
        for message in listed if isinstance(listed, list) else [listed]:
            if isinstance(message, dict):
                strip_texts(message, MESSAGE_TEXTS)
                for part in message["content"] if isinstance(message.get("content"), list) else ():
                    if isinstance(part, dict):
                        strip_texts(part, MESSAGE_TEXTS)


def strip_texts(value: dict[str, Any], names: Collection[str]) -> None:
    for name in names:
        if isinstance(text := value.get(name), str):
            value[name] = strip_controls(text)


def find_faults(value: object, path: list[str | int], errors: list[FieldError]) -> None:
    if isinstance(value, str):
        if fault := find_text_fault(value):
            errors.append(FieldError(format_field_path(path), fault))
    elif isinstance(value, UnreadableNumber):
        errors.append(FieldError(format_field_path(path), value.fault))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if fault := find_text_fault(key):
                errors.append(FieldError(format_field_path([*path, make_printable(key)]), f"as a name, {fault}"))
            find_faults(inner, [*path, make_printable(key)], errors)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            find_faults(inner, [*path, position], errors)


def find_text_fault(text: str) -> str | None:
    """What keeps a string from being stored, or None."""
    if SURROGATE.search(text):
        return "is not valid UTF-8"
    if CONTROL.search(text):
        return "control characters other than tab and newline are not allowed"
    return None


def make_printable(name: str) -> str:
    return CONTROL.sub("\ufffd", SURROGATE.sub("\ufffd", name))[:100]
