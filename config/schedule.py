"""The beat schedule. Each entry expires before its next run, so that a late worker is not flooded."""

from typing import Any


def run_every(seconds: float, task: str) -> dict[str, Any]:
    return {"task": task, "schedule": seconds, "options": {"expires": seconds * 0.9}}


SCHEDULE = {
    "sweep the index queue": run_every(30, "memory.sweep_index_queue"),
    "sweep the facts": run_every(30, "memory.sweep_facts"),
    "sweep learning": run_every(30, "knowledge_graph.sweep_learning"),
    "sweep personal records": run_every(30, "kinds.sweep"),
    "sweep imports": run_every(60, "memory.sweep_imports"),
    "sweep books": run_every(30, "books.sweep"),
    "deliver webhooks": run_every(15, "memory.deliver_webhooks"),
    "purge webhooks": run_every(6 * 60 * 60, "memory.purge_webhooks"),
    "sweep collections": run_every(60, "memory.sweep_collections"),
    "check consistency": run_every(15 * 60, "memory.check_consistency"),
    "look at conversations": run_every(30, "outcomes.sweep_conversations"),
    "promote": run_every(30 * 60, "memory.promote_everyone"),
    "consolidate facts": run_every(30 * 60, "memory.consolidate_due"),
    "roll up metrics": run_every(10 * 60, "memory.roll_up_metrics"),
    "purge logs": run_every(6 * 60 * 60, "memory.purge_logs"),
    "purge grants": run_every(6 * 60 * 60, "memory.purge_grants"),
    "purge exchanges": run_every(24 * 60 * 60, "outcomes.purge_exchanges"),
    "purge hot threads": run_every(6 * 60 * 60, "knowledge_graph.purge_hot_threads"),
    "look for duplicates": run_every(24 * 60 * 60, "memory.look_for_duplicates"),
    "label messages": run_every(24 * 60 * 60, "memory.sweep_labels"),
    "purge recalls": run_every(24 * 60 * 60, "kinds.purge_log"),
}
