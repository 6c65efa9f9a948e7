"""Measures what messages are labelled with by rules, against labels that a reader gave them.

A file has one JSON object a line: `text`, the `domain` (a preset), and the labels. Nothing is stored.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memory.enrichment.labels import MessageLabels
from memory.enrichment.rules import label_message
from memory.vocabulary.presets import load_preset

SINGLE: Final = ("category", "message_type", "importance")


@dataclass(slots=True)
class LabelFigures:
    """``found``, ``given`` and ``wanted`` count topics and entities, ``right`` labels of which a message has one."""

    messages: int = 0
    found: Counter[str] = field(default_factory=Counter)
    given: Counter[str] = field(default_factory=Counter)
    wanted: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        for name in self.wanted | self.given:
            precision, recall = self.rate(name)
            yield name, f"precision {precision:.3f}, recall {recall:.3f} of {self.wanted[name]}"
        for name in SINGLE:
            yield name, f"{self.right[name]} of {self.messages} ({self.right[name] / max(self.messages, 1):.3f})"

    def rate(self, name: str) -> tuple[float, float]:
        return self.found[name] / max(self.given[name], 1), self.found[name] / max(self.wanted[name], 1)

    def as_json(self) -> dict[str, Any]:
        rated = {name: dict(zip(("precision", "recall"), self.rate(name), strict=True)) for name in self.wanted}
        return {"messages": self.messages, **rated, **{name: self.right[name] / self.messages for name in SINGLE}}


def measure_labels(rows: Iterable[Mapping[str, Any]]) -> LabelFigures:
    figures = LabelFigures()
    for row in rows:
        labels = label_message(row["text"], load_preset(row["domain"]))
        figures.messages += 1
        count_set(figures, "topics", set(labels.topics), set(row["topics"]))
        count_set(
            figures, "entities", key_entities(labels), {(one["type"], fold(one["value"])) for one in row["entities"]}
        )
        wrong = [name for name in SINGLE if getattr(labels, name) != row[name]]
        figures.right.update(set(SINGLE) - set(wrong))
        if wrong or set(labels.topics) != set(row["topics"]):
            figures.misses.append(
                f"{', '.join(wrong) or 'topics'}: {labels.topics}, not {row['topics']}: {row['text']}"
            )
    return figures


def count_set(figures: LabelFigures, name: str, given: set[Any], wanted: set[Any]) -> None:
    figures.found[name] += len(given & wanted)
    figures.given[name] += len(given)
    figures.wanted[name] += len(wanted)


def key_entities(labels: MessageLabels) -> set[tuple[str, str]]:
    return {(one.type, fold(one.value)) for one in labels.entities}


def fold(value: str) -> str:
    return value.casefold().strip()
