"""What can be heard of: the names of the events and what the ``data`` of each holds."""

from typing import Final

EVENTS: Final = {
    "memory.stored": "Memories were stored: `memories`, each with `id` and `tier`.",
    "memory.revised": "Their text or labels changed, or a repetition was merged into them: `memories`.",
    "memory.promoted": "They moved to another tier: `memories` with the tier they are in now.",
    "memory.dormant": "Their time in their tier has passed: `memories`.",
    "memory.archived": "No answer contains them any more: `memories`.",
    "memory.restored": "They are active again: `memories`.",
    "memory.deleted": "They were deleted for good: `memories`.",
    "memory.superseded": "A later statement took the place of a fact: `fact_id`, and `superseded_by`.",
    "secret.redacted": "A memory was stored without a secret that it held: `memory_id`, and the `kinds` of secrets.",
    "review.due": "A person has to decide: `review_id` of two facts, or `memory_id` of a doubtful memory.",
}
# Sent on demand, whatever an endpoint listens for.
TEST: Final = "webhook.test"

# Of `memory.signals.items_changed`, as they are called outside.
NAMES_OF_CHANGES: Final = {
    "stored": "memory.stored",
    "revised": "memory.revised",
    "promoted": "memory.promoted",
    "dormant": "memory.dormant",
    "archived": "memory.archived",
    "restored": "memory.restored",
    "removed": "memory.deleted",
}
# Memories that one message tells of. A batch of 500 is five messages, an import of 100,000 a thousand.
MOST_TOLD: Final = 100
