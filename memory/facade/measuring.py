"""Measuring the search on a person's own questions."""

import uuid
from datetime import datetime

from memory.access.confinement import current_scope
from memory.facade.actor import FacadePart
from memory.measuring import cases, labels, runs, tasks
from memory.measuring.cases import NewCase
from memory.measuring.labels import ChosenQuestions, QuestionSet
from memory.measuring.runs import Clock, NewRun
from memory.models import EndUser, EvaluationCase, EvaluationRun
from memory.platform.queue import enqueue


class MeasuringVerbs(FacadePart):
    def save_case(self, user: EndUser, new: NewCase, *, now: datetime) -> EvaluationCase:
        """Keep a question with the memories that should be found, to measure with. Raises WriteRefused."""
        return cases.save_case(user, new, now=now, actor=self.actor)

    def delete_case(self, user: EndUser, case_id: uuid.UUID) -> bool:
        return cases.delete_case(user, case_id)

    def read_questions(self, user: EndUser, chosen: ChosenQuestions = ChosenQuestions.ALL) -> QuestionSet:
        """What is measured with: saved questions, and those of turns that worked."""
        return labels.read_questions(user, chosen)

    def start_measuring(self, user: EndUser, new: NewRun, *, now: datetime) -> EvaluationRun:
        """Have a worker ask the person's questions under two settings. Raises WriteRefused."""
        run = runs.start_run(user, new, now=now, actor=self.actor)
        scope = current_scope()
        enqueue(tasks.measure_person, user.pk, str(run.pk), scope.agent_id, scope.project_id)
        return run

    def measure(self, user: EndUser, new: NewRun, *, clock: Clock, batch_id: uuid.UUID | None = None) -> EvaluationRun:
        """The same here and now, for whoever waits for it. Raises WriteRefused."""
        run = runs.start_run(user, new, now=clock(), actor=self.actor, batch_id=batch_id)
        return runs.perform_run(user, run.pk, clock=clock) or run

    def find_measuring(self, user: EndUser, run_id: uuid.UUID) -> EvaluationRun | None:
        return runs.find_run(user, run_id)

    def list_measurings(self, user: EndUser, limit: int = runs.KEPT_RUNS) -> list[EvaluationRun]:
        """The latest first, without what each question came to."""
        return runs.list_runs(user, limit)
