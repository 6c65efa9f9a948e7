"""How many processes and threads the product runs: for whoever starts them, and for the settings that go by them."""

from dataclasses import dataclass
from typing import Final

from config.env import env_int

# Enough for a burst of a hundred quick requests to a process; they wait no longer than memory/platform/slots.py says.
WAITING_PER_THREAD: Final = 12


@dataclass(frozen=True, slots=True)
class ProcessCounts:
    web_workers: int
    # Requests that one web process works at, whatever its threads.
    web_threads: int
    worker_concurrency: int
    book_workers: int
    chat_streams: int

    @property
    def web_waiting(self) -> int:
        """How many requests may wait for one of ``web_threads``: each holds a thread, and nothing else."""
        return self.web_threads * WAITING_PER_THREAD

    @property
    def web_bodies(self) -> int:
        """How many requests may be sending their body, in threads that streams leave."""
        return self.web_threads + self.chat_streams // 4

    @property
    def server_threads(self) -> int:
        """Health, and refusals, find one while all that may work, wait and stream do."""
        return self.web_threads + self.web_waiting + self.chat_streams


def read_process_counts() -> ProcessCounts:
    """Raises ImproperlyConfigured for a variable that is no such number."""
    return ProcessCounts(
        web_workers=env_int("WEB_WORKERS", 2, minimum=1),
        # More than two cores can serve at once are all late: memory/platform/slots.py.
        web_threads=env_int("WEB_THREADS", 8, minimum=1),
        worker_concurrency=env_int("WORKER_CONCURRENCY", 2, minimum=1),
        book_workers=env_int("BOOK_WORKERS", 1, minimum=1),
        chat_streams=env_int("CHAT_STREAMS", 208, minimum=1),
    )
