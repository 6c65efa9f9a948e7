"""The single entry point of the API, the tools, the console and the commands to the whole system."""

from memory.facade.graphs import GraphVerbs
from memory.facade.maintenance import MaintenanceVerbs, Stats
from memory.facade.memories import MemoryVerbs
from memory.facade.person import PersonVerbs
from memory.facade.records import RecordVerbs
from memory.facade.retrieval import RetrievalVerbs
from memory.facade.turns import TurnVerbs

__all__ = ["MemoryFacade", "Stats"]


class MemoryFacade(MemoryVerbs, RetrievalVerbs, TurnVerbs, MaintenanceVerbs, GraphVerbs, RecordVerbs, PersonVerbs):
    """Methods only delegate: the rules are in the modules below."""
