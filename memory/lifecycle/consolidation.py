"""The nightly run over a person's facts: what was said becomes episodes, what says the same becomes one fact.

Stage by stage, each in short transactions that change nothing when they are run again: a run that was cut off goes on
behind its last stage, and a second run finds nothing to do. One run of a person at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
from memory.facts.consolidation.candidates import find_near_facts
from memory.facts.consolidation.pairing import PairDecision, PairPlan, plan_pairs
from memory.facts.evidence import compute_confidence
from memory.facts.queries import where_lasting
from memory.facts.splitting import list_parted
from memory.indexes.answering import choose_question_model
from memory.lifecycle import curation, publishing
from memory.models import EndUser, Fact, FactEpisode, FactReview, FactRun
from memory.models.facts import FactState, ReviewKind
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.transfer.chats.speech import list_own_turns

logger = structlog.get_logger(__name__)

ACTOR: Final = "consolidation"
# Decisions of one transaction, so that nobody who talks meanwhile waits long for the lock of the facts.
BATCH: Final = 50
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
        try:
            STAGES[name](work)
        except Unavailable as error:
            logger.warning("a stage waits", stage=name, dependency=error.dependency, reason=error.reason)
            run.missing = sorted({*run.missing, error.dependency})
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
        own = {turn.memory_id for turn in list_own_turns(work.user, threads=threads)[0]} if threads else set()
    for episode in episodes.iterate_unweighed(work.user, model):
        for fact in evidence.weigh_episode(work.user, episode, own, work.now):
            work.result.add(fact.pk, "supported")


def settle_pairs(work: ConsolidationWork) -> None:
    model = choose_question_model(Deadline(DEADLINE_S)).model
    with user_scope(work.user):
        near = find_near_facts(work.user, model)
        plan = plan_pairs(work.user, near, list_parted(work.user.pk), work.now)
        room = max(0, MOST_OPEN_REVIEWS - reviews.count_open_reviews(work.user))
    plan.reviews = sorted(plan.reviews, key=lambda one: (-(one[0].cosine or 0.0), str(one[0].other)))[:room]
    if work.is_dry:
        list_planned(work, plan)
        return
    for batch in cut_batches(plan.merges):
        settle_batch(work, batch, merge_pair)
    for batch in cut_batches(plan.endings):
        settle_batch(work, batch, end_pair)
    for batch in cut_batches(plan.undecided):
        settle_batch(work, batch, doubt_pair)
    kinds = {(one.winner, one.other): kind for one, kind in plan.reviews}
    for batch in cut_batches([one for one, _ in plan.reviews]):
        settle_batch(
            work,
            batch,
            lambda work, winner, other, pair: ask_about(work, winner, other, kinds[winner.pk, other.pk], pair),
        )


def list_planned(work: ConsolidationWork, plan: PairPlan) -> None:
    for one in plan.merges:
        work.result.add(one.other, "merged", one.winner)
    for one in plan.endings:
        work.result.add(one.other, "superseded", one.winner)
    for one in plan.undecided:
        work.result.add(one.other, "doubted", one.winner)
    for one, _ in plan.reviews:
        work.result.add(one.other, "review", one.winner)


def cut_batches(pairs: Sequence[PairDecision]) -> Iterator[Sequence[PairDecision]]:
    return (pairs[start : start + BATCH] for start in range(0, len(pairs), BATCH))


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
    _, is_new = FactReview.objects.get_or_create(user=work.user, fact=newer, other=older, defaults=values)
    if is_new:
        work.result.add(other.pk, "review", winner.pk)


def let_fade(work: ConsolidationWork) -> None:
    """Facts of which time has left too little leave the current ones; those whose end has come end."""
    if not work.is_dry:
        ended = curation.end_outlived(work.user, now=work.now, actor=work.actor)
        work.result.counts.update({"ended": ended} if ended else {})
    with user_scope(work.user):
        changes.lock_facts(work.user)
        worn = Fact.objects.for_user(work.user).active().exclude(where_lasting()).defer("vector")
        for fact in worn.order_by("pk"):
            if compute_confidence(fact, work.now) >= LEAST_USED:
                continue
            if not work.is_dry:
                reason = f"its confidence has worn below {LEAST_USED:g}"
                changes.close_fact(fact, FactState.DEPRECATED, now=work.now, actor=work.actor, reason=reason)
            work.result.add(fact.pk, "deprecated")


STAGES: Final[dict[str, Callable[[ConsolidationWork], None]]] = {
    "episodes": build_episodes,
    "vectors": embed_what_waits,
    "evidence": weigh_episodes,
    "pairs": settle_pairs,
    "fading": let_fade,
}
