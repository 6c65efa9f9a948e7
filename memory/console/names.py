"""What the console calls things. Pure: words only."""

from memory.tiers import Outcome, Tier

TIER_NAMES = {
    Tier.WORKING: "Working",
    Tier.HISTORY: "History",
    Tier.PATTERNS: "Patterns",
    Tier.MEMORY_BANK: "Memory bank",
    Tier.BOOKS: "Books",
}
OUTCOME_NAMES = {
    Outcome.WORKED: "worked",
    Outcome.PARTIAL: "partly worked",
    Outcome.FAILED: "failed",
    Outcome.UNKNOWN: "unknown",
}
SIGNAL_NAMES = {
    "thanks": "thanked",
    "corrects": "corrected",
    "repeats": "asked again",
    "tool_error": "a tool failed",
    "tool_timeout": "a tool ran out of time",
}
