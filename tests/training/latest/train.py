"""Trains what orders a person's statements for a question about now: boosted trees, by scikit-learn.

    python manage.py shell -c "from tests.training.latest.train import main; main()"

learns from `conversations.jsonl` beside this file, from the development halves in `memory/evaluation/facts` and from
the stores of first days, in which hardly any two statements are of one matter; `main("FILE", ...)` from those files
instead. With an embedder of its own or other weights of the ranking, train it again.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch
from uuid import uuid4

import numpy as np
from django.utils import timezone
from sklearn.ensemble import HistGradientBoostingClassifier

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
from memory.evaluation.loading import ACTOR, benchmark_organization, erase_user, index_pending
from memory.evaluation.quality import ASKED_AT
from memory.evaluation.scenarios import TUNING
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.retrieval import validity
from memory.retrieval.latest import DEPTH, LONG, SHORT, WEIGHTS, PairTrees, order_statements
from memory.retrieval.results import SearchRequest
from memory.retrieval.told import FEW_TIMES, SIGNS, ToldStatement, ToldStatements

OWN = "tests/training/latest/conversations.jsonl"
SPOKEN = ("changes", "month", "stranger_changes", "visitor_changes", "spoken_changes", "passing_changes")
LATER_AUTHORS = (
    *("newcomer_changes", "traveller_changes", "commuter_changes", "flatmate_changes", "parent_changes"),
    *("commuter_month", "flatmate_month", "parent_month"),
)
DEFAULT = (OWN, *(f"memory/evaluation/facts/{name}.dev.jsonl" for name in (*SPOKEN, *LATER_AUTHORS)))
LATER = (timedelta(), timedelta(days=30))
# What a sign means, whatever a set happens to hold: more of it never speaks against the later one, or never for it.
RISING: Final = frozenset(
    {"total", "newer changes", "words shared", "newer superseded", "newer changes its matter", "newer doubts older"}
)
FALLING: Final = frozenset(
    {"newer asks", "newer passes", "newer of others", "newer of strangers", "newer says nothing", "older superseded"}
    | {"newer imagined"}
)
# Of a question to a mixed store, where another to a conversation counts one: with 1 a change without its topic stays
# behind what it changes, with .5 two fewer of a stranger's first days come out right.
OF_MIXED = 0.7
TREES, RATE, LEAST_IN_LEAF, RIDGE = 120, 0.06, 25, 5.0
"""With 250 trees, or half the rate, six fewer of 1,024 questions of authors left out came out right; with trees of two
questions 13 fewer, of four six."""
MANY = 2
"""What a question of a longer life counts: with 1 the left-out month lost .05, with 4 the left-out changes .05."""


@dataclass(frozen=True, slots=True)
class AskedStatements:
    """The statements compared for a question, and which of them hold its answer."""

    among: ToldStatements
    holds: Sequence[bool]
    weight: float = 1.0


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


def train(asked: Sequence[AskedStatements]) -> PairTrees:
    """The same statements give the same trees."""
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
    model = HistGradientBoostingClassifier(
        max_depth=DEPTH,
        max_iter=TREES,
        learning_rate=RATE,
        min_samples_leaf=LEAST_IN_LEAF,
        l2_regularization=RIDGE,
        monotonic_cst=[(name in RISING) - (name in FALLING) for name in SIGNS],
        early_stopping=False,
        random_state=0,
    )
    model.fit(np.array(rows), np.array(labels), sample_weight=np.array(counts))
    return take_trees(model)


def take_trees(model: HistGradientBoostingClassifier) -> PairTrees:
    """The trees of a fitted model as heaps: where one ends early, both ways lead to the same."""
    nodes = [one[0].nodes for one in model._predictors]  # no public way leads to them
    inner = 2**DEPTH - 1
    trees = PairTrees(
        np.zeros((len(nodes), inner), np.int64),
        np.full((len(nodes), inner), np.inf),
        np.zeros((len(nodes), inner + 1)),
        float(model._baseline_prediction.item()),
    )
    for row, tree in enumerate(nodes):
        places = {0: 0}
        for place in range(inner):
            node = tree[places[place]]
            ends = bool(node["is_leaf"])
            if not ends:
                trees.signs[row, place], trees.thresholds[row, place] = node["feature_idx"], node["num_threshold"]
            places[2 * place + 1] = places[place] if ends else int(node["left"])
            places[2 * place + 2] = places[place] if ends else int(node["right"])
        trees.leaves[row] = [tree[places[inner + leaf]]["value"] for leaf in range(inner + 1)]
    return trees


def main(*files: str) -> None:
    sources = [read_conversations(Path(name)) for name in files or DEFAULT]
    asked = [one for source in sources for one in collect(source)]
    if not files:
        asked += [replace(one, weight=OF_MIXED) for one in collect(list(read_mixed_stores()))]
    save_trees({SHORT: train([one for one in asked if one.among.is_short]), LONG: train(asked)})
    sys.stdout.write(f"trained on {len(asked)} questions: {WEIGHTS}\n")


def save_trees(kinds: Mapping[str, PairTrees]) -> None:
    held: dict[str, Any] = {}
    for kind, trees in kinds.items():
        held[f"{kind} signs"] = trees.signs.astype(np.int8)
        held[f"{kind} thresholds"] = trees.thresholds.astype(np.float32)
        held[f"{kind} leaves"] = trees.leaves.astype(np.float32)
        held[f"{kind} bias"] = np.float64(trees.bias)
    np.savez_compressed(WEIGHTS, **held)
