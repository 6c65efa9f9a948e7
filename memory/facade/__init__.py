"""The single entry point of the API, the tools, the console and the commands to the whole system."""

from memory.facade.finding import RetrievalVerbs
from memory.facade.graphs import GraphVerbs
from memory.facade.kinds import RecordVerbs
from memory.facade.memories import MemoryVerbs
from memory.facade.person import PersonVerbs
from memory.facade.turns import TurnVerbs
from memory.facade.upkeep import MaintenanceVerbs, Stats

__all__ = ["MemoryFacade", "Stats"]


class MemoryFacade(MemoryVerbs, RetrievalVerbs, TurnVerbs, MaintenanceVerbs, GraphVerbs, RecordVerbs, PersonVerbs):
    """Methods only delegate: the rules are in the modules below."""
