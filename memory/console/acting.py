"""Through what a page acts: the facade with the operator as its actor."""

from memory.facade import MemoryFacade
from memory.web.viewing import ViewedPerson


def open_facade(person: ViewedPerson) -> MemoryFacade:
    return MemoryFacade(actor=person.actor)
