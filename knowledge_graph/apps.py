from django.apps import AppConfig


class KnowledgeGraphConfig(AppConfig):
    name = "knowledge_graph"

    def ready(self) -> None:
        from knowledge_graph import receivers  # noqa: F401  (connects the receivers)
