"""The model that questions are embedded with: the one whose vectors the live collection holds.

While an index is rebuilt by another model, that is the model before, as long as the embedding server still has it.
"""

from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.indexes import vector_index
from memory.indexes.base import VectorShape
from memory.inference import choose_embedder, offered_models
from memory.inference.embeddings import CachedEmbedder
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable

PROBE_S = 0.5


def choose_question_model(deadline: Deadline) -> EmbeddingConf:
    """The configured model where no other can answer: the search then says that it does not fit the index."""
    conf = memory_conf()
    try:
        live = vector_index().live_shape
        if live == VectorShape.of_model(conf.embedding):
            return conf.embedding
        former = conf.models.get(live.model)
        if former is None or VectorShape.of_model(former) != live:
            return conf.embedding
        return former if offered_models().has(live.model, deadline.slice(PROBE_S)) else conf.embedding
    except Unavailable:
        # The index or the embedder is away, and the stage that asks it says so.
        return conf.embedding


def build_question_embedder(deadline: Deadline) -> CachedEmbedder:
    """The embedder of that model. Facts and what is compared with the bank are embedded with it as well."""
    return choose_embedder(choose_question_model(deadline).model)
