"""A finished answer as it is looked at: what of it is not kept, whether it seems hijacked, what it should not decide.

Pure: text in, values out. Nothing here changes an answer; what is found stands in the metadata.
"""

import re
from dataclasses import dataclass
from typing import Final

from memory.language.advice import find_advice

# Of an answer; what follows is as likely to be told by its beginning.
READ_CHARS: Final = 20_000
SHORT_ANSWER: Final = 15

OPEN, CLOSE = "<think>", "</think>"
# An assistant that says it has become another one.
ROLE_CHANGE = re.compile(
    r"\bi am now (?:an?|the|your|in|called|known|dan)\b|\bin pirate voice\b|\bas requested,? i will\b"
)
SYSTEM_TAG = re.compile(r"</?system>")
SHORT_SIGN = re.compile(r"\b(?:hack\w*|pwned|error)\b")
PAYLOAD = re.compile(r"\b(?:HACK|HACKED|PWNED)\b")
SENTENCE_END = re.compile(r"[.!?\n]\s")


@dataclass(frozen=True, slots=True)
class AnswerReview:
    """``reason`` empty: nothing is wrong with the answer. ``disclaimers``: fields in which a person should decide."""

    reason: str
    disclaimers: tuple[str, ...]


def review_answer(question: str, answer: str) -> AnswerReview:
    said = remove_thinking(answer)[:READ_CHARS]
    return AnswerReview(find_hijack(said), find_advice(f"{question[:READ_CHARS]}\n{said}"))


def find_hijack(answer: str) -> str:
    """Why an answer looks as if somebody else's instructions had been obeyed, or nothing."""
    text = answer.strip()
    lower = text.lower()
    if SYSTEM_TAG.search(lower):
        return "it has a tag of the system"
    if ROLE_CHANGE.search(lower):
        return "it says that it has another role now"
    if len(text) < SHORT_ANSWER and SHORT_SIGN.search(lower):
        return "it is a short sign"
    last = SENTENCE_END.split(text.rstrip(".!? \n"))[-1]
    return "it ends with the sign of an intruder" if PAYLOAD.search(last) else ""


def remove_thinking(text: str) -> str:
    """What a reasoning model has said aloud, without what it thought; also where the tags are in different parts."""
    kept: list[str] = []
    at = 0
    while at < len(text):
        opened = text.find(OPEN, at)
        end = opened if opened >= 0 else len(text)
        # Some models' templates begin the thought themselves, and only its end is in the answer.
        closed_before = text.rfind(CLOSE, at, end)
        kept.append(text[closed_before + len(CLOSE) if closed_before >= 0 else at : end])
        closed = text.find(CLOSE, end)
        at = closed + len(CLOSE) if opened >= 0 and closed >= 0 else len(text)
    return "".join(kept).strip()
