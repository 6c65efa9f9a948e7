"""The embedding model of personal records, the same for records and queries."""

from dataclasses import replace

from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
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
# Of the embedding server, by the mark of their vectors.
SHARED_MODELS = {"miniLM": MINILM, "multilingual-e5": MULTILINGUAL_E5}


def name_embedding_model() -> str:
    """What vectors of this model are marked with."""
    conf = memory_conf().kinds
    return "multilingual-e5" if conf.model == "e5" and not conf.url else conf.model


def load_records_embedder() -> Embedder:
    """Raises Unavailable when no server is configured for the chosen model."""
    conf = memory_conf()
    if conf.kinds.url:
        return load_own_embedder()
    shared = find_shared_embedder(SHARED_MODELS[name_embedding_model()])
    if shared is None:
        raise Unavailable(NAME, f"no server is named for {conf.kinds.model}: set WB_EMBED_URL")
    return shared


def find_shared_embedder(model: str) -> Embedder | None:
    conf = memory_conf().embedding
    # A server elsewhere may have one model alone, and answer with that whatever it is asked for.
    return embedder_of(model) if model == conf.model or conf.url.startswith("unix://") else None


def load_records_conf(tag: str = "") -> EmbeddingConf:
    """How the model of the records, or of those with another mark, is asked and read."""
    conf = memory_conf()
    if conf.kinds.url and tag in {"", name_embedding_model()}:
        return load_own_conf()
    return conf.embedding_of(SHARED_MODELS[tag or name_embedding_model()]) or conf.embedding


def find_former_embedder(tag: str) -> Embedder | None:
    """That of records which another model has embedded; None where nobody has that model any more."""
    return find_shared_embedder(SHARED_MODELS[tag]) if tag in SHARED_MODELS else None


@PerProcess
def load_own_embedder() -> Embedder:
    conf = load_own_conf()
    return CachedEmbedder(HttpEmbedder(conf, NAME), conf)


def load_own_conf() -> EmbeddingConf:
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
