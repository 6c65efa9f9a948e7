"""Signal receivers: forgets the books of erased users, and tells health of files that wait."""

from datetime import timedelta
from typing import Any

from django.dispatch import receiver
from django.utils import timezone

from books.models import Book, BookChunk, BookDigest, BookJob, BooksDue, BookUpload
from memory.access.users import delete_rows
from memory.models import EndUser
from memory.signals import health_probed, user_erased

LATE_AFTER = timedelta(minutes=10)


@receiver(user_erased, dispatch_uid="books.erase")
def erase_books(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    BooksDue.objects.filter(end_user=user).delete()
    removed.update(delete_rows(user, [BookDigest, BookChunk, BookUpload, BookJob, Book]))


@receiver(health_probed, dispatch_uid="books.health")
def report_waiting_books(sender: type, warnings: list[str], **kwargs: Any) -> None:
    waiting = BooksDue.objects.filter(since__lt=timezone.now() - LATE_AFTER).count()
    if waiting:
        people = "one person has" if waiting == 1 else f"{waiting} people have"
        warnings.append(f"books: {people} waited for ten minutes for a file to be read: is a books worker running?")
