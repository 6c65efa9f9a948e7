from django.apps import AppConfig


class KnowledgeGraphConfig(AppConfig):
    name = "knowledge_graph"
