"""Which memories answer a question of the assistant's that asks for the very relation a search asks for.

"What bike is it?" stands in the exchange before "ribble cgr", so that was nearer to "which bike do I have?", and holds
no answer. Of 63 conversations of a stranger's whose assistants ask (development) the right one came first in 28 with
this, in 25 without.
"""

from collections.abc import Sequence
from typing import Final

from memory.claims.questions import RELATED, read_question
from memory.language.exchanges import find_answered
from memory.retrieval.ranking import RankedCandidate, move

ANSWERS_ASKED: Final = "answers_asked"
# Above what asks it.
STEP: Final = 0.01
# Relations of any question for a name: whose it is they do not say.
OF_ANYBODY: Final = RELATED["name"] | {"name", "owns", "time"}


class RepliesFound:
    """The candidates of a search by what they answer."""

    def __init__(self, question: str, ranked: Sequence[RankedCandidate]) -> None:
        self.asked_for = read_question(question).relations - OF_ANYBODY
        self._ranked = ranked
        self._places = {one.candidate.memory.id: one for one in ranked} if self.asked_for else {}

    def answers(self, one: RankedCandidate) -> bool:
        """Whether a candidate answers a question of the assistant's for one of the relations."""
        asked = self._find_asked(one) if self.asked_for else ""
        return bool(asked) and not self.asked_for.isdisjoint(read_question(asked).relations)

    def lift(self) -> None:
        """Move answers up past the exchange that asks. Changes the candidates in place."""
        for one in self._ranked:
            asking = self._find_asking(one)
            if asking is not None and asking.total > one.total and self.answers(one):
                move(one, asking.total + STEP, ANSWERS_ASKED)

    def _find_asking(self, one: RankedCandidate) -> RankedCandidate | None:
        previous = one.candidate.memory.previous_id
        return self._places.get(previous) if previous is not None else None

    def _find_asked(self, one: RankedCandidate) -> str:
        memory = one.candidate.memory
        if memory.is_published:
            # A statement that was kept with what it answers: "How old is Theo? nine."
            told, mark, said = memory.text.rpartition("?")
            return f"{told}?" if mark and said.strip() else ""
        asking = self._find_asking(one)
        return find_answered(memory.text, asking.candidate.memory.text) if asking is not None else ""
