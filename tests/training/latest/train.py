"""Trains what orders a person's statements for a question about now: logistic regression, by scikit-learn.

    python manage.py shell -c "from tests.training.latest.train import main; main()"

learns from `conversations.jsonl` beside this file and from the development halves in `memory/evaluation/facts`;
`main("FILE", ...)` from those files instead. With an embedder of its own or other weights of the ranking, train it
again. The weights in use were learned from all of these and from the development halves of two more authors, which are
not part of the project.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import numpy as np
from django.utils import timezone
from sklearn.linear_model import LogisticRegression

from memory.access.users import get_or_create_user
from memory.evaluation.answers import holds_any
from memory.evaluation.conversations import AFTER_LAST_TURN, Conversation, hold_conversation, read_conversations
from memory.evaluation.loading import ACTOR, benchmark_organization, erase_user, index_pending
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.retrieval import validity
from memory.retrieval.latest import WEIGHTS, order_statements
from memory.retrieval.results import SearchRequest
from memory.retrieval.told import FEW_TIMES, SIGNS, ToldStatement, ToldStatements

OWN = "tests/training/latest/conversations.jsonl"
DEFAULT = (OWN, *(f"memory/evaluation/facts/{name}.dev.jsonl" for name in ("changes", "month")))
LATER = (timedelta(), timedelta(days=30))
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


def collect(conversations: Sequence[Conversation]) -> Iterator[AskedStatements]:
    """What the search compares for each question. Nothing of the data is left afterwards."""
    with benchmark_organization(timezone.now()) as organization:
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
        for among in compared:
            yield AskedStatements(among, [holds_any(one.text, question.answers) for one in among.statements])


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
        weight = MANY if one.among.times > FEW_TIMES else 1
        counts += [weight * found**-0.5 for _ in range(found)]
    matrix = np.array(rows)
    spread = matrix.std(axis=0)
    spread[spread == 0] = 1
    regression = LogisticRegression(C=SHRINKING, fit_intercept=False, max_iter=2000)
    regression.fit(matrix / spread, labels, counts)
    weights = regression.coef_[0] / spread
    return {name: round(float(weight), DIGITS) for name, weight in zip(SIGNS, weights, strict=True)}


def main(*files: str) -> None:
    asked = [one for name in files or DEFAULT for one in collect(read_conversations(Path(name)))]
    WEIGHTS.write_text(json.dumps(train(asked), indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"trained on {len(asked)} questions: {WEIGHTS}\n")
