"""A conversation of the hot path turn by turn, as it was: what was read, what was kept, what was laid beside it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from knowledge_graph.hotmem.bullets import respell, word_triple
from knowledge_graph.hotmem.injection import compose_message
from knowledge_graph.models import HotThread, HotTurn
from memory.access.confinement import EVERYTHING, RowScope
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, Fact
from memory.models.facts import FactState

MOST_THREADS: Final = 40


@dataclass(frozen=True, slots=True)
class ReplayedTriple:
    """What was read: a triple, or words that made none. ``reason`` says why it was not kept; ``fact_id`` is empty where
    there is no fact, or none any more."""

    status: str
    words: str = ""
    subject: str = ""
    relation: str = ""
    value: str = ""
    is_denied: bool = False
    reason: str = ""
    fact_id: str = ""


@dataclass(frozen=True, slots=True)
class ReplayedBullet:
    """``is_said``: it was laid beside the turn; else the turn was about it and it rested, or others were better.
    ``is_near``: no word named it, its sentence lay near the question by its meaning."""

    words: str
    score: float
    is_said: bool
    fact_id: str = ""
    is_near: bool = False


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    number: int
    at: datetime
    text: str
    lang: str
    intent: str
    triples: Sequence[ReplayedTriple]
    ended: Sequence[ReplayedTriple]
    bullets: Sequence[ReplayedBullet]
    message: str


@dataclass(frozen=True, slots=True)
class ReplayedThread:
    """A conversation that can be replayed. The same ``thread_id`` under two agents or projects is two conversations."""

    thread_id: str
    agent_id: str
    project_id: str
    turns: int
    updated_at: datetime


def list_hot_threads(user: EndUser, thread_id: str = "", *, limit: int = MOST_THREADS) -> list[ReplayedThread]:
    """Conversations, the latest first; with ``thread_id`` only those of that name."""
    with user_scope(user):
        threads = HotThread.objects.filter(user=user, **({"thread_id": thread_id} if thread_id else {}))
        return [
            ReplayedThread(row.thread_id, row.agent_id, row.project_id, row.turn, row.updated_at)
            for row in threads.order_by("-updated_at", "pk")[:limit]
        ]


def replay_thread(
    user: EndUser, thread_id: str, scope: RowScope = EVERYTHING, *, before: int | None = None, limit: int
) -> list[ReplayedTurn]:
    """Turns of a conversation, the latest first; with ``before`` those with a lower number.

    Facts that were forgotten since are left out.
    """
    with user_scope(user):
        turns = HotTurn.objects.filter(
            user=user, thread_id=thread_id, agent_id=scope.agent_id, project_id=scope.project_id
        )
        turns = turns.filter(number__lt=before) if before is not None else turns
        rows = list(turns.order_by("-number")[:limit])
        facts = load_facts(user, rows)
    return [replay_turn(row, facts) for row in rows]


def load_facts(user: EndUser, rows: Sequence[HotTurn]) -> dict[str, Fact]:
    named = {name for row in rows for name in list_fact_ids(row.trace)}
    found = Fact.objects.for_user(user).exclude(state=FactState.FORGOTTEN).filter(pk__in=named).defer("vector")
    return {str(fact.pk): fact for fact in found}


def list_fact_ids(trace: Mapping[str, Any]) -> set[str]:
    scored = [fact_id for part in ("bullets", "passed_over") for fact_id, _ in trace.get(part, [])]
    plain = [fact_id for part in ("retracted", "superseded", "window") for fact_id in trace.get(part, [])]
    told = [one["fact"] for one in trace.get("facts", []) if one["fact"]]
    return {*scored, *plain, *told}


def replay_turn(row: HotTurn, facts: Mapping[str, Fact]) -> ReplayedTurn:
    trace = row.trace
    told = [replay_triple(one, facts) for one in trace.get("facts", [])]
    dropped = [ReplayedTriple("dropped", one["text"], reason=one["reason"]) for one in trace.get("dropped", [])]
    ended = [
        replay_ended(state, facts.get(fact_id))
        for state in ("retracted", "superseded")
        for fact_id in trace.get(state, [])
    ]
    bullets = [
        replay_bullet(facts[fact_id], score, row, is_said=part == "bullets")
        for part in ("bullets", "passed_over")
        for fact_id, score in trace.get(part, [])
        if fact_id in facts
    ]
    said = [one.words for one in bullets if one.is_said]
    window = word_facts(trace.get("window", []), facts, row.lang)
    return ReplayedTurn(
        row.number, row.at, row.text, row.lang, row.intent, [*told, *dropped], ended, bullets,
        compose_message(said, window, memory_conf().hot, row.at) or "",
    )  # fmt: skip


def replay_bullet(fact: Fact, score: float, row: HotTurn, *, is_said: bool) -> ReplayedBullet:
    fact_id = str(fact.pk)
    # Turns of before have neither list.
    as_sentence, is_near = (is_said and fact_id in row.trace.get(part, []) for part in ("sentences", "near"))
    return ReplayedBullet(word_fact(fact, row.lang, as_sentence=as_sentence), score, is_said, fact_id, is_near)


def replay_triple(told: Mapping[str, Any], facts: Mapping[str, Fact]) -> ReplayedTriple:
    fact_id = told["fact"] or ""
    fact = facts.get(fact_id)
    return ReplayedTriple(
        told["status"],
        subject=told["s"],
        relation=told["r"],
        # A triple is in lower case, a name is not.
        value=respell(told["d"], fact.statement) if fact is not None else told["d"],
        is_denied=fact is not None and not fact.polarity,
        reason=told["reason"],
        fact_id=fact_id,
    )


def replay_ended(state: str, fact: Fact | None) -> ReplayedTriple:
    if fact is None:
        return ReplayedTriple(state)
    return ReplayedTriple(
        state,
        subject=fact.subject,
        relation=fact.relation,
        value=respell(fact.object, fact.statement),
        is_denied=not fact.polarity,
        fact_id=str(fact.pk),
    )


def word_fact(fact: Fact, lang: str, *, as_sentence: bool = False) -> str:
    triple = fact.subject, fact.relation, fact.object
    return word_triple(*triple, fact.statement, lang, polarity=fact.polarity, as_sentence=as_sentence)


def word_facts(fact_ids: Iterable[str], facts: Mapping[str, Fact], lang: str) -> list[str]:
    """Facts in words, without those that were forgotten since."""
    return [word_fact(facts[fact_id], lang) for fact_id in fact_ids if fact_id in facts]
