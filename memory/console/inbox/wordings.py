"""What the inbox calls its kinds and decisions, and why something waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memory.models.inbox import MatterDecision, MatterKind
from memory.web.wordings import translate as _


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
    MatterKind.CONTRADICTIONS: KindWording(_("Pairs of facts"), "", "", ""),
    MatterKind.SUSPECTED: KindWording(_("Suspected statements"), "", "", ""),
    MatterKind.DUPLICATES: KindWording(
        _("Duplicates"),
        _("They say the same"),
        _("Statements of the memory bank, and patterns, that say the same in other words."),
        _(
            "A pair appears here when two statements say the same and no fact behind them was merged. It is looked for "
            "each night."
        ),
    ),
    MatterKind.DOUBTFUL: KindWording(
        _("Doubtful facts"),
        _("No person confirmed it"),
        _("Facts that no person told, or that little speaks for. They count until you decide."),
        _("A fact appears here when it comes from an assistant or a document, or less speaks for it than against it."),
    ),
    MatterKind.UNEXPLAINED: KindWording(
        _("Unexplained failures"),
        _("It failed, and nobody said why"),
        _("A reason is told with the failure the next time somebody asks for the same."),
        _("A failure of the last 90 days appears here when it was told without a reason."),
    ),
    MatterKind.EXPIRING: KindWording(
        _("Expiring, and used"),
        _("It is used, and its time ends"),
        _(
            "Past its time a memory is dormant: it is found when somebody searches for it, and told in no context "
            "unasked."
        ),
        _("A memory appears here three days before its end, or in the last hours of working memory, if it was used."),
    ),
    MatterKind.REDACTIONS: KindWording(
        _("Redactions"),
        _("A secret was taken out of it"),
        _("What was taken for a secret was never stored; only a mark stands in its place."),
        _("A memory appears here when a secret was taken out of it before it was stored."),
    ),
}
ARCHIVE: Final = DecisionWording(
    MatterDecision.ARCHIVE, _("Archive"), _("Hidden from answers, still stored"), _("Archived.")
)
DECISIONS: Final[Mapping[MatterKind, tuple[DecisionWording, ...]]] = {
    MatterKind.DUPLICATES: (
        DecisionWording(
            MatterDecision.MERGE, _("Merge"), _("The first stays, with the tags of both"), _("Merged into one.")
        ),
        DecisionWording(MatterDecision.KEEP_BOTH, _("Keep both"), _("They are two matters"), _("Both are kept.")),
        DecisionWording(
            MatterDecision.ARCHIVE, _("Archive the second"), _("Hidden from answers, still stored"), _("Archived.")
        ),
    ),
    MatterKind.DOUBTFUL: (
        DecisionWording(MatterDecision.KEEP, _("True"), _("Fully believed"), _("Confirmed.")),
        DecisionWording(MatterDecision.REJECT, _("Not true"), _("It was never true"), _("Rejected.")),
    ),
    MatterKind.UNEXPLAINED: (
        DecisionWording(
            MatterDecision.EXPLAIN, _("Keep the reason"), _("Told with the failure from now on"), _("Noted.")
        ),
        DecisionWording(MatterDecision.KEEP, _("Dismiss"), _("You will not be asked again"), _("Dismissed.")),
    ),
    MatterKind.EXPIRING: (
        DecisionWording(MatterDecision.KEEP, _("Keep permanently"), _("It no longer expires"), _("Kept permanently.")),
        ARCHIVE,
    ),
    MatterKind.REDACTIONS: (
        DecisionWording(MatterDecision.KEEP, _("Correct as it is"), _("You will not be asked again"), _("Dismissed.")),
        ARCHIVE,
    ),
}
