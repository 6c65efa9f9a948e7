"""What may be a secret, and what stands around it: the features that `likelihood` weighs.

The finders know how people mostly tell a secret; between its name and its value others put whatever they like ("key
safe code for the carers: 4482#", "he lets us use it, PIN no. 3870"). So each word that looks like a value, near a word
that names or opens something, is described by its shape, the names around it, the marks and the kinds of small words
beside it. None of it is a word of one language.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, NamedTuple

from memory.guard.redaction.shapes import IDENTIFIER, INNER_CAPITAL, name_shape
from memory.guard.redaction.values import (
    ValuePiece,
    find_digit_sequence,
    is_measured,
    is_plain_word,
    load_digit_words,
    read_piece,
)
from memory.guard.redaction.words import CueLabel, CueReading, fold_letters, fold_phrase, load_words

# What names a secret, and what is only near one.
NAMING: Final = frozenset(
    {
        *(
            "password",
            "loose name",
            "passphrase",
            "pin",
            "code",
            "door code",
            "one time code",
            "security answer",
            "key",
        ),
        *("api key", "recovery code", "keypad"),
    }
)
# What a secret is used for: where people tell one without naming it, this is all they say of it.
USES: Final = frozenset({"lock", "login", "unlocking", "confirmation", "service"})
SUPPORT: Final = USES | {"wifi", "account", "keypad", "key", "harmless name"}
OPENING: Final = NAMING | USES | {"wifi"}
# Small words beside a value, by what they do; the first of them that has a word counts before the others.
ROLES: Final = (
    *(
        "answer",
        "link",
        "enter",
        "as",
        "set to",
        "with",
        "opens",
        "login",
        "key pressed",
        "length unit",
        "follow",
        "owner",
    ),
    *("filler", "predicate"),
)
# After these even a plain word may be a value.
NAMES: Final = frozenset({"password", "loose name"})
TELLING: Final = NAMES | {"answer", "link", "as", "set to", "enter", "with", "filler"}
STROKES: Final = frozenset({"-", "–", "—", "/", "->", "→", "&", "|", "=>"})
TOKEN: Final = re.compile(r"\S{1,200}")
REST: Final = re.compile(r"\S*")
# What looks like a value: a digit, letters joined by a mark, a capital within, a quotation.
LIKELY: Final = re.compile(r"\d|[^\W\d_][-_.&+%#@$!*^~][^\W\d_]|[a-zß-ÿ][A-ZÀ-Þ]|(?<=[^\W\d_]{4})[!#$%&*]|^[\"“„«'`‘]")
ASSIGNMENT: Final = re.compile(r"\A[\"']?[A-Za-z][\w.-]{0,60}[\"']?(?:=|:=|:(?!/)|=>)(?=.)")
CLOSED_QUOTE: Final = re.compile(r"[\"“„«'`‘]([^\"“”„«»`\n]{2,60}?)[\"”“»'`’](?=[\s.,;:!?)]|$)")
SENTENCE_END: Final = re.compile(r"[.!?;] ")
NUMBER_SIGN: Final = re.compile(r"\s?no?\. ?")
GROUPED: Final = re.compile(r"\d{1,4}(?:\s?[-–., ]\s?\d{1,4}){1,7}")
TRAILING: Final = re.compile(r"[\"'”“»’`)\]}>.,;:!?…*~]*$")
REACH_BEFORE, REACH_BEHIND = 110, 70
MOST_LABELS, FAR = 3, 6
ENDED: Final = " ended"
# What is done with a code, by the words beside it.
USED_BY: Final = frozenset({"enter", "with", "opens", "key pressed", "set to", "as", "answer"})


class CandidateContext(NamedTuple):
    """All of it in few values, so that a context that comes again is weighed once."""

    shape: str
    mark: str
    before: str
    distance: str
    second: str
    after: str
    gap: str
    previous: str
    earlier: str
    following: str
    support: tuple[str, ...]
    is_first: bool


@dataclass(frozen=True, slots=True)
class SecretCandidate:
    start: int
    end: int
    context: CandidateContext


def find_candidates(reading: CueReading, taken: bytes | bytearray = b"") -> Iterator[SecretCandidate]:
    """``taken`` is not nought where a secret was found already: what stands there need not be weighed."""
    for start, end in list_windows(reading):
        yield from read_window(reading, start, end, taken)


def list_windows(reading: CueReading) -> Iterator[tuple[int, int]]:
    """Where values may stand: around names, never beyond their line; those that overlap are one."""
    text, passed, opened = reading.text, 0, -1
    for label in reading.labels:
        if label.kind not in OPENING:
            continue
        line = text.rfind("\n", max(passed, label.start - REACH_BEFORE), label.start) + 1
        start = max(line, passed, label.start - REACH_BEFORE)
        stop = text.find("\n", label.end, label.end + REACH_BEFORE)
        end = stop if stop >= 0 else min(len(text), label.end + REACH_BEFORE)
        if opened >= 0 and start <= passed:
            passed = max(passed, end)
            continue
        if opened >= 0:
            yield opened, passed
        opened, passed = start, end
    if opened >= 0:
        yield opened, passed


def read_window(reading: CueReading, start: int, end: int, taken: bytes | bytearray) -> Iterator[SecretCandidate]:
    text = reading.text
    if start and not text[start - 1].isspace():
        # Nobody's value is the rest of a word.
        start = REST.match(text, start).end()  # type: ignore[union-attr]
    tokens = [(match.start(), match.end()) for match in TOKEN.finditer(text, start, end)]
    if tokens and end < len(text) and not text[end].isspace():
        tokens.pop()
    passed, told = start, False
    for at, (first, last) in enumerate(tokens):
        raw = text[first:last]
        sight, was_told = look_at(raw), told
        told = sight.tells
        if first < passed or not (sight.is_likely or (was_told or "=" in raw)):
            continue
        # "Password Manager" is a heading: with nothing between, a word with a capital names a thing.
        is_heading = raw[0].isupper() and at > 0 and look_at(text[slice(*tokens[at - 1])]).is_name
        found = read_value(text, first, last, is_told=was_told and not is_heading)
        if found is None:
            continue
        shape, first, last = found
        if taken and taken[first]:
            continue
        context = describe(reading, tokens, at, (first, last), shape)
        if context is not None and not (is_identifier(context) or is_place_number(context) or is_far_number(context)):
            yield SecretCandidate(first, last, context)
            passed = last


def is_identifier(context: CandidateContext) -> bool:
    """Whether it is a name of code: ``user_name`` is assigned, or stands behind a token. A third of what conversations
    had marked wrongly was.
    """
    return context.shape == IDENTIFIER and (context.before == "api key" or context.mark in {"=", ","})


def is_place_number(context: CandidateContext) -> bool:
    """Whether digits only number what could be locked: "my locker is 318" says where it is and not how it opens."""
    if context.before or context.after in NAMING or not context.shape.endswith(("digits", "or more")):
        return False
    is_used = not USED_BY.isdisjoint((context.earlier, context.previous, context.following))
    return not is_used and set(context.support) <= {"lock", "account", "service", "harmless name"}


def is_far_number(context: CandidateContext) -> bool:
    """Whether all that tells of a secret stands far from it: "2985 requests a minute, set in the configuration of the
    login page", "the spare key is with Ann Smith in number 117"."""
    if not USED_BY.isdisjoint((context.earlier, context.previous, context.following)):
        return False
    if context.before == "key":
        return context.distance == "far" and context.shape.endswith(("digits", "or more"))
    return not context.before and context.gap == "far" and set(context.support) <= {context.after}


class TokenSight(NamedTuple):
    """At one glance: whether it looks like a value, lets a plain word behind it be one, and is only a name."""

    is_likely: bool
    tells: bool
    is_name: bool


@lru_cache(maxsize=8192)
def look_at(raw: str) -> TokenSight:
    if raw[-1] in ":=" or raw in STROKES:
        return TokenSight(bool(LIKELY.search(raw)), tells=True, is_name=False)
    roles = TELLING.intersection(list_roles(raw))
    is_digit = fold_letters(TRAILING.sub("", raw)) in load_digit_words()
    return TokenSight(bool(LIKELY.search(raw)) or is_digit, bool(roles), bool(roles) and roles <= NAMES)


def read_value(text: str, start: int, end: int, *, is_told: bool) -> tuple[str, int, int] | None:
    """The shape of what stands at a token, and where it begins and ends."""
    raw = text[start:end]
    if "=" in raw[:-1] and (assigned := ASSIGNMENT.match(raw)):
        start += max(assigned.end(), raw.rfind("=", 0, len(raw) - 2) + 1)
        raw = text[start:end]
        is_told = True
    if not LIKELY.search(raw):
        if fold_letters(TRAILING.sub("", raw)) in load_digit_words():
            return read_spelt(text, start)
        return read_word(text, start) if is_told else None
    if quoted := CLOSED_QUOTE.match(text, start):
        return name_quoted(quoted[1]), quoted.start(1), quoted.end(1)
    piece = read_piece(text, start)
    if piece is None or piece.end > end or (piece.raw[-1].isdigit() and is_measured(text, piece.end)):
        return None
    if piece.raw.isalpha() and not INNER_CAPITAL.search(piece.raw):
        return read_word(text, start) if is_told else None
    return read_piece_of_value(text, piece)


def read_word(text: str, start: int) -> tuple[str, int, int] | None:
    piece = read_piece(text, start)
    if piece is None or not is_plain_word(piece):
        return None
    case = "capital" if piece.raw[0].isupper() else "lower"
    return f"{'capitals' if piece.raw.isupper() and len(piece.raw) > 3 else case} word", piece.start, piece.end


def read_spelt(text: str, start: int) -> tuple[str, int, int] | None:
    piece = read_piece(text, start)
    end = find_digit_sequence(text, piece) if piece else 0
    return ("spelt", piece.start, end) if piece and end else None


def name_quoted(value: str) -> str:
    words = value.split()
    if len(words) > 1:
        return "quoted phrase"
    return f"quoted {name_shape(value)}"


def read_piece_of_value(text: str, piece: ValuePiece) -> tuple[str, int, int] | None:
    raw = piece.raw
    if raw[0].isdigit() and (grouped := GROUPED.match(text, piece.start)) and grouped.end() > piece.end:
        digits = sum(char.isdigit() for char in grouped[0])
        last = text[grouped.end() : grouped.end() + 1]
        if not last.isalnum() and last not in {"%", "€", "°"} and "." not in grouped[0]:
            return ("grouped short" if digits < 9 else "grouped long"), piece.start, grouped.end()
    shape = name_shape(raw)
    return (shape, piece.start, piece.end) if shape else None


def describe(
    reading: CueReading, tokens: list[tuple[int, int]], at: int, value: tuple[int, int], shape: str
) -> CandidateContext | None:
    text, (start, end) = reading.text, value
    before = list_labels_before(reading, start)
    after = next(list_labels_after(reading, end), None)
    if not before and after is None:
        return None
    named = [label for label in before if label.kind in NAMING]
    words_before = [text[first:last] for first, last in tokens[max(0, at - 2) : at]]
    lead = text[tokens[at][0] : start] or (words_before[-1] if at else "")
    nearest = named[0] if named else None
    between = text[nearest.end : start] if nearest else ""
    covered = nearest is not None and at > 0 and tokens[at - 1][0] < nearest.end
    return CandidateContext(
        shape=shape,
        mark=name_mark(lead, between if not between.strip(" \"'") or len(between) < 4 else ""),
        before=nearest.kind if nearest else "",
        distance=name_distance(between) if nearest else "",
        second=named[1].kind if len(named) > 1 else "",
        after=after.kind if after else "",
        gap=name_distance(text[end : after.start]) if after else "",
        previous="name" if covered else name_role(words_before[-1]) if words_before else "start",
        earlier=name_role(words_before[-2]) if len(words_before) > 1 else "start",
        following=name_following(text, end),
        support=tuple(
            sorted({label.kind for label in before if label.kind in SUPPORT} | ({after.kind} if after else set()))
        ),
        is_first=at == 0,
    )


def list_labels_before(reading: CueReading, place: int) -> list[CueLabel]:
    """The nearest in front in the same line, the nearest first."""
    text = reading.text
    found: list[CueLabel] = []
    at = bisect_left(reading.starts, place) - 1
    while at >= 0 and len(found) < MOST_LABELS and place - reading.labels[at].start <= REACH_BEFORE:
        label = reading.labels[at]
        at -= 1
        if label.end > place or label.kind == "card number":
            continue
        between = text[label.end : place]
        # What an earlier sentence speaks of names nothing in this one: half of 128 marked of 12,000 synthetic notes.
        if "\n" in between or name_distance(between) == f"far{ENDED}":
            break
        found.append(label)
    return found


def list_labels_after(reading: CueReading, place: int) -> Iterator[CueLabel]:
    at = bisect_left(reading.starts, place)
    for label in reading.labels[at : at + MOST_LABELS]:
        between = reading.text[place : label.start]
        if label.start - place > REACH_BEHIND or "\n" in between:
            return
        if name_distance(between) in {f"some{ENDED}", f"far{ENDED}"}:
            return
        if label.kind in NAMING or label.kind in USES:
            yield label


def name_mark(lead: str, between: str) -> str:
    """The sign before a value: behind the word before it, or before its quotation mark."""
    for text in (lead, between):
        bare = text.strip().rstrip("\"'“„«`‘([*")
        if bare and bare[-1] in ":=":
            return bare[-1]
        if bare in STROKES:
            return "stroke"
        if bare and bare[-1] in ",.?;!)":
            return bare[-1]
    return ""


def name_distance(between: str) -> str:
    count = len(between.split())
    ended = SENTENCE_END.search(between) and not NUMBER_SIGN.fullmatch(between)
    size = str(count) if count < 3 else "some" if count < FAR else "far"
    return f"{size}{ENDED}" if ended else size


def name_following(text: str, end: int) -> str:
    rest = text[end : end + 40]
    bare = rest.lstrip("\"'”“»’`)]}*#!")
    if bare[:1] in {"?", "؟"}:
        return "asks"
    if not bare.strip(" .,;:!?…") or bare.startswith("\n"):
        return "end"
    if bare[0] in ",;.:!?":
        return f"mark {bare[0]}"
    if not bare[0].isspace():
        return "glued"
    return name_role(bare.split(maxsplit=1)[0])


@cache
def load_roles() -> dict[str, str]:
    """The role of each small word; of several the first of ROLES."""
    roles: dict[str, str] = {}
    for role in reversed(ROLES):
        for entry in load_words(role):
            roles[entry] = role
            if " " in entry and role in {"with", "enter", "set to", "link"}:
                roles.setdefault(entry.split()[0], role)
    return roles


@lru_cache(maxsize=4096)
def list_roles(raw: str) -> tuple[str, ...]:
    folded = fold_phrase(TRAILING.sub("", raw).lstrip("\"'“„«`‘([*¿¡"))
    return tuple(role for role in (*ROLES, "password", "loose name") if folded in load_words(role))


@lru_cache(maxsize=4096)
def name_role(raw: str) -> str:
    word = TRAILING.sub("", raw).lstrip("\"'“„«`‘([*¿¡")
    if not word:
        return "mark"
    folded = fold_phrase(word)
    if role := load_roles().get(folded):
        return role
    if any(char.isdigit() for char in word):
        return "number"
    return "short" if len(word) < 4 else "other"
