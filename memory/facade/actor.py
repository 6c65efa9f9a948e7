"""The base of every part of the facade."""


class FacadePart:
    """``actor`` is recorded in the event of every change made through this facade ("key:mobile", "operator:ann")."""

    def __init__(self, actor: str = "") -> None:
        self.actor = actor
