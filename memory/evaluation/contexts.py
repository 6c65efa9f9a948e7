"""Whether contexts still hold what is asked for with each section on and off, and what each costs.

The stores of a data set are loaded as for the quality of the search, and read into facts as well. Every question is
composed a context in each way: with everything, and without each section in turn.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from django.utils import timezone

from memory.conf import change_settings, memory_conf
from memory.context.blocks import fold_words
from memory.context.compose import Context
from memory.evaluation.datasets import DatasetQuestion, DatasetStore, RetrievalDataset
from memory.evaluation.loading import LoadedStore, create_benchmark_organization, load_store
from memory.evaluation.quality import ASKED_AT, PATIENCE_S
from memory.facade import MemoryFacade
from memory.facts import embedding, streaming
from memory.lifecycle import learning
from memory.models import EndUser

ACTOR: Final = "bench"
EVERYTHING: Final = "everything"
# What a section is turned off by, as the operator's variables do it.
SWITCHES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "hot_bullets": ("HOTMEM", {"injects": False}),
    "streamed_memories": ("STREAM", {"share": 0.0}),
    "known_context": ("CONTEXT", {"tells_known": False}),
}

Say = Callable[[str], None]


@dataclass(slots=True)
class ContextFigures:
    """``held`` are contexts with any memory that answers, ``best`` with the best one; tokens are sums over all."""

    asked: int = 0
    held: int = 0
    best: int = 0
    tokens: int = 0
    sections: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)

    def add(self, context: Context, told: set[int], grades: set[int]) -> None:
        self.asked += 1
        self.held += bool(told)
        self.best += max(grades, default=0) in told
        self.tokens += context.tokens
        for section in context.sections:
            self.sections[section.name] += section.tokens
            self.shown[section.name] += 1

    def rows(self) -> Iterator[str]:
        asked = max(1, self.asked)
        yield f"  an answer in the context: {self.held / asked:.3f}, the best one: {self.best / asked:.3f}"
        parts = [
            f"{name} {tokens / asked:.0f} (in {self.shown[name] / asked:.2f})"
            for name, tokens in self.sections.most_common()
        ]
        yield f"  tokens: {self.tokens / asked:.0f}, of which {', '.join(parts)}"

    def as_json(self) -> dict[str, Any]:
        return {
            "asked": self.asked, "held": self.held, "best": self.best, "tokens": self.tokens,
            "sections": dict(self.sections), "shown": dict(self.shown),
        }  # fmt: skip


def measure_contexts(dataset: RetrievalDataset, say: Say) -> dict[str, ContextFigures]:
    """Figures by what was left out. Nothing of the data set is left afterwards."""
    figures: dict[str, ContextFigures] = defaultdict(ContextFigures)
    with create_benchmark_organization(timezone.now()) as organization:
        for number, store in enumerate(dataset.stores, start=1):
            say(f"{number}/{len(dataset.stores)} {store.key}: {len(store.memories)} memories")
            with load_store(organization, store, ASKED_AT) as content:
                thread = read_into_facts(content.user, store)
                for question in store.questions:
                    for left_out in (EVERYTHING, *SWITCHES):
                        with leave_out(left_out):
                            compose_one(content, store, question, thread, figures[left_out])
    return dict(figures)


def read_into_facts(user: EndUser, store: DatasetStore) -> str:
    """What is told in the store, as facts with their vectors. Returns the thread that went on last, if any."""
    MemoryFacade(ACTOR).extract_facts(user, now=ASKED_AT)
    while learning.learn_bank_items(user, now=ASKED_AT) + embedding.embed_batch(user, now=ASKED_AT):
        pass
    thread = next((memory.thread_id for memory in reversed(store.memories) if memory.thread_id), "")
    if thread:
        streaming.make_stream(user, thread, ASKED_AT)
    return thread


def compose_one(
    content: LoadedStore, store: DatasetStore, question: DatasetQuestion, thread: str, figures: ContextFigures
) -> None:
    context = MemoryFacade(ACTOR).compose_context(
        content.user, question.text, now=ASKED_AT, thread_id=thread, remember=False
    )
    # Line by line, as only so much of one text is folded.
    said = " ".join(fold_words(line) for line in context.injection.splitlines())
    wanted = [memory for memory in store.memories if question.grades.get(memory.key, 0) > 0]
    told = {question.grades[memory.key] for memory in wanted if fold_words(memory.text) in said}
    figures.add(context, told, set(question.grades.values()))


def leave_out(section: str) -> AbstractContextManager[object]:
    """The settings without a section, and patient ones, so that a busy machine changes nothing of what is found."""
    deadlines = {name: max(PATIENCE_S, seconds) for name, seconds in asdict(memory_conf().deadlines).items()}
    changes = dict([SWITCHES[section]]) if section in SWITCHES else {}
    changed: AbstractContextManager[object] = change_settings(DEADLINES=deadlines, **changes)
    return changed
