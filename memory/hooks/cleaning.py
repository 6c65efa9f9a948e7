"""Takes out of a prompt or an answer what the person did not write and the agent did not say. Pure.

What a memory handed over comes back in transcripts; stored, it would be found again as if somebody had said it.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterator

from memory.context.blocks import INSTRUCTIONS
from memory.language.framing import RULE
from memory.language.text import strip_controls

# Blocks that clients lay around a prompt, and one that people may put around what is not to be remembered.
BLOCKS = (
    "system-reminder",
    "system_reminder",
    "private",
    "hook_context",
    "user-prompt-submit-hook",
    "local-command-caveat",
    "local-command-stdout",
    "local-command-stderr",
    "command-name",
    "command-message",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "new-diagnostics",
    "task-notification",
    "environment_context",
    "score-required",
)
FRAME = re.compile(rf"{RULE} (END )?[A-Z ]{{1,40}} {RULE} ([0-9a-f]{{16}})\s*")


def remove_foreign_text(text: str) -> str:
    """Without the context of a memory, the blocks of clients, colours of a terminal and other control characters."""
    text = strip_controls(text)
    if "<" in text:
        for tag in BLOCKS:
            text = remove_blocks(text, tag)
    if RULE in text:
        text = "\n".join(skip_framed_lines(text.split("\n")))
    return text.replace(INSTRUCTIONS, "").strip()


def remove_blocks(text: str, tag: str) -> str:
    """Without each whole block of a tag. Reads on from the end of a block, so that it takes as long as the text."""
    kept, at, closing = [], 0, f"</{tag}>"
    while (start := text.find(f"<{tag}", at)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            # Cut off: what follows may be the person's own words.
            break
        is_whole_name = text[start + len(tag) + 1] in " >\n\t"
        kept.append(text[at:start] if is_whole_name else text[at : start + 1])
        at = end + len(closing) if is_whole_name else start + 1
    return "".join(kept) + text[at:]


def skip_framed_lines(lines: list[str]) -> Iterator[str]:
    """The lines outside of what stands between two fences of a context."""
    marks = {place: mark for place, line in enumerate(lines) if (mark := FRAME.fullmatch(line))}
    ends: dict[str, deque[int]] = defaultdict(deque)
    for place, mark in marks.items():
        if mark[1]:
            ends[mark[2]].append(place)
    until = -1
    for place, line in enumerate(lines):
        if place <= until:
            continue
        mark = marks.get(place)
        if mark is None:
            yield line
            continue
        closings = ends[mark[2]]
        while closings and closings[0] <= place:
            closings.popleft()
        if not mark[1] and closings:
            until = closings[0]
