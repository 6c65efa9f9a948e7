"""What the turns before told, as far as the reading of a later one needs it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownSlot:
    """What fills a slot, so far as it is known."""

    subject: str
    relation: str
    object: str
