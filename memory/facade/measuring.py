"""Measuring the search on a person's own questions."""

import uuid
from datetime import datetime

from memory.facade.actor import FacadePart
from memory.measuring import cases
from memory.measuring.cases import NewCase
from memory.models import EndUser, EvaluationCase


class MeasuringVerbs(FacadePart):
    def save_case(self, user: EndUser, new: NewCase, *, now: datetime) -> EvaluationCase:
        """Keep a question with the memories that should be found, to measure with. Raises WriteRefused."""
        return cases.save_case(user, new, now=now, actor=self.actor)

    def delete_case(self, user: EndUser, case_id: uuid.UUID) -> bool:
        return cases.delete_case(user, case_id)
