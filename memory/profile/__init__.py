"""What a person tells of themselves in passing, as statements that the memory bank can keep.

``detect`` reads one message of the person; it stores nothing. Rules and facts are pure; only the detection knows the
language model.
"""

from memory.profile.detection import detect
from memory.profile.facts import ProfileFact

__all__ = ["ProfileFact", "detect"]
