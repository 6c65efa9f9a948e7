"""What a long text can be found by, and what is worth keeping of it: by the language model, otherwise by the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from knowledge_graph.extraction.entities import TOOL, extract_entities
from memory.guard import find_secret
from memory.inference.asking import ask_prompt
from memory.language.folding import fold_name
from memory.language.grounding import find_particulars, is_quoted
from memory.models import EndUser
from memory.platform.deadline import Deadline

PROMPT: Final = "extract_content"
# Characters from which a text holds more than the names that one reading of it lists.
LONG: Final = 800
MOST: Final = 12
NAME_CHARS: Final = 100

Sentence = Annotated[str, Field(max_length=1_000)]
Name = Annotated[str, Field(max_length=200)]


class ExtractionAnswer(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="ignore")

    quotes: list[Sentence] = Field(default_factory=list, max_length=24)
    concepts: list[Name] = Field(default_factory=list, max_length=48)
    insights: list[Sentence] = Field(default_factory=list, max_length=24)
    technical_terms: list[Name] = Field(default_factory=list, max_length=48)


@dataclass(frozen=True, slots=True)
class ExtractedContent:
    """``by_model`` is False where the rules read the text: they find names, and no quotes or insights."""

    quotes: Sequence[str] = ()
    concepts: Sequence[str] = ()
    insights: Sequence[str] = ()
    technical_terms: Sequence[str] = ()
    by_model: bool = False


def extract_content(user: EndUser, text: str, *, deadline: Deadline | None = None) -> ExtractedContent:
    """Never raises for want of a model. Not in a transaction."""
    answer = ask_prompt(PROMPT, {"content": text}, ExtractionAnswer, user_id=user.pk, deadline=deadline)
    return keep_grounded(answer, text) if answer else extract_by_rules(text)


def extract_by_rules(text: str) -> ExtractedContent:
    found = extract_entities(text)
    terms = [one.name for one in found if one.kind == TOOL]
    return ExtractedContent(
        concepts=[one.name for one in found if one.kind != TOOL][:MOST], technical_terms=terms[:MOST]
    )


def keep_grounded(answer: ExtractionAnswer, text: str) -> ExtractedContent:
    """What of an answer is in the text: a model that quotes from memory, or adds a number, is left out there."""
    folded, told = fold_name(text), text.casefold()
    return ExtractedContent(
        quotes=[one for one in clean(answer.quotes) if is_quoted(one, text)],
        concepts=[one for one in clean(answer.concepts) if is_named(one, folded)],
        insights=[one for one in clean(answer.insights) if all(part in told for part in find_particulars(one))],
        technical_terms=[one for one in clean(answer.technical_terms) if is_named(one, folded)],
        by_model=True,
    )


def is_named(name: str, folded: str) -> bool:
    return 1 < len(name) <= NAME_CHARS and fold_name(name) in folded


def clean(texts: Sequence[str]) -> list[str]:
    """In one line each, once each, without secrets."""
    lines = dict.fromkeys(" ".join(text.split()) for text in texts)
    return [line for line in lines if line and not find_secret(line)][:MOST]
