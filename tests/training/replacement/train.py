"""Trains how likely a statement takes the place of an earlier one: logistic regression, by scikit-learn.

    python manage.py shell -c "from tests.training.replacement.train import main; main()"

learns from the development halves in `memory/evaluation/facts`; `main("FILE", ...)` from those files instead. A pair
counts as replaced where the earlier statement holds the stale answer of a question and the later one that of now. The
weights in use were learned from the development halves of three authors, two of which are not part of the project.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import numpy as np
from django.utils import timezone
from sklearn.linear_model import LogisticRegression

from memory.access.users import get_or_create_user
from memory.evaluation.answers import holds_any
from memory.evaluation.conversations import Conversation, hold_conversation, read_conversations
from memory.evaluation.loading import benchmark_organization, erase_user
from memory.facts import judgement, replacement
from memory.facts.pairs.likelihood import BIAS, SIGNS, WEIGHTS, Replacement, list_signs
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.facts.replacement import EarlierStatement, LikelyReplacement

DEFAULT = tuple(f"memory/evaluation/facts/{name}.dev.jsonl" for name in ("changes", "month"))
SHRINKING = 0.1
DIGITS = 3


@dataclass(frozen=True, slots=True)
class LabelledPair:
    signs: Sequence[float]
    is_replaced: bool


def collect(conversations: Sequence[Conversation]) -> Iterator[LabelledPair]:
    """Each statement with what was known when it was told. Nothing of the data is left afterwards."""
    with benchmark_organization(timezone.now()) as organization:
        for conversation in conversations:
            user = get_or_create_user(organization, uuid4().hex)
            compared: list[tuple[Sequence[EarlierStatement], PairStatement, datetime]] = []

            def remember(
                earlier: Sequence[EarlierStatement],
                new: PairStatement,
                said_at: datetime,
                seen: list[tuple[Sequence[EarlierStatement], PairStatement, datetime]] = compared,
            ) -> list[LikelyReplacement]:
                seen.append((earlier, new, said_at))
                return replacement.estimate_all(earlier, new, said_at)

            with patch.object(judgement, "estimate_all", remember):
                hold_conversation(user, conversation)
            for earlier, new, said_at in compared:
                yield from label(conversation, earlier, new, said_at)
            erase_user(user)


def label(
    conversation: Conversation, earlier: Sequence[EarlierStatement], new: PairStatement, said_at: datetime
) -> Iterator[LabelledPair]:
    known = [one.cosine for one in earlier if one.cosine is not None]
    if not known:
        return
    cosines = [min(known) if one.cosine is None else one.cosine for one in earlier]
    newer = read_pair_statement(new)
    for one, cosine in zip(earlier, cosines, strict=True):
        if one.last_said < said_at:
            days = (said_at - one.last_said).total_seconds() / replacement.DAY_S
            older = read_pair_statement(one.statement)
            pair = Replacement(older, newer, cosine, cosines, days, one.is_same_thread)
            yield LabelledPair(list_signs(pair), is_replaced(conversation, one.statement, new))


def is_replaced(conversation: Conversation, old: PairStatement, new: PairStatement) -> bool:
    return any(
        holds_any(old.statement, question.stale)
        and not holds_any(old.statement, question.answers)
        and holds_any(new.statement, question.answers)
        for question in conversation.questions
    )


def train(pairs: Sequence[LabelledPair]) -> dict[str, float]:
    """The same pairs give the same weights."""
    matrix = np.array([pair.signs for pair in pairs])
    spread = matrix.std(axis=0)
    spread[spread == 0] = 1
    regression = LogisticRegression(C=SHRINKING, max_iter=2000)
    regression.fit(matrix / spread, [pair.is_replaced for pair in pairs])
    weights = dict(zip(SIGNS, (regression.coef_[0] / spread).tolist(), strict=True))
    return {BIAS: round(float(regression.intercept_[0]), DIGITS)} | {
        name: round(weight, DIGITS) for name, weight in weights.items()
    }


def main(*files: str) -> None:
    pairs = [pair for name in files or DEFAULT for pair in collect(read_conversations(Path(name)))]
    WEIGHTS.write_text(json.dumps(train(pairs), indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"trained on {len(pairs)} pairs: {WEIGHTS}\n")
