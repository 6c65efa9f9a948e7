"""What a language model is asked, from when on, and with which wordings."""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from django.core.signals import setting_changed

from memory.conf import memory_conf


@dataclass(frozen=True, slots=True)
class PromptConf:
    """``folder`` has the operator's wordings, ``shipped`` those of the product. ``off`` are never asked.

    ``calls_a_day`` bounds those about one person, beside the bounds that profiles, outcomes and the pairs of the night
    have of their own.
    """

    folder: str = ""
    shipped: str = ""
    off: frozenset[str] = frozenset()
    calls_a_day: int = 200
    least_confidence: Literal["low", "medium", "high"] = "medium"
    # Of a candidate's score, from which on a model rates it; the rating's share, how many, and how long it may take.
    rating_above: float = 0.3
    rating_weight: float = 0.4
    rating_pool: int = 10
    rating_timeout_s: float = 1.5
    # What an answer of the gateway waits for a decision at most.
    decision_timeout_s: float = 4.0
    # What a context waits for what a question looks for.
    intent_timeout_s: float = 0.8
    # Messages of a thread above which the older ones are told as so many bullets.
    history_messages: int = 8
    history_bullets: int = 5
    # Scores below which a memory is worded anew before it is let go.
    replay_below: float = 0.4
    # Likeness of memories, as a cosine, from which on a model is asked whether they are one.
    merge_above: float = 0.8


@cache
def prompt_conf() -> PromptConf:
    return PromptConf(**memory_conf().prompts)


def reset_prompt_conf(*, setting: str, **kwargs: object) -> None:
    if setting == "MEMORY":
        prompt_conf.cache_clear()


setting_changed.connect(reset_prompt_conf, dispatch_uid="memory.inference.conf")
