"""What speaks for each of two facts that contradict: written down beside the pair, for the person who decides.

A language model argues and decides nothing. Without one the pair waits as it is.
"""

from typing import Annotated, Final
from uuid import UUID

from pydantic import BaseModel, Field

from memory.access.scope import user_scope
from memory.guard import find_secret
from memory.inference.asking import ask_prompt, find_prompt_model
from memory.models import EndUser, Fact, FactReview
from memory.models.facts import FactState, ReviewKind

PROMPT: Final = "debate_prompt"
# Of one night; the newest first, as the desk shows them.
MOST_DEBATED: Final = 3
MOST_ARGUMENTS: Final = 3
MAX_CHARS: Final = 400

Argument = Annotated[str, Field(max_length=MAX_CHARS)]


class DebatedPair(BaseModel):
    """What the model answers, and what is kept with the pair."""

    arguments_for: list[Argument] = Field(default_factory=list)
    arguments_against: list[Argument] = Field(default_factory=list)
    both: Argument = ""
    conclusion: Argument = Field(min_length=1)


def debate_reviews(user: EndUser) -> list[UUID]:
    """Returns the pairs that have arguments now."""
    if find_prompt_model(PROMPT) is None:
        return []
    return [review.pk for review in list_undebated(user) if debate_review(user, review)]


def list_undebated(user: EndUser) -> list[FactReview]:
    """Contradictions, and pairs that a model was asked about and could not decide."""
    with user_scope(user):
        waiting = FactReview.objects.filter(user=user, decision="", debate={})
        waiting = waiting.filter(fact__state=FactState.ACTIVE, other__state=FactState.ACTIVE)
        waiting = waiting.filter(kind=ReviewKind.CONTRADICTION) | waiting.filter(asked_at__isnull=False)
        return list(waiting.select_related("fact", "other").order_by("-created_at", "pk")[:MOST_DEBATED])


def debate_review(user: EndUser, review: FactReview) -> bool:
    earlier, later = sorted((review.other, review.fact), key=lambda fact: fact.last_seen)
    data = {"earlier": describe_statement(earlier), "later": describe_statement(later)}
    answer = ask_prompt(PROMPT, data, DebatedPair, user_id=user.pk)
    if answer is None or find_secret(" ".join(list_words(answer))):
        return False
    kept = {
        "for_newer": answer.arguments_for[:MOST_ARGUMENTS],
        "for_older": answer.arguments_against[:MOST_ARGUMENTS],
        "both": answer.both,
        "conclusion": answer.conclusion,
    }
    if later.pk != review.fact_id:
        kept["for_newer"], kept["for_older"] = kept["for_older"], kept["for_newer"]
    with user_scope(user):
        # Whoever decided meanwhile needs no arguments.
        return bool(FactReview.objects.filter(user=user, pk=review.pk, decision="").update(debate=kept))


def describe_statement(fact: Fact) -> str:
    return f"{' '.join(fact.statement.split())} (said {fact.first_seen:%Y-%m-%d}, last {fact.last_seen:%Y-%m-%d})"


def list_words(answer: DebatedPair) -> list[str]:
    return [*answer.arguments_for, *answer.arguments_against, answer.both, answer.conclusion]
