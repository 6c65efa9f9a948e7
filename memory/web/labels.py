"""What the console calls things. Pure: words only."""

from collections.abc import Iterable

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
# What the guard takes a text for.
WARNING_NAMES = {
    "secret": "a secret",
    "false authority": "a claim of authority",
    "rule override": "an order to the assistant",
    "planted preference": "a wish that somebody planted",
    "covert promotion": "advertising",
    "disguise": "something in disguise",
    "raw turn": "a turn of a conversation",
    "joke": "a joke",
    "supposition": "a supposition",
    "gossip": "gossip",
    "world knowledge": "common knowledge",
    "passing state": "something that holds only today",
    "exercise": "words to work on",
}
ACTORS = {"key": "API key", "operator": "operator"}


def describe_warnings(rules: Iterable[str]) -> str:
    return " and ".join(WARNING_NAMES.get(rule, rule) for rule in rules)


def describe_actor(actor: str) -> str:
    """Who did something: an API key, an operator, or a part of the product by its own name."""
    # Actors are stored as kind and name, which the product's own parts do without.
    kind, colon, name = actor.partition(":")
    return f"{ACTORS[kind]} {name}" if colon and kind in ACTORS else actor.replace("_", " ")
