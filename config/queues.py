"""Which queue a task waits in: `fast` unless it is named here.

What looks through all of a person, or through everybody, waits behind what somebody has just said: after a restart the
promotion of 29 people held up what 20 turns told for a minute. A file that takes minutes to read has a worker.
"""

from typing import Final

SLOW_TASKS: Final = (
    "memory.promote_everyone",
    "memory.promote_user",
    "memory.consolidate_due",
    "memory.consolidate_user",
    "memory.check_consistency",
    "memory.import_person",
    "memory.look_for_duplicates",
    "memory.measure_everybody",
    "memory.measure_person",
    "memory.purge_logs",
    "memory.purge_user_logs",
    "memory.roll_up_metrics",
    "memory.write_backup",
    "kinds.purge_log",
    "kinds.purge_user_log",
    "knowledge_graph.purge_hot_threads",
    "outcomes.digest_thread",
    "outcomes.purge_exchanges",
    "outcomes.purge_user_exchanges",
)
TASK_ROUTES: Final = {"books.work": {"queue": "books"}, **{task: {"queue": "slow"} for task in SLOW_TASKS}}
