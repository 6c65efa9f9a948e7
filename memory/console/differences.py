"""Two wordings side by side. Pure: texts in, runs of kept, removed and added words out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

WORDS = re.compile(r"\s+|[\w'’-]+|[^\w\s]")
LINES = re.compile(r"[^\n]*\n|[^\n]+")
MOST_WORDS = 1500
"""Texts with more are compared line by line: the time grows with the square."""


@dataclass(frozen=True, slots=True)
class Run:
    """``kind`` is same, removed or added."""

    kind: str
    text: str


def differences(before: str, after: str) -> list[Run]:
    old, new = WORDS.findall(before), WORDS.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        old, new = LINES.findall(before), LINES.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [Run("removed", before), Run("added", after)]
    return list(joined(runs(old, new)))


def runs(old: list[str], new: list[str]) -> Iterator[Run]:
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Run("same", "".join(old[i1:i2]))
            continue
        if i2 > i1:
            yield Run("removed", "".join(old[i1:i2]))
        if j2 > j1:
            yield Run("added", "".join(new[j1:j2]))


def joined(parts: Iterator[Run]) -> Iterator[Run]:
    """Changes with nothing but a space between them read better as one."""
    removed = added = ""
    for run in parts:
        if run.kind == "removed":
            removed += run.text
        elif run.kind == "added":
            added += run.text
        elif run.text.isspace() and (removed or added) and "\n" not in run.text:
            removed, added = removed + run.text, added + run.text
        else:
            yield from changed(removed, added)
            removed = added = ""
            yield run
    yield from changed(removed, added)


def changed(removed: str, added: str) -> Iterator[Run]:
    if removed == added:
        if removed:
            yield Run("same", removed)
        return
    shared = len(removed) - len(removed.rstrip())
    tail = removed[len(removed) - shared :] if shared else ""
    if tail and added.endswith(tail):
        removed, added = removed[: -len(tail)], added[: -len(tail)]
    else:
        tail = ""
    if removed:
        yield Run("removed", removed)
    if added:
        yield Run("added", added)
    if tail:
        yield Run("same", tail)
