"""A process that carries the open run of a rebuilding on and dies at the call it is told."""

from django.db import connection

from tests.interruption import InterruptedProcess, Order, patch_death, serve_orders


class RebuildProcess(InterruptedProcess):
    def __init__(self) -> None:
        super().__init__(__name__)

    def die_at(self, point: str, when: str, nth: int) -> int:
        """Carry the open run on to the death at the ``nth`` call of ``point``. Returns how the process ended."""
        from memory.conf import memory_conf

        vector = memory_conf().vector
        return self.carry_out(
            {
                "database": str(connection.settings_dict["NAME"]),
                "vector": {"backend": vector.backend, "qdrant_url": vector.qdrant_url},
                "death": [point, when, nth],
            }
        )


def patch(point: str, when: str, nth: int) -> None:
    from memory.indexing import rebuild

    owner, name, changed = patch_death(point, when, nth)
    for phase, step in list(rebuild.STEPS.items()):
        if owner is rebuild and step.__name__ == name:
            rebuild.STEPS[phase] = changed


def continue_to_the_death(order: Order) -> None:
    from django.conf import settings

    from memory.indexing import rebuild, runs

    connection.settings_dict["NAME"] = order["database"]
    settings.MEMORY = {**settings.MEMORY, "VECTOR": {**settings.MEMORY["VECTOR"], **order["vector"]}}
    rebuild.BATCH, rebuild.PAGE = 8, 8
    patch(*order["death"])
    run = runs.find_open_run()
    assert run is not None
    rebuild.continue_run(run.pk, stop=lambda: False)


def prepare() -> None:
    from memory.indexing import drift, rebuild, runs  # noqa: F401  (a fork has them at once)


if __name__ == "__main__":
    serve_orders(prepare, continue_to_the_death)
