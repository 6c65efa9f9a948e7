"""What stands behind the words that name a secret: read piece by piece, and told from what is no secret.

A piece is what stands between two spaces, without the marks around it. What it looks like decides whether it can be a
password or a code: "Tr0ub4dor" is one wherever it stands, "sunflower" only where a password is said to be it, and
"required" never.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from memory.guard.redaction.words import WORD, CueLabel, CueReading, fold_letters, fold_phrase, load_words
from memory.language.folding import strip_accents
from memory.language.numbers import load_values
from memory.language.stopwords import load_all_stop_words

RUN: Final = re.compile(r"[^\S\n]{0,20}(\S{1,200})")
# What may stand around a piece and is no part of it; a Hebrew particle is written onto it with a hyphen.
FRONT: Final = re.compile(r"[\"'“„”«‘`(\[{<*_~]*([ולבהכמש]-(?=[A-Za-z0-9]))?")
BEHIND: Final = "\"'”“»’`)]}>.,;:!?…*~"
QUOTES: Final = frozenset("\"'“”„«»‘’`")
SENTENCE_MARKS: Final = frozenset(".!?…;")
DIGIT_GROUPS: Final = re.compile(r"\A(?:\d{1,8}(?:[-–.]\d{1,6}){0,5}[#*]?)")
MORE_DIGITS: Final = re.compile(r"[ \t]?[-–,]?[ \t]?(\d{1,6})(?![\w.:/])")
LONGEST_SEQUENCE: Final = 40
QUOTED: Final = re.compile(
    r"\s{0,3}(?:\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|„([^“”\n]{2,80})[“”]|«\s?([^»\n]{2,80}?)\s?»|'([^'\n]{2,80})'|`([^`\n]{2,80})`)"
)

# Each of the following is asked of one piece; they begin with \A so that in a text they would be tried once.
# Forms of what is no secret: times, dates, sizes, versions, shares, sums, addresses, ranks.
NO_SECRET: Final = re.compile(
    r"\A(?:\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?:am|pm|h|uhr)?|\d{1,4}([-/.])\d{1,2}\1\d{2,4}|v?\d+(?:\.\d+)+\w{0,6}|"
    r"\d+(?:[.,]\d+)?(?:%|px|ms|s|sec|min|h|kb|mb|gb|tb|k|m|km|kg|g|mg|mcg|[µμ]g|iu|cm|mm|ml|cl|dl|l|x|th|st|nd|rd|am|pm|bit|hz|ghz|mhz|w|v|a|c|f|"
    r"€|\$|£|°\w?)"
    r"|[$€£]\d[\d.,]*[kmb]?|[\w.+-]+@[\w-]+\.[\w.-]+|(?:https?|ftp|file)://.*|www\..*|\d+x\d+|[a-z]{1,3}\d)",
    re.IGNORECASE,
)
# A measure with a space between, as a dose mostly is: "losartan 100 mg". Of one letter a unit is as often a word.
SPACED_UNIT: Final = re.compile(
    r"[^\S\n]{1,2}(?:mg|mcg|[µμ]g|kg|ml|cl|dl|mm|cm|km|iu|kcal|mmol|kwh|kw|gb|mb|tb|ghz|mhz|%|€|£|\$|°)(?!\w)",
    re.IGNORECASE,
)
# Code: a call, a subscript, a path of names, a variable, a stand-in.
CODE: Final = re.compile(
    r"\A(?:.*[()\[\]{}<>|\\].*|\$.*|%\w|[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+|[A-Za-z]+(?:_[A-Za-z]+)+|_+\w*|\*+"
    r"|/.*|\.\w+|x{3,}\d*|[A-Za-z_]\w*=.*|[A-Za-z.]+@)",
)
# "PS5", "user12", "iso-27": names of things, unless one is said to be the password.
NUMBERED_NAME: Final = re.compile(r"\A(?:[A-Z]{2,}-?\d{1,4}|[A-Za-z]{1,8}-?\d{1,3})")
NAMES_OF_METHODS: Final = re.compile(
    r"\A(?:(?:sha|md|aes|rsa|argon|pbkdf|base|utf|oauth|http|ipv|ps|rc|des|ed|hs|rs|x|tls|ssl|win|mp|h|log|web|ios?|py|"
    r"python|iphone|pixel|galaxy|office|windows|id|k8s|s3|ec2|ntlmv?|wpa|x)-?\d[\w.-]{0,6})",
    re.IGNORECASE,
)
MARKS_OF_PASSWORDS: Final = frozenset("!#@$%&*+?=^~§")
# How participles and adjectives end: "required", "obligatoria", "requis", "erforderlich", "richiesta", "inválida".
ADJECTIVE: Final = re.compile(
    r"\A(?:.{2,}(?:ed|ing|able|ible|ful|less|ary|ive|ous|ic|ical|ly|ish|ado|ada|ido|ida|ados|adas|idos|idas|oso|osa|"
    r"ivo|iva|ico|ica|ante|ente|ble|bles|vel|veis|if|ive|eux|euse|ique|uis|uise|lich|bar|ig|isch|sam|los|iert|"
    r"elt|ert|etzt|ellt|ato|ata|ati|ate|ito|ita|uto|uta|bile|bili|aria|ario|mente|ment|ung|tion|cion|zione|sao))"
)
ACCESS_CODE: Final = re.compile(r"(?=[A-Z]{0,7}[0-9])[A-Z0-9]{4,8}[#*]?")
SHORTEST_WORD: Final = 4
NAMES_AND_ROLES: Final = (
    *(
        "password",
        "pin",
        "code",
        "link",
        "filler",
        "lock",
        "wifi",
        "key",
        "account",
        "login",
        "enter",
        "opens",
        "owner",
    ),
    *("length unit", "follow", "key pressed", "with"),
)
TAIL: Final = re.compile(
    r"(?P<is>['’]s\b)?(?P<quote>[\"'”»`]?)[^\S\n]{0,3}(?P<sign>:=|=>|==|[:=?]|(?<=\s)[-–—>](?=\s))?(?P<second>=)?"
)
ENDS_OF_NAMES: Final = "\"'`”»’:=?,.;!)—–"


class ValuePiece(NamedTuple):
    """``raw`` is a piece without the marks around it, ``mark`` the marks behind it, ``particle`` a letter before it.

    A tuple, since 32 KB of secrets are read in eighteen thousand of them.
    """

    raw: str
    start: int
    end: int
    mark: str
    is_quoted: bool = False
    particle: str = ""

    @property
    def folded(self) -> str:
        """As the entries of the words are: "it's" is "it s", and of one letter the accent counts: "è" is no "e"."""
        return fold_phrase(self.raw)

    @property
    def ends_sentence(self) -> bool:
        return bool(self.mark) and not SENTENCE_MARKS.isdisjoint(self.mark)

    @property
    def is_number(self) -> bool:
        return self.raw.isdigit()


def read_pieces(text: str, place: int, most: int = 9, stop: int = sys.maxsize) -> Iterator[ValuePiece]:
    """The pieces from a place on, to the end of the line."""
    for _ in range(most):
        match = RUN.match(text, place, stop)
        if match is None:
            return
        start, place = match.span(1)
        run = match[1]
        raw, front, behind, particle, is_quoted = cut_marks(run)
        if raw:
            yield ValuePiece(raw, start + front, start + behind, run[behind:], is_quoted, particle)
        elif run.endswith(":"):
            # French sets a space before it.
            yield ValuePiece(":", start, place, ":")


@lru_cache(maxsize=8192)
def cut_marks(run: str) -> tuple[str, int, int, str, bool]:
    """A piece without its marks, where it begins and ends, the letter written onto it, and whether it is quoted."""
    opening = FRONT.match(run)
    front = opening.end() if opening else 0
    behind = len(run.rstrip(BEHIND)) if front < len(run) else front
    is_quoted = 0 < front < behind and run[front - 1] in QUOTES and run[behind : behind + 1] in QUOTES
    return run[front:behind], front, behind, opening[1][:1] if opening and opening[1] else "", is_quoted


def read_piece(text: str, place: int) -> ValuePiece | None:
    return next(read_pieces(text, place, most=1), None)


def is_strong(piece: ValuePiece, *, is_named: bool = True) -> bool:
    """Whether nobody writes such a piece but as a password: letters with digits or marks.

    ``is_named``: something says that it is one; else "PS5" is a thing.
    """
    raw = piece.raw
    if len(raw) < SHORTEST_WORD or NO_SECRET.fullmatch(raw) or NAMES_OF_METHODS.fullmatch(raw):
        return False
    if not piece.is_quoted and (CODE.fullmatch(raw) or (not is_named and NUMBERED_NAME.fullmatch(raw))):
        return False
    letters = sum(char.isalpha() for char in raw)
    if not letters:
        return False
    if any(char.isdigit() for char in raw):
        return True
    return not MARKS_OF_PASSWORDS.isdisjoint(raw) and letters > 2


def is_digits(piece: ValuePiece, least: int, most: int = 12) -> bool:
    """Whether it is digits alone, perhaps with the key pressed behind them: "1948#"."""
    digits = piece.raw.rstrip("#*")
    return digits.isdigit() and least <= len(digits) <= most


def is_access_code(piece: ValuePiece, least: int = 3) -> bool:
    """What a lock takes: digits, or few capitals and digits: "25B80", "A1947"."""
    return is_digits(piece, least, 10) or ACCESS_CODE.fullmatch(piece.raw) is not None


def is_plain_secret(piece: ValuePiece, text: str) -> bool:
    """Whether a word can be the password it is said to be: it ends its clause and describes nothing."""
    word = piece.folded
    if len(word) < SHORTEST_WORD or not word.isalpha() or not is_last_of_clause(piece, text):
        return False
    if word in load_words("predicate") or word in load_all_stop_words() or ADJECTIVE.fullmatch(word):
        return False
    return not any(
        word in load_words(kind) for kind in ("password", "pin", "code", "link", "filler", "lock", "wifi", "key")
    )


def is_plain_word(piece: ValuePiece) -> bool:
    """Whether a word names nothing and says nothing of a password: it may be one."""
    word = piece.folded
    if not word.isalpha() or len(word) < SHORTEST_WORD or word in load_words("predicate"):
        return False
    return word not in load_all_stop_words() and word not in load_all_roles()


@cache
def load_all_roles() -> frozenset[str]:
    return frozenset().union(*(load_words(kind) for kind in NAMES_AND_ROLES))


def is_last_of_clause(piece: ValuePiece, text: str) -> bool:
    return bool(piece.mark) or not text[piece.end :].split("\n", 1)[0].strip()


@cache
def load_digit_words() -> frozenset[str]:
    values = load_values("hour") | load_values("amount")
    noughts = {"oh", "zero", "nul", "null", "אפס", "cero", "zwo"}
    return frozenset(strip_accents(word) for word, value in values.items() if value < 100) | noughts


def find_digit_sequence(text: str, first: ValuePiece) -> int:
    """Where digits that begin with this piece end: "24 - 6 - 38", "four four seven one". 0 if there are none."""
    kind = name_beginning(first.raw)
    if kind != "digits":
        return find_spelt_digits(text, first) if kind else 0
    end = first.end
    while match := MORE_DIGITS.match(text, end):
        end = match.end()
        if end - first.start > LONGEST_SEQUENCE:
            break
    return end


@lru_cache(maxsize=8192)
def name_beginning(raw: str) -> str:
    """Whether digits or number words may begin with a piece: "digits", "words" or nothing."""
    if fold_letters(raw) in load_digit_words():
        return "words"
    return "digits" if DIGIT_GROUPS.fullmatch(raw) else ""


def find_spelt_digits(text: str, first: ValuePiece) -> int:
    words, end = 1, first.end
    for piece in read_pieces(text, first.end, 12):
        parts = WORD.findall(piece.folded)
        if not parts or not all(part in load_digit_words() for part in parts):
            break
        words, end = words + len(parts), piece.end
    return end if words > 2 else 0


def count_digits(text: str) -> int:
    return sum(char.isdigit() for char in text)


def read_tail(reading: CueReading, label: CueLabel) -> re.Match[str] | None:
    """What stands behind a name; None where it is only a part of another name: ``password_hash``, "password-reset"."""
    behind = reading.text[label.end : label.end + 2]
    if (
        behind
        and not behind[0].isspace()
        and (behind[0] not in ENDS_OF_NAMES or (behind[1:].isalnum() and behind[0] == "."))
    ):
        return None
    return TAIL.match(reading.text, label.end)


def ends_with_any(before: str, kind: str) -> bool:
    words = before.split()
    while words and words[-1] in load_words("filler"):
        words.pop()
    return any(" ".join(words[-size:]) in load_words(kind) for size in (1, 2, 3) if len(words) >= size)


def is_counted(text: str, piece: ValuePiece) -> bool:
    """Whether a number counts or measures something: "12 characters", "4000 lines", "100 mg"."""
    if is_measured(text, piece.end):
        return True
    if "," in piece.mark or piece.ends_sentence:
        return False
    following = read_piece(text, piece.end)
    return following is not None and following.folded in load_words("length unit")


def is_measured(text: str, end: int) -> bool:
    """Whether a unit stands behind a number that ends there."""
    return SPACED_UNIT.match(text, end) is not None
