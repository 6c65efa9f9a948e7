"""What counts of outcomes say: success rates and the cautious bound that ranks them. Pure.

One place for tables and for rows read by hand, so that a page, an answer and a ranking never differ in a rate.
"""

from typing import Protocol

from memory.scoring import wilson_lower_bound


class OutcomeCounts(Protocol):
    @property
    def worked(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def partial(self) -> int: ...


class OutcomeCountsWithUnknown(OutcomeCounts, Protocol):
    @property
    def unknown(self) -> int: ...


class CountsUses:
    """Of counters that include unknown outcomes."""

    __slots__ = ()

    @property
    def uses(self: OutcomeCountsWithUnknown) -> int:
        return self.worked + self.failed + self.partial + self.unknown


class RatedByClearOutcomes:
    """Of a tier: a partial success is counted but does not change the rate."""

    __slots__ = ()

    @property
    def success_rate(self: OutcomeCounts) -> float:
        clear = self.worked + self.failed
        return self.worked / clear if clear else 0.5

    @property
    def wilson(self: OutcomeCounts) -> float:
        return wilson_lower_bound(self.worked, self.failed, 0)


class RatedWithPartial:
    """Of an action, a document or a memory: a partial success counts half."""

    __slots__ = ()

    @property
    def success_rate(self: OutcomeCounts) -> float:
        """One half without evidence."""
        trials = self.worked + self.failed + self.partial
        return (self.worked + 0.5 * self.partial) / trials if trials else 0.5

    @property
    def wilson(self: OutcomeCounts) -> float:
        return wilson_lower_bound(self.worked, self.failed, self.partial)
