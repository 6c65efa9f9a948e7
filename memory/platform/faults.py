"""Errors that every room knows: of dependencies that fail, and of requests that name what does not exist."""

from typing import ClassVar, Self


class Unavailable(Exception):
    """A dependency gave no usable answer. Adapters raise this and nothing else when their engine fails."""

    # What clients read in `debug.errors`. Part of the REST contract, so it stays when a class is renamed.
    code: ClassVar[str] = "Unavailable"

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


class LateAnswer(Unavailable):
    """The service was asked and did not answer in time. With less to do it might have."""


class DeadlineExceeded(Unavailable):
    """The deadline had passed before the call. Not the fault of the dependency, so circuit breakers do not count it."""

    code = "Late"


class UnknownReference(LookupError):
    """A request names something that does not exist, or is another user's. ``field`` is the input that named it."""

    def __init__(self, field_name: str) -> None:
        super().__init__(field_name)
        self.field = field_name


class CodedFailure(Exception):
    """A call that fails as a whole, by one of its stages. Clients know the ``code``."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
