"""Through what an endpoint acts: the facade of the key's user."""

from django.http import HttpRequest

from memory.facade import MemoryFacade
from memory.web.auth import LONGEST_ACTOR, principal_of


def facade(request: HttpRequest) -> MemoryFacade:
    return MemoryFacade(actor=f"key:{principal_of(request).name}"[:LONGEST_ACTOR])
