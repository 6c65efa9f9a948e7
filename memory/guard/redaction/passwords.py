"""Passwords, phrases and keys told in words: "la contraseña es girasol7", "Butterfly_63 is my Netflix password"."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from typing import Final

from memory.guard.redaction.forms import RANDOM_BITS, SecretSpan, is_mixed, is_no_placeholder, measure_entropy
from memory.guard.redaction.values import (
    CODE,
    QUOTED,
    ValuePiece,
    count_digits,
    find_digit_sequence,
    is_counted,
    is_digits,
    is_last_of_clause,
    is_plain_secret,
    is_strong,
    read_piece,
    read_pieces,
    read_tail,
)
from memory.guard.redaction.words import WORD, CueLabel, CueReading, fold_letters, load_words
from memory.language.stopwords import load_all_stop_words

ASSIGNED: Final = re.compile(
    r"[^\S\n]{0,3}(?:[rbuf]?\"([^\"\n]{1,200})\"|[rbuf]?'([^'\n]{1,200})'|([^\s,;&\"'<>]{1,200}))"
)
PHRASE: Final = re.compile(r"[^\S\n]{0,3}((?:[^\W\d_]{2,20}[^\S\n]{1,2}){2,9}[^\W\d_]{2,20})(?=\s*(?:[.!?;\n]|$))")
SEED: Final = re.compile(r"(?:[^\W\d_]{3,12}(?:[^\S\n]{1,2}|,[^\S\n]{0,2})){3,30}[^\W\d_]{3,12}")
KEY: Final = re.compile(r"[A-Za-z0-9_~+/.-]{8,500}={0,2}")
FEWEST_WORDS_OF_SEED, FEWEST_LISTED = 8, 4
FEWEST_WORDS_OF_BARE_SEED, REACH_OF_SEED = 12, 300
SHORTEST_KEY, SHORTEST_BARE_KEY = 8, 16
TEMPLATE: Final = re.compile(r"\A[$<{%*\[(].*")
# A key is one's own where it is a password; no door's is told so.
OWN: Final = frozenset(
    {"my", "mi", "mon", "ma", "mein", "meine", "mia", "mio", "meu", "minha", "our", "nuestra", "notre"}
)
LEAST_KEY_BITS: Final = 2.5


def find_password(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    kind = "wifi password" if reading.has_near("wifi", label.start, label.end, 40) else "password"
    text, tail = reading.text, read_tail(reading, label)
    if tail is None:
        return
    if is_assignment(tail):
        yield from find_assigned(text, tail.end(), kind)
        return
    if tail["quote"] and not tail["sign"] and not tail["is"]:
        # One of several quoted words: ``["password", "salt1"]``.
        return
    is_linked = bool(tail["sign"] or tail["is"])
    is_plain = tail["sign"] == ":" or bool(tail["is"])
    value = find_value(text, tail.end(), label.stop, is_plain=is_plain, is_linked=is_linked)
    values = [value] if value else list(find_linked_values(reading, tail.end(), label.stop))
    for span in values:
        yield SecretSpan(*span, kind)
    if not values and (before := find_value_before(reading, label)):
        yield SecretSpan(*before, kind)


def is_assignment(tail: re.Match[str]) -> bool:
    return (tail["sign"] or "") in {"=", ":=", "=>"} or (tail["sign"] == ":" and bool(tail["quote"]))


def find_assigned(text: str, place: int, kind: str) -> Iterator[SecretSpan]:
    """A value of code or settings. A name on the right side is no secret, ``password=password`` least of all."""
    match = ASSIGNED.match(text, place)
    if match is None:
        return
    group = match.lastindex or 1
    value = match[group]
    bare = value.rstrip(").]}") if group == 3 else value
    piece = ValuePiece(bare, match.start(group), match.start(group) + len(bare), "", is_quoted=group < 3)
    if len(bare) > 3 and " " not in bare and is_no_placeholder(bare) and (is_strong(piece) or is_digits(piece, 4)):
        yield SecretSpan(piece.start, piece.end, kind)


def find_value(text: str, place: int, stop: int, *, is_plain: bool, is_linked: bool) -> tuple[int, int] | None:
    """The password that stands at a place, behind small words; a plain word only where it is said to be it."""
    for piece in read_pieces(text, place, 4, stop):
        if quoted := QUOTED.match(text, place):
            # Without a link one word: ``has the password "tulip"``.
            group = quoted.lastindex or 1
            is_fit = is_quotable(quoted[group]) and (is_linked or quoted[group].isalnum())
            return quoted.span(group) if is_fit else None
        if is_strong(piece, is_named=is_linked) or (is_linked and is_digits(piece, 4) and not is_counted(text, piece)):
            return piece.start, piece.end
        if is_linked and (end := find_digit_sequence(text, piece)) and count_words(text[piece.start : end]) > 2:
            return piece.start, end
        if is_linked and has_capital_inside(piece) and is_last_of_clause(piece, text):
            return piece.start, piece.end
        if is_plain and is_plain_secret(piece, text):
            return piece.start, piece.end
        if (piece.folded not in load_words("filler") and piece.folded not in load_words("link")) or piece.ends_sentence:
            return None
        # "Forgetting passwords is my habit" tells none.
        is_plain = is_plain and piece.folded not in OWN
        place = piece.end
    return None


def has_capital_inside(piece: ValuePiece) -> bool:
    return bool(re.search(r"[a-z][A-Z]", piece.raw)) and piece.raw.isalpha() and len(piece.raw) > 5


def is_quotable(value: str) -> bool:
    """Whether quoted words can be a password: one word that describes nothing, or a phrase."""
    return not TEMPLATE.fullmatch(value) and value.casefold() not in load_words("predicate")


def count_words(text: str) -> int:
    return len(WORD.findall(text))


def find_linked_values(reading: CueReading, place: int, stop: int) -> Iterator[tuple[int, int]]:
    """What a name is said to be, some words on: "the password for the NAS is ...", "changed to ..."."""
    text, links, changes = reading.text, load_words("link"), load_words("set to")
    passed = place
    for piece in read_pieces(text, place, 10, stop):
        if piece.start < passed:
            continue
        word, last = piece.folded, WORD.findall(piece.folded)[-1:]
        is_link = (
            word in links or bool(last and len(last[0]) > 1 and last[0] in links) or piece.raw.endswith(("'s", "’s"))
        )
        span = None
        if piece.particle in changes and is_strong(piece):
            span = piece.start, piece.end
        elif is_link or (":" in piece.mark and not piece.is_quoted) or piece.mark == "=":
            behind = piece.end + len(piece.mark)
            span = find_value(text, behind, stop, is_plain=word in links and not piece.mark, is_linked=True)
        elif word in changes:
            following = read_piece(text, piece.end)
            span = (following.start, following.end) if following and is_strong(following) else None
        elif "?" in piece.mark:
            span = find_value(text, piece.end + len(piece.mark), stop, is_plain=False, is_linked=True)
        if span:
            yield span
            passed = span[1]
            if text[passed : passed + 1] in {'"', "'", "”"}:
                return
        elif piece.ends_sentence:
            return


def find_value_before(reading: CueReading, label: CueLabel) -> tuple[int, int] | None:
    """The password that is said to be one: "Butterfly_63 is my Netflix password", "with pinecone42 as the password"."""
    text = reading.text
    start = max(0, label.start - 80)
    pieces = list(read_pieces(text, start if not start else text.find(" ", start), 14))
    pieces = [piece for piece in pieces if piece.end <= label.start and "\n" not in text[piece.end : label.start]]
    for at in range(len(pieces) - 1, max(0, len(pieces) - 6), -1):
        if pieces[at].ends_sentence:
            return None
        if pieces[at].folded in load_words("link") or pieces[at].folded in load_words("as"):
            value, owner = pieces[at - 1], text[pieces[at].end : label.start].split()[:1]
            if owner and fold_letters(owner[0]) not in list_owners():
                return None
            return (value.start, value.end) if is_strong(value) and not value.ends_sentence else None
    return None


@cache
def list_owners() -> frozenset[str]:
    return frozenset(words.split()[0] for words in load_words("owner"))


def find_passphrase(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    tail = read_tail(reading, label)
    if tail is None:
        return
    for place in (tail.end(), *list_link_ends(reading, tail, label.stop)):
        if quoted := QUOTED.match(reading.text, place):
            group = quoted.lastindex or 1
            yield SecretSpan(*quoted.span(group), "passphrase")
            return
        if (phrase := PHRASE.match(reading.text, place)) and not is_description(phrase[1]):
            yield SecretSpan(*phrase.span(1), "passphrase")
            return
    yield from find_password(reading, label)


def is_description(phrase: str) -> bool:
    first = WORD.findall(phrase.lower())[0]
    return first in load_words("predicate") or first in load_words("set to") or first in load_words("filler")


def list_link_ends(reading: CueReading, tail: re.Match[str], stop: int) -> Iterator[int]:
    """Places behind a sign or a link of the same sentence."""
    if tail["sign"] or tail["is"]:
        yield tail.end()
    for piece in read_pieces(reading.text, tail.end(), 8, stop):
        if piece.folded in load_words("link") or ":" in piece.mark:
            yield piece.end + len(piece.mark)
        if piece.ends_sentence:
            return


def find_seed(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    text, tail = reading.text, read_tail(reading, label)
    for place in list_link_ends(reading, tail, label.stop) if tail else ():
        if match := SEED.match(text, skip_marks(text, place)):
            listed = match[0].count(",")
            if count_words(match[0]) >= FEWEST_WORDS_OF_SEED or listed >= FEWEST_LISTED - 1:
                yield SecretSpan(match.start(), match.end(), "seed phrase")
                return


def find_bare_seed(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    """A dozen words that make no sentence, behind what they restore: nobody else writes so many without a small one."""
    for match in SEED.finditer(reading.text, label.end, min(len(reading.text), label.end + REACH_OF_SEED)):
        words = WORD.finditer(match[0])
        run = list(takewhile(lambda found: found[0].lower() not in load_all_stop_words(), words))
        if len(run) < FEWEST_WORDS_OF_BARE_SEED or not match[0].islower():
            continue
        yield SecretSpan(match.start(), match.start() + run[-1].end(), "seed phrase")
        return


def skip_marks(text: str, place: int) -> int:
    return re.compile(r"[\s\"'“„«:]{0,6}").match(text, place).end()  # type: ignore[union-attr]


def find_network_key(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    """A key of a network; what else is called a key opens by hand or is a matter of speech."""
    text, tail = reading.text, read_tail(reading, label)
    if tail is None:
        return
    if not reading.has_near("wifi", label.start, label.end, 30):
        piece = read_piece(text, tail.end())
        if piece and len(piece.raw) > SHORTEST_BARE_KEY and is_random_key(piece.raw):
            yield SecretSpan(piece.start, piece.end, "key")
        elif is_owned(reading, label):
            # "mi clave de Netflix es ...": where a password is called a key.
            for start, end in find_linked_values(reading, tail.end(), label.stop):
                if is_mixed(text[start:end]):
                    yield SecretSpan(start, end, "password")
        return
    span = find_value(text, tail.end(), label.stop, is_plain=False, is_linked=bool(tail["sign"] or tail["is"]))
    for start, end in [span] if span else find_linked_values(reading, tail.end(), label.stop):
        # A column or a field is a key too: "the key is `user_id`".
        if not CODE.fullmatch(text[start:end]):
            yield SecretSpan(start, end, "wifi password")


def is_owned(reading: CueReading, label: CueLabel) -> bool:
    before = reading.text[max(0, label.start - 12) : label.start].split()
    return bool(before) and fold_letters(before[-1]) in OWN


def is_random_key(token: str) -> bool:
    return is_mixed(token) and measure_entropy(token) > RANDOM_BITS and not CODE.fullmatch(token)


def find_api_key(reading: CueReading, label: CueLabel) -> Iterator[SecretSpan]:
    text, tail = reading.text, read_tail(reading, label)
    if tail is None:
        return
    if tail["sign"] or tail["is"]:
        match = ASSIGNED.match(text, tail.end())
        if match and is_key(match[match.lastindex or 1], SHORTEST_KEY):
            yield SecretSpan(*match.span(match.lastindex or 1), "api key")
            return
    for at, piece in enumerate(read_pieces(text, tail.end(), 8, label.stop)):
        if is_key(piece.raw, SHORTEST_KEY if at and not piece.raw.isalpha() else SHORTEST_BARE_KEY):
            yield SecretSpan(piece.start, piece.end, "api key")
            return
        if piece.ends_sentence:
            return


def is_key(token: str, shortest: int) -> bool:
    """Letters and digits in no order that a word, a name or a version has."""
    if len(token) < shortest or not KEY.fullmatch(token) or not is_mixed(token) or not is_no_placeholder(token):
        return False
    if CODE.fullmatch(token) or re.search(r"[A-Za-z]{9,}", token) or token.count("/") > 1 or token.count(".") > 1:
        return False
    return count_digits(token) > 1 and measure_entropy(token) > LEAST_KEY_BITS
