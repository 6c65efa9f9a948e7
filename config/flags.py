"""Feature flags, the combinations that are refused, and the production safety profile."""

from typing import TypedDict

from django.core.exceptions import ImproperlyConfigured

from config.env import env_bool, env_int


class Flags(TypedDict):
    system: bool
    ui: bool
    kg_viz: bool
    qdrant: bool
    bm25: bool
    rerank: bool
    outcome: bool
    promotion: bool
    kg: bool
    autonomy: bool
    outcome_detection: bool
    profile_detection: bool
    implicit_scoring: bool
    enforce_scoring: bool
    problem_solution_index: bool
    streaming: bool
    require_confirmation: bool
    auto_apply_solutions: bool
    git_operations: bool
    max_file_writes: int


def read_flags(*, production: bool) -> Flags:
    """The flags of this process. Raises ImproperlyConfigured for a dangerous combination, naming both variables."""
    flags: Flags = {
        "system": env_bool("MEMORY_SYSTEM_ENABLED", default=True),
        "ui": env_bool("MEMORY_UI_ENABLED", default=True),
        "kg_viz": env_bool("MEMORY_KG_VIZ_ENABLED", default=True),
        "qdrant": env_bool("MEMORY_QDRANT_ENABLED", default=True),
        "bm25": env_bool("MEMORY_BM25_ENABLED", default=True),
        "rerank": env_bool("MEMORY_RERANK_ENABLED", default=True),
        "outcome": env_bool("MEMORY_OUTCOME_ENABLED", default=True),
        "promotion": env_bool("MEMORY_PROMOTION_ENABLED", default=True),
        "kg": env_bool("ENABLE_KG", default=True),
        "autonomy": env_bool("ENABLE_AUTONOMY", default=False),
        "outcome_detection": env_bool("ENABLE_OUTCOME_DETECTION", default=True),
        "profile_detection": env_bool("ENABLE_PROFILE_DETECTION", default=True),
        "implicit_scoring": env_bool("ENABLE_IMPLICIT_SCORING", default=False),
        "enforce_scoring": env_bool("MEMORY_ENFORCE_SCORING", default=False),
        "problem_solution_index": env_bool("ENABLE_PROBLEM_SOLUTION_INDEX", default=True),
        "streaming": env_bool("ENABLE_WEBSOCKET_STREAMING", default=True),
        "require_confirmation": env_bool("REQUIRE_CONFIRMATION", default=True),
        "auto_apply_solutions": env_bool("ENABLE_AUTO_APPLY_SOLUTIONS", default=False),
        "git_operations": env_bool("ENABLE_GIT_OPERATIONS", default=False),
        "max_file_writes": env_int("MAX_FILE_WRITES", 0, minimum=0),
    }
    if production:
        flags.update({"autonomy": False, "require_confirmation": True, "max_file_writes": 0})
    refuse_dangerous(flags)
    return flags


def refuse_dangerous(flags: Flags) -> None:
    if flags["autonomy"] and not flags["require_confirmation"]:
        raise ImproperlyConfigured("ENABLE_AUTONOMY needs REQUIRE_CONFIRMATION: nothing may act unasked")
    if flags["auto_apply_solutions"] and not flags["problem_solution_index"]:
        raise ImproperlyConfigured("ENABLE_AUTO_APPLY_SOLUTIONS needs ENABLE_PROBLEM_SOLUTION_INDEX")
    if flags["git_operations"] and not flags["require_confirmation"]:
        raise ImproperlyConfigured("ENABLE_GIT_OPERATIONS needs REQUIRE_CONFIRMATION")
