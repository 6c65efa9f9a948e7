"""Trains what orders a person's statements for a question about now: logistic regression, by scikit-learn.

    python manage.py shell -c "from tests.training.latest.train import main; main()"

learns from `conversations.jsonl` beside this file, from the development halves in `memory/evaluation/facts` and from
the stores of first days, in which hardly any two statements are of one matter; `main("FILE", ...)` from those files
instead. With an embedder of its own or other weights of the ranking, train it again.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Final
from unittest.mock import patch
from uuid import uuid4

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from memory.access.users import get_or_create_user
from memory.evaluation import first_days
from memory.evaluation.answers import holds_any
from memory.evaluation.conversations import (
    AFTER_LAST_TURN,
    Conversation,
    LifeQuestion,
    LifeTurn,
    hold_conversation,
    read_conversations,
)
from memory.evaluation.loading import ACTOR, create_benchmark_organization, erase_user, index_pending
from memory.evaluation.quality import ASKED_AT
from memory.evaluation.scenarios import TUNING
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.retrieval import validity
from memory.retrieval.latest import WEIGHTS, order_statements
from memory.retrieval.results import SearchRequest
from memory.retrieval.told import FEW_TIMES, SIGNS, ToldStatement, ToldStatements
from tests.training.development import list_development

OWN = "tests/training/latest/conversations.jsonl"
CHANGES = ("", "stranger_", "visitor_", "spoken_", "passing_", "commuter_", "flatmate_", "parent_")
DEFAULT = (OWN, *list_development(CHANGES))
LATER = (timedelta(), timedelta(days=30))
Numbers = NDArray[np.float64]
# What a sign means, whatever a set happens to hold, as the least or the most that its weight may be: of what is wished
# for, and of what waits in the review as a likely change, the sets have too few to tell.
LEAST: Final[Mapping[str, float]] = {
    **dict.fromkeys(("total", "newer changes", "words shared", "newer superseded"), 0.0),
    "newer changes its matter": 1.2,
    "newer doubts older": 4.0,
}
MOST: Final[Mapping[str, float]] = {
    **dict.fromkeys(("newer asks", "newer passes", "newer of others", "newer of strangers"), 0.0),
    **dict.fromkeys(("newer says nothing", "older superseded"), 0.0),
    "newer imagined": -1.5,
}
# Of a question to a mixed store, where another to a conversation counts one: with 1 a change without its topic stays
# behind what it changes, with .5 two fewer of a stranger's first days come out right.
OF_MIXED = 0.7
SHRINKING = 0.1
"""With .03 and .3 as many came first of the third author's conversations, trained on two."""
MANY = 2
"""What a question of a longer life counts: with 1 the left-out month lost .05, with 4 the left-out changes .05."""
DIGITS = 3


@dataclass(frozen=True, slots=True)
class AskedStatements:
    """The statements compared for a question, and which of them hold its answer."""

    among: ToldStatements
    holds: Sequence[bool]
    weight: float = 1.0


def collect(conversations: Sequence[Conversation]) -> Iterator[AskedStatements]:
    """What the search compares for each question. Nothing of the data is left afterwards."""
    with create_benchmark_organization(timezone.now()) as organization:
        for conversation in conversations:
            user = get_or_create_user(organization, uuid4().hex)
            hold_conversation(user, conversation)
            for later in LATER:
                yield from ask(user, conversation, later)
            erase_user(user)


def ask(user: EndUser, conversation: Conversation, later: timedelta) -> Iterator[AskedStatements]:
    now = conversation.turns[-1].said_at + AFTER_LAST_TURN + later
    MemoryFacade(ACTOR).promote(user, now=now)
    index_pending(user)
    for question in conversation.questions:
        compared: list[ToldStatements] = []

        def remember(text: str, told: Sequence[ToldStatement], seen: list[ToldStatements] = compared) -> list[int]:
            seen.append(ToldStatements(text, told))
            return order_statements(text, told)

        with patch.object(validity, "order_statements", remember):
            MemoryFacade(ACTOR).search(user, SearchRequest(question.text), now=now, remember=False)
        # A published part of the turn that is the answer holds it as well.
        times = {turn.said_at for turn in conversation.turns if turn.user in question.answers}
        for among in compared:
            holds = [holds_any(one.text, question.answers) or one.said_at in times for one in among.statements]
            yield AskedStatements(among, holds)


def read_mixed_stores() -> Iterator[Conversation]:
    """Stores of first days as if everything in them had been said in conversation."""
    for read in first_days.SETS.values():
        for store in read(TUNING).stores:
            said = {one.key: one for one in sorted(store.memories, key=lambda one: -(one.days_ago or 0.0))}
            turns = [
                LifeTurn(ASKED_AT - timedelta(days=one.days_ago or 0.0), one.text, one.reply or "Noted.")
                for one in said.values()
            ]
            questions = [
                LifeQuestion(one.text, [said[key].text for key in one.grades], ())
                for one in store.questions
                if one.grades
            ]
            yield Conversation(store.key, turns, questions)


def train(asked: Sequence[AskedStatements]) -> dict[str, float]:
    """The same statements give the same weights."""
    rows: list[list[float]] = []
    labels: list[bool] = []
    counts: list[float] = []
    for one in asked:
        before = len(rows)
        for (first, holds), (second, other) in combinations(zip(one.among.statements, one.holds, strict=True), 2):
            if holds != other and first.said_at != second.said_at:
                is_first_older = first.said_at < second.said_at
                rows.append(one.among.compare(*((first, second) if is_first_older else (second, first))))
                labels.append(other if is_first_older else holds)
        # A question of many statements tells more than one of two, and not as many times more.
        found = len(rows) - before
        weight = one.weight * (MANY if one.among.times > FEW_TIMES else 1)
        counts += [weight * found**-0.5 for _ in range(found)]
    matrix, known = np.array(rows), np.array(labels, dtype=float)
    spread = matrix.std(axis=0)
    spread[spread == 0] = 1
    bounds = [(LEAST.get(name), MOST.get(name)) for name in SIGNS]
    weights = fit_pairs(matrix, known, np.array(counts), SHRINKING * spread**-2, bounds)
    return {name: round(float(weight), DIGITS) for name, weight in zip(SIGNS, weights, strict=True)}


def fit_pairs(
    matrix: Numbers,
    labels: Numbers,
    counts: Numbers,
    freedom: Numbers,
    bounds: Sequence[tuple[float | None, float | None]],
) -> Numbers:
    """A logistic regression with a ridge, without intercept, within bounds."""

    def lose(weights: Numbers) -> tuple[float, Numbers]:
        logits = matrix @ weights
        loss = float(counts @ (np.logaddexp(0.0, logits) - labels * logits) + (weights**2 / freedom).sum() / 2)
        return loss, matrix.T @ (counts * (expit(logits) - labels)) + weights / freedom

    fitted = minimize(lose, np.zeros(matrix.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(fitted.x)


def main(*files: str) -> None:
    sources = [read_conversations(Path(name)) for name in files or DEFAULT]
    asked = [one for source in sources for one in collect(source)]
    if not files:
        asked += [replace(one, weight=OF_MIXED) for one in collect(list(read_mixed_stores()))]
    WEIGHTS.write_text(json.dumps(train(asked), indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"trained on {len(asked)} questions: {WEIGHTS}\n")
