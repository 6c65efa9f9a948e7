"""The vector and lexical indexes over memories.

Owns the ports (`base`), one adapter per engine (`pgvector`, `qdrant`, `fulltext`, `bm25`), the choice between reading
every vector and searching the graph (`nearest`), and the choice of the live collection (`collections`, `routed`).
Decides nothing about ranking, never enqueues, and is never the source of truth: callers read every id it returns from
Postgres. An adapter raises `Unavailable`, and the caller decides whether it can go on without it.

Imports inference and access. A new engine is a module here, a line in ``VECTOR_ENGINES`` and a run of the contract
suite in tests/memory/indexes.
"""

from typing import cast

from django.utils.module_loading import import_string

from memory.conf import memory_conf
from memory.indexes.base import LexicalIndex, VectorShape
from memory.indexes.routed import RoutedIndex
from memory.platform.per_process import PerProcess

VECTOR_ENGINES = {
    "pgvector": "memory.indexes.pgvector.PgVectorEngine",
    "qdrant": "memory.indexes.qdrant.QdrantEngine",
}
LEXICAL_INDEXES = {
    "fulltext": "memory.indexes.fulltext.FullTextIndex",
    "bm25": "memory.indexes.cached.CachedLexical",
}


@PerProcess
def vector_index() -> RoutedIndex:
    """The vector index the settings name."""
    conf = memory_conf()
    engine = import_string(VECTOR_ENGINES[conf.vector.backend]).from_conf(conf)
    return RoutedIndex(engine, conf.vector.collection, VectorShape.from_conf(conf))


@PerProcess
def lexical_index() -> LexicalIndex:
    """The lexical index the settings name."""
    conf = memory_conf()
    return cast("LexicalIndex", import_string(LEXICAL_INDEXES[conf.lexical.backend]).from_conf(conf))


def reset_indexes() -> None:
    """Drop the cached adapters, as after a change of settings."""
    for index in vector_index.made:
        index.close()
    vector_index.forget()
    lexical_index.forget()
