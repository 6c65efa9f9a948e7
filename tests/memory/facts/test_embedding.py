"""Vectors of facts beside somebody who writes to the same facts."""

from datetime import datetime

import pytest
from django.db import connection, transaction
from django.utils import timezone

from memory import tasks
from memory.access.scope import user_scope
from memory.facts import changes, embedding
from memory.models import EndUser, Fact
from memory.tiers import Indexing
from tests.at_once import run_at_once
from tests.factories import EndUserFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("services")]


def make_fact(user: EndUser, statement: str, at: datetime) -> Fact:
    moments = {"evidence_at": at, "first_seen": at, "last_seen": at, "valid_from": at}
    with user_scope(user):
        return Fact.objects.create(user=user, statement=statement, base_confidence=0.8, **moments)


def test_a_fact_that_somebody_writes_to_is_embedded_later_and_nobody_waits() -> None:
    user, now = EndUserFactory.create(), timezone.now()
    held, free = make_fact(user, "I live in Hull.", now), make_fact(user, "I keep two goats.", now)

    def embed() -> int:
        return embedding.embed_facts(user, now=now)

    with user_scope(user), transaction.atomic():
        Fact.objects.filter(pk=held.pk).update(base_confidence=0.9)
        assert run_at_once(embed) == [1]
    with user_scope(user):
        ready = set(Fact.objects.filter(indexing=Indexing.READY).values_list("pk", flat=True))
    assert ready == {free.pk}
    assert embed() == 1


def test_what_an_import_still_writes_is_looked_at_again_and_not_left_to_the_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    user, now, again = EndUserFactory.create(), timezone.now(), list[object]()
    monkeypatch.setattr(tasks.complete_facts, "apply_async", lambda *args, **options: again.append(args))
    with user_scope(user):
        changes.mark_facts_due(user, now)
    again.clear()

    def complete() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        taken: int = tasks.complete_facts(user.pk)
        return taken

    with user_scope(user), transaction.atomic():
        changes.mark_facts_due(user, now)
        make_fact(user, "I live in Hull.", now)
        assert run_at_once(complete) == [0]
    assert again == [((user.pk,),)]
    assert tasks.complete_facts(user.pk) == 1
    assert len(again) == 1
