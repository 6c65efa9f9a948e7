"""The turns that the reader of claims is trained on: which tell what lasts about the person, and which teach nothing.

`examples/<language>.txt` were written for the training, `authors/` holds turns of others that rules were tuned on too;
beside them stand what the guard learns from, the sets of `tests/memory/claims` and the development halves of
`memory/evaluation/facts`. Of the messages in `tests/training/messages` it is marked where they tell something: of those
the sentences and clauses are learned from as well.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from memory.claims.clauses.cutting import cut_clauses
from memory.claims.clauses.stretches import slice_sentence
from memory.claims.judgement.judging import cut_head
from memory.claims.judgement.telling import Passage, join_passages
from memory.claims.reader import read_turn
from memory.claims.readings import SentenceReading, TurnReading
from memory.guard.classifier import KEEP, TRIVIAL
from tests.training import messages
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
    "nurse": ("nurse_said",),
    "pilot": ("pilot_said",),
    "clerk": ("clerk_said",),
}
# Kinds of a turn that only looks like a change which teach nothing by themselves.
PASSING = frozenset(
    {"plan", "hypothesis", "wish", "rental", "roleplay", "quotation", "joke", "dream", "trial", "temporary"}
)


# Of a sentence or of what is told in it, whichever is shorter, and of a clause: the share that must be told.
TOLD_OF_SENTENCE: Final = 0.4
TOLD_OF_CLAUSE: Final = 0.5
Extent = Literal["turn", "sentence", "clause", "head"]


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    author: str
    text: str
    tells: bool


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """A turn as it is rated, its words before a colon, or of a message a sentence or clause of several."""

    author: str
    passage: Passage
    tells: bool
    extent: Extent = "turn"
    is_message: bool = False


def read_training_passages() -> list[LabelledPassage]:
    """All that is learned from."""
    found = [one for turn in read_training_turns() for one in read_labelled(turn)]
    authors = (author for author in messages.list_authors() if author not in messages.HELD_OUT)
    return found + [one for author in authors for one in read_author(author)]


def read_held_out() -> list[LabelledPassage]:
    """What the weights must never have seen."""
    return [one for author in sorted(messages.HELD_OUT) for one in read_author(author)]


def read_labelled(turn: LabelledTurn) -> Iterator[LabelledPassage]:
    reading = read_turn(turn.text)
    yield LabelledPassage(turn.author, join_passages(reading.list_passages()), turn.tells)
    if turn.author != GUARD:
        yield from read_heads(turn.author, reading, tells=turn.tells)


def read_heads(
    author: str, reading: TurnReading, *, tells: bool, is_message: bool = False
) -> Iterator[LabelledPassage]:
    """What says whether the words behind a colon are the person's own."""
    for sentence in reading.whole.own_sentences:
        head = cut_head(sentence)
        if head is not None:
            yield LabelledPassage(author, Passage((head,)), tells, "head", is_message=is_message)


def read_author(author: str) -> Iterator[LabelledPassage]:
    for message in messages.read_messages(author):
        reading = read_turn(message.text)
        passages = reading.list_passages()
        yield LabelledPassage(author, join_passages(passages), message.tells, is_message=True)
        yield from read_heads(author, reading, tells=message.tells, is_message=True)
        for one, passage in zip(reading.sentences, passages, strict=True):
            end = one.place + len(one.sentence.raw)
            if len(passages) > 1:
                told = any(
                    share_told(stretch, one.place, end, of_shorter=True) > TOLD_OF_SENTENCE
                    for stretch in list_told(message)
                )
                yield LabelledPassage(author, passage, told, "sentence", is_message=True)
            yield from read_clauses(message, reading, one)


def read_clauses(message: messages.Message, reading: TurnReading, one: SentenceReading) -> Iterator[LabelledPassage]:
    tokens = cut_clauses(one.sentence)
    starts = [*tokens.starts, len(one.sentence.raw)]
    places = [(segment[0][0], segment[-1][1]) for segment in tokens.segments]
    for first, after in places if len(places) > 1 else ():
        start, end = one.place + starts[first], one.place + starts[after]
        told = any(share_told(stretch, start, end, of_shorter=False) > TOLD_OF_CLAUSE for stretch in list_told(message))
        passage = Passage((slice_sentence(one.sentence, (first, after)),), reading.is_masked)
        yield LabelledPassage(message.author, passage, told, "clause", is_message=True)


def list_told(message: messages.Message) -> list[messages.ToldStretch]:
    return [stretch for stretch in message.stretches if stretch.kind != messages.PLAN]


def share_told(stretch: messages.ToldStretch, start: int, end: int, *, of_shorter: bool) -> float:
    """The share of the words from ``start`` to ``end``, or of the stretch where that is shorter, that both hold."""
    length = min(end - start, stretch.end - stretch.start) if of_shorter else end - start
    return (min(end, stretch.end) - max(start, stretch.start)) / max(1, length)


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
    if not path.exists():
        return
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        valued = {*row["current_turns"], *row["stale_turns"], *row.get("ending_turns", ())}
        for at, turn in enumerate(row["turns"]):
            if at in valued:
                yield LabelledTurn(author, turn["user"], tells=True)
            elif row.get("control") and row["phrasing"] in PASSING:
                yield LabelledTurn(author, turn["user"], tells=False)
