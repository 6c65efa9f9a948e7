"""Two rankings of one question side by side: how far each memory moved, and which of its shares did it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memory.console.signal_wordings import name_signal
from memory.retrieval.results import SearchHit
from memory.web.quantities import keep_sign
from memory.web.wordings import translate as _

# Of a score's sum: a smaller difference moves nothing.
LEAST_CHANGE: Final = 0.05
MOST_CHANGES: Final = 3
SECOND_LOOKS: Final = {"ce": _("Reranker"), "rating": _("Rating")}


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """A memory at its place. ``moved`` is how much higher it stands than under the other setting, None where it is not
    found there. ``changes`` are the shares of its score that differ, the largest first."""

    place: int
    hit: SearchHit
    moved: int | None
    changes: tuple[str, ...] = ()


def line_up(hits: Sequence[SearchHit], others: Sequence[SearchHit], *, explains: bool = False) -> list[ReplayLine]:
    """The lines of one ranking beside another; of the changed one with what changed."""
    there = {hit.item.pk: hit for hit in others}
    return [build_line(hit, there.get(hit.item.pk), explains=explains) for hit in hits]


def build_line(hit: SearchHit, other: SearchHit | None, *, explains: bool) -> ReplayLine:
    if other is None:
        return ReplayLine(hit.position, hit, None)
    changes = describe_changes(other.explain, hit.explain) if explains else ()
    return ReplayLine(hit.position, hit, other.position - hit.position, changes)


def describe_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Each share that the one score has and the other has not, or has otherwise, as "Names −0.91"."""
    own, former = list_shares(after), list_shares(before)
    differences = {name: own.get(name, 0.0) - former.get(name, 0.0) for name in own | former}
    told = sorted(
        (name for name, value in differences.items() if abs(value) >= LEAST_CHANGE), key=lambda n: -abs(differences[n])
    )
    return tuple(f"{name_share(name)} {format_change(differences[name])}" for name in told[:MOST_CHANGES])


def format_change(value: float) -> str:
    return keep_sign(f"{'+' if value > 0 else '−'}{abs(value):.2f}")


def list_shares(explain: Mapping[str, Any]) -> dict[str, float]:
    shares = {"relevance": float(explain["relevance"] or 0.0), **explain["boosts"]}
    return shares | {name: float(explain[name]) for name in SECOND_LOOKS if explain.get(name) is not None}


def name_share(name: str) -> str:
    return _("Meaning and words") if name == "relevance" else SECOND_LOOKS.get(name) or name_signal(name)


def count_moves(before: Sequence[SearchHit], after: Sequence[SearchHit]) -> tuple[int, int, int]:
    """How many memories changed their place, came in and went out."""
    places = {hit.item.pk: hit.position for hit in before}
    new = sum(hit.item.pk not in places for hit in after)
    moved = sum(places.get(hit.item.pk, hit.position) != hit.position for hit in after)
    return moved, new, len(before) - (len(after) - new)
