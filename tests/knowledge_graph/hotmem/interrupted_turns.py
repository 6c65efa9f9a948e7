"""A web process that takes turns of the hot path, and dies at the call it is told."""

from typing import Any

from django.db import connection

from tests.interruption import InterruptedProcess, Order, patch_death, serve_orders


class HotProcess(InterruptedProcess):
    def __init__(self) -> None:
        super().__init__(__name__)

    def take_turns(self, user_id: int, thread: str, texts: list[str], death: list[Any] | None = None) -> int:
        """One after the other. Returns how the process ended: -9 for one that was killed, 0 when all were taken."""
        database = str(connection.settings_dict["NAME"])
        order = {"database": database, "user": user_id, "thread": thread, "texts": texts, "death": death}
        return self.carry_out(order)


def take_turns(order: Order) -> None:
    from django.utils import timezone

    from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
    from memory.models import EndUser

    connection.settings_dict["NAME"] = order["database"]
    if order.get("death"):
        patch_death(*order["death"])
    user = EndUser.objects.get(pk=order["user"])
    for text in order["texts"]:
        run_hot_turn(user, NewHotTurn(order["thread"], text), now=timezone.now(), actor="test")


def prepare() -> None:
    from knowledge_graph.hotmem import turn

    turn.warm_up()


if __name__ == "__main__":
    serve_orders(prepare, take_turns)
