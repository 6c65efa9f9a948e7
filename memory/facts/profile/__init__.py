"""Detects profile facts: lasting statements that users make about themselves in conversation.

``detect`` reads one message of the user and stores nothing. Rules and facts are pure; only ``detection`` uses the
language model.
"""

from memory.facts.profile.detection import detect_profile_facts
from memory.facts.profile.facts import ProfileFact
from memory.facts.profile.others import find_facts_of_other

__all__ = ["ProfileFact", "detect_profile_facts", "find_facts_of_other"]
