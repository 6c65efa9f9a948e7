"""Adapters for models that run in other processes: embedder, reranker, language model.

Owns the HTTP adapters and their cache. This process loads no model; every reply is checked before anybody sees it.
"""

import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from memory.conf import memory_conf
from memory.inference.base import Reranker, TokenEmbedder
from memory.inference.embeddings import CachedEmbedder, HttpEmbedder
from memory.inference.llm import ChatModel, LanguageModel
from memory.inference.reranker import HttpReranker
from memory.inference.tokens import HttpTokenEmbedder

T = TypeVar("T")


class Shared(Generic[T]):
    """An adapter made at the first call, once: of two made by two threads at once, one would be dropped unclosed."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__
        self.forget()

    def __call__(self) -> T:
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]

    @property
    def made(self) -> list[T]:
        """The adapter, if there is one yet."""
        return list(self._made)

    def forget(self) -> None:
        # A forked process may have inherited the lock from a thread that it did not inherit.
        self._lock = threading.Lock()
        self._made: list[T] = []


@Shared
def embedder() -> CachedEmbedder:
    """The embedder the settings name, behind its cache."""
    conf = memory_conf().embedding
    return CachedEmbedder(HttpEmbedder(conf), conf)


@Shared
def token_embedder() -> TokenEmbedder | None:
    """The token embedder, or None when the settings switch late interaction off."""
    conf = memory_conf()
    return HttpTokenEmbedder(conf.embedding) if conf.ranking.tokens else None


@Shared
def reranker() -> Reranker | None:
    """The reranker the settings name, or None when they name none or it is switched off."""
    conf = memory_conf()
    return HttpReranker(conf.reranker) if conf.reranker.url and conf.flags["rerank"] else None


@Shared
def language_model() -> LanguageModel | None:
    """The language model the settings name, or None when they name none."""
    conf = memory_conf().llm
    return ChatModel(conf) if conf.url and conf.model else None


def reset() -> None:
    """Drop the adapters, as after a change of settings."""
    for adapter in (*embedder.made, *token_embedder.made, *reranker.made, *language_model.made):
        if adapter is not None:
            adapter.close()
    forget()


def forget() -> None:
    embedder.forget()
    token_embedder.forget()
    reranker.forget()
    language_model.forget()


# Pooled connections must not be shared with a forked worker, nor closed by it.
os.register_at_fork(after_in_child=forget)
