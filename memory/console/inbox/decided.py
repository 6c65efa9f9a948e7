"""What was decided: told on the page it was decided on, and taken back there by one press, as it was decided."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from memory.console.acting import open_facade
from memory.console.inbox.wordings import DecisionWording
from memory.models import DecidedMatter
from memory.models.inbox import MatterKind
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

SHOWN: Final = 5
# Rows for as many lines: three times a kind was decided as a whole, or less.
READ: Final = 300
# The field of a form that takes back all that one press decided.
TOGETHER: Final = "together"


@dataclass(frozen=True, slots=True)
class DecidedLine:
    """What one press decided: one matter or ``number`` of a kind, of which ``row`` is one."""

    row: DecidedMatter
    said: str
    number: int


def list_decided_lines(
    person: ViewedPerson, kind: MatterKind, decisions: Iterable[DecisionWording]
) -> list[DecidedLine]:
    rows = open_facade(person).list_decided(person.user, limit=READ, kind=kind)
    pressed: dict[datetime | None, list[DecidedMatter]] = {}
    for row in rows:
        pressed.setdefault(row.decided_at, []).append(row)
    first = list(pressed.values())[:SHOWN]
    return [DecidedLine(same[0], say_decided(decisions, same[0].decision), len(same)) for same in first]


def say_decided(decisions: Iterable[DecisionWording], decision: str) -> str:
    return next((one.done for one in decisions if one.value == decision), _("Decided."))


def find_undo(person: ViewedPerson, row: DecidedMatter) -> str:
    return reverse("console:undo_decision", args=[*person.path, row.pk])
