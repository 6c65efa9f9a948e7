from django.apps import AppConfig


class BooksConfig(AppConfig):
    name = "books"

    def ready(self) -> None:
        from books import receivers  # noqa: F401  (connects the receivers)
