"""As which member of a space the work is done: the policies of the database ask for the role of that person.

A request is nobody until an endpoint of spaces says for whom it acts, so no door reads a space by the id of its
partition. Background work and commands act for the installation.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MEMBER_SETTING = "app.member_id"
SERVICE, NOBODY = "service", ""

_member: ContextVar[str] = ContextVar("space_member", default=SERVICE)


def current_member() -> str:
    return _member.get()


@contextmanager
def act_as_member(user_id: int) -> Iterator[None]:
    """Work in spaces with the rights of this person."""
    with act_as(str(user_id)):
        yield


@contextmanager
def act_as_service() -> Iterator[None]:
    """Work in spaces with every right, after the caller has been asked for theirs."""
    with act_as(SERVICE):
        yield


@contextmanager
def act_as(member: str) -> Iterator[None]:
    token = _member.set(member)
    try:
        yield
    finally:
        _member.reset(token)


def forget_member() -> None:
    """Be nobody until the request has ended, which its middleware sees to."""
    _member.set(NOBODY)
