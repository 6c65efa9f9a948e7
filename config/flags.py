"""Feature flags: what of the product is switched on."""

from typing import TypedDict

from config.env import env_bool


class Flags(TypedDict):
    system: bool
    ui: bool
    mem0: bool
    oauth: bool
    oauth_documents: bool
    kg_viz: bool
    qdrant: bool
    bm25: bool
    rerank: bool
    outcome: bool
    promotion: bool
    kg: bool
    outcome_detection: bool
    enrichment: bool
    profile_detection: bool
    implicit_scoring: bool
    enforce_scoring: bool
    problem_solution_index: bool


def read_flags() -> Flags:
    return {
        "system": env_bool("MEMORY_SYSTEM_ENABLED", default=True),
        "ui": env_bool("MEMORY_UI_ENABLED", default=True),
        "mem0": env_bool("MEMORY_MEM0_ENABLED", default=True),
        "oauth": env_bool("MEMORY_OAUTH_ENABLED", default=True),
        "oauth_documents": env_bool("MEMORY_OAUTH_DOCUMENTS", default=True),
        "kg_viz": env_bool("MEMORY_KG_VIZ_ENABLED", default=True),
        "qdrant": env_bool("MEMORY_QDRANT_ENABLED", default=True),
        "bm25": env_bool("MEMORY_BM25_ENABLED", default=True),
        "rerank": env_bool("MEMORY_RERANK_ENABLED", default=True),
        "outcome": env_bool("MEMORY_OUTCOME_ENABLED", default=True),
        "promotion": env_bool("MEMORY_PROMOTION_ENABLED", default=True),
        "kg": env_bool("ENABLE_KG", default=True),
        "outcome_detection": env_bool("ENABLE_OUTCOME_DETECTION", default=True),
        "enrichment": env_bool("ENABLE_ENRICHMENT", default=True),
        "profile_detection": env_bool("ENABLE_PROFILE_DETECTION", default=True),
        "implicit_scoring": env_bool("ENABLE_IMPLICIT_SCORING", default=False),
        "enforce_scoring": env_bool("MEMORY_ENFORCE_SCORING", default=False),
        "problem_solution_index": env_bool("ENABLE_PROBLEM_SOLUTION_INDEX", default=True),
    }
