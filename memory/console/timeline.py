"""What happened to a memory, in words: event rows in, lines of a timeline out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from memory.console.reason_wordings import word_reason
from memory.lifecycle.undo import UNDOABLE_EVENTS
from memory.tiers import Tier
from memory.web.labels import TIER_NAMES, TRUST_NAMES, draw_arrow
from memory.web.wordings import translate as _
from outcomes.exchanges.judged import JudgedTurn

TITLES = {
    "stored": _("Stored"),
    "merged": _("Merged with one that says the same"),
    "revised": _("Edited"),
    "archived": _("Archived"),
    "dormant": _("Became dormant"),
    "revived": _("Brought back by an outcome"),
    "restored": _("Restored"),
    "promoted": _("Promoted"),
    "undone": _("Promotion taken back"),
    "vouched": _("Marked as trusted by a person"),
    "suspected": _("Trust taken back"),
    "confirmed": _("Confirmed"),
    "kept": _("Time in its tier changed"),
    "parted": _("No longer one with another"),
    "redacted": _("A secret was taken out"),
    "purged": _("Cleared of a purged source"),
    "outcome_worked": _("Outcome: worked"),
    "outcome_failed": _("Outcome: failed"),
    "outcome_partial": _("Outcome: partly worked"),
    "outcome_unknown": _("Outcome: unknown"),
    "outcome_replaced": _("Outcome taken back"),
    "outcome_withdrawn": _("Outcome taken back"),
    "signal_thanks": _("Hint: thanks"),
    "signal_corrects": _("Hint: corrected"),
    "signal_repeats": _("Hint: asked again"),
    "takeaway_restated": _("Outcome of the lesson changed"),
}
UP = frozenset({"promoted", "restored", "revived", "vouched", "outcome_worked", "outcome_partial"})
DOWN = frozenset({"archived", "dormant", "undone", "outcome_failed"})
# Told by the line's title already.
TECHNICAL = frozenset({"status", "undone", "merged", "merged_into", "ends"})
NAMES = {
    "always_inject": _("always in context"),
    "confidence": _("confidence"),
    "importance": _("importance"),
    "metadata": _("metadata"),
    "score": _("score"),
    "tags": _("tags"),
    "tier": _("tier"),
    "trust": _("trust"),
    "until": _("kept until"),
    "uses": _("uses"),
}
# A value that is kept as a word of ours.
VALUES = {"for good": _("for good"), **{trust.name.lower(): name for trust, name in TRUST_NAMES.items()}}


class TimelineEvent(Protocol):
    pk: int
    kind: str
    reason: str
    before: Any
    after: Any
    actor: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """``trend`` is up, down or even; ``details`` and ``reason`` may quote what somebody wrote. ``undoes`` is the event
    that can be taken back here, ``judged`` what an outcome was about."""

    title: str
    trend: str
    reason: str
    details: list[str]
    actor: str
    at: datetime
    undoes: int | None = None
    judged: JudgedTurn | None = None


def build_timeline(
    events: Iterable[TimelineEvent], verdict: int | None = None, judged: Mapping[int, JudgedTurn] | None = None
) -> list[TimelineEntry]:
    """Newest first, as the events are. ``verdict`` is the event of one that can be taken back too."""
    events = list(events)
    open_to_undo = {find_undoable(events), verdict}
    return [
        TimelineEntry(
            title=TITLES.get(event.kind, event.kind.replace("_", " ").capitalize()),
            trend="up" if event.kind in UP else "down" if event.kind in DOWN else "even",
            reason="" if event.reason == "asked" else word_reason(event.reason),
            details=describe_changes(event.before or {}, event.after or {}),
            actor=event.actor,
            at=event.at,
            undoes=event.pk if event.pk in open_to_undo else None,
            judged=(judged or {}).get(event.pk),
        )
        for event in events
    ]


def find_undoable(events: Iterable[TimelineEvent]) -> int | None:
    """The move that can be taken back: the newest event, once those that were taken back already are left out."""
    # Newest first: what took a move back is read before the move.
    taken_back: set[int] = set()
    for event in events:
        if "undone" in (event.after or {}):
            taken_back.add(event.after["undone"])
        elif event.pk not in taken_back:
            return event.pk if event.kind in UNDOABLE_EVENTS else None
    return None


def describe_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """What changed from what to what; a text is only named, the versions show it."""
    found = []
    for name in dict.fromkeys([*before, *after]):
        # The versions beside it show the words and their difference.
        if name == "text":
            if after:
                found.append(_("text changed"))
            continue
        old, new = before.get(name), after.get(name)
        if old == new or name in TECHNICAL:
            continue
        label = NAMES.get(name, name.replace("_", " "))
        if name in before and name in after:
            found.append(f"{label} {format_value(old)} {draw_arrow()} {format_value(new)}")
        elif name in after:
            found.append(f"{label} {format_value(new)}")
        else:
            found.append(_("{label} was {old}").format(label=label, old=format_value(old)))
    return found


def format_value(value: object) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return ", ".join(str(part) for part in value) or _("none")
    if isinstance(value, str) and value in set(Tier):
        return TIER_NAMES[Tier(value)]
    return str(VALUES.get(str(value), value))
