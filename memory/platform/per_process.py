"""One adapter for all threads of a process, made when it is first asked for."""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """An adapter made at the first call, once: of two made by two threads at once, one would be dropped unclosed.

    A forked process makes its own: pooled connections must not be shared with it, nor closed by it.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__
        self.forget()
        os.register_at_fork(after_in_child=self.forget)

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    @property
    def made(self) -> list[T]:
        """The adapter, if there is one yet."""
        return list(self._made)

    def forget(self) -> None:
        # A forked process may have inherited the lock from a thread that it did not inherit.
        self._lock = threading.Lock()
        self._made: list[T] = []
