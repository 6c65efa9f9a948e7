"""The night's look for statements that say the same."""

import time
from typing import Final

from celery import shared_task
from django.utils import timezone

from memory.inbox.duplicates import look_for_duplicates
from memory.models import EndUser

# Of one run over everybody; who was not reached is first in the next.
RUN_SECONDS: Final = 600
# More than such a run reaches.
MOST_PEOPLE: Final = 100_000


@shared_task(name="memory.look_for_duplicates")
def look_for_duplicates_of_everyone() -> int:
    """Returns how many pairs are new."""
    found, started = 0, time.monotonic()
    for user in EndUser.objects.order_by("consolidated_at", "pk")[:MOST_PEOPLE]:
        if time.monotonic() - started > RUN_SECONDS:
            break
        found += look_for_duplicates(user, now=timezone.now())
    return found
