"""Measuring the search on a person's own questions."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memory.access.confinement import confine_to, current_scope
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.guard import redact_secrets
from memory.measuring import cases, everybody, labels, runs, tasks
from memory.measuring.asking import AskedQuestion, SettingsPair, ask_question
from memory.measuring.cases import NewCase
from memory.measuring.everybody import OrganizationRun
from memory.measuring.labels import ChosenQuestions, LabelledQuestion, QuestionSet
from memory.measuring.runs import Clock, NewRun
from memory.models import EndUser, EvaluationCase, EvaluationRun, MemoryItem, Organization, Turn
from memory.platform.queue import enqueue
from memory.retrieval import turns
from memory.retrieval.results import SearchResult
from memory.retrieval.variants import ReplayedQuestion, SearchSettings, parse_settings, search_variant


class MeasuringVerbs(FacadePart):
    def save_case(self, user: EndUser, new: NewCase, *, now: datetime) -> EvaluationCase:
        """Keep a question with the memories that should be found, to measure with. Raises WriteRefused."""
        return cases.save_case(user, new, now=now, actor=self.actor)

    def delete_case(self, user: EndUser, case_id: uuid.UUID) -> bool:
        return cases.delete_case(user, case_id)

    def read_questions(
        self, user: EndUser, chosen: ChosenQuestions = ChosenQuestions.ALL, *, most: int = labels.MOST_QUESTIONS
    ) -> QuestionSet:
        """What is measured with: saved questions, and those of turns that worked."""
        return labels.read_questions(user, chosen, most=most)

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

    def ask_again(
        self, user: EndUser, run: EvaluationRun, result: Mapping[str, Any], *, now: datetime
    ) -> tuple[LabelledQuestion, tuple[AskedQuestion, AskedQuestion]] | None:
        """A question of a run under both of its settings, or what it came to earlier and now. None when it is gone."""
        question = labels.find_question(user, result)
        if question is None:
            return None
        pair = SettingsPair(parse_settings(run.settings_a), parse_settings(run.settings_b))
        after = ask_question(user, question, pair.after, now)
        earlier = AskedQuestion.read(result["a"]) if pair.is_unchanged else None
        return question, (earlier or ask_question(user, question, pair.before, now), after)

    def list_turns(self, user: EndUser, limit: int) -> list[Turn]:
        """The latest turns that asked something, newest first."""
        return turns.list_turns(user, limit)

    def find_turn(self, user: EndUser, turn_id: uuid.UUID) -> Turn | None:
        return turns.find_turn(user, turn_id)

    def replay_question(
        self, user: EndUser, asked: ReplayedQuestion, settings: Sequence[SearchSettings], *, limit: int, now: datetime
    ) -> list[SearchResult]:
        """A question asked under each of the settings, in its agent and project. Leaves no trace."""
        query = redact_secrets(asked.query).text
        with confine_to(current_scope().narrow(asked.agent_id, asked.project_id)):
            return [
                search_variant(user, query, setting, limit=limit, as_of=asked.as_of, now=now) for setting in settings
            ]

    def list_found(self, user: EndUser, ids: Sequence[str]) -> dict[str, MemoryItem]:
        """The memories of these ids that are there."""
        with user_scope(user):
            rows = MemoryItem.objects.for_user(user).filter(pk__in=set(ids)).defer("lexemes")
            return {str(row.pk): row for row in rows}

    def list_measurings(self, user: EndUser, limit: int = runs.KEPT_RUNS) -> list[EvaluationRun]:
        """The latest first, without what each question came to."""
        return runs.list_runs(user, limit)

    def start_measuring_everybody(self, organization: Organization, new: NewRun, *, now: datetime) -> uuid.UUID:
        """Have a worker ask everybody of an organisation their own questions. Raises WriteRefused where one goes on."""
        batch_id = everybody.start_batch(organization, new, now=now, actor=self.actor)
        enqueue(tasks.measure_everybody, organization.pk, str(batch_id))
        return batch_id

    def find_measuring_of_everybody(self, organization: Organization, batch_id: uuid.UUID) -> OrganizationRun | None:
        return everybody.find_batch(organization, batch_id)

    def list_measurings_of_everybody(self, organization: Organization, limit: int) -> list[OrganizationRun]:
        """The latest first."""
        return everybody.list_batches(organization, limit)

    def find_measuring_in(self, user: EndUser, batch_id: uuid.UUID) -> EvaluationRun | None:
        """A person's part of a run over everybody, without what each question came to."""
        return everybody.find_run_of(user, batch_id)
