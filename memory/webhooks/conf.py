"""How webhooks are set up: the settings as values."""

from dataclasses import dataclass

from memory.conf import memory_conf


@dataclass(frozen=True, slots=True)
class WebhookConf:
    """``allows_private``: addresses of this machine and network too. ``timeout_s`` is for the whole of an attempt.

    ``secret_keys``: what secrets are sealed with, then what may have sealed the older ones.
    """

    secret_keys: tuple[str, ...]
    allows_private: bool = False
    timeout_s: float = 10.0


def webhook_conf() -> WebhookConf:
    return WebhookConf(**memory_conf().webhooks)
