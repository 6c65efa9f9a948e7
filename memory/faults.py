"""What can go wrong with something outside this process, as the rest of the package sees it."""

from typing import Self


class Unavailable(Exception):
    """A dependency gave no usable answer. Nothing else leaves an adapter when its engine fails."""

    def __init__(self, dependency: str, reason: str) -> None:
        super().__init__(f"{dependency}: {reason}")
        self.dependency = dependency
        self.reason = reason

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        # Celery and multiprocessing rebuild exceptions from their arguments.
        return type(self), (self.dependency, self.reason)


class BadReply(Unavailable):
    """It answered, and the answer cannot be used: wrong size, not a number, not the promised form."""


class Rejected(Unavailable):
    """It works and refused what we sent. The fault is in the request, so no breaker counts it."""


class Late(Unavailable):
    """No time was left to ask. Says nothing about the dependency, so no breaker counts it."""
