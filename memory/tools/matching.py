"""Finds the bank item a call wants to change. An ambiguous match is refused rather than guessed."""

from datetime import datetime
from uuid import UUID

from memory.facade import MemoryFacade
from memory.language.text import preview_text
from memory.models import EndUser
from memory.tiers import Tier
from memory.tools.arguments import BankTarget
from memory.tools.calls import TargetNotFound, ToolError
from memory.tools.rendering import quote_inline


def find_target(memory: MemoryFacade, user: EndUser | None, target: BankTarget, *, now: datetime) -> UUID:
    """The id of the bank item meant. Raises NotDone for an unknown id, ToolError when the words do not settle it."""
    if target.memory_id is not None:
        item = memory.get(user, target.memory_id) if user else None
        if item is None:
            raise TargetNotFound([("memory_id", "there is no such memory")])
        # Outcomes decide on the other tiers; a model rewording them would rewrite what was really said.
        if item.tier != Tier.MEMORY_BANK:
            raise ToolError([("memory_id", f"names a memory of {item.tier}; only memory_bank items can be changed")])
        return item.pk
    if user is None:
        raise TargetNotFound([("match_query", "nothing in the memory bank matches these words")])
    return match_bank_item(memory, user, target.match_query or "", now=now)


def match_bank_item(memory: MemoryFacade, user: EndUser, words: str, *, now: datetime) -> UUID:
    found = memory.match_bank_item(user, words, now=now)
    if found.item is not None:
        return found.item.pk
    if not found.candidates:
        raise TargetNotFound([("match_query", found.why)])
    # Words change a memory only when they identify one: asking again costs a call, correcting the wrong one costs
    # trust.
    candidates = [f"candidate {one.item.pk}: {quote_inline(preview_text(one.item.text))}" for one in found.candidates]
    refusal = f"{found.why}; nothing was changed, name one by memory_id"
    raise ToolError([("match_query", rule) for rule in (refusal, *candidates)])
