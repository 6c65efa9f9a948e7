"""From a turn to what is laid beside it: what it is about, ranked, and said at most once in a few turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from knowledge_graph.hotmem.candidates import find_about, find_candidates, find_current_sentences, list_named
from knowledge_graph.hotmem.cues import TurnCue
from knowledge_graph.hotmem.edges import HotEdge
from knowledge_graph.hotmem.gating import ASKED, list_entities, select_about
from knowledge_graph.hotmem.meaning import TakeNear, add_near, drop_far, rank_near, take_none
from knowledge_graph.hotmem.ranking import RankedEdge, ScoreWeights, choose_edges, rank_edges
from knowledge_graph.hotmem.threads import HotThreadState
from memory.conf import HotPathConf, memory_conf
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.since import find_contradicted
from memory.models import EndUser, Fact

SECONDS_A_DAY: Final = 86_400
# Who laughs or thanks wants nothing told; what is named in passing may stand beside it.
MOST_BESIDE: Final = {"REACTION": 2}


@dataclass(frozen=True, slots=True)
class HotFindings:
    """``ranked`` is what the turn is about, ``chosen`` what of it is said now, ``window`` what was said before.

    ``entities`` are the names the turn is about.
    """

    ranked: Sequence[RankedEdge] = ()
    chosen: Sequence[RankedEdge] = ()
    window: Sequence[HotEdge] = ()
    entities: frozenset[str] = frozenset()


def find_hot_facts(
    user: EndUser,
    cue: TurnCue,
    state: HotThreadState,
    *,
    thread_id: str,
    intent: str,
    now: datetime,
    take_near: TakeNear = take_none,
) -> HotFindings:
    """In the user's scope; nothing where injection is off. ``take_near`` gives what lies near a question by its
    meaning."""
    conf = memory_conf().hot
    if not conf.injects:
        return HotFindings()
    shown = state.list_window(conf.hint_window)
    mentions = state.mentions[-1:] if may_mean_mention(cue) else []
    edges = keep_fresh(find_candidates(user, cue, [one.fact_id for one in shown], mentions, now), conf, now)
    typed, entities = find_named(user, edges, cue, mentions, now)
    weights, days = ScoreWeights(*conf.weights), conf.recency_days
    rank = partial(rank_edges, weights=weights, now=now, recency_days=days, thread_id=thread_id)
    ranked = rank(select_about(typed, cue, entities))
    resting = find_resting(ranked, cue, state, conf.novelty_turns)
    most = min(conf.bullets_max, MOST_BESIDE.get(intent, conf.bullets_max))
    chosen = choose_edges(ranked, threshold=conf.threshold, most=most, resting=resting)
    near = take_near() if wants_near(cue, intent) else None
    if near is not None:
        is_of_nobody = not (cue.says_me or cue.people or entities)
        chosen = drop_far(chosen, near, now) if is_of_nobody else chosen
        beside = keep_fresh(find_current_sentences(user, near.cosines, now), conf, now)
        chosen = add_near(chosen, rank_near(beside, near, cue, rank, resting), cue, most)
    by_id = {edge.fact_id: edge for edge in edges}
    window = [by_id[one.fact_id] for one in shown if one.fact_id in by_id]
    return tell_doubts(user, HotFindings(ranked, chosen, window, entities))


def find_named(
    user: EndUser, edges: Sequence[HotEdge], cue: TurnCue, mentions: Sequence[str], now: datetime
) -> tuple[list[HotEdge], frozenset[str]]:
    """The facts that fill a relation and the facts of whomever they name; and the keys of whom the turn is about."""
    typed = [edge for edge in edges if edge.relation not in OPEN_RELATIONS]
    entities = list_entities(typed, cue) or frozenset(mentions)
    known = {edge.fact_id for edge in typed}
    about = keep_fresh(find_about(user, list_named(typed, entities), now), memory_conf().hot, now)
    return [*typed, *(edge for edge in about if edge.fact_id not in known)], entities


def wants_near(cue: TurnCue, intent: str) -> bool:
    """Whether a turn asks: who laughs may do it in words that ask ("jajaja qué cosas tienes")."""
    return cue.is_asking and intent not in MOST_BESIDE


def tell_doubts(user: EndUser, found: HotFindings) -> HotFindings:
    told = [*found.window, *(one.edge for one in found.chosen)]
    doubts = find_contradicted(user, {edge.fact_id for edge in told if edge.is_in_review})
    chosen = [replace(one, edge=doubt_edge(one.edge, doubts)) for one in found.chosen]
    return replace(found, chosen=chosen, window=[doubt_edge(edge, doubts) for edge in found.window])


def doubt_edge(edge: HotEdge, doubts: Mapping[UUID, Fact]) -> HotEdge:
    """A limit that a later statement doubts, together with that statement: it holds until a person has decided."""
    newer = doubts.get(edge.fact_id)
    return edge if newer is None else edge._replace(doubted_at=newer.first_seen, later=newer.statement)


def may_mean_mention(cue: TurnCue) -> bool:
    """Whether a question may be about whoever was named last: "how old is he?"."""
    return cue.is_asking and bool(cue.relations) and not cue.says_me and not cue.people


def keep_fresh(edges: list[HotEdge], conf: HotPathConf, now: datetime) -> list[HotEdge]:
    """Those whose relation's time to live has not passed since they were last said."""
    days = dict(conf.ttl)
    return [
        edge
        for edge in edges
        if edge.relation not in days or (now - edge.said_at).total_seconds() <= days[edge.relation] * SECONDS_A_DAY
    ]


def find_resting(ranked: Sequence[RankedEdge], cue: TurnCue, state: HotThreadState, turns: int) -> frozenset[object]:
    """The facts that were told within the last ``turns`` and rest now, except what this turn asks for."""
    lately = {one.fact_id for one in state.shown if one.turn > state.turn - turns - 1}
    asked = {one.edge.fact_id for one in ranked if cue.is_asking and one.overlap >= ASKED}
    return frozenset(lately - asked)
