"""Runs over everybody of an organisation: each person is asked in their own memories, and the questions are added up.

What came of a person's questions stays with them, as a run like any other that has the batch in common. Of the whole
the audit keeps numbers alone: when it began, under which settings, and what it came to.
"""

import json
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction
from redis import Redis

from memory.access.audit import list_changes, record_change
from memory.access.scope import user_scope
from memory.access.users import iterate_users
from memory.measuring import runs
from memory.measuring.asking import summarise
from memory.measuring.labels import ChosenQuestions
from memory.measuring.runs import Clock, NewRun
from memory.models import AuditEvent, EndUser, EvaluationRun, Organization
from memory.models.administration import AuditAction
from memory.models.evaluation import MeasuringState
from memory.platform import redis
from memory.retrieval.variants import parse_settings
from memory.store.admission import WriteRefused

logger = structlog.get_logger(__name__)

# How long a task goes on to the next person. With the 600 s that one may take it stays below the visibility timeout of
# 900 s, after which a second worker would get the task.
BATCH_S: Final = 240.0
# A worker tells how far it is after each person, of whom one may take 600 s, and is taken for lost after this silence.
LOST_AFTER: Final = timedelta(minutes=15)
ACTIONS: Final = (AuditAction.MEASURING_STARTED, AuditAction.MEASURING_ENDED)


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How many people were gone through, of how many, and how many questions were asked of them."""

    done: int = 0
    total: int = 0
    questions: int = 0


@dataclass(frozen=True, slots=True)
class OrganizationRun:
    """``figures`` are empty until it has ended; ``progress`` is None when no worker is heard of."""

    batch_id: uuid.UUID
    settings_a: Mapping[str, Any]
    settings_b: Mapping[str, Any]
    chosen: ChosenQuestions
    actor: str
    started_at: datetime
    ended_at: datetime | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    progress: BatchProgress | None = None

    @property
    def new(self) -> NewRun:
        return NewRun(parse_settings(self.settings_b), parse_settings(self.settings_a), self.chosen)

    @property
    def is_open(self) -> bool:
        return self.ended_at is None and self.progress is not None


def add_up(measured: Iterable[EvaluationRun]) -> dict[str, Any]:
    """The figures of people's runs as if one person had been asked all of their questions."""
    results: list[Mapping[str, Any]] = []
    left_out, people = Counter[str](), 0
    for run in measured:
        people += 1
        results += run.results
        left_out.update(run.figures["left_out"])
    return {"people": people, **summarise(results, left_out)}


def start_batch(organization: Organization, new: NewRun, *, now: datetime, actor: str) -> uuid.UUID:
    """Note a run over everybody for the worker. Raises WriteRefused where one goes on already."""
    with transaction.atomic():
        # One operator after the other: who comes second sees what the first has begun.
        Organization.objects.select_for_update().get(pk=organization.pk)
        latest = list_batches(organization, 1)
        if latest and latest[0].is_open:
            raise WriteRefused("run", "another one goes on; wait until it has ended")
        batch_id = uuid.uuid4()
        record_change(
            organization.pk,
            AuditAction.MEASURING_STARTED,
            actor=actor,
            now=now,
            subject=str(batch_id),
            settings_a=new.before.as_json(),
            settings_b=new.after.as_json(),
            chosen=new.chosen.value,
        )
        tell_progress(batch_id, BatchProgress(total=count_people(organization)))
    return batch_id


def perform_batch(
    organization: Organization, batch_id: uuid.UUID, *, clock: Clock, after: int = 0, done: int = 0
) -> tuple[int, int] | None:
    """Measure everybody whose key comes behind ``after``, as long as a task may last. Returns the last of them and how
    many were gone through, or None when all of it is done: then it is added up."""
    batch = find_batch(organization, batch_id)
    if batch is None or batch.ended_at is not None:
        return None
    started, total = time.monotonic(), count_people(organization)
    questions = batch.progress.questions if batch.progress else 0
    for user in iterate_people(organization, after):
        run = measure_in_batch(user, batch, clock=clock)
        done, questions = done + 1, questions + (len(run.results) if run else 0)
        tell_progress(batch_id, BatchProgress(done, total, questions))
        if time.monotonic() - started > BATCH_S:
            return user.pk, done
    end_batch(organization, batch, now=clock())
    return None


def measure_in_batch(user: EndUser, batch: OrganizationRun, *, clock: Clock) -> EvaluationRun | None:
    """None for who has nothing to be asked, or is being measured already. A person whose run fails holds up nobody."""
    # A message of the queue may be delivered twice.
    if found := find_run_of(user, batch.batch_id):
        return found
    try:
        run = runs.start_run(user, batch.new, now=clock(), actor=batch.actor, batch_id=batch.batch_id)
        return runs.perform_run(user, run.pk, clock=clock)
    except WriteRefused:
        return None
    except Exception as error:  # noqa: BLE001 -- its run is kept as failed and counted in the end
        logger.warning("a person of an organisation was not measured", user=user.pk, reason=repr(error))
        return None


def end_batch(organization: Organization, batch: OrganizationRun, *, now: datetime) -> None:
    missed = Counter[str]()
    figures = add_up(iterate_completed(organization, batch.batch_id, missed))
    told = {**figures, "missed": dict(missed)}
    named = str(batch.batch_id)
    record_change(organization.pk, AuditAction.MEASURING_ENDED, actor=batch.actor, now=now, subject=named, figures=told)
    redis.call_or_default(lambda client: client.delete(name_progress(batch.batch_id)), None)


def iterate_completed(organization: Organization, batch_id: uuid.UUID, missed: Counter[str]) -> Iterator[EvaluationRun]:
    """Those of the batch that have ended well. Counts whoever had none (`without`), and whose did not (`failed`)."""
    for user in iterate_people(organization):
        run = find_run_of(user, batch_id, has_results=True)
        if run is not None and run.state == MeasuringState.COMPLETED:
            yield run
        else:
            missed["failed" if run else "without"] += 1


def iterate_people(organization: Organization, after: int = 0) -> Iterator[EndUser]:
    """Without the partitions of spaces, whose memories belong to several, and without whoever is being erased."""
    everybody = iterate_users(organization.pk, after=after)
    return (user for user in everybody if not user.external_id.startswith("#"))


def count_people(organization: Organization) -> int:
    return EndUser.objects.filter(organization=organization).exclude(external_id__startswith="#").count()


def find_run_of(user: EndUser, batch_id: uuid.UUID, *, has_results: bool = False) -> EvaluationRun | None:
    """What of a run over everybody is this person's."""
    with user_scope(user):
        found = EvaluationRun.objects.filter(user=user, batch_id=batch_id)
        return (found if has_results else found.defer("results")).first()


def list_batches(organization: Organization, limit: int) -> list[OrganizationRun]:
    """The latest first."""
    events = list_changes([organization.pk], limit=2 * limit, actions=ACTIONS)
    ended = {event.subject: event for event in events if event.action == AuditAction.MEASURING_ENDED}
    begun = [event for event in events if event.action == AuditAction.MEASURING_STARTED][:limit]
    return [read_batch(event, ended.get(event.subject)) for event in begun]


def find_batch(organization: Organization, batch_id: uuid.UUID) -> OrganizationRun | None:
    own = AuditEvent.objects.filter(organization=organization, subject=str(batch_id))
    events = {event.action: event for event in own.filter(action__in=[action.value for action in ACTIONS])}
    begun = events.get(AuditAction.MEASURING_STARTED)
    return read_batch(begun, events.get(AuditAction.MEASURING_ENDED)) if begun else None


def read_batch(begun: AuditEvent, ended: AuditEvent | None) -> OrganizationRun:
    batch_id = uuid.UUID(begun.subject)
    return OrganizationRun(
        batch_id,
        begun.details["settings_a"],
        begun.details["settings_b"],
        ChosenQuestions(begun.details["chosen"]),
        begun.actor,
        begun.at,
        ended.at if ended else None,
        ended.details["figures"] if ended else {},
        None if ended else read_progress(batch_id),
    )


def name_progress(batch_id: uuid.UUID) -> str:
    return redis.build_key("measuring", str(batch_id))


def tell_progress(batch_id: uuid.UUID, progress: BatchProgress) -> None:
    told, kept_s = json.dumps([progress.done, progress.total, progress.questions]), int(LOST_AFTER.total_seconds())
    redis.call_or_default(lambda client: client.set(name_progress(batch_id), told, ex=kept_s), None)


def read_progress(batch_id: uuid.UUID) -> BatchProgress | None:
    def read(client: Redis) -> Any:  # noqa: ANN401 -- the client's own types name async ones too
        return client.get(name_progress(batch_id))

    told = redis.call_or_default(read, None)
    return BatchProgress(*json.loads(told)) if told else None
