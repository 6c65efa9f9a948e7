"""Two wordings side by side. Pure: texts in, runs of kept, removed and added words out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

WORDS = re.compile(r"\s+|[\w'’-]+|[^\w\s]")
LINES = re.compile(r"[^\n]*\n|[^\n]+")
# Texts with more are compared line by line: the time grows with the square.
MOST_WORDS = 1500


@dataclass(frozen=True, slots=True)
class DiffRun:
    """``kind`` is same, removed or added."""

    kind: str
    text: str


def diff_texts(before: str, after: str) -> list[DiffRun]:
    old, new = WORDS.findall(before), WORDS.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        old, new = LINES.findall(before), LINES.findall(after)
    if max(len(old), len(new)) > MOST_WORDS:
        return [DiffRun("removed", before), DiffRun("added", after)]
    return list(join_runs(diff_tokens(old, new)))


def diff_tokens(old: list[str], new: list[str]) -> Iterator[DiffRun]:
    # autojunk would treat the commonest words of a long text as noise and mark them as changed.
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield DiffRun("same", "".join(old[i1:i2]))
            continue
        if i2 > i1:
            yield DiffRun("removed", "".join(old[i1:i2]))
        if j2 > j1:
            yield DiffRun("added", "".join(new[j1:j2]))


def join_runs(parts: Iterator[DiffRun]) -> Iterator[DiffRun]:
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
            yield from trim_change(removed, added)
            removed = added = ""
            yield run
    yield from trim_change(removed, added)


def trim_change(removed: str, added: str) -> Iterator[DiffRun]:
    # Only the spaces between two changes, joined above, can make both sides equal.
    if removed == added:
        if removed:
            yield DiffRun("same", removed)
        return
    shared = len(removed) - len(removed.rstrip())
    tail = removed[len(removed) - shared :] if shared else ""
    if tail and added.endswith(tail):
        removed, added = removed[: -len(tail)], added[: -len(tail)]
    else:
        tail = ""
    if removed:
        yield DiffRun("removed", removed)
    if added:
        yield DiffRun("added", added)
    if tail:
        yield DiffRun("same", tail)
