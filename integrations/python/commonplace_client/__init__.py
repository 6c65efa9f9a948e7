"""A client of Commonplace, a memory for AI assistants.

``Commonplace(url, key).person("ann")`` speaks its REST interface for one person. The other modules are adapters, each
for the framework it is named after, which has to be installed; this one needs httpx alone.
"""

from commonplace_client.client import (
    Commonplace,
    CommonplaceError,
    MemoryRefused,
    MemoryUnavailable,
    NotRemembered,
    Person,
)

__all__ = ["Commonplace", "CommonplaceError", "MemoryRefused", "MemoryUnavailable", "NotRemembered", "Person"]
