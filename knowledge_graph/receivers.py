"""What other parts say, turned into work. Receivers leave work behind and do none."""

from typing import Any

from django.dispatch import receiver

from knowledge_graph.models import GRAPH_TABLES
from memory.models import EndUser
from memory.signals import user_erased


@receiver(user_erased, dispatch_uid="knowledge_graph.erase")
def erase(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    for model in GRAPH_TABLES:
        rows = model._default_manager.filter(user_id=user.pk)
        removed[model._meta.db_table] = rows._raw_delete(rows.db)
