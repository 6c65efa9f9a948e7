"""What every part of the facade knows."""


class Door:
    """``actor`` is written into the events of whatever a facade changes ("key:mobile", "operator:ann")."""

    def __init__(self, actor: str = "") -> None:
        self.actor = actor
