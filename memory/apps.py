from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"

    def ready(self) -> None:
        from memory import receivers  # noqa: F401  (registers checks and receivers)
        from memory.webhooks import receivers as told  # noqa: F401
