"""What this application forgets when a person is erased."""

from typing import Any

from django.dispatch import receiver

from memory.models import EndUser
from memory.signals import user_erased
from outcomes.models import ActionTaken, ConversationSignal, ConversationWork, Exchange, OutcomeEvent


@receiver(user_erased, dispatch_uid="outcomes.erase")
def erase(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    ConversationWork.objects.filter(end_user=user).delete()
    for model in (Exchange, OutcomeEvent, ActionTaken, ConversationSignal):
        rows = model._default_manager.filter(user_id=user.pk)
        removed[model._meta.db_table] = rows.delete()[0]
