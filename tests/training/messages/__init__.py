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
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent
# Of these two nothing is learned.
HELD_OUT = frozenset({"proprietors", "volunteers"})
MARKS = re.compile(r"^\(\(.*?\)\)\s*|\[\[(?:now|new|end|kin|date|plan):\s*|\]\]")


@dataclass(frozen=True, slots=True)
class Message:
    lang: str
    text: str


@dataclass(frozen=True, slots=True)
class LaterQuestion:
    """A question and the place of the message that answers it."""

    place: int
    lang: str
    text: str


def list_authors() -> list[str]:
    return sorted(path.stem for path in ROOT.glob("*.txt"))


def read_messages(author: str) -> list[Message]:
    """What was typed, without the marks and what the assistant had said."""
    lines = (ROOT / f"{author}.txt").read_text(encoding="utf-8").splitlines()
    return [Message(line[:2], MARKS.sub("", line[2:].partition("|")[2].strip())) for line in lines]


def read_questions(author: str) -> list[LaterQuestion]:
    lines = (ROOT / f"{author}.questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [LaterQuestion(row["line"] - 1, row["lang"], row["question"]) for row in map(json.loads, lines)]
