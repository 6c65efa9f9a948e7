"""What a row of the table is, and how it is judged."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

from memory.proving.stage import ProvingStage


class PromiseVerdict(StrEnum):
    KEPT = "kept"
    BROKEN = "broken"
    NOT_RUN = "not run"


class UnmeasurableError(Exception):
    """This machine cannot run a row; the message is why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was measured, and whether that is within the promise."""

    figure: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class PromiseRow:
    """``prove`` measures it; a row without it has a ``reason`` instead, which says where it is measured or why not."""

    number: int
    promise: str
    prove: Callable[[ProvingStage], Finding] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProvenRow:
    number: int
    promise: str
    figure: str
    verdict: PromiseVerdict
    seconds: float = 0.0


def prove_rows(rows: Iterable[PromiseRow], stage: ProvingStage) -> Iterator[ProvenRow]:
    for row in rows:
        stage.say(f"{row.number}. {row.promise}")
        yield prove_row(row, stage)


def prove_row(row: PromiseRow, stage: ProvingStage) -> ProvenRow:
    """A measurement that fails is a promise that was not shown to be kept, and the others are still measured."""
    if row.prove is None:
        return ProvenRow(row.number, row.promise, row.reason, PromiseVerdict.NOT_RUN)
    begun = monotonic()
    try:
        stage.ensure_running()
        found = row.prove(stage)
    except UnmeasurableError as reason:
        return ProvenRow(row.number, row.promise, f"not measured here: {reason}", PromiseVerdict.NOT_RUN)
    except Exception as fault:  # noqa: BLE001  (whatever it is, it is told as this row's)
        found = Finding(f"did not end: {type(fault).__name__}: {str(fault)[-300:]}", is_kept=False)
    verdict = PromiseVerdict.KEPT if found.is_kept else PromiseVerdict.BROKEN
    return ProvenRow(row.number, row.promise, found.figure, verdict, monotonic() - begun)
