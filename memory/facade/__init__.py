"""The single entry point of the API, the tools, the console and the commands to the whole system."""

from memory.facade.finding import Finding
from memory.facade.graphs import Graphs
from memory.facade.kinds import Kinds
from memory.facade.memories import Memories
from memory.facade.person import Person
from memory.facade.turns import Turns
from memory.facade.upkeep import Stats, Upkeep

__all__ = ["MemoryFacade", "Stats"]


class MemoryFacade(Memories, Finding, Turns, Upkeep, Graphs, Kinds, Person):
    """Methods only delegate: the rules are in the modules below."""
