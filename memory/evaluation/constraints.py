"""Measures whether standing constraints stand in every context that could break them, and do not crowd out the rest.

A file has one JSON object a line: `constraints` and `facts`, statements of the person, and a `question`. With `kind`
`must_appear` one of the substrings of `expect` must be in the context; with `must_not_crowd` one of those of `answer`.
Other statements of the person (`text`, one JSON object a line) may stand between: a life has more in it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from django.utils import timezone

from memory.access.users import get_or_create_user
from memory.evaluation.answers import holds_any
from memory.evaluation.conversations import Conversation, LifeTurn, hold_conversation
from memory.evaluation.datasets import DatasetError
from memory.evaluation.loading import ACTOR, create_benchmark_organization, erase_user
from memory.facade import MemoryFacade
from memory.models import EndUser

MUST_APPEAR: Final = "must_appear"
BETWEEN_TURNS: Final = timedelta(hours=1)
UNTIL_ASKED: Final = timedelta(days=3)
REPLY: Final = "Noted."
MOST_FILLERS: Final = 20

Say = Callable[[str], None]
Row = Mapping[str, Any]


@dataclass(slots=True)
class ConstraintFigures:
    """``known`` counts those that stand in the known context itself."""

    constraints: int = 0
    appeared: int = 0
    known: int = 0
    others: int = 0
    answered: int = 0
    tokens: int = 0
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        for name, count, of in (
            ("constraint in the context", self.appeared, self.constraints),
            ("constraint in the known context", self.known, self.constraints),
            ("answer beside constraints", self.answered, self.others),
        ):
            yield name, f"{count} of {of} ({count / max(1, of):.3f})"
        yield "tokens of a context", f"{self.tokens / max(1, self.constraints + self.others):.0f}"

    def as_json(self) -> dict[str, int]:
        names = ("constraints", "appeared", "known", "others", "answered", "tokens")
        return {name: getattr(self, name) for name in names}


def read_rows(path: Path, *names: str) -> list[dict[str, Any]]:
    """Raises DatasetError."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path.name}: {error}") from error
    if not rows or not all(isinstance(row, dict) and row.keys() >= set(names) for row in rows):
        raise DatasetError(f"{path.name} lacks {', '.join(names)}")
    return rows


def measure_constraints(rows: Sequence[Row], fillers: Sequence[Row], say: Say) -> ConstraintFigures:
    """Each row in a user of its own. Nothing of the data is left afterwards."""
    figures = ConstraintFigures()
    with create_benchmark_organization(timezone.now()) as organization:
        for number, row in enumerate(rows, start=1):
            say(f"{number}/{len(rows)} {row.get('id', '')}")
            user = get_or_create_user(organization, uuid4().hex)
            last = tell_statements(user, row, fillers)
            ask_row(user, row, last + UNTIL_ASKED, figures)
            erase_user(user)
    return figures


def tell_statements(user: EndUser, row: Row, fillers: Sequence[Row]) -> datetime:
    """The constraints first, then what the person tells besides, then the facts; oldest first."""
    own = [filler["text"] for filler in fillers if filler.get("lang") == row.get("lang")]
    told = [*row["constraints"], *own[:MOST_FILLERS], *row["facts"]]
    start = timezone.now() - UNTIL_ASKED - BETWEEN_TURNS * len(told)
    turns = [LifeTurn(start + BETWEEN_TURNS * place, text, REPLY) for place, text in enumerate(told)]
    hold_conversation(user, Conversation(str(row.get("id", "")), turns, []))
    return turns[-1].said_at


def ask_row(user: EndUser, row: Row, now: datetime, figures: ConstraintFigures) -> None:
    context = MemoryFacade(ACTOR).compose_context(user, row["question"], now=now, thread_id=f"asked-{uuid4().hex}")
    figures.tokens += context.tokens
    if row["kind"] != MUST_APPEAR:
        figures.others += 1
        figures.answered += holds_any(context.injection, row["answer"])
        return
    known = "\n".join(section.text for section in context.sections if section.name == "known_context")
    figures.constraints += 1
    figures.known += holds_any(known, row["expect"])
    if holds_any(context.injection, row["expect"]):
        figures.appeared += 1
    else:
        figures.misses.append(f"not in the context: {row['constraints']} for {row['question']}")
