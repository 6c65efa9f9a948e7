"""The worker's part: one process at a time sends, for a slice of time, so that others have the rest of the worker."""

import time
from datetime import timedelta
from typing import Final

from celery import shared_task
from django.utils import timezone

from memory.access.locks import try_task_lock
from memory.conf import memory_conf
from memory.webhooks import dispatch

SLICE_S: Final = 20.0
PURGED_AT_ONCE: Final = 5_000


@shared_task(name="memory.deliver_webhooks")
def deliver_webhooks() -> int:
    """Send what is due. Returns how many attempts were made."""
    until, attempts = time.monotonic() + SLICE_S, 0
    with try_task_lock("webhooks", 0) as is_mine:
        if not is_mine:
            return 0
        dispatch.give_up_outlived(timezone.now())
        while time.monotonic() < until:
            made = dispatch.dispatch_due(timezone.now())
            attempts += made
            if not made:
                break
    # Out of time, or written while the lock was held: its own message met the lock.
    if attempts and dispatch.has_due():
        deliver_webhooks.delay()
    return attempts


@shared_task(name="memory.purge_webhooks")
def purge_webhooks() -> int:
    """Delete the log of deliveries past LOG_DAYS."""
    before, deleted = timezone.now() - timedelta(days=memory_conf().limits.log_days), 0
    while number := dispatch.purge_settled(before, PURGED_AT_ONCE):
        deleted += number
    return deleted
