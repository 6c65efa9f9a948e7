"""The nightly run over a person's facts: what was said becomes episodes, what says the same becomes one fact.

Stage by stage, each in short transactions that change nothing when they are run again: a run that was cut off goes on
behind its last stage, and a second run finds nothing to do. One run of a person at a time.
"""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import structlog
from django.db.models import Q

from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts import changes, embedding, episodes, reviews
from memory.facts.confidence import LEAST_USED
from memory.facts.consolidation import evidence, runs
from memory.facts.consolidation.candidates import find_near_pairs, read_near_facts, refresh_facts
from memory.facts.consolidation.pairing import PairDecision, PairPlan, plan_pairs
from memory.facts.queries import select_worn
from memory.facts.splitting import list_parted
from memory.indexes.answering import choose_question_model
from memory.lifecycle import arbitration, clusters, curation, debating, publishing, rewording
from memory.models import EndUser, Fact, FactEpisode, FactReview, FactRun
from memory.models.facts import ReviewKind
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.signals import review_due
from memory.transfer.chats.speech import list_own_turns

logger = structlog.get_logger(__name__)

ACTOR: Final = "consolidation"
# Decisions of one transaction, so that nobody who talks meanwhile waits long for the lock of the facts.
BATCH: Final = 50
BATCH_OF_WORN: Final = 500
MOST_ROUNDS: Final = 5
# A desk with more pairs than this is not decided any faster.
MOST_OPEN_REVIEWS: Final = 100
# Entries of the answer; all are counted.
MOST_LISTED: Final = 1_000
DEADLINE_S: Final = 30.0
NIGHT_HOURS: Final = 4
THIS_NIGHT: Final = timedelta(hours=20)
MISSED: Final = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class FactChange:
    """``other_id`` is the fact that it was merged into, that ended it, or that it waits beside."""

    fact_id: UUID
    effect: str
    other_id: UUID | None = None


@dataclass(slots=True)
class ConsolidationResult:
    """What a run did, or with ``is_dry`` would do. ``is_busy``: another run of this person goes on."""

    run_id: UUID | None = None
    is_dry: bool = False
    is_busy: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    changes: list[FactChange] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    model_calls: int = 0
    stage_s: dict[str, float] = field(default_factory=dict)
    started_at: datetime | None = None
    finished_at: datetime | None = None

    def add(self, fact_id: UUID, effect: str, other_id: UUID | None = None) -> None:
        self.counts[effect] += 1
        if len(self.changes) < MOST_LISTED:
            self.changes.append(FactChange(fact_id, effect, other_id))

    @property
    def changed(self) -> int:
        return sum(self.counts.values())

    @property
    def state(self) -> Literal["done", "partial", "busy", "dry_run"]:
        if self.is_dry:
            return "dry_run"
        return "busy" if self.is_busy else "partial" if self.missing else "done"


@dataclass(slots=True)
class ConsolidationWork:
    """What the stages of one run share."""

    user: EndUser
    now: datetime
    actor: str
    result: ConsolidationResult

    @property
    def is_dry(self) -> bool:
        return self.result.is_dry


def consolidate_user(
    user: EndUser, *, now: datetime, clock: Callable[[], datetime], dry_run: bool = False, actor: str = ACTOR
) -> ConsolidationResult:
    """Run all stages for a person. ``dry_run`` writes nothing and tells what a run would do now."""
    result = ConsolidationResult(is_dry=dry_run, started_at=now)
    work = ConsolidationWork(user, now, actor, result)
    if dry_run:
        for stage in STAGES.values():
            stage(work)
        result.finished_at = clock()
        return result
    with try_task_lock("consolidate", user.pk) as mine:
        if not mine:
            result.is_busy = True
            return result
        run = runs.open_run(user, now=now, actor=actor)
        result.run_id, result.counts = run.pk, Counter(run.counts)
        run_stages(work, run)
        result.missing, result.model_calls = list(run.missing), run.model_calls
        result.finished_at = clock()
        runs.close_run(run, now=result.finished_at)
    for effect, number in result.counts.items():
        metrics.count("consolidated", effect, amount=number)
    metrics.count("consolidations", "partial" if run.missing else "done")
    return result


def run_stages(work: ConsolidationWork, run: FactRun) -> None:
    """Those behind the last one that was finished. One whose service is away is left to the next run."""
    names = list(STAGES)
    for name in names[names.index(run.stage) + 1 if run.stage in names else 0 :]:
        began = time.perf_counter()
        try:
            STAGES[name](work)
        except Unavailable as error:
            logger.warning("a stage waits", stage=name, dependency=error.dependency, reason=error.reason)
            run.missing = sorted({*run.missing, error.dependency})
        work.result.stage_s[name] = time.perf_counter() - began
        run.stage, run.counts = name, dict(work.result.counts)
        run.model_calls = work.result.model_calls
        with user_scope(work.user):
            run.save(update_fields=["stage", "counts", "missing", "model_calls"])


def list_due_users(now: datetime) -> list[int]:
    """Those of this night, and at any hour those whose last nights were missed, as of a machine that sleeps."""
    hour = memory_conf().consolidation.hour
    is_night = (now.hour - hour) % 24 < NIGHT_HOURS
    before = now - (THIS_NIGHT if is_night else MISSED)
    due = EndUser.objects.filter(Q(consolidated_at=None, created_at__lt=before) | Q(consolidated_at__lt=before))
    return list(due.order_by("consolidated_at", "pk").values_list("pk", flat=True))


def is_due(user: EndUser, now: datetime) -> bool:
    return user.consolidated_at is None or now - user.consolidated_at >= THIS_NIGHT


# --- stages -------------------------------------------------------------------------------------------------------
def build_episodes(work: ConsolidationWork) -> None:
    with user_scope(work.user):
        threads = episodes.list_stale_threads(work.user)
    for thread_id in threads:
        work.result.counts["episodes"] += episodes.build_episodes(work.user, thread_id, work.now, dry_run=work.is_dry)
    if not work.result.counts["episodes"]:
        del work.result.counts["episodes"]


def embed_what_waits(work: ConsolidationWork) -> None:
    """What failed, was reworded, or is of another model."""
    if work.is_dry:
        with user_scope(work.user):
            waiting = embedding.count_pending(work.user)
        work.result.counts.update({"embedded": waiting} if waiting else {})
        return
    while taken := embedding.embed_batch(work.user, now=work.now):
        work.result.counts["embedded"] += taken


def weigh_episodes(work: ConsolidationWork) -> None:
    if work.is_dry:
        return
    model = choose_question_model(Deadline(DEADLINE_S)).model
    with user_scope(work.user):
        waiting = FactEpisode.objects.filter(user=work.user, weighed_at=None, model=model)
        threads = set(waiting.values_list("thread_id", flat=True))
        own = {turn.memory_id for turn in list_own_turns(work.user, threads=threads)} if threads else set()
    for episode in episodes.iterate_unweighed(work.user, model):
        for fact in evidence.weigh_episode(work.user, episode, own, work.now):
            work.result.add(fact.pk, "supported")


def settle_pairs(work: ConsolidationWork) -> None:
    model = choose_question_model(Deadline(DEADLINE_S)).model
    with user_scope(work.user):
        near, parted = read_near_facts(work.user, model), list_parted(work.user.pk)
    # No transaction is open while ten thousand facts are compared.
    find_near_pairs(near)
    changed: set[UUID] | None = None
    reviews_of_pairs: dict[frozenset[UUID], tuple[PairDecision, ReviewKind]] = {}
    for _ in range(1 if work.is_dry else MOST_ROUNDS):
        plan = plan_pairs(work.user, near, parted, work.now, changed)
        reviews_of_pairs |= {frozenset((one.winner, one.other)): (one, kind) for one, kind in plan.reviews}
        if work.is_dry:
            list_planned(work, plan)
            break
        apply_plan(work, plan)
        # What has been merged into is believed more, so that its other pairs may be settled by now.
        changed = {one.winner for one in (*plan.merges, *plan.endings, *plan.undecided)}
        if not changed:
            break
        with user_scope(work.user):
            refresh_facts(near, work.user)
            parted = list_parted(work.user.pk)
    ask_about_pairs(work, reviews_of_pairs)


def apply_plan(work: ConsolidationWork, plan: PairPlan) -> None:
    for pairs, settle in ((plan.merges, merge_pair), (plan.endings, end_pair), (plan.undecided, doubt_pair)):
        for start in range(0, len(pairs), BATCH):
            settle_batch(work, pairs[start : start + BATCH], settle)


def ask_about_pairs(work: ConsolidationWork, pairs: Mapping[frozenset[UUID], tuple[PairDecision, ReviewKind]]) -> None:
    """The likest first, as many as a desk holds. Of facts that have ended by now nobody is asked."""
    with user_scope(work.user):
        room = max(0, MOST_OPEN_REVIEWS - reviews.count_open_reviews(work.user))
        ids = {fact_id for pair in pairs for fact_id in pair}
        held = set(Fact.objects.for_user(work.user).active().filter(pk__in=ids).values_list("pk", flat=True))
    open_pairs = [one for pair, one in pairs.items() if pair <= held]
    waiting = sorted(open_pairs, key=lambda one: (-(one[0].cosine or 0.0), str(one[0].other)))[:room]
    if work.is_dry:
        for one, _ in waiting:
            work.result.add(one.other, "review", one.winner)
        return
    kinds = {(one.winner, one.other): kind for one, kind in waiting}

    def ask(work: ConsolidationWork, winner: Fact, other: Fact, pair: PairDecision) -> None:
        ask_about(work, winner, other, kinds[pair.winner, pair.other], pair)

    chosen = [one for one, _ in waiting]
    for start in range(0, len(chosen), BATCH):
        settle_batch(work, chosen[start : start + BATCH], ask)


def list_planned(work: ConsolidationWork, plan: PairPlan) -> None:
    for one in plan.merges:
        work.result.add(one.other, "merged", one.winner)
    for one in plan.endings:
        work.result.add(one.other, "superseded", one.winner)
    for one in plan.undecided:
        work.result.add(one.other, "doubted", one.winner)


SettlePair = Callable[[ConsolidationWork, Fact, Fact, PairDecision], None]


def settle_batch(work: ConsolidationWork, pairs: Sequence[PairDecision], settle: SettlePair) -> None:
    """Pairs of which both still hold: somebody may have talked since they were judged."""
    with user_scope(work.user):
        changes.lock_facts(work.user)
        ids = {fact_id for one in pairs for fact_id in (one.winner, one.other)}
        facts = {fact.pk: fact for fact in Fact.objects.for_user(work.user).active().filter(pk__in=ids)}
        for one in pairs:
            if one.winner in facts and one.other in facts:
                settle(work, facts[one.winner], facts[one.other], one)


def merge_pair(work: ConsolidationWork, winner: Fact, other: Fact, pair: PairDecision) -> None:
    changes.merge_facts(winner, other, now=work.now, actor=work.actor)
    publishing.archive_closed(work.user, [other], [], now=work.now, actor=work.actor)
    work.result.add(other.pk, "merged", winner.pk)


def end_pair(work: ConsolidationWork, winner: Fact, other: Fact, pair: PairDecision) -> None:
    changes.supersede_fact(other, winner, now=work.now, actor=work.actor)
    publishing.archive_closed(work.user, [other], [], now=work.now, actor=work.actor)
    work.result.add(other.pk, "superseded", winner.pk)


def doubt_pair(work: ConsolidationWork, winner: Fact, other: Fact, pair: PairDecision) -> None:
    changes.doubt_facts([winner, other], now=work.now, actor=work.actor)
    ask_about(work, winner, other, ReviewKind.CONTRADICTION, pair)
    work.result.add(other.pk, "doubted", winner.pk)


def ask_about(work: ConsolidationWork, winner: Fact, other: Fact, kind: ReviewKind, pair: PairDecision) -> None:
    """The pair waits for a person, the later statement as the newer one."""
    newer, older = (winner, other) if winner.last_seen >= other.last_seen else (other, winner)
    values = {"kind": kind, "cosine": pair.cosine, "created_at": work.now}
    review, is_new = FactReview.objects.get_or_create(user=work.user, fact=newer, other=older, defaults=values)
    if is_new:
        review_due.send(FactReview, user_id=work.user.pk, review_id=review.pk)
        work.result.add(other.pk, "review", winner.pk)


def end_faded(work: ConsolidationWork) -> None:
    """Facts of which time has left too little leave the current ones; those whose end has come end."""
    if not work.is_dry:
        ended = curation.end_outlived(work.user, now=work.now, actor=work.actor)
        work.result.counts.update({"ended": ended} if ended else {})
    reason = f"its confidence has worn below {LEAST_USED:g}"
    while worn := take_worn(work, reason):
        for fact_id in worn:
            work.result.add(fact_id, "deprecated")
        if work.is_dry:
            return


def take_worn(work: ConsolidationWork, reason: str) -> list[UUID]:
    with user_scope(work.user):
        worn = select_worn(work.user, LEAST_USED, work.now).order_by("pk").values_list("pk", flat=True)
        if work.is_dry:
            return list(worn)
        changes.lock_facts(work.user)
        ids = list(worn[:BATCH_OF_WORN])
        changes.fade_facts(work.user, ids, now=work.now, actor=work.actor, reason=reason)
    return ids


def judge_pairs_by_model(work: ConsolidationWork) -> None:
    """By a language model, where one is configured and the day's calls are not used up."""
    if work.is_dry:
        return
    with user_scope(work.user):
        used = runs.count_model_calls(work.user, work.now)
    left = memory_conf().consolidation.model_calls - used
    decided, calls = arbitration.judge_open_reviews(work.user, now=work.now, calls_left=left)
    work.result.model_calls += calls
    for review in decided:
        work.result.add(review.fact_id, "answered", review.other_id)


def improve_memories(work: ConsolidationWork) -> None:
    """By a language model: arguments for pairs that wait, weak memories worded anew, several of one matter made one."""
    if work.is_dry:
        return
    done = {
        "debated": debating.debate_reviews(work.user),
        "reworded": rewording.reword_weak_memories(work.user, now=work.now),
        "united": clusters.merge_clusters(work.user, now=work.now),
    }
    work.result.counts.update({effect: len(ids) for effect, ids in done.items() if ids})


STAGES: Final[dict[str, Callable[[ConsolidationWork], None]]] = {
    "episodes": build_episodes,
    "vectors": embed_what_waits,
    "evidence": weigh_episodes,
    # Before the pairs: nobody is asked about what has faded.
    "fading": end_faded,
    "pairs": settle_pairs,
    "model": judge_pairs_by_model,
    "wording": improve_memories,
}
