"""A worker that reads a person's exchanges and dies at the call it is told."""

from django.db import connection

from tests.interruption import InterruptedProcess, Order, patch_death, serve_orders


class ReadingProcess(InterruptedProcess):
    def __init__(self) -> None:
        super().__init__(__name__)

    def die_at(self, user_id: int, point: str, when: str, nth: int) -> int:
        """Read to the death at the ``nth`` call of ``point``. Returns how the process ended."""
        database = str(connection.settings_dict["NAME"])
        return self.carry_out({"database": database, "user": user_id, "death": [point, when, nth]})


def read_to_the_death(order: Order) -> None:
    from outcomes import tasks

    connection.settings_dict["NAME"] = order["database"]
    # On a busy machine the time of a task ends before its work does, and the death would not be met.
    tasks.READING_SECONDS = 600
    patch_death(*order["death"])
    tasks.read_exchanges(order["user"])


def prepare() -> None:
    from outcomes import tasks

    tasks.load_readers()


if __name__ == "__main__":
    serve_orders(prepare, read_to_the_death)
