"""The verbs of the product: one call for whatever the API, the tools, the console and the commands do.

A verb joins rooms below into one deed: storing also keeps the bank's room, deleting also takes exchanges and stored
answers along, a context asks experience and the search. What one app alone does for its own pages (browsing graphs,
reading exchanges, writing personal records) has no verb here: the app owns those endpoints. To change what happens on
a deed, look here; to change how, follow the verb down. May import everything below the doors; knows no HTTP.
"""

from memory.facade.bank import BankVerbs
from memory.facade.books import BookVerbs
from memory.facade.commands import CommandVerbs
from memory.facade.facts import FactVerbs
from memory.facade.holding import HoldingVerbs
from memory.facade.inbox import InboxVerbs
from memory.facade.maintenance import MaintenanceVerbs, Stats
from memory.facade.measuring import MeasuringVerbs
from memory.facade.personal_links import PersonalLinkVerbs
from memory.facade.portability import PortabilityVerbs
from memory.facade.sessions import SessionVerbs
from memory.facade.spaces import SpaceVerbs
from memory.facade.texts import TextVerbs

__all__ = ["MemoryFacade", "Stats"]


class MemoryFacade(
    BankVerbs,
    BookVerbs,
    CommandVerbs,
    SessionVerbs,
    FactVerbs,
    HoldingVerbs,
    InboxVerbs,
    MaintenanceVerbs,
    MeasuringVerbs,
    PersonalLinkVerbs,
    PortabilityVerbs,
    SpaceVerbs,
    TextVerbs,
):
    """Cheap to make: one for each request, with the name of who acts."""
