from django.apps import AppConfig


class PersonalityConfig(AppConfig):
    name = "personality"

    def ready(self) -> None:
        from personality import receivers  # noqa: F401  (connects them)
