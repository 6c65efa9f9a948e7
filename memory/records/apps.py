from django.apps import AppConfig


class RecordsConfig(AppConfig):
    name = "memory.records"
    label = "kinds"

    def ready(self) -> None:
        from memory.records import checks, receivers  # noqa: F401  (registers and connects them)
