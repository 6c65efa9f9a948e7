"""Who the assistant is for this person: the first section of a context, and of its half that does not change."""

from collections.abc import Callable
from typing import Final

import structlog
from django.utils.module_loading import import_string

from memory.conf import memory_conf
from memory.context.blocks import ContextSection, build_section
from memory.context.budget import TokenBudget
from memory.models import EndUser
from memory.platform import metrics
from memory.retrieval.results import SearchDebug

logger = structlog.get_logger(__name__)

SECTION: Final = "personality"
# Of what a client allows for the whole context: the rest is for the memory, which it asked for.
MOST_OF_LIMIT: Final = 0.5

LoadPrompt = Callable[[EndUser], str]


def build_personality(user: EndUser, budget: TokenBudget, debug: SearchDebug) -> list[ContextSection]:
    """One section; none where no personality was chosen, or where a client's limit has no room for all of it."""
    section = build_section(SECTION, load_prompt(user, debug))
    is_too_long = budget.is_hard and section.tokens > budget.tokens * MOST_OF_LIMIT
    return [] if not section.text or is_too_long else [section]


def load_prompt(user: EndUser, debug: SearchDebug) -> str:
    """Fails open: an assistant without its manners still answers."""
    path = memory_conf().context.personality
    if not path:
        return ""
    try:
        load: LoadPrompt = import_string(path)
        return load(user)
    except Exception as error:  # noqa: BLE001 -- whatever went wrong there, the rest of the context stands
        logger.warning("personality skipped", reason=repr(error))
        metrics.count("fallbacks", SECTION)
        debug.fallbacks_used.append(f"{SECTION}_skipped")
        return ""
