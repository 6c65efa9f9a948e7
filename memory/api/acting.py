"""Through what an endpoint acts: the facade of the key's user."""

from django.http import HttpRequest

from memory.facade import MemoryFacade
from memory.web.auth import LONGEST_ACTOR, get_principal


def open_facade(request: HttpRequest) -> MemoryFacade:
    return MemoryFacade(actor=f"key:{get_principal(request).name}"[:LONGEST_ACTOR])
