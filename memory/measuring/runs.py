"""Runs over a person's questions: begun by a page or a client, done by a worker, kept to be compared later."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.measuring.asking import (
    AskedQuestion,
    EarlierAnswers,
    QuestionComparison,
    SettingsPair,
    compare_questions,
    name_question,
    summarise,
)
from memory.measuring.labels import ChosenQuestions, QuestionSet, read_questions
from memory.models import EndUser, EvaluationRun
from memory.models.evaluation import MeasuringState
from memory.retrieval.variants import AS_CONFIGURED, SearchSettings, parse_settings
from memory.store.admission import WriteRefused

logger = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
OPEN: Final = frozenset({MeasuringState.PENDING, MeasuringState.RUNNING})
KEPT_RUNS: Final = 50
# A worker tells how far it is this often, and is taken for lost after so long in silence.
TELL_S: Final = 2.0
LOST_AFTER: Final = timedelta(minutes=2)
# Less than the visibility timeout of 900 s, after which a second worker would get the task.
MOST_S: Final = 600.0


@dataclass(frozen=True, slots=True)
class NewRun:
    """Two settings to compare, and which questions are asked. Without a change the last run is compared with."""

    after: SearchSettings = AS_CONFIGURED
    before: SearchSettings = AS_CONFIGURED
    chosen: ChosenQuestions = ChosenQuestions.ALL


def start_run(
    user: EndUser, new: NewRun, *, now: datetime, actor: str, batch_id: uuid.UUID | None = None
) -> EvaluationRun:
    """Note a run for the worker. Raises WriteRefused where there is nothing to ask, or one goes on already."""
    questions = read_questions(user, new.chosen)
    if not questions.questions:
        raise WriteRefused("questions", "there is none yet: report an outcome “worked”, or save a question")
    with user_scope(user):
        lock_for_transaction("evaluation", user)
        own = EvaluationRun.objects.filter(user=user)
        silent = own.filter(state__in=OPEN, seen_at__lt=now - LOST_AFTER)
        silent.update(state=MeasuringState.FAILED, error="the worker was lost", finished_at=now)
        if own.filter(state__in=OPEN).exists():
            raise WriteRefused("run", "another one goes on; wait until it has ended")
        old = own.order_by("-created_at").values_list("pk", flat=True)[KEPT_RUNS - 1 :]
        own.filter(pk__in=list(old)).delete()
        return EvaluationRun.objects.create(
            user=user,
            batch_id=batch_id,
            state=MeasuringState.PENDING,
            settings_a=new.before.as_json(),
            settings_b=new.after.as_json(),
            chosen=new.chosen,
            total=len(questions.questions),
            actor=actor,
            created_at=now,
            seen_at=now,
        )


def perform_run(user: EndUser, run_id: uuid.UUID, *, clock: Clock) -> EvaluationRun | None:
    """Ask all of it and keep what came of it. None where somebody else is at it, or it is done."""
    with user_scope(user):
        waiting = EvaluationRun.objects.filter(user=user, pk=run_id, state=MeasuringState.PENDING)
        if not waiting.update(state=MeasuringState.RUNNING, seen_at=clock()):
            return None
        run = EvaluationRun.objects.get(user=user, pk=run_id)
    try:
        pair = SettingsPair(parse_settings(run.settings_a), parse_settings(run.settings_b))
        questions = read_questions(user, ChosenQuestions(run.chosen or ChosenQuestions.ALL))
        earlier = find_earlier_run(user, run) if pair.is_unchanged else None
        asked = ask_within_time(user, run, questions, pair, read_answers(earlier), clock)
    except Exception as error:  # a run that failed says so; the next one is free to begin
        end_run(user, run, MeasuringState.FAILED, clock(), error=str(error))
        logger.warning("measuring failed", user=user.pk, run=str(run_id), reason=repr(error))
        raise
    run.results, run.done = [one.as_json() for one in asked], len(asked)
    run.figures = summarise(run.results, questions.left_out)
    if earlier is not None:
        run.figures["since"] = earlier.created_at.isoformat()
    return end_run(user, run, MeasuringState.COMPLETED, clock())


def find_earlier_run(user: EndUser, run: EvaluationRun) -> EvaluationRun | None:
    """The latest one before it that asked as configured, which is its setting A."""
    with user_scope(user):
        done = EvaluationRun.objects.filter(user=user, state=MeasuringState.COMPLETED, settings_a={})
        return done.filter(created_at__lt=run.created_at).order_by("-created_at").first()


def read_answers(run: EvaluationRun | None) -> EarlierAnswers:
    """What its questions came to as configured."""
    if run is None:
        return {}
    # A run without a change compared with an earlier one in its turn: its own answers are the later.
    side = "a" if run.settings_b else "b"
    read = (
        (name_question(one.get("case_id"), one.get("turn_id")), AskedQuestion.read(one[side])) for one in run.results
    )
    return {name: answer for name, answer in read if name and answer is not None}


def ask_within_time(
    user: EndUser,
    run: EvaluationRun,
    questions: QuestionSet,
    pair: SettingsPair,
    earlier: EarlierAnswers,
    clock: Clock,
) -> list[QuestionComparison]:
    """As many as the time of a task allows, in their order."""
    started = told = time.monotonic()
    asked = []
    for one in compare_questions(user, questions.questions, pair, earlier, clock()):
        asked.append(one)
        moment = time.monotonic()
        if moment - told > TELL_S:
            told = moment
            with user_scope(user):
                own = EvaluationRun.objects.filter(user=user, pk=run.pk)
                own.update(done=len(asked), total=len(questions.questions), seen_at=clock())
        if moment - started > MOST_S:
            break
    run.total = len(questions.questions)
    return asked


def end_run(
    user: EndUser, run: EvaluationRun, state: MeasuringState, now: datetime, *, error: str = ""
) -> EvaluationRun:
    run.state, run.finished_at, run.seen_at, run.error = state, now, now, error[:300]
    with user_scope(user):
        run.save(update_fields=["state", "finished_at", "seen_at", "error", "figures", "results", "done", "total"])
    return run


def find_run(user: EndUser, run_id: uuid.UUID) -> EvaluationRun | None:
    with user_scope(user):
        return EvaluationRun.objects.filter(user=user, pk=run_id).first()


def list_runs(user: EndUser, limit: int = KEPT_RUNS) -> list[EvaluationRun]:
    """The latest first, without what each question came to."""
    with user_scope(user):
        return list(EvaluationRun.objects.filter(user=user).defer("results").order_by("-created_at", "-pk")[:limit])


def is_lost(run: EvaluationRun, now: datetime) -> bool:
    """Whether its worker has not been heard of for so long that it is taken for dead."""
    return run.state in OPEN and run.seen_at < now - LOST_AFTER
