"""The embedding model of personal records, the same for records and queries."""

from dataclasses import replace

from memory.conf import EmbeddingConf, memory_conf
from memory.inference import embedder_of
from memory.inference.base import Embedder
from memory.inference.embeddings import CachedEmbedder, HttpEmbedder
from memory.platform.faults import Unavailable
from memory.platform.per_process import PerProcess
from memory.records.models import DIMENSIONS

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
# Of a server of its own; the embedding server has the one below.
E5 = "intfloat/e5-small-v2"
MULTILINGUAL_E5 = "intfloat/multilingual-e5-small"
NAME = "records embedder"


def embedding_model() -> str:
    """What vectors of this model are marked with."""
    conf = memory_conf().kinds
    return "multilingual-e5" if conf.model == "e5" and not conf.url else conf.model


def records_embedder() -> Embedder:
    """Raises Unavailable when no server is configured for the chosen model."""
    conf = memory_conf()
    if conf.kinds.url:
        return own_embedder()
    model = MULTILINGUAL_E5 if conf.kinds.model == "e5" else MINILM
    # A server elsewhere may have one model alone, and answer with that whatever it is asked for.
    is_served = model == conf.embedding.model or conf.embedding.url.startswith("unix://")
    shared = embedder_of(model) if is_served else None
    if shared is None:
        raise Unavailable(NAME, f"no server is named for {conf.kinds.model}: set WB_EMBED_URL")
    return shared


def records_conf() -> EmbeddingConf:
    """How the model of the records is asked and read."""
    conf = memory_conf()
    model = MULTILINGUAL_E5 if conf.kinds.model == "e5" else MINILM
    return own_conf() if conf.kinds.url else conf.embedding_of(model) or conf.embedding


@PerProcess
def own_embedder() -> Embedder:
    conf = own_conf()
    return CachedEmbedder(HttpEmbedder(conf, NAME), conf)


def own_conf() -> EmbeddingConf:
    conf = memory_conf()
    is_e5 = conf.kinds.model == "e5"
    return replace(
        conf.embedding_of(MINILM) or conf.embedding,
        url=conf.kinds.url,
        model=E5 if is_e5 else MINILM,
        dimensions=DIMENSIONS,
        query_prefix="query: " if is_e5 else "",
        passage_prefix="passage: " if is_e5 else "",
    )
