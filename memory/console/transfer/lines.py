"""Exports and imports as the pages show them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memory.models import Transfer
from memory.models.transfers import TransferKind, TransferState
from memory.portability.restoring import NEW, REFUSED, THERE
from memory.tiers import Tier
from memory.transfer.chats.messages import ImportedKind
from memory.web.labels import TIER_NAMES
from memory.web.quantities import say_number, say_quantity
from memory.web.wordings import translate as _

FORMAT_NAMES: Final = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "claude-code": "Claude Code",
    "letta": "Letta",
    "mem0": "mem0",
    "zep": "Zep",
    "hindsight": "Hindsight",
    "jsonl": "JSON Lines",
}
# What stood beside the conversations, and the messages themselves, by what they are counted under.
KIND_NAMES: Final = {
    ImportedKind.ABOUT_PERSON: _("Custom instructions: about the person"),
    ImportedKind.ANSWER_WISH: _("Custom instructions: how to answer"),
    ImportedKind.MEMORY: _("Remembered about the person"),
    ImportedKind.PROJECT_MEMORY: _("Remembered about projects"),
    ImportedKind.PROJECT: _("Descriptions and instructions of projects"),
}
STATES: Final = {
    TransferState.CHECKED: ("watch", _("checked, not imported")),
    TransferState.PENDING: ("watch", _("waits for the worker")),
    TransferState.PROCESSING: ("watch", _("is being written")),
    TransferState.COMPLETED: ("good", _("done")),
    TransferState.FAILED: ("bad", _("failed")),
    TransferState.UNDOING: ("watch", _("is being undone")),
    TransferState.UNDONE: ("plain", _("undone")),
}
MOVING: Final = {TransferState.PENDING, TransferState.PROCESSING, TransferState.UNDOING}
WRITTEN: Final = {TransferState.PROCESSING, TransferState.COMPLETED, TransferState.FAILED}


@dataclass(frozen=True, slots=True)
class TransferLine:
    row: Transfer

    @property
    def title(self) -> str:
        if self.row.kind == TransferKind.CHATS:
            return _("Chats from {format_name}").format(format_name=self.format_name)
        return _("Export") if self.row.kind == TransferKind.EXPORT else _("Import of a Commonplace export")

    @property
    def format_name(self) -> str:
        kind = str(self.row.survey.get("format", ""))
        return FORMAT_NAMES.get(kind, kind)

    @property
    def state(self) -> tuple[str, str]:
        """The badge's colour and its words."""
        return STATES[TransferState(self.row.state)]

    @property
    def is_checked(self) -> bool:
        return self.row.state == TransferState.CHECKED

    @property
    def adds(self) -> str:
        """The heading of what it adds."""
        is_unwritten = self.row.state in {TransferState.CHECKED, TransferState.PENDING}
        return _("Would add") if is_unwritten else _("New")

    @property
    def is_moving(self) -> bool:
        return self.row.state in MOVING

    @property
    def may_undo(self) -> bool:
        is_ended = self.row.state in {TransferState.COMPLETED, TransferState.FAILED}
        return self.row.kind == TransferKind.CHATS and is_ended and self.total(NEW) > 0

    @property
    def has_page(self) -> bool:
        return self.row.kind != TransferKind.EXPORT

    @property
    def new(self) -> int:
        return self.total(NEW)

    @property
    def already_there(self) -> int:
        return self.total(THERE)

    @property
    def refused(self) -> int:
        return self.total(REFUSED)

    def total(self, kind: str) -> int:
        return sum(counted.get(kind, 0) for counted in self.row.counts.values())

    @property
    def percent(self) -> int:
        """How much is written. Of an export it is all or nothing, as one transaction."""
        if self.row.kind != TransferKind.CHATS or self.row.state != TransferState.PROCESSING:
            return 0
        return min(100, 100 * (self.new + self.already_there) // max(1, self.row.lines))

    @property
    def told(self) -> str:
        """What came of it, in words."""
        if self.row.error:
            return self.row.error
        if self.row.kind == TransferKind.EXPORT:
            return say_quantity(self.row.lines, "rows")
        if self.row.state not in WRITTEN:
            return _("{rows} checked").format(rows=say_quantity(self.row.lines, "rows"))
        told = [
            _("{new} new").format(new=say_number(self.new)),
            _("{already_there} already there").format(already_there=say_number(self.already_there)),
        ]
        return ", ".join(
            [*told, _("{refused} deleted here before").format(refused=say_number(self.refused))]
            if self.refused
            else told
        )

    @property
    def kinds(self) -> list[tuple[str, int, int, int]]:
        """A line for each type that has any."""
        return [
            (self.name_kind(name), counted.get(NEW, 0), counted.get(THERE, 0), counted.get(REFUSED, 0))
            for name, counted in sorted(self.row.counts.items())
            if any(counted.values())
        ]

    def name_kind(self, name: str) -> str:
        if self.row.kind != TransferKind.CHATS:
            return name.replace("_", " ")
        return KIND_NAMES[ImportedKind(name)] if name in set(ImportedKind) else _("Memories")

    @property
    def split_messages(self) -> int:
        """How many memories the messages are where long ones are split, else 0."""
        memories = int(self.row.survey.get("memories", self.row.lines))
        return memories if memories > self.row.survey.get("messages", 0) else 0

    @property
    def skipped(self) -> list[tuple[str, int]]:
        """Messages left out, by reason, the most first."""
        found: dict[str, int] = self.row.survey.get("skipped", {})
        return sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))

    @property
    def tier_name(self) -> str:
        return TIER_NAMES[Tier(self.row.survey["tier"])] if "tier" in self.row.survey else ""

    @property
    def span(self) -> tuple[datetime, datetime] | None:
        earliest, latest = self.row.survey.get("earliest"), self.row.survey.get("latest")
        return (datetime.fromisoformat(earliest), datetime.fromisoformat(latest)) if earliest and latest else None
