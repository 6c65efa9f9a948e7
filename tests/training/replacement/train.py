"""Trains how likely a turn takes the place of what is known: logistic regression, by scikit-learn.

    python manage.py shell -c "from tests.training.replacement.train import main; main()"

learns from the own conversations of `tests/training/latest` and from the development halves in
`memory/evaluation/facts`; `main("FILE", ...)` from those files instead. A pair counts as replaced where the earlier
statement holds the stale answer of a question and the turn that of now, or tells that the old has ended.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import numpy as np
from django.utils import timezone
from sklearn.linear_model import LogisticRegression

from memory.access.scope import user_scope
from memory.access.users import get_or_create_user
from memory.claims.claim import SPEAKER
from memory.evaluation.answers import holds_any
from memory.evaluation.conversations import Conversation, hold_conversation, read_conversations
from memory.evaluation.loading import create_benchmark_organization, erase_user
from memory.facts import replacement
from memory.facts.judgement import describe_fact
from memory.facts.keys import fold_key
from memory.facts.nearest import find_candidates
from memory.facts.pairs.likelihood import BIAS, SIGNS, WEIGHTS, Replacement, list_signs
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.facts.profile.turns import find_told_turn
from memory.facts.replacement import EarlierStatement
from memory.lifecycle import learning
from memory.lifecycle.learning import DraftedStatement, SpokenText
from memory.models import EndUser
from tests.training.development import list_development

OWN = "tests/training/latest/conversations.jsonl"
CHANGES = (
    "",
    "spoken_",
    "stranger_",
    "visitor_",
    "newcomer_",
    "traveller_",
    "passing_",
    "commuter_",
    "flatmate_",
    "parent_",
)
DEFAULT = (OWN, *list_development(CHANGES))
SHRINKING = 0.1
LONG, OF_LONG = 20, 0.5
"""Turns of a conversation above which each counts less. Of three strangers left out, with 1 as few turns of a month
are misjudged (9 of 264 at .5, 16 so, 36 without months of strangers) and fewer changes there seen (5, 9, 13)."""
DIGITS = 3


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """``weight``: the pairs of one turn count as much as one."""

    signs: Sequence[float]
    is_replaced: bool
    weight: float


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """A turn with what was known when it was said."""

    earlier: Sequence[EarlierStatement]
    told: str
    said_at: datetime


def collect(path: Path) -> Iterator[LabelledPair]:
    """Each turn with what was known when it was told. Nothing of the data is left afterwards."""
    endings, draft = read_endings(path), learning.draft_facts
    with create_benchmark_organization(timezone.now()) as organization:
        for conversation in read_conversations(path):
            user = get_or_create_user(organization, uuid4().hex)
            compared: list[ComparedTurn] = []

            def compare(
                user: EndUser, spoken: SpokenText, source: dict[str, str], seen: list[ComparedTurn] = compared
            ) -> list[DraftedStatement]:
                seen.extend(compare_turn(user, spoken))
                return draft(user, spoken, source)

            with patch.object(learning, "draft_facts", compare):
                hold_conversation(user, conversation)
            counts = OF_LONG if len(conversation.turns) > LONG else 1.0
            for turn in compared:
                ends = turn.said_at in endings.get(conversation.key, ())
                yield from (replace(one, weight=one.weight * counts) for one in label(conversation, turn, ends=ends))
            erase_user(user)


def read_endings(path: Path) -> dict[str, set[datetime]]:
    """When it was told in each conversation that the old is over, without what is so now."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {
        str(one["id"]): {datetime.fromisoformat(one["turns"][at]["at"]) for at in one.get("ending_turns", ())}
        for one in records
    }


def compare_turn(user: EndUser, spoken: SpokenText) -> Iterator[ComparedTurn]:
    turn = find_told_turn(spoken.text)
    if turn is None:
        return
    [vector], model = learning.embed_statements([turn.statement])
    with user_scope(user):
        known = find_candidates(user, "", fold_key(SPEAKER), vector, model)
    earlier = [
        EarlierStatement(describe_fact(fact), fact.last_seen, fact.thread_id == spoken.thread_id, cosine)
        for fact, cosine in known
        if fact.last_seen < spoken.said_at
    ]
    yield ComparedTurn(earlier, turn.statement, spoken.said_at)


def label(conversation: Conversation, turn: ComparedTurn, *, ends: bool) -> Iterator[LabelledPair]:
    known = [one.cosine for one in turn.earlier if one.cosine is not None]
    if not known:
        return
    cosines = [min(known) if one.cosine is None else one.cosine for one in turn.earlier]
    newer = read_pair_statement(PairStatement(turn.told))
    for one, cosine in zip(turn.earlier, cosines, strict=True):
        days = (turn.said_at - one.last_said).total_seconds() / replacement.DAY_S
        older = read_pair_statement(one.statement)
        pair = Replacement(older, newer, cosine, cosines, days, one.is_same_thread, turn.told)
        is_end = is_replaced(conversation, one.statement.statement, turn.told, ends=ends)
        yield LabelledPair(list_signs(pair), is_end, 1 / len(cosines))


def is_replaced(conversation: Conversation, old: str, told: str, *, ends: bool) -> bool:
    return any(
        holds_any(old, question.stale)
        and not holds_any(old, question.answers)
        and (ends or holds_any(told, question.answers))
        for question in conversation.questions
    )


def train(pairs: Sequence[LabelledPair]) -> dict[str, float]:
    """The same pairs give the same weights."""
    matrix = np.array([pair.signs for pair in pairs])
    spread = matrix.std(axis=0)
    spread[spread == 0] = 1
    regression = LogisticRegression(C=SHRINKING, max_iter=3000)
    regression.fit(matrix / spread, [pair.is_replaced for pair in pairs], [pair.weight for pair in pairs])
    weights = dict(zip(SIGNS, (regression.coef_[0] / spread).tolist(), strict=True))
    return {BIAS: round(float(regression.intercept_[0]), DIGITS)} | {
        name: round(weight, DIGITS) for name, weight in weights.items()
    }


def main(*files: str) -> None:
    pairs = [pair for name in files or DEFAULT for pair in collect(Path(name))]
    WEIGHTS.write_text(json.dumps(train(pairs), indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"trained on {len(pairs)} pairs: {WEIGHTS}\n")
