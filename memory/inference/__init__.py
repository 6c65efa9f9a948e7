"""Models that run elsewhere, behind ports.

Owns the HTTP adapters and their cache. This process loads no model; every reply is checked before anybody sees it.
"""

import os
from functools import cache

from memory.conf import memory_conf
from memory.inference.base import Embedder


@cache
def embedder() -> Embedder:
    """The embedder the settings name, behind its cache."""
    from memory.inference.embeddings import CachedEmbedder, HttpEmbedder

    conf = memory_conf().embedding
    return CachedEmbedder(HttpEmbedder(conf), conf)


def reset() -> None:
    """Build the embedder anew at the next call, as after a change of settings or a fork."""
    embedder.cache_clear()


# Pooled connections must not be shared with a forked worker.
os.register_at_fork(after_in_child=reset)
