"""Through what an endpoint acts: the facade of the key's user."""

from django.http import HttpRequest

from memory.facade import MemoryFacade
from memory.web.auth import get_actor


def open_facade(request: HttpRequest) -> MemoryFacade:
    return MemoryFacade(actor=get_actor(request))
