"""Secrets told in words: "my alarm code is 4471", "la contraseña es girasol7", "הסיסמה לוויי-פיי היא ...".

A word names a secret or what it opens; behind it (or before it: "... is my password") stands the secret itself. How
sure the words must be depends on what stands there: a mixed token needs only the name, digits need a lock or a link, a
plain word needs a sentence that says it is the password.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from memory.guard.redaction import codes, passwords
from memory.guard.redaction.candidates import NAMING, CandidateContext, find_candidates
from memory.guard.redaction.forms import SecretSpan
from memory.guard.redaction.likelihood import is_likely_secret
from memory.guard.redaction.values import count_digits, find_digit_sequence, read_pieces
from memory.guard.redaction.words import CueLabel, CueReading

LONGEST_QUESTION: Final = 300
"""Characters of a text in which its last question stands."""
LIKELY_RANK: Final = 2
"""Behind the finders, which know where a value ends."""
KIND_OF_NAME: Final = {
    "passphrase": "passphrase",
    "pin": "pin",
    "code": "code",
    "door code": "code",
    "keypad": "code",
    "lock": "code",
    "one time code": "one time code",
    "security answer": "security answer",
    "recovery code": "recovery code",
    "api key": "api key",
    "key": "key",
}
CONTEXT_BEFORE, CONTEXT_BEHIND = 90, 320
ASKED: Final = {
    "password": "password",
    "key": "wifi password",
    "passphrase": "passphrase",
    "pin": "pin",
    "door code": "code",
    "security code": "security code",
}
FINDERS: Final[dict[str, Callable[[CueReading, CueLabel], Iterator[SecretSpan]]]] = {
    "password": passwords.find_password,
    "passphrase": passwords.find_passphrase,
    "seed phrase": passwords.find_seed,
    "wallet": passwords.find_bare_seed,
    "recovery code": codes.find_recovery_codes,
    "pin": codes.find_pin,
    "door code": codes.find_door_code,
    "code": codes.find_code,
    "key": passwords.find_network_key,
    "security code": codes.find_security_code,
    "card number": codes.find_card_number,
    "national number": codes.find_national_number,
    "api key": passwords.find_api_key,
}


def find_told_secrets(text: str) -> Iterator[SecretSpan]:
    reading = CueReading(text)
    # What surrounds a name decides; where the same comes again, so does the answer. Else 32 KB of one short sentence
    # with a name in it took 190 ms.
    known: dict[tuple[str, str, int], list[SecretSpan]] = {}
    found: list[SecretSpan] = []
    for label in reading.labels:
        find = FINDERS.get(label.kind)
        if find is None:
            continue
        begin = max(0, label.start - CONTEXT_BEFORE)
        key = (label.kind, text[begin : label.start + CONTEXT_BEHIND], label.start - begin)
        if key not in known:
            known[key] = [span.move(-label.start) for span in find(reading, label)]
        found += [span.move(label.start) for span in known[key]]
    found += codes.find_entries(reading)
    yield from found
    yield from find_likely_secrets(reading, found)


def find_likely_secrets(reading: CueReading, found: Iterable[SecretSpan] = ()) -> Iterator[SecretSpan]:
    """What no finder has found and what surrounds it tells."""
    taken = bytearray(len(reading.text) + 1)
    for span in found:
        taken[span.start : span.end] = b"\1" * (span.end - span.start)
    for candidate in find_candidates(reading, taken):
        if is_likely_secret(candidate.context):
            yield SecretSpan(candidate.start, candidate.end, name_kind(candidate.context), LIKELY_RANK)


def name_kind(context: CandidateContext) -> str:
    name = context.before or context.after
    if name not in NAMING and ("digits" in context.shape or context.shape in {"grouped short", "spelt"}):
        return "one time code" if "confirmation" in context.support else "code"
    if "wifi" in context.support and name in {"password", "loose name", "key"}:
        return "wifi password"
    return KIND_OF_NAME.get(name, "password")


def find_asked_kind(question: str) -> str | None:
    """The kind of secret that a text ends by asking for, or None."""
    last = question.rstrip()[-LONGEST_QUESTION:]
    if not last.endswith(("?", "？", "؟")):
        return None
    reading = CueReading(last)
    for label in reversed(reading.labels):
        kind = "door code" if label.kind == "code" and reading.has_near("lock", label.start, label.end) else label.kind
        has_network = reading.has_near("wifi", label.start, label.end)
        if kind in ASKED and (kind != "key" or has_network):
            return "wifi password" if kind == "password" and has_network else ASKED[kind]
    return None


def find_answer(answer: str, kind: str) -> list[tuple[int, int]]:
    """The secret that an answer begins with. A plain word may be anything: it must look like one."""
    if "password" in kind or kind == "passphrase":
        span = passwords.find_value(answer, 0, len(answer), is_plain=False, is_linked=True)
        return [span] if span else []
    for piece in read_pieces(answer, 0, 4):
        end = find_digit_sequence(answer, piece)
        if end and not codes.is_no_code(answer, piece, end) and count_digits(answer[piece.start : end]) != 1:
            return [(piece.start, end)]
        if piece.ends_sentence:
            break
    return []
