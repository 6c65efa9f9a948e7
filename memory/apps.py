from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memory"

    def ready(self) -> None:
        from memory import receivers  # noqa: F401  (registers them)
        from memory.operations import checks  # noqa: F401
        from memory.webhooks import receivers as told  # noqa: F401
