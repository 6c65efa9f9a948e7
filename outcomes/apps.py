from django.apps import AppConfig


class OutcomesConfig(AppConfig):
    name = "outcomes"

    def ready(self) -> None:
        from outcomes import receivers  # noqa: F401  (connects the receivers)
