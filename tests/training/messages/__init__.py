"""Messages to an assistant as fourteen authors write them, with what each tells, and questions to them weeks later.

`<author>.txt` holds 70 messages in each of six languages, a line each:

    en | ((How old is she?)) [[kin: turns seven in May]], thanks

What the assistant had said before stands in double parentheses, what is worth to be remembered in double brackets, with
its kind: `now` is so, `new` has become so, `end` is over, `kin` is of somebody close, `date` has a day, `plan` is only
wished or considered. A third of the messages hold nothing, and many of those look as if they did.
`<author>.questions.jsonl` names for each message that tells something what the same person would ask later, in its own
language and in another. No author had seen another's messages, any rule or any other set.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent
# Of these two nothing is learned.
HELD_OUT = frozenset({"proprietors", "volunteers"})
STRETCH = re.compile(r"\[\[(now|new|end|kin|date|plan):\s*(.*?)\]\]", re.DOTALL)
SAID_BEFORE = re.compile(r"^\(\((.*?)\)\)\s*")
PLAN = "plan"


@dataclass(frozen=True, slots=True)
class ToldStretch:
    """A part of a message: its kind, where it begins and where it ends."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Message:
    author: str
    lang: str
    asked: str
    text: str
    stretches: tuple[ToldStretch, ...]

    @property
    def tells(self) -> bool:
        return any(one.kind != PLAN for one in self.stretches)


@dataclass(frozen=True, slots=True)
class LaterQuestion:
    """A question and the place of the message that answers it."""

    place: int
    lang: str
    text: str


def list_authors() -> list[str]:
    return sorted(path.stem for path in ROOT.glob("*.txt"))


def read_messages(author: str) -> list[Message]:
    lines = (ROOT / f"{author}.txt").read_text(encoding="utf-8").splitlines()
    return [parse_message(author, line.replace("\\n", "\n")) for line in lines]


def read_questions(author: str) -> list[LaterQuestion]:
    lines = (ROOT / f"{author}.questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [LaterQuestion(row["line"] - 1, row["lang"], row["question"]) for row in map(json.loads, lines)]


def parse_message(author: str, line: str) -> Message:
    lang, _, body = line.partition("|")
    body = body.strip()
    before = SAID_BEFORE.match(body)
    parts = list(cut_stretches(body[before.end() :] if before else body))
    stretches, length = [], 0
    for kind, words in parts:
        if kind:
            stretches.append(ToldStretch(kind, length, length + len(words)))
        length += len(words)
    text = "".join(words for _, words in parts)
    return Message(author, lang.strip(), before[1] if before else "", text, tuple(stretches))


def cut_stretches(body: str) -> Iterator[tuple[str, str]]:
    """The parts of a message in their order, each with its kind, or none."""
    at = 0
    for found in STRETCH.finditer(body):
        yield "", body[at : found.start()]
        yield found[1], found[2]
        at = found.end()
    yield "", body[at:]
