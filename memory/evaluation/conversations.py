"""Measures what is still known of a person's conversations: on their last day, and when the clock has run on.

A file has one JSON object a line: `turns` (`at`, `user`, `assistant`), oldest first, and `questions` (`question`,
`answer`, a list of substrings of which one must be there, `stale`, what was so before), or one question as `question`,
`answer_now` and `stale`. Where it lists `facts`, `gone` and `never`, the facts known of the person are compared with
these too (`known_facts`). Each conversation goes into a user of its own as a client stores it, exchange by exchange,
with the promotion passes of its days.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from django.utils import timezone

from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from memory.access.users import get_or_create_user
from memory.evaluation.answers import holds_any
from memory.evaluation.datasets import DatasetError
from memory.evaluation.known_facts import ExpectedFacts, KnownFigures, compare_facts, read_expected
from memory.evaluation.loading import ACTOR, create_benchmark_organization, erase_user, index_pending
from memory.facade import MemoryFacade
from memory.facts import streaming
from memory.models import EndUser
from memory.retrieval.results import SearchRequest
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange

HITS = 5
COUNTED: Final = (
    "in_context",
    "right_first",
    "stale_first",
    "only_stale",
    "in_bullets",
    "first_bullet",
    "stale_bullets",
)
AFTER_LAST_TURN = timedelta(hours=1)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    text: str
    answers: Sequence[str]
    stale: Sequence[str]


@dataclass(frozen=True, slots=True)
class LifeTurn:
    said_at: datetime
    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Conversation:
    key: str
    turns: Sequence[LifeTurn]
    questions: Sequence[LifeQuestion]
    expected: ExpectedFacts = field(default_factory=ExpectedFacts)


@dataclass(slots=True)
class RecallFigures:
    """``only_stale``: the context holds what was so before and not what is so now. ``in_bullets`` and ``first_bullet``:
    the hot path, asked by itself, says it; ``stale_bullets``: it says what was so before alone; ``bullets`` are all."""

    asked: int = 0
    in_context: int = 0
    right_first: int = 0
    stale_first: int = 0
    only_stale: int = 0
    tokens: int = 0
    in_bullets: int = 0
    first_bullet: int = 0
    stale_bullets: int = 0
    bullets: int = 0
    misses: list[str] = field(default_factory=list)
    facts: KnownFigures = field(default_factory=KnownFigures)

    def rows(self) -> Iterator[tuple[str, str]]:
        for name in COUNTED:
            count = getattr(self, name)
            yield name.replace("_", " "), f"{count} of {self.asked} ({count / max(1, self.asked):.3f})"
        yield "tokens of a context", f"{self.tokens / max(1, self.asked):.0f}"
        yield "bullets a question", f"{self.bullets / max(1, self.asked):.1f}"
        yield from self.facts.rows()

    def as_json(self) -> dict[str, Any]:
        return {
            **{name: getattr(self, name) for name in ("asked", *COUNTED, "tokens", "bullets")},
            **self.facts.as_json(),
        }


def read_conversations(path: Path) -> list[Conversation]:
    """Raises DatasetError."""
    try:
        records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [read_conversation(record) for record in records]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DatasetError(f"{path.name} holds no conversations: {error!r}") from error


def read_conversation(record: dict[str, Any]) -> Conversation:
    turns = [
        LifeTurn(datetime.fromisoformat(turn["at"]), turn["user"], turn.get("assistant") or "Noted.")
        for turn in record["turns"]
    ]
    asked = record.get("questions") or [{**record, "answer": record["answer_now"]}]
    questions = [
        LifeQuestion(one["question"], one["answer"], [one["stale_value"]] if one.get("stale_value") else one["stale"])
        for one in asked
    ]
    return Conversation(str(record["id"]), turns, questions, read_expected(record))


def measure_conversations(
    conversations: Sequence[Conversation], later: timedelta, say: Say, *, nightly: bool = False
) -> dict[str, RecallFigures]:
    """Figures on the last day and ``later``. Nothing of the data is left afterwards.

    ``nightly``: facts are consolidated when a day begins, and what is asked goes on in the last thread, which is
    reminded of what lies near its last turns.
    """
    figures = {"on the last day": RecallFigures(), f"{later.days} days later": RecallFigures()}
    with create_benchmark_organization(timezone.now()) as organization:
        for number, conversation in enumerate(conversations, start=1):
            say(f"{number}/{len(conversations)} {conversation.key}")
            user = get_or_create_user(organization, uuid4().hex)
            thread = hold_conversation(user, conversation, nightly=nightly)
            last = conversation.turns[-1].said_at + AFTER_LAST_TURN
            for found, now in zip(figures.values(), (last, last + later), strict=True):
                pass_night(user, now, nightly=nightly)
                index_pending(user)
                compare_facts(user, conversation.expected, found.facts)
                for question in conversation.questions:
                    ask_question(user, question, now, found, thread if nightly else f"asked-{uuid4().hex}")
            erase_user(user)
    return figures


def pass_night(user: EndUser, now: datetime, *, nightly: bool) -> None:
    facade = MemoryFacade(ACTOR)
    facade.promote(user, now=now)
    if nightly:
        facade.consolidate(user, now=now, clock=lambda: now)


def hold_conversation(user: EndUser, conversation: Conversation, *, nightly: bool = False) -> str:
    """As it was: every exchange at its time, what it teaches read at once, a promotion pass when a day begins.

    Returns the last thread.
    """
    facade = MemoryFacade(ACTOR)
    today, thread = None, ""
    for turn in conversation.turns:
        if today not in {None, turn.said_at.date()}:
            pass_night(user, turn.said_at, nightly=nightly)
        today = turn.said_at.date()
        thread = f"of-{today}"
        facade.store_exchange(user, NewExchange(thread, turn.user, turn.assistant), now=turn.said_at)
        profiling.profile_due_exchanges(user, now=turn.said_at)
        if nightly:
            streaming.make_stream(user, thread, turn.said_at)
        index_pending(user)
    return thread


def ask_question(user: EndUser, question: LifeQuestion, now: datetime, figures: RecallFigures, thread_id: str) -> None:
    facade = MemoryFacade(ACTOR)
    context = facade.compose_context(user, question.text, now=now, thread_id=thread_id)
    hits = facade.search(user, SearchRequest(question.text, limit=HITS), now=now, remember=False).hits
    first = hits[0].item.text if hits else ""
    is_known = holds_any(context.injection, question.answers)
    figures.asked += 1
    figures.tokens += context.tokens
    figures.in_context += is_known
    figures.right_first += holds_any(first, question.answers)
    is_stale = holds_any(first, question.stale) and not holds_any(first, question.answers)
    figures.stale_first += is_stale
    figures.only_stale += holds_any(context.injection, question.stale) and not is_known
    if not is_known:
        figures.misses.append(f"not in the context: {question.text} ({', '.join(question.answers)})")
    if is_stale:
        figures.misses.append(f"stale first: {question.text} ({', '.join(question.answers)}): {first}")
    ask_hot_path(user, question, now, figures, thread_id)


def ask_hot_path(user: EndUser, question: LifeQuestion, now: datetime, figures: RecallFigures, thread_id: str) -> None:
    asked = NewHotTurn(thread_id, question.text, observes=False)
    told = [bullet.text for bullet in run_hot_turn(user, asked, now=now, actor=ACTOR).bullets]
    is_right = [holds_any(text, question.answers) for text in told]
    figures.bullets += len(told)
    figures.in_bullets += any(is_right)
    figures.first_bullet += any(is_right[:1])
    figures.stale_bullets += not any(is_right) and any(holds_any(text, question.stale) for text in told)
    if not any(is_right):
        figures.misses.append(f"no bullet: {question.text} ({', '.join(question.answers)}): {' | '.join(told)}")
