"""Indexes over the memories: where nearest vectors and matching words are found.

Owns the ports (`base`) and one adapter per engine. Decides nothing about ranking, never enqueues, and holds no truth:
what an index says is hydrated from Postgres by whoever asked. An adapter raises `Unavailable` and lets the caller
decide whether the answer can do without it.
"""

import os
from functools import cache
from typing import cast

from django.utils.module_loading import import_string

from memory.conf import memory_conf
from memory.indexes.base import LexicalIndex, VectorIndex

VECTOR_INDEXES = {
    "pgvector": "memory.indexes.pgvector.PgVectorIndex",
    "qdrant": "memory.indexes.qdrant.QdrantIndex",
}
LEXICAL_INDEX = "memory.indexes.fulltext.FullTextIndex"


@cache
def vector_index() -> VectorIndex:
    """The vector index the settings name."""
    adapter = import_string(VECTOR_INDEXES[memory_conf().vector.backend])
    return cast("VectorIndex", adapter.from_conf(memory_conf()))


@cache
def lexical_index() -> LexicalIndex:
    return cast("LexicalIndex", import_string(LEXICAL_INDEX)())


def reset() -> None:
    """Build the indexes anew at the next call, as after a change of settings."""
    if vector_index.cache_info().currsize:
        vector_index().close()
    forget()


def forget() -> None:
    vector_index.cache_clear()
    lexical_index.cache_clear()


# A client's pooled connections must not be shared with a forked worker, nor closed by it.
os.register_at_fork(after_in_child=forget)
