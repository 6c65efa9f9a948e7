"""One text of several sources for a question: what the memory finds, and results that a client's tools gave.

By a language model, which names the source of each statement; without one the sources stand one under the other.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from memory.guard import redact_secrets
from memory.inference.asking import ask_prompt
from memory.language.grounding import find_particulars
from memory.models import EndUser
from memory.platform.deadline import Deadline

PROMPT: Final = "blend_inputs"
# Somebody waits for it.
BREAKER: Final = "llm on demand"
CITED: Final = re.compile(r"\[(\d{1,3})\]")
# Of each source; ten of them are what a model reads at once.
SOURCE_CHARS: Final = 2_000


class BlendedText(BaseModel):
    """What the model answers."""

    text: str = Field(min_length=1, max_length=6_000)


@dataclass(frozen=True, slots=True)
class BlendSource:
    """``label`` says what it is: "memory of 2026-03-02", "weather service"."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class Blend:
    """``cited`` are the places of the sources, from 1, that the text names."""

    text: str
    cited: Sequence[int]
    by_model: bool


def blend_sources(user: EndUser, query: str, sources: Sequence[BlendSource], deadline: Deadline) -> Blend:
    """Never raises for want of a model. Not in a transaction."""
    texts = [f"({source.label}) {source.text[:SOURCE_CHARS]}" for source in sources]
    if not texts:
        return Blend("", (), by_model=False)
    data = {"query": query, "sources": texts}
    answer = ask_prompt(PROMPT, data, BlendedText, user_id=user.pk, deadline=deadline, breaker=BREAKER)
    text = answer.text.strip() if answer else ""
    cited = sorted({int(number) for number in CITED.findall(text)})
    if not cited or not is_from_sources(text, cited, [query, *texts]):
        lines = [f"[{number}] {' '.join(part.split())}" for number, part in enumerate(texts, start=1)]
        return Blend("\n".join(lines), range(1, len(texts) + 1), by_model=False)
    return Blend(redact_secrets(text).text, cited, by_model=True)


def is_from_sources(text: str, cited: Sequence[int], told: Sequence[str]) -> bool:
    """Whether it names only sources that there are, and no number, name or path of its own."""
    known = "\n".join(told).casefold()
    plain = CITED.sub("", text)
    return cited[-1] < len(told) and cited[0] > 0 and all(part in known for part in find_particulars(plain))
