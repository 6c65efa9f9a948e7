"""Rows as tests need them. A row of a user is written inside that user's scope, as in the product."""

from datetime import UTC, datetime, timedelta
from typing import Any

from factory.declarations import LazyAttribute, Sequence, SubFactory, Trait
from factory.django import DjangoModelFactory, Password

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.language.text import hash_content
from memory.measuring.cases import NewCase
from memory.models import (
    DecidedMatter,
    EndUser,
    EvaluationRun,
    FactEpisode,
    FactReview,
    FactRun,
    FactStream,
    MemoryItem,
    Operator,
    Organization,
)
from memory.models.evaluation import MeasuringState
from memory.models.facts import ReviewKind
from memory.store.rows import build_lexemes
from memory.tiers import Outcome, Status, Tier
from personality import templates

LONG_AGO = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def keep_evaluation(user: EndUser, item: MemoryItem, word: str, now: datetime) -> None:
    """A labelled question with the word in it, a run over it, and a decision about the memory."""
    MemoryFacade().save_case(user, NewCase(f"Where is the {word}?", [item.pk]), now=now)
    with user_scope(user):
        EvaluationRun.objects.create(user=user, state=MeasuringState.COMPLETED, actor=word)
        decided = {"kind": "redactions", "item_id": item.pk, "decision": "keep", "actor": word, "decided_at": now}
        DecidedMatter.objects.create(user=user, **decided)


def keep_personality(user: EndUser, word: str, now: datetime) -> None:
    """An own template with the word in it, in force."""
    text = f"identity:\n  name: {word}\ncommunication:\n  tone: warm\ncustom_instructions: Speak of the {word}.\n"
    saved = templates.save_template(user, word, templates.read_template(text), now=now)
    templates.activate_template(user, saved.id, now=now)


class OrganizationFactory(DjangoModelFactory[Organization]):
    class Meta:
        model = Organization

    slug = Sequence(lambda n: f"organization-{n}")
    name = LazyAttribute(lambda row: row.slug.replace("-", " ").title())


class OperatorFactory(DjangoModelFactory[Operator]):
    class Meta:
        model = Operator
        skip_postgeneration_save = True

    username = Sequence(lambda n: f"operator-{n}")
    password = Password("correct horse battery")
    is_staff = True


class EndUserFactory(DjangoModelFactory[EndUser]):
    class Meta:
        model = EndUser

    organization = SubFactory(OrganizationFactory)
    external_id = Sequence(lambda n: f"user-{n}")


class MemoryItemFactory(DjangoModelFactory[MemoryItem]):
    class Meta:
        model = MemoryItem

    class Params:
        proven = Trait(score=0.9, uses=3, worked=3, last_outcome=Outcome.WORKED)
        failing = Trait(score=0.1, uses=2, failed=2, last_outcome=Outcome.FAILED)
        expired = Trait(expires_at=LONG_AGO - timedelta(hours=1))
        banked = Trait(tier=Tier.MEMORY_BANK, tags=["preference"])
        always_injected = Trait(tier=Tier.MEMORY_BANK, tags=["identity"], always_inject=True)
        archived = Trait(status=Status.ARCHIVED, archived_at=LONG_AGO)

    user = SubFactory(EndUserFactory)
    tier = Tier.WORKING
    text = Sequence(lambda n: f"The lamp in room {n} is repaired on Thursdays")
    occurred_at = LONG_AGO
    created_at = LONG_AGO
    updated_at = LONG_AGO
    index_after = LONG_AGO
    content_hash = LazyAttribute(lambda row: hash_content(row.text))

    @classmethod
    def _create(cls, model_class: type[MemoryItem], *args: Any, **values: Any) -> MemoryItem:
        row = model_class(**values)
        row.lexemes = build_lexemes(row.user_id, row.text, row.speaker, row.occurred_at, row.tags)
        with user_scope(row.user):
            row.save(force_insert=True)
        return row


def keep_facts(user: EndUser, word: str, now: datetime) -> None:
    """A row in every table of facts, each with the word where text may be."""
    facade = MemoryFacade()
    known = facade.state_fact(user, f"My dentist is called {word.title()}", now=now).fact
    other = facade.state_fact(user, f"I am allergic to {word}", now=now).fact
    forgotten = facade.state_fact(user, f"I collect {word} stamps", now=now).fact
    assert known is not None
    assert other is not None
    assert forgotten is not None
    assert facade.forget_fact(user, forgotten.pk, now=now)
    with user_scope(user):
        FactReview.objects.create(user=user, fact=known, other=other, kind=ReviewKind.UNSURE)
        times = {"started_at": now, "ended_at": now}
        FactEpisode.objects.create(user=user, thread_id=word, memory_ids=[known.pk], gist=f"About {word}", **times)
        FactRun.objects.create(user=user, counts={"merged": 1})
        lines = [["fact", str(known.pk), 0.7, 0.6]]
        # A thread has one: the row is still there where only the facts were deleted.
        FactStream.objects.update_or_create(user=user, thread_id=word, defaults={"lines": lines})
