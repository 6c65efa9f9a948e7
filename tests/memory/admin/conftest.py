"""Who asks the admin: the same operators as of the console."""

from tests.memory.console.conftest import console, nobody, operator

__all__ = ["console", "nobody", "operator"]
