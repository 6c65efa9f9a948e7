"""A fact of a clause before it is known whether it is kept."""

from dataclasses import dataclass

SURE = 0.9
UNSURE = 0.7


@dataclass(frozen=True, slots=True)
class ClauseFact:
    """``is_ended``: the words say that it is no longer so; ``is_denied``: that it is not so."""

    subject: str
    relation: str
    object: str
    span: tuple[int, int]
    confidence: float = SURE
    is_denied: bool = False
    is_ended: bool = False
    # Holds though the clause asks or supposes: "my niece Noa" has that name wherever she is spoken of.
    is_presupposed: bool = False
    # The value that a denial beside it names: "Brest, not Lorient".
    replaces: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.subject, self.relation, self.object
