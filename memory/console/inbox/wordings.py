"""What the inbox calls its kinds and decisions, and why something waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memory.models.inbox import MatterDecision, MatterKind


@dataclass(frozen=True, slots=True)
class KindWording:
    """``why`` is the heading of a card, ``said`` what the page is about, ``empty`` when something appears here."""

    name: str
    why: str
    said: str
    empty: str


@dataclass(frozen=True, slots=True)
class DecisionWording:
    value: MatterDecision
    name: str
    meaning: str
    done: str


WORDINGS: Final[Mapping[MatterKind, KindWording]] = {
    MatterKind.CONTRADICTIONS: KindWording("Pairs of facts", "", "", ""),
    MatterKind.SUSPECTED: KindWording("Suspected statements", "", "", ""),
    MatterKind.DUPLICATES: KindWording(
        "Duplicates",
        "They say the same",
        "Statements of the memory bank, and patterns, that say the same in other words.",
        "A pair appears here when two statements say the same and no fact behind them was merged. It is looked for each"
        " night.",
    ),
    MatterKind.DOUBTFUL: KindWording(
        "Doubtful facts",
        "Nobody answers for it",
        "Facts that no person told, or that little speaks for. They count until you decide.",
        "A fact appears here when it comes from an assistant or a document, or less speaks for it than against it.",
    ),
    MatterKind.UNEXPLAINED: KindWording(
        "Failures without a reason",
        "It failed, and nobody said why",
        "A reason is told with the failure the next time somebody asks for the same.",
        "A failure of the last 90 days appears here when it was told without a reason.",
    ),
    MatterKind.EXPIRING: KindWording(
        "Expiring, and used",
        "It is used, and its time ends",
        "Past its time a memory is dormant: it is found when somebody searches for it, and told in no context unasked.",
        "A memory appears here three days before its end, or in the last hours of working memory, if it was used.",
    ),
    MatterKind.REDACTIONS: KindWording(
        "Redactions",
        "A secret was taken out of it",
        "What was taken for a secret was never stored; only a mark stands in its place.",
        "A memory appears here when a secret was taken out of it before it was stored.",
    ),
}
ARCHIVE: Final = DecisionWording(MatterDecision.ARCHIVE, "Archive", "Out of every answer, and kept", "Archived.")
DECISIONS: Final[Mapping[MatterKind, tuple[DecisionWording, ...]]] = {
    MatterKind.DUPLICATES: (
        DecisionWording(MatterDecision.MERGE, "Merge", "The first stays, with the tags of both", "Merged into one."),
        DecisionWording(MatterDecision.KEEP_BOTH, "Keep both", "They are two matters", "Both are kept."),
        DecisionWording(MatterDecision.ARCHIVE, "Archive the second", "Out of every answer, and kept", "Archived."),
    ),
    MatterKind.DOUBTFUL: (
        DecisionWording(MatterDecision.KEEP, "It is so", "Believed outright", "Confirmed."),
        DecisionWording(MatterDecision.REJECT, "It is not so", "It never was so", "Rejected."),
    ),
    MatterKind.UNEXPLAINED: (
        DecisionWording(MatterDecision.EXPLAIN, "Keep the reason", "Told with the failure from now on", "Noted."),
        DecisionWording(MatterDecision.KEEP, "Leave it", "It asks no more", "Left as it is."),
    ),
    MatterKind.EXPIRING: (
        DecisionWording(MatterDecision.KEEP, "Keep for good", "Its time ends no more", "Kept for good."),
        ARCHIVE,
    ),
    MatterKind.REDACTIONS: (
        DecisionWording(MatterDecision.KEEP, "That was right", "It asks no more", "Left as it is."),
        ARCHIVE,
    ),
}
