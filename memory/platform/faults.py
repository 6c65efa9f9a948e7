"""The errors that adapters raise when a dependency fails."""

from typing import ClassVar, Self


class Unavailable(Exception):
    """A dependency gave no usable answer. Adapters raise this and nothing else when their engine fails."""

    code: ClassVar[str] = "Unavailable"
    """What clients read in `debug.errors`. Part of the REST contract, so it stays when a class is renamed."""

    def __init__(self, dependency: str, reason: str) -> None:
        super().__init__(f"{dependency}: {reason}")
        self.dependency = dependency
        self.reason = reason

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        # Celery and multiprocessing rebuild exceptions from their arguments.
        return type(self), (self.dependency, self.reason)


class BadReply(Unavailable):
    """The reply cannot be used: wrong dimensions, not a number, or not the expected schema."""

    code = "BadReply"


class RequestRejected(Unavailable):
    """The service works and refused the request. The request is at fault, so circuit breakers do not count it."""

    code = "Rejected"


class DeadlineExceeded(Unavailable):
    """The deadline had passed before the call. Not the fault of the dependency, so circuit breakers do not count it."""

    code = "Late"
