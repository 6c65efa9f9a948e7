"""Requests nobody thought of, made from the API's own document: none may end in a 5xx or an undocumented answer."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, Phase, settings
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.generation.hypothesis.builder import (
    InvalidHeadersExampleMark,
    InvalidRegexMark,
    MissingPathParameters,
    NonSerializableMark,
    UnsatisfiableExampleMark,
    UnserializablePayloadMark,
)
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.specs.openapi.checks import ignored_auth

from config.wsgi import application
from memory.access.keys import SCOPES, issue_key
from memory.access.scope import user_scope
from memory.api import memories
from memory.models import EndUser, FactReview
from tests.api_client import ISSUED
from tests.contracts.test_openapi import SNAPSHOT as DOCUMENT
from tests.factories import MemoryItemFactory, keep_facts

# Beside the cases that the document's own limits name. Of 11,863 lines of the product that requests reached, those
# cases reached 10,605; of the examples that are drawn the first reached 641 more, the second 389, the third 171, the
# fourth 46 and the fifth 11.
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "3"))


@schemathesis.serializer("application/x-ndjson")
def write_lines(_: schemathesis.SerializationContext, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


# The committed one, which `test_openapi.py` holds to be the API's own: to make it anew took every worker 2.5 s of
# collecting.
schema = schemathesis.openapi.from_dict(json.loads(DOCUMENT.read_text(encoding="utf-8")))
schema.app = application
OPERATIONS = {operation.label: operation for operation in (each.ok() for each in schema.get_all_operations())}  # type: ignore[union-attr]
FEEDBACK = FeedbackSources(constants_value_source=make_constants_value_source(schema))
# What says of a test that a part of its requests could not be made.
LEFT_OUT = (
    InvalidHeadersExampleMark,
    InvalidRegexMark,
    MissingPathParameters,
    NonSerializableMark,
    UnsatisfiableExampleMark,
    UnserializablePayloadMark,
)
# A text may be refused for what it says: the guard of the memory bank is not a matter of schemas.
schema.config.checks.positive_data_acceptance.enabled = False


@pytest.fixture(autouse=True)
def keep_the_connection() -> Iterator[None]:
    """A request's end closes its connection, and with it the transaction this test will be undone by."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(autouse=True)
def no_worker_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "WAIT_S", 0.05)


@pytest.fixture
def caller(user: EndUser) -> dict[str, str]:
    """The headers of a key that no rate limit stops."""
    _, key = issue_key(user.organization, "fuzz", SCOPES, now=ISSUED, requests_per_second=1_000_000)
    return {"Authorization": f"Bearer {key}"}


def name_facts(parameters: dict[str, Any], user: EndUser) -> None:
    """A fact and a review that are there, whatever the requests before did to them."""
    with user_scope(user):
        mine = FactReview.objects.filter(user=user)
        if not mine.exists():
            keep_facts(user, "lamp", timezone.now())
        mine.update(decision="")
        review = mine.latest("created_at")
    known = {"fact_id": review.fact_id, "review_id": review.pk}
    parameters |= {name: str(known[name]) for name in known if name in parameters}


@pytest.mark.parametrize("label", OPERATIONS)
@pytest.mark.django_db
# The client of this test never closes an answer: the file that an export is sent from ends with its object.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_api_keeps_its_document(label: str, caller: dict[str, str], user: EndUser) -> None:
    # Whether what is answered with a key was refused without one and with a wrong one. Once for an operation is enough:
    # after each answer these were 1,706 of 10,666 requests.
    asks_for_a_key = False

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=EXAMPLES <= 25,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def test_the_api_keeps_its_document(case: schemathesis.Case) -> None:
        nonlocal asks_for_a_key
        is_valid = case.meta is None or case.meta.generation.mode.is_positive
        if is_valid:
            name_what_exists(case.path_parameters, user)
        known = [ignored_auth] if asks_for_a_key else []
        answer = case.call_and_validate(headers=caller, excluded_checks=known)
        asks_for_a_key |= is_valid and answer.status_code < 300

    # As `schema.parametrize()` makes it, but not as tests are collected: there each worker made those of all
    # operations for 6 s, a third of its collecting.
    test = build_operation_test(
        config=schema.config,
        operation=OPERATIONS[label],
        test_func=test_the_api_keeps_its_document,
        given_kwargs={},
        feedback=FEEDBACK,
    )
    assert [mark for mark in LEFT_OUT if mark.is_set(test)] == []
    test()


def name_what_exists(parameters: dict[str, Any], user: EndUser) -> None:
    """Valid requests are only interesting for a user and a memory that exist."""
    parameters["user_id"] = user.external_id
    if "item_id" in parameters:
        parameters["item_id"] = str(MemoryItemFactory.create(user=user).pk)
    if not {"fact_id", "review_id"}.isdisjoint(parameters):
        name_facts(parameters, user)
