"""Wraps stored text that a language model will read, so that it is taken as data. Pure: no framework.

The protection is the fence: nobody can guess it, and where a stored text contains it, it is taken out. In addition,
anything in the text that resembles the frame, and invisible characters, are neutralised. Nothing is shortened.
"""

import re
from collections.abc import Sequence

RULE = "═══"
# Characters that draw a rule like the frame's.
ALIKE = "=═＝━"

FENCE_MARK = "[...]"

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
NEW_LINES = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
# Bidirectional marks and overrides, tags, filler, zero-width spaces and joints, and the selectors that can spell
# letters. The joiners that scripts and emoji need stay.
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]|(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])"
)
SELECTORS = re.compile("([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
_VOICES = "system|assistant|user|human|developer|tool|function|model|instructions?|prompt|memory\\w*|context|hidden"
VOICE = re.compile(rf"[<＜]([\s/／]*(?:{_VOICES})\b[^<>＜＞]{{0,200}})[>＞]", re.IGNORECASE)
TURN_MARK = re.compile(r"<\|([^<>|]{0,80})\|>|<<([^<>]{0,80})>>|\[(/?INST)\]", re.IGNORECASE)
# Possessive throughout: a line of nothing but rules is given up at its end, not tried again from each of them.
RULED_LINE = re.compile(
    rf"^([^\S\n]*+)[{ALIKE}]{{3,}}+((?:[^\S\n]|[{ALIKE}])*+[^\s{ALIKE}](?:[^{ALIKE}\n]++|[{ALIKE}]{{1,2}}+(?![{ALIKE}]))*+)"
    rf"[{ALIKE}]{{3,}}",
    re.MULTILINE,
)
RECORD_LINE = re.compile(r"(?<=\n)(?=[^\S\n]*(?:\[\d{1,4}\][^\S\n]*\(|[•●▪◦]))")
SPACES = re.compile(r"\s+")


def quote_as_data(text: str, fence: str = "") -> str:
    """A stored text, complete, with everything neutralised that resembles the frame."""
    text = CONTROL.sub("", NEW_LINES.sub("\n", text))
    text = SELECTORS.sub(r"\1", UNSEEN.sub("", text))
    text = RULED_LINE.sub(r"\1=\2=", text.replace("═", "="))
    text = VOICE.sub(r"‹\1›", TURN_MARK.sub(replace_mark, text))
    # A line that starts like a record would be read as the next record.
    text = RECORD_LINE.sub("| ", text)
    # Replaced, not removed: what stands around one fence could close up to another.
    return re.sub(re.escape(fence), FENCE_MARK, text, flags=re.IGNORECASE) if fence else text


def replace_mark(found: re.Match[str]) -> str:
    inner = next(group for group in found.groups() if group is not None)
    return f"‹{inner}›"


def quote_as_line(text: str, fence: str = "") -> str:
    """The same on one line, for lists in which each line is an entry."""
    return SPACES.sub(" ", quote_as_data(text, fence)).strip()


def frame_lines(title: str, lines: Sequence[str], end: str, fence: str) -> str:
    """A block between two fences; empty without lines."""
    if not lines:
        return ""
    return "\n".join([f"{RULE} {title} {RULE} {fence}", *lines, f"{RULE} {end} {RULE} {fence}"])
