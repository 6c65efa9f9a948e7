"""Tables of the memory core. Each table with a ``user`` column is under forced row-level security."""

from memory.models.items import MemoryEvent, MemoryItem, MemoryVersion
from memory.models.measurements import DailyMetrics, ModelCall
from memory.models.operations import Erasure, IdempotencyRecord, Tombstone, Turn
from memory.models.people import ApiKey, EndUser, Membership, Operator, Organization
from memory.models.rebuilding import DriftReport, ReindexRun, VectorCollection
from memory.models.speakers import Speaker
from memory.models.tokens import TokenVectors
from memory.models.userdata import UserData
from memory.models.vectors import MemoryVector

__all__ = [
    "ApiKey",
    "DailyMetrics",
    "DriftReport",
    "EndUser",
    "Erasure",
    "IdempotencyRecord",
    "Membership",
    "MemoryEvent",
    "MemoryItem",
    "MemoryVector",
    "MemoryVersion",
    "ModelCall",
    "Operator",
    "Organization",
    "ReindexRun",
    "Speaker",
    "TokenVectors",
    "Tombstone",
    "Turn",
    "UserData",
    "VectorCollection",
]
