"""Models that run elsewhere, behind ports.

Owns the HTTP adapters and their cache. This process loads no model; every reply is checked before anybody sees it.
"""

import os
from functools import cache

from memory.conf import memory_conf
from memory.inference.base import Embedder
from memory.inference.embeddings import CachedEmbedder, HttpEmbedder


@cache
def embedder() -> Embedder:
    """The embedder the settings name, behind its cache."""
    conf = memory_conf().embedding
    return CachedEmbedder(HttpEmbedder(conf), conf)


def reset() -> None:
    """Build the embedder anew at the next call, as after a change of settings."""
    if embedder.cache_info().currsize:
        embedder().close()
    embedder.cache_clear()


# Pooled connections must not be shared with a forked worker, nor closed by it.
os.register_at_fork(after_in_child=embedder.cache_clear)
