"""What the console calls things. Pure: words only."""

from memory.tiers import Outcome, Tier, Trust

TIER_NAMES = {
    Tier.WORKING: "Working",
    Tier.HISTORY: "History",
    Tier.PATTERNS: "Patterns",
    Tier.MEMORY_BANK: "Memory bank",
    Tier.BOOKS: "Books",
}
TRUST_NAMES = {
    Trust.EXTERNAL: "words from outside",
    Trust.ASSISTANT: "an assistant's words",
    Trust.USER: "a person's words",
}
OUTCOME_NAMES = {
    Outcome.WORKED: "worked",
    Outcome.PARTIAL: "partly worked",
    Outcome.FAILED: "failed",
    Outcome.UNKNOWN: "unknown",
}
# What an operator may say came of something.
VERDICTS = ((Outcome.WORKED, "Worked"), (Outcome.PARTIAL, "Partly"), (Outcome.FAILED, "Failed"))
SIGNAL_NAMES = {
    "thanks": "thanked",
    "corrects": "corrected",
    "repeats": "asked again",
    "tool_error": "a tool failed",
    "tool_timeout": "a tool ran out of time",
}
ACTORS = {"key": "API key", "operator": "operator"}


def describe_actor(actor: str) -> str:
    """Who did something: an API key, an operator, or a part of the product by its own name."""
    # Actors are stored as kind and name, which the product's own parts do without.
    kind, colon, name = actor.partition(":")
    return f"{ACTORS[kind]} {name}" if colon and kind in ACTORS else actor.replace("_", " ")
