"""Compares retrieval in stages with the search, on questions that are asked in one conversation of several.

A file has one JSON object a line: `threads` and a `current` one with their exchanges, `query`, `at`, and the `answer`
as substrings. Each case is a person of its own, taken out again afterwards.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from django.utils import timezone

from memory.access.scope import user_scope
from memory.context.compose import Context
from memory.enrichment.tasks import label_person
from memory.evaluation.datasets import DatasetError
from memory.evaluation.loading import create_benchmark_organization
from memory.facade import MemoryFacade
from memory.facade.retrieval import RetrievalMode
from memory.indexing import queue
from memory.models import EndUser, MemoryItem, Organization
from memory.vocabulary.editions import choose_preset
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange

ACTOR: Final = "bench"
MODES: Final[tuple[RetrievalMode, ...]] = ("hybrid", "staged")
# Sections that are found for the question, and not known whatever is asked.
FOUND: Final = frozenset({"retrieved_memories", "current_conversation", "related_conversations", "long_term"})
NEEDED: Final = ("threads", "current", "query", "at", "answer", "domain", "gold", "kind", "negative")
DEPTHS: Final = (3, 5, 10)
LOOKS_BACK: Final = timedelta(days=900)

Say = Callable[[str], None]


@dataclass(slots=True)
class StagedFigures:
    """Of one way to retrieve. ``held``: positive cases with their answer in the context; ``silent``: negative ones that
    another conversation adds nothing to; ``recall`` at a depth: the sum of each positive case's share of its gold
    exchanges among the first records found. Tokens are those of what was found; ``ms`` of the whole context."""

    positive: int = 0
    negative: int = 0
    held: int = 0
    silent: int = 0
    recall: defaultdict[int, float] = field(default_factory=lambda: defaultdict(float))
    tokens: Counter[str] = field(default_factory=Counter)
    ms: float = 0.0

    def rows(self) -> Iterator[tuple[str, str]]:
        asked = max(1, self.positive + self.negative)
        yield "answer in the context", f"{self.held} of {self.positive}"
        shares = (f"{self.recall[depth] / max(1, self.positive):.3f} @{depth}" for depth in DEPTHS)
        yield "gold exchanges found", ", ".join(shares)
        yield "nothing found where nothing belongs", f"{self.silent} of {self.negative}"
        yield (
            "tokens found",
            f"{self.tokens['positive'] / max(1, self.positive):.0f} where an answer is, "
            + (f"{self.tokens['negative'] / max(1, self.negative):.0f} where none belongs"),
        )
        yield "time", f"{self.ms / asked:.0f} ms a context"

    def as_json(self) -> dict[str, Any]:
        names = ("positive", "negative", "held", "silent", "ms")
        recall = {f"recall_at_{depth}": self.recall[depth] / max(1, self.positive) for depth in DEPTHS}
        return {name: getattr(self, name) for name in names} | {"tokens": dict(self.tokens)} | recall


def read_cases(path: Path) -> list[dict[str, Any]]:
    """Raises DatasetError."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path}: {error}") from error
    if not rows or not all(isinstance(row, dict) and all(name in row for name in NEEDED) for row in rows):
        raise DatasetError(f"{path}: each line must be an object with {', '.join(NEEDED)}")
    return rows


def measure_staged(cases: Sequence[Mapping[str, Any]], say: Say) -> dict[RetrievalMode, StagedFigures]:
    figures = {mode: StagedFigures() for mode in MODES}
    with create_benchmark_organization(timezone.now()) as organization:
        for number, case in enumerate(cases, start=1):
            say(f"{number}/{len(cases)}")
            user = load_case(organization, case, f"case-{number}")
            for mode in MODES:
                ask_case(user, case, mode, figures[mode])
    return figures


def load_case(organization: Organization, case: Mapping[str, Any], name: str) -> EndUser:
    """What was said until the question, indexed, read into facts, and labelled by the case's own vocabulary."""
    choose_preset(organization.pk, case["domain"], now=timezone.now(), actor=ACTOR)
    user = EndUser.objects.create(organization=organization, external_id=name)
    facade = MemoryFacade(ACTOR)
    for thread in (*case["threads"], case["current"]):
        for said in thread["exchanges"]:
            at = datetime.fromisoformat(said["at"])
            new = NewExchange(thread["thread_id"], said["user"], said["assistant"], occurred_at=at)
            facade.store_exchange(user, new, now=at)
    while profiling.profile_due_exchanges(user) + queue.index_batch(user, now=timezone.now() + timedelta(minutes=5)):
        pass
    asked_at = datetime.fromisoformat(case["at"])
    label_person(user, now=asked_at, since=asked_at - LOOKS_BACK)
    return user


def ask_case(user: EndUser, case: Mapping[str, Any], mode: RetrievalMode, figures: StagedFigures) -> None:
    started = time.perf_counter()
    context = MemoryFacade(ACTOR).compose_context(
        user,
        case["query"],
        now=datetime.fromisoformat(case["at"]),
        thread_id=case["current"]["thread_id"],
        remember=False,
        retrieval=mode,
    )
    figures.ms += (time.perf_counter() - started) * 1000
    tokens = sum(section.tokens for section in context.sections if section.name in FOUND)
    if case["negative"]:
        figures.negative += 1
        figures.tokens["negative"] += tokens
        figures.silent += not tells_of_others(context, case)
    else:
        figures.positive += 1
        figures.tokens["positive"] += tokens
        figures.held += holds_answer(context.injection, case)
        for depth in DEPTHS:
            figures.recall[depth] += recall_gold(user, context, case, depth)


def recall_gold(user: EndUser, context: Context, case: Mapping[str, Any], depth: int) -> float:
    """The share of the gold exchanges that are among the first ``depth`` records, in the order of the context.

    A fact read out of an exchange counts for it: it stands in the same thread at the same moment.
    """
    ids = [item_id for section in context.handed if section.name in FOUND for item_id in section.memory_ids]
    with user_scope(user):
        found = set(
            MemoryItem.objects.for_user(user).filter(pk__in=ids[:depth]).values_list("thread_id", "occurred_at")
        )
    said = {thread["thread_id"]: thread["exchanges"] for thread in (*case["threads"], case["current"])}
    gold = {
        (one["thread_id"], datetime.fromisoformat(said[one["thread_id"]][one["exchange"]]["at"]))
        for one in case["gold"]
    }
    return len(gold & found) / len(gold)


def holds_answer(text: str, case: Mapping[str, Any]) -> bool:
    needed = all if case["kind"] == "two" else any
    return needed(part.casefold() in text.casefold() for part in case["answer"])


def tells_of_others(context: Context, case: Mapping[str, Any]) -> bool:
    """Whether anything that was found was said in another conversation."""
    found = "\n".join(section.text for section in context.sections if section.name in FOUND)
    said = (exchange for thread in case["threads"] for exchange in thread["exchanges"])
    return any(exchange["user"][:40] in found for exchange in said)
