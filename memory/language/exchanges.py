"""An exchange as one memory: what the person said, then what the assistant answered.

Pure. Written by one, read by ranking, duplicates and validity: the frame must be the same for all.
"""

from typing import Final

USER_LINE: Final = "User: "
# Without the blank that follows: an answer may begin on a line of its own.
ASSISTANT_LINE: Final = "\nAssistant:"
EXCHANGE_FRAME: Final = f"{USER_LINE}{{}}{ASSISTANT_LINE} {{}}"


def take_question(text: str) -> str:
    """What the person said of an exchange; any other text whole."""
    return text.partition(ASSISTANT_LINE)[0].removeprefix(USER_LINE)
