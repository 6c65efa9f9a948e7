"""The embedding model of personal records, the same for records and queries."""

from dataclasses import replace

from memory.conf import EmbeddingConf, memory_conf
from memory.inference import embedder as shared_embedder
from memory.inference.base import Embedder
from memory.inference.embeddings import CachedEmbedder, HttpEmbedder
from memory.platform.faults import Unavailable
from memory.platform.per_process import PerProcess
from memory.records.models import DIMENSIONS

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
E5 = "intfloat/e5-small-v2"
NAME = "records embedder"


def embedding_model() -> str:
    return memory_conf().kinds.model


def records_embedder() -> Embedder:
    """Raises Unavailable when no server is configured for the chosen model."""
    conf = memory_conf()
    if conf.kinds.url:
        return own_embedder()
    if embedding_model() == "miniLM" and conf.embedding.model == MINILM:
        return shared_embedder()
    raise Unavailable(NAME, f"no server is named for {embedding_model()}: set WB_EMBED_URL")


@PerProcess
def own_embedder() -> Embedder:
    conf = own_conf()
    return CachedEmbedder(HttpEmbedder(conf, NAME), conf)


def own_conf() -> EmbeddingConf:
    conf = memory_conf()
    is_e5 = conf.kinds.model == "e5"
    return replace(
        conf.embedding,
        url=conf.kinds.url,
        model=E5 if is_e5 else MINILM,
        dimensions=DIMENSIONS,
        query_prefix="query: " if is_e5 else "",
        passage_prefix="passage: " if is_e5 else "",
    )
