from django.apps import AppConfig


class KindsConfig(AppConfig):
    name = "memory.kinds"
    label = "kinds"

    def ready(self) -> None:
        from memory.kinds import checks, receivers  # noqa: F401  (registers and connects them)
