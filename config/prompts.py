"""The settings of what a language model is asked, `MEMORY_PROMPTS_*` and beside; see docs/prompts.md."""

from pathlib import Path
from typing import Any, Final

from config.env import env_choice, env_float, env_int, env_list, env_path

# Every search would wait for it: an answer takes half a second and more, a search 60 ms.
OFF: Final = ("fragment_rating",)


def read_prompts(data_dir: Path, base_dir: Path) -> dict[str, Any]:
    off = env_list("MEMORY_PROMPTS_OFF", OFF)
    return {
        "shipped": str(base_dir / "templates" / "prompts"),
        "folder": str(env_path("MEMORY_PROMPTS_DIR", data_dir / "prompts")),
        "off": frozenset() if off == ["none"] else frozenset(off),
        "calls_a_day": env_int("MEMORY_PROMPT_CALLS_A_DAY", 200, minimum=0),
        "rating_above": env_float("MEMORY_RATING_ABOVE", 0.3, minimum=0, maximum=1),
        "rating_weight": env_float("MEMORY_RATING_WEIGHT", 0.4, minimum=0, maximum=1),
        "rating_pool": env_int("MEMORY_RATING_POOL", 10, minimum=2),
        "rating_timeout_s": env_float("MEMORY_RATING_TIMEOUT_S", 1.5, minimum=0.05),
        "decision_timeout_s": env_float("MEMORY_TOOL_DECISION_TIMEOUT_S", 4.0, minimum=0.05),
        "intent_timeout_s": env_float("MEMORY_INTENT_TIMEOUT_S", 0.8, minimum=0.05),
        "history_messages": env_int("MEMORY_HISTORY_MESSAGES", 8, minimum=2),
        "history_bullets": env_int("MEMORY_HISTORY_BULLETS", 5, minimum=1),
        "replay_below": env_float("MEMORY_REPLAY_BELOW", 0.4, minimum=0, maximum=1),
        "merge_above": env_float("MEMORY_MERGE_ABOVE", 0.8, minimum=0.5, maximum=1),
        "least_confidence": env_choice("MEMORY_PROFILE_MIN_CONFIDENCE", "medium", ("low", "medium", "high")),
    }
