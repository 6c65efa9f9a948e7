"""The settings of the gateway, and of the language model's server behind it."""

from dataclasses import dataclass

from memory.conf import memory_conf


@dataclass(frozen=True, slots=True)
class ChatConf:
    """No ``url``: the gateway says what to set.

    ``timeout_s`` bounds a whole answer, ``silence_s`` the time in which nothing of it comes; ``streams`` are answers
    that one web process waits for at a time, and in ``threads`` it asks the memory.
    """

    url: str = ""
    api_key: str = ""
    model: str = ""
    streams: int = 208
    threads: int = 32
    timeout_s: float = 600.0
    silence_s: float = 120.0
    connect_s: float = 5.0
    offers_search: bool = True
    max_body_bytes: int = 10 * 1024 * 1024


def chat_conf() -> ChatConf:
    return ChatConf(**memory_conf().chat)
