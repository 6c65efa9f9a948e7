"""Adapters for models that run in other processes: embedder, reranker, language model.

Owns the HTTP adapters and their cache. This process loads no model; every reply is checked before anybody sees it.
"""

import os
from functools import cache

from memory.conf import memory_conf
from memory.inference.base import Reranker, TokenEmbedder
from memory.inference.embeddings import CachedEmbedder, HttpEmbedder
from memory.inference.llm import ChatModel, LanguageModel
from memory.inference.reranker import HttpReranker
from memory.inference.tokens import HttpTokenEmbedder


@cache
def embedder() -> CachedEmbedder:
    """The embedder the settings name, behind its cache."""
    conf = memory_conf().embedding
    return CachedEmbedder(HttpEmbedder(conf), conf)


@cache
def token_embedder() -> TokenEmbedder | None:
    """The token embedder, or None when the settings switch late interaction off."""
    conf = memory_conf()
    return HttpTokenEmbedder(conf.embedding) if conf.ranking.tokens else None


@cache
def reranker() -> Reranker | None:
    """The reranker the settings name, or None when they name none or it is switched off."""
    conf = memory_conf()
    return HttpReranker(conf.reranker) if conf.reranker.url and conf.flags["rerank"] else None


@cache
def language_model() -> LanguageModel | None:
    """The language model the settings name, or None when they name none."""
    conf = memory_conf().llm
    return ChatModel(conf) if conf.url and conf.model else None


def reset() -> None:
    """Drop the cached adapters, as after a change of settings."""
    if embedder.cache_info().currsize:
        embedder().close()
    for made in (token_embedder, reranker, language_model):
        if made.cache_info().currsize and (known := made()) is not None:
            known.close()
    forget()


def forget() -> None:
    embedder.cache_clear()
    token_embedder.cache_clear()
    reranker.cache_clear()
    language_model.cache_clear()


# Pooled connections must not be shared with a forked worker, nor closed by it.
os.register_at_fork(after_in_child=forget)
