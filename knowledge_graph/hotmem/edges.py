"""What is known as the hot path holds it: a triple with what ranking needs of its fact. Pure."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID


class HotEdge(NamedTuple):
    """A triple that holds now. The keys are folded; ``confidence`` is that of now.

    A tuple: a turn makes a hundred of them, and a dataclass that cannot be changed took four per cent of its time.
    """

    fact_id: UUID
    subject: str
    relation: str
    object: str
    subject_key: str
    object_key: str
    statement: str
    lang: str
    confidence: float
    said_at: datetime
    polarity: bool = True
    thread_id: str = ""
    bank_item_id: UUID | None = None
    # Whether a later fact waits with it for a decision.
    is_in_review: bool = False
    # Since when another most likely holds in its place, and in which words, while nobody has decided.
    doubted_at: datetime | None = None
    later: str = ""

    @property
    def triple(self) -> tuple[str, str, str]:
        return self.subject, self.relation, self.object
