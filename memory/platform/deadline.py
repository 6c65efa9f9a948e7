"""How long a request may still take, and each of its stages."""

import math
import time
from typing import Self

from memory.platform.faults import DeadlineExceeded


class Deadline:
    """A deadline on the monotonic clock. Stages take slices of their caller's deadline."""

    __slots__ = ("_ends_at",)

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds

    @classmethod
    def none(cls) -> Self:
        """No limit, for work that nobody waits for."""
        return cls(math.inf)

    def remaining(self) -> float:
        """Seconds left: never negative, infinite without a limit."""
        return max(0.0, self._ends_at - time.monotonic())

    @property
    def is_expired(self) -> bool:
        return self.remaining() <= 0.0

    def slice(self, cap_s: float) -> "Deadline":
        """A part of this deadline for one stage."""
        return Deadline(min(cap_s, self.remaining()))

    def require(self, dependency: str) -> float:
        """Seconds left, or Late when there are none."""
        left = self.remaining()
        if left <= 0.0:
            raise DeadlineExceeded(dependency, "no time left to ask")
        return left
