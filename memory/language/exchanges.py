"""An exchange as one memory: what the person said, then what the assistant answered.

Pure. Written by one, read by ranking, duplicates and validity: the frame must be the same for all.
"""

import re
from typing import Final

USER_LINE: Final = "User: "
# Without the blank that follows: an answer may begin on a line of its own.
ASSISTANT_LINE: Final = "\nAssistant:"
EXCHANGE_FRAME: Final = f"{USER_LINE}{{}}{ASSISTANT_LINE} {{}}"


def take_question(text: str) -> str:
    """What the person said of an exchange; any other text whole."""
    return text.partition(ASSISTANT_LINE)[0].removeprefix(USER_LINE)


SENTENCES: Final = re.compile(r"(?<=[.!?…])\s+|\n")
LONGEST_QUESTION: Final = 160
# Words of what answers a question and says nothing without it: "clio 4", "Dr Okonjo, bridge street".
MOST_OF_ANSWER: Final = 12


def find_asked(reply: str) -> str:
    """The question that the assistant's reply ends with, or nothing."""
    last = SENTENCES.split(reply.strip())[-1].strip()
    return last[-LONGEST_QUESTION:] if last.endswith(("?", "？", "؟")) else ""


def find_answered(text: str, before: str) -> str:
    """The question that the turn before ends with, where the person answers it in a few words."""
    said = take_question(text)
    is_short = text.startswith(USER_LINE) and len(said.split()) <= MOST_OF_ANSWER and not said.rstrip().endswith("?")
    return find_asked(before.rpartition(ASSISTANT_LINE)[2]) if is_short else ""
