"""What a fact rests on and what happened to it, in words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

from django.db.models.functions import Left
from django.urls import reverse
from django.utils.dateparse import parse_datetime

from memory.access.scope import user_scope
from memory.console.fact_lines import ENDED, EVIDENCE_NAMES, format_day
from memory.console.reason_wordings import word_reason
from memory.console.text_diff import DiffRun, diff_texts
from memory.console.timeline import format_value
from memory.facts.readings import REREAD
from memory.models import FactEvent, FactEvidence, MemoryItem
from memory.models.facts import EvidenceKind
from memory.web.labels import draw_arrow
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

EXCERPT: Final = 300
TITLES: Final = {
    "added": _("Learned"),
    "merged": _("Merged with one that says the same"),
    "superseded": _("Superseded"),
    "retracted": _("Rejected"),
    "deprecated": _("Faded"),
    "revised": _("Corrected"),
    "reworded": _("Said with more words"),
    REREAD: _("Kept as a plain statement"),
    "confirmed": _("Confirmed"),
    "restored": _("Current again"),
    "split": _("No longer one with another"),
    "forgotten": _("Forgotten"),
    "doubted": _("Doubted"),
    "settled": _("Believed again"),
}
UP: Final = frozenset({"added", "confirmed", "restored", "settled"})
DOWN: Final = frozenset({"superseded", "retracted", "deprecated", "doubted"})
# Told by the title, the difference of the words, or the link.
TOLD: Final = frozenset({"state", "statement", "by", "merged", "split", "evidence"})
LABELS: Final = {
    "valid_from": _("true since"),
    "valid_to": _("true until"),
    "confidence": _("confidence"),
    "relation": _("relation"),
    "object": _("value"),
    "subject": _("about"),
}


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """``address`` leads to the conversation it was said in, empty where there is none; ``excerpt`` is what the memory
    that goes with it says."""

    row: FactEvidence
    name: str
    address: str
    memory_id: UUID | None
    excerpt: str


@dataclass(frozen=True, slots=True)
class FactHistoryEntry:
    """``runs`` are the words before and after, ``other`` the fact that it was about besides."""

    title: str
    trend: str
    reason: str
    details: list[str]
    runs: Sequence[DiffRun]
    other: str
    actor: str
    at: datetime


def describe_evidence(person: ViewedPerson, rows: Sequence[FactEvidence]) -> list[EvidenceLine]:
    wanted = [memory_id for row in rows if (memory_id := find_memory(row))]
    texts: dict[UUID | None, str] = {}
    if wanted:
        with user_scope(person.user):
            kept = MemoryItem.objects.for_user(person.user).filter(pk__in=wanted)
            texts = dict(kept.values_list("pk", Left("text", EXCERPT)))
    return [describe_evidence_row(person, row, texts) for row in rows]


def describe_evidence_row(person: ViewedPerson, row: FactEvidence, texts: Mapping[UUID | None, str]) -> EvidenceLine:
    memory_id, address = find_memory(row), ""
    if row.thread_id and row.kind in {EvidenceKind.EXCHANGE, EvidenceKind.HOT_TURN, EvidenceKind.IMPORT}:
        is_exchange = row.kind == EvidenceKind.EXCHANGE
        place = f"#exchange-{row.ref_id}" if is_exchange else ""
        query = urlencode({"thread": row.thread_id} | ({"exchange": row.ref_id} if is_exchange else {}))
        address = f"{reverse('console:conversations', args=person.path)}?{query}{place}"
    name = EVIDENCE_NAMES[EvidenceKind(row.kind)]
    return EvidenceLine(row, name, address, memory_id if memory_id in texts else None, texts.get(memory_id, ""))


def find_memory(row: FactEvidence) -> UUID | None:
    """The memory that goes with it; what was read in the bank names it itself."""
    return row.memory_id or (row.ref_id if row.kind == EvidenceKind.BANK else None)


def build_fact_history(events: Iterable[FactEvent]) -> list[FactHistoryEntry]:
    """Newest first, as the events are."""
    return [describe_event(event) for event in events]


def describe_event(event: FactEvent) -> FactHistoryEntry:
    before, after = event.before or {}, event.after or {}
    old, new = str(before.get("statement", "")), str(after.get("statement", ""))
    return FactHistoryEntry(
        title=name_event(event.kind, after),
        trend="up" if event.kind in UP else "down" if event.kind in DOWN else "even",
        reason=word_reason(event.reason),
        # The title of a reading that was dropped says it all; its codes are no words.
        details=[] if event.kind == REREAD else describe_fields(before, after),
        runs=diff_texts(old, new) if old and new and old != new else (),
        other=read_other(after),
        actor=event.actor,
        at=event.at,
    )


def name_event(kind: str, after: Mapping[str, Any]) -> str:
    if kind == "superseded" and not read_other(after):
        return ENDED
    return TITLES.get(kind, kind.replace("_", " ").capitalize())


def read_other(after: Mapping[str, Any]) -> str:
    """The fact that took its place, or that it took in. What is written there may be of any kind."""
    try:
        return str(UUID(str(after.get("by") or after.get("merged") or after.get("split") or "")))
    except ValueError:
        return ""


def describe_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    found = []
    for name, value in after.items():
        if name in TOLD or before.get(name) == value or value in {None, "None"}:
            continue
        # Events keep a moment as text, and that there was none as Python writes it.
        old = f"{format_field(before[name])} {draw_arrow()} " if before.get(name) not in {None, "None"} else ""
        found.append(f"{LABELS.get(name, name.replace('_', ' '))} {old}{format_field(value)}")
    return found


def format_field(value: object) -> str:
    """A moment as its day; events keep moments as text."""
    if isinstance(value, str):
        try:
            moment = parse_datetime(value)
        except ValueError:
            moment = None
        if moment is not None and moment.tzinfo is not None:
            return format_day(moment)
    return format_value(value)
