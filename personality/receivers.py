"""Signal receivers: a person takes their templates with them."""

from django.dispatch import receiver

from memory.access.users import delete_rows
from memory.models import EndUser
from memory.signals import user_erased
from personality.models import ActivePersonality, PersonalityTemplate


@receiver(user_erased, dispatch_uid="personality.erase")
def erase_templates(sender: type, user: EndUser, removed: dict[str, int], **kwargs: object) -> None:
    removed.update(delete_rows(user, (ActivePersonality, PersonalityTemplate)))
