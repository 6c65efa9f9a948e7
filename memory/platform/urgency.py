"""Whether somebody waits for what this process asks of a server that can put the others first."""


class RequestUrgency:
    """Of a worker's requests nobody waits; of those of everybody else somebody may."""

    is_background = False

    @classmethod
    def step_back(cls) -> None:
        """From now on, for this process and those that it forks."""
        cls.is_background = True

    @classmethod
    def describe(cls) -> dict[str, bool]:
        """What a request's body says of it; only our own server looks at it."""
        return {"background": True} if cls.is_background else {}
