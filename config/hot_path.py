"""The settings of the hot path, `HOTMEM_*`; see docs/hot-path.md."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

from config.env import env_bool, env_choice, env_float, env_int, env_list, env_sizes, env_str

HEADER: Final = "Use the following factual context if helpful:"
PARSED_LANGUAGES: Final = frozenset({"en", "es", "fr", "de", "it", "pt"})
WEIGHTS: Final = ("0.4", "0.2", "0.3", "0.1")


def read_hot_path() -> dict[str, Any]:
    return {
        "languages": tuple(env_list("HOTMEM_LANGS", ("en", "es", "fr", "de", "it", "he", "pt"))),
        "injects": not env_bool("HOTMEM_DISABLE_INJECTION", default=False),
        "extracts": not env_bool("HOTMEM_DISABLE_EXTRACTION", default=False),
        "mode": env_choice("HOTMEM_INJECT_MODE", "rotating", ("rotating", "turn")),
        "role": env_choice("HOTMEM_INJECT_ROLE", "system", ("system", "user")),
        "header": env_str("HOTMEM_INJECT_HEADER", HEADER),
        "hint_window": env_int("HOTMEM_HINT_WINDOW", 10, minimum=1),
        "bullets_max": env_int("HOTMEM_BULLETS_MAX", 5, minimum=0),
        "novelty_turns": env_int("HOTMEM_NOVELTY_TURNS", 3, minimum=0),
        "weights": read_weights(),
        "threshold": env_float("HOTMEM_SCORE_THRESHOLD", 0.45, minimum=0, maximum=1),
        "similarity": env_float("HOTMEM_MIN_SIMILARITY", 0.45, minimum=0, maximum=1),
        "recency_days": env_float("HOTMEM_RECENCY_DAYS", 3.0, minimum=0.01),
        "ttl": env_sizes("HOTMEM_TTL"),
        "redacts_logs": env_bool("HOTMEM_REDACT_LOGS", default=True),
        "pipelines": read_pipelines(),
    }


def read_pipelines() -> dict[str, str]:
    """The spaCy pipeline of each language that has one."""
    pairs = [part.partition("=") for part in env_list("HOTMEM_SPACY")]
    found = {language.strip(): name.strip() for language, _, name in pairs}
    if not all(found.values()) or not set(found) <= PARSED_LANGUAGES:
        raise ImproperlyConfigured("HOTMEM_SPACY must be like en=en_core_web_sm,de=de_core_news_sm")
    for name in filter(None, ["spacy" if found else "", *found.values()]):
        if not is_installed(name):
            raise ImproperlyConfigured(f"HOTMEM_SPACY needs {name}, which is not installed here: see docs/hot-path.md")
    return found


def is_installed(name: str) -> bool:
    """Looked for without importing it: spaCy takes a second and 100 MB, and most commands read no turn."""
    return find_spec(name) is not None if name.isidentifier() else Path(name).is_dir()


def read_weights() -> tuple[float, ...]:
    """Of priority, recency, words and confidence, in this order."""
    given = env_list("HOTMEM_SCORE_WEIGHTS", WEIGHTS)
    try:
        weights = tuple(float(part) for part in given)
    except ValueError as error:
        raise ImproperlyConfigured(
            f"HOTMEM_SCORE_WEIGHTS must be numbers with commas, not {','.join(given)!r}"
        ) from error
    if len(weights) != len(WEIGHTS) or not all(0 <= weight <= 1 for weight in weights):
        raise ImproperlyConfigured("HOTMEM_SCORE_WEIGHTS must be four numbers between 0 and 1")
    return weights
