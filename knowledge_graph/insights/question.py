"""A question's words and concepts, as the lookups need them. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge_graph.extraction.concepts import ExtractedConcept, extract_concepts
from knowledge_graph.extraction.context_types import classify_context
from knowledge_graph.extraction.entities import extract_entities
from memory.language import build_query_groups

WORD = re.compile(r"\w+")
# What is pasted behind a question would drown its words.
LONGEST_READ = 2_000
MOST_WORDS = 8
# A memory is about the same matter when it holds so much of the weight of the question's words.
ENOUGH_SHARE = 0.45
ENOUGH_WORDS = 2.5
LEAST_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class InsightQuestion:
    """``words`` are the forms of each topical word; what only carries the sentence is not among them."""

    text: str
    context_type: str
    concepts: tuple[ExtractedConcept, ...]
    entities: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, text: str) -> "InsightQuestion":
        read_text = text[:LONGEST_READ]
        concepts = extract_concepts(read_text)
        labels = [concept.label for concept in concepts if " " not in concept.label]
        return cls(
            text=read_text,
            context_type=classify_context(read_text),
            concepts=concepts,
            entities=tuple(entity.key for entity in extract_entities(read_text)),
            words=tuple(build_query_groups(" ".join(labels))[:MOST_WORDS]) if labels else (),
        )

    @property
    def enough(self) -> float:
        """The share of the words' weight that makes a memory one about this: of a long message fewer are needed."""
        return max(LEAST_SHARE, min(ENOUGH_SHARE, ENOUGH_WORDS / max(1, len(self.words))))

    @property
    def longest_word(self) -> str:
        return max(WORD.findall(self.text.casefold()), key=len, default="")

    @property
    def keys(self) -> list[str]:
        return [concept.key for concept in self.concepts]

    @property
    def topics(self) -> dict[str, str]:
        """Labels by key, single words only."""
        return {concept.key: concept.label for concept in self.concepts if " " not in concept.key}


def count_topics(texts: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The topics of several messages: key to label and number of messages, the most frequent first."""
    counted: dict[str, tuple[str, int]] = {}
    for text in texts:
        for concept in extract_concepts(text[:LONGEST_READ]):
            if " " not in concept.key:
                label, times = counted.get(concept.key, (concept.label, 0))
                counted[concept.key] = (label, times + 1)
    return dict(sorted(counted.items(), key=lambda entry: -entry[1][1]))
