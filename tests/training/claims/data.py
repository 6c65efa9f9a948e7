"""The turns that the reader of claims is trained on: which tell what lasts about the person, and which teach nothing.

`examples/<language>.txt` were written for the training, `authors/` holds turns of others that rules were tuned on too;
beside them stand what the guard learns from, the sets of `tests/memory/claims` and the development halves of
`memory/evaluation/facts`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory.guard.classifier import KEEP, TRIVIAL
from tests.training.guard.data import read_examples

ROOT = Path(__file__).parent
SETS = ROOT.parents[1] / "memory" / "claims"
DEVELOPMENT = ROOT.parents[2] / "memory" / "evaluation" / "facts"
GUARD = "guard"
OF_THE_USER = ("the user", "user", "l'utente", "el usuario", "la usuaria", "l'utilisat", "der nutzer", "die nutzerin")
NAMES = ("statements", "requests", "silent", "tasks")
# Turns and conversations of later authors: those whose new state is only told in passing are left out.
LATER = {
    "spoken": ("spoken_statements", "spoken_requests", "spoken_silent"),
    "stranger": ("stranger",),
    "visitor": ("visitor",),
}
# Kinds of a turn that only looks like a change which teach nothing by themselves.
PASSING = frozenset(
    {"plan", "hypothesis", "wish", "rental", "roleplay", "quotation", "joke", "dream", "trial", "temporary"}
)


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    author: str
    text: str
    tells: bool


def read_training_turns() -> list[LabelledTurn]:
    found = [turn for path in sorted((ROOT / "examples").glob("*.txt")) for turn in parse_turns(path, "own")]
    found += [turn for path in sorted((ROOT / "authors").glob("*.txt")) for turn in parse_turns(path, path.stem)]
    for name in NAMES:
        found += read_rows(SETS / f"{name}.jsonl", "sets")
        found += read_rows(DEVELOPMENT / f"{name}.dev.jsonl", "first")
    found += read_changes(DEVELOPMENT / "changes.dev.jsonl", "first")
    for author, names in LATER.items():
        for name in names:
            found += read_rows(DEVELOPMENT / f"{name}.dev.jsonl", author)
        found += read_changes(DEVELOPMENT / f"{author}_changes.dev.jsonl", author)
    return found + list(read_guard_turns())


def read_guard_turns() -> Iterator[LabelledTurn]:
    """What the guard learns from, without statements in the third person: nobody says those of themselves."""
    for example in read_examples():
        if example.label in {KEEP, *TRIVIAL} and not example.text.casefold().startswith(OF_THE_USER):
            yield LabelledTurn(GUARD, example.text, example.label == KEEP)


def parse_turns(path: Path, author: str) -> Iterator[LabelledTurn]:
    tells = False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line in {"[tells]", "[asks]", "[silent]"}:
            tells = line != "[silent]"
        elif line and not line.startswith("#"):
            yield LabelledTurn(author, line.replace("\\n", "\n"), tells)


def read_rows(path: Path, author: str) -> Iterator[LabelledTurn]:
    if path.exists():
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            yield LabelledTurn(author, row["text"], "why" not in row)


def read_changes(path: Path, author: str) -> Iterator[LabelledTurn]:
    """The turns that tell a value, old or new, and of those that only look like a change what merely passes."""
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        valued = {*row["current_turns"], *row["stale_turns"], *row.get("ending_turns", ())}
        for at, turn in enumerate(row["turns"]):
            if at in valued:
                yield LabelledTurn(author, turn["user"], tells=True)
            elif row.get("control") and row["phrasing"] in PASSING:
                yield LabelledTurn(author, turn["user"], tells=False)
