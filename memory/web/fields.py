"""Field types of requests. Strict: no conversion between strings, numbers and booleans."""

import json
import re
from datetime import UTC, datetime
from typing import Annotated, Literal, Self, TypeVar

from django.utils import timezone
from ninja import Path
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    WithJsonSchema,
    model_validator,
)
from pydantic import JsonValue as JsonValue

from memory.access.spaces import MOST_SPACES
from memory.guard import redact_secrets
from memory.language.text import BLANK, SMUGGLED
from memory.tiers import (
    FIRST_YEAR,
    MAX_METADATA_BYTES,
    MAX_QUERY_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    MAX_TEXT_CHARS,
    MOST_AHEAD,
)
from memory.web.patterns import THREAD_PATTERN, USER_PATTERN, UUID_PATTERN
from memory.web.scoping import ScopedFields

NAME_LIMIT = 200
PAGE_LIMIT = 200

MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:?\d\d)?", re.ASCII)
DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
WHOLE = re.compile(r"[0-9]{1,9}")


def parse_moment(value: object) -> datetime:
    """ISO 8601 with an offset, or without one and then UTC."""
    if not isinstance(value, str) or not MOMENT.fullmatch(value):
        raise ValueError("must be an ISO 8601 date and time, such as 2026-03-02T09:30:00Z")
    try:
        moment = datetime.fromisoformat(value.upper())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("is not a date of the calendar") from error


def parse_day_or_moment(value: object) -> datetime:
    """A day alone is its beginning, in UTC."""
    if isinstance(value, str) and DAY.fullmatch(value):
        value = f"{value}T00:00:00Z"
    elif not isinstance(value, str) or not MOMENT.fullmatch(value):
        raise ValueError("must be an ISO 8601 date or time, such as 2026-03-02 or 2026-03-02T09:30:00Z")
    return parse_moment(value)


def refuse_impossible_time(moment: datetime) -> datetime:
    """Of when something was said."""
    if moment.year < FIRST_YEAR:
        raise ValueError(f"must not lie before {FIRST_YEAR}")
    if moment > timezone.now() + MOST_AHEAD:
        raise ValueError("must not lie more than a day in the future")
    return moment


def require_future(moment: datetime) -> datetime:
    """Of until when something is kept."""
    if moment <= timezone.now():
        raise ValueError("must lie in the future")
    return moment


Json = TypeVar("Json")


def validate_json_size(value: Json) -> Json:
    size = len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_METADATA_BYTES:
        raise ValueError(f"must be at most {MAX_METADATA_BYTES:,} bytes of JSON, not {size:,}")
    return value


def parse_whole_number(value: object) -> int:
    # Python also reads digits of other scripts, underscores and spaces as a number.
    if isinstance(value, str) and WHOLE.fullmatch(value):
        return int(value)
    raise ValueError("must be a whole number")


def validate_readable(value: str) -> str:
    if BLANK.fullmatch(SMUGGLED.sub("", value)):
        raise ValueError("must contain something to read")
    return value


def strip_invisible(value: str) -> str:
    """Without invisible characters, as in the text of a memory, so that names that look alike are equal."""
    return SMUGGLED.sub("", value)


def redact_name(value: str) -> str:
    """Without secrets, as bodies are: a name in the address is kept like one in the body."""
    return redact_secrets(value).text


def validate_one_line(value: str) -> str:
    if re.search(r"[\t\r\n]", value):
        raise ValueError("must be one line")
    return value


Text = Annotated[str, Field(strict=True, min_length=1, max_length=MAX_TEXT_CHARS), AfterValidator(validate_readable)]
QueryText = Annotated[
    str, Field(strict=True, min_length=1, max_length=MAX_QUERY_CHARS), AfterValidator(validate_readable)
]
Name = Annotated[
    str, Field(strict=True, max_length=NAME_LIMIT), AfterValidator(validate_one_line), AfterValidator(strip_invisible)
]
Tags = Annotated[
    list[Annotated[str, Field(strict=True, min_length=1, max_length=MAX_TAG_CHARS)]], Field(max_length=MAX_TAGS)
]
# Of facts. A boolean would be read as whether the fact is true.
Polarity = Annotated[
    Literal["positive", "negative"],
    BeforeValidator(lambda value: {True: "positive", False: "negative"}.get(value, value)),
    Field(description='`negative`: the statement says that it is not so, as in "I don\'t eat fish".'),
]
Tense = Annotated[
    Literal["present", "past", "over", "new"],
    Field(description="`over`: the statement says that it no longer is so; `new`: that it took the place of another."),
]
Fraction = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Flag = StrictBool
Metadata = Annotated[dict[str, JsonValue], AfterValidator(validate_json_size)]
Moment = Annotated[
    datetime,
    BeforeValidator(parse_day_or_moment),
    AfterValidator(refuse_impossible_time),
    WithJsonSchema(
        {
            "type": "string",
            "format": "date-time",
            "description": "Without an offset it is UTC, and a day alone its beginning. Up to a day ahead of the "
            "server's clock it is set back to it; later than that, and before 1900, it is refused.",
        }
    ),
]
FutureMoment = Annotated[
    datetime,
    BeforeValidator(parse_day_or_moment),
    AfterValidator(require_future),
    WithJsonSchema(
        {
            "type": "string",
            "format": "date-time",
            "description": "Without an offset it is UTC, and a day alone its beginning. What is over is refused.",
        }
    ),
]
PageSize = Annotated[int, Field(ge=1, le=PAGE_LIMIT), BeforeValidator(parse_whole_number, json_schema_input_type=int)]

UserId = Annotated[
    str,
    Path(
        ...,
        pattern=USER_PATTERN,
        description="Your own id of the end user. The first write makes the user.",
        examples=["ann"],
    ),
]
ItemId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The memory's id.")]
ThreadId = Annotated[
    str,
    Path(..., min_length=1, max_length=NAME_LIMIT, pattern=THREAD_PATTERN, examples=["thread-1"]),
    AfterValidator(validate_readable),
    AfterValidator(strip_invisible),
    AfterValidator(redact_name),
]
SpaceSlugs = Annotated[
    list[str],
    Field(
        max_length=MOST_SPACES,
        description="Slugs of the spaces to look into beside the person's own memories; left out all they belong to.",
    ),
]
UuidText = Annotated[str, Field(strict=True, pattern=UUID_PATTERN, json_schema_extra={"format": "uuid"})]


def choose_slugs(spaces: list[str] | None) -> frozenset[str] | None:
    """None for all that the person belongs to."""
    return None if spaces is None else frozenset(spaces)


class RequestBody(BaseModel):
    """A request's body. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class TextOrContent(BaseModel):
    """A body whose ``text`` may be called ``content``, as messages of chat APIs call it. Documented is ``text``."""

    @model_validator(mode="before")
    @classmethod
    def read_other_name(cls, given: object) -> object:
        if not isinstance(given, dict) or "content" not in given:
            return given
        fields = {name: value for name, value in given.items() if name != "content"}
        content, text = given["content"], fields.get("text")
        if content is None or content == text:
            return fields
        if text is not None:
            # Read behind "the body" and behind "items[3]:".
            raise ValueError("has text and content, two names of one field, with different words: send one of them")
        return {**fields, "text": content}


class RowModel(BaseModel):
    """An answer, or a part of one, made from the attributes of a row."""

    @classmethod
    def of(cls, row: object) -> Self:
        return cls.model_validate(row, from_attributes=True)


class QueryParameters(ScopedFields):
    """A request's query. Unknown parameters are refused."""


def is_none(value: object) -> bool:
    return value is None


def is_empty(value: list[object]) -> bool:
    return not value


class RecordPageOptions(QueryParameters):
    # Published under this name, for every list that has no filters.
    cursor: str | None = Field(default=None, max_length=1000)
    limit: PageSize = 50
