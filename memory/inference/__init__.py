"""Adapters for models that run in other processes: embedder, reranker, language model.

`base` has the ports, `remote` the one way a model service is spoken to, `embeddings`, `tokens`, `reranker` and `llm` an
adapter each; `prefixes` describes memories for the index, `prompts` reads the wordings from templates/prompts. This
process loads no model; every reply is checked before anybody sees it.

Imports platform, conf, guard and language. Another protocol for embeddings is a dialect in `embeddings`.
"""

from itertools import chain

from memory.conf import memory_conf
from memory.inference.base import Reranker, TokenEmbedder
from memory.inference.embeddings import EMBEDDER, CachedEmbedder, HttpEmbedder, OfferedModels
from memory.inference.llm import ChatModel, LanguageModel
from memory.inference.reranker import HttpReranker
from memory.inference.tokens import HttpTokenEmbedder
from memory.platform.per_process import PerProcess


@PerProcess
def embedder() -> CachedEmbedder:
    """The embedder the settings name, behind its cache."""
    conf = memory_conf().embedding
    return CachedEmbedder(HttpEmbedder(conf), conf)


@PerProcess
def other_embedders() -> dict[str, CachedEmbedder]:
    """Of models that the embedding server has beside the configured one, by name, as far as they were asked for."""
    return {}


def embedder_of(model: str) -> CachedEmbedder | None:
    """The embedder of a model that the embedding server may have; None for one of which nothing is known."""
    if model == memory_conf().embedding.model:
        return embedder()
    conf = memory_conf().embedding_of(model)
    if conf is None:
        return None
    return other_embedders().setdefault(model, CachedEmbedder(HttpEmbedder(conf, f"{EMBEDDER} of {model}"), conf))


def choose_embedder(model: str) -> CachedEmbedder:
    """The embedder of a model; the configured one where nothing is known of it."""
    return embedder_of(model) or embedder()


@PerProcess
def offered_models() -> OfferedModels:
    """What the embedding server has beside its own model."""
    return OfferedModels(memory_conf().embedding)


@PerProcess
def token_embedder() -> TokenEmbedder | None:
    """The token embedder, or None when the settings switch late interaction off."""
    conf = memory_conf()
    return HttpTokenEmbedder(conf.embedding) if conf.ranking.tokens else None


@PerProcess
def reranker() -> Reranker | None:
    """The reranker the settings name, or None when they name none or it is switched off."""
    conf = memory_conf()
    return HttpReranker(conf.reranker) if conf.reranker.url and conf.flags["rerank"] else None


@PerProcess
def language_model() -> LanguageModel | None:
    """The language model the settings name, or None when they name none."""
    conf = memory_conf().llm
    return ChatModel(conf) if conf.url and conf.model else None


def reset_adapters() -> None:
    """Drop the adapters, as after a change of settings."""
    for adapter in (
        *embedder.made,
        *chain(*(made.values() for made in other_embedders.made)),
        *offered_models.made,
        *token_embedder.made,
        *reranker.made,
        *language_model.made,
    ):
        if adapter is not None:
            adapter.close()
    embedder.forget()
    other_embedders.forget()
    offered_models.forget()
    token_embedder.forget()
    reranker.forget()
    language_model.forget()
