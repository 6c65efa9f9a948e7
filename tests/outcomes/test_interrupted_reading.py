"""A worker that is killed while it reads: every turn is settled once, and nothing it taught is lost or doubled."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, FactEvidence, MemoryItem
from memory.models.facts import EvidenceKind
from memory.tiers import Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.factories import EndUserFactory, OrganizationFactory
from tests.outcomes.interrupted_reading import ReadingProcess

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("services")]

memory = MemoryFacade("key:test")
DEATHS = [
    ("outcomes.exchanges.reading_queue:begin_reading", "before", 1),
    ("outcomes.exchanges.reading_queue:begin_reading", "after", 1),
    ("memory.facts.profile:detect_profile_facts", "before", 1),
    ("outcomes.exchanges.profiling:draft_facts", "after", 1),
    ("outcomes.exchanges.profiling:draft_facts", "after", 3),
    ("memory.lifecycle.learning:learn_facts", "before", 2),
    ("memory.lifecycle.learning:record_fact", "before", 1),
    ("memory.lifecycle.learning:record_fact", "after", 1),
    ("memory.lifecycle.learning:record_fact", "after", 2),
    ("memory.lifecycle.publishing:publish_facts", "before", 2),
    ("memory.lifecycle.publishing:publish_facts", "after", 1),
    ("memory.store.writing:store_memory", "after", 1),
    ("memory.lifecycle.learning:learn_facts", "after", 1),
    ("memory.lifecycle.learning:learn_facts", "after", 2),
    ("outcomes.exchanges.reading_queue:mark_profiled", "after", 1),
    ("outcomes.exchanges.reading_queue:settle_exchanges", "before", 1),
    ("outcomes.exchanges.profiling:store_facts", "after", 1),
    ("outcomes.exchanges.profiling:store_facts", "after", 2),
    ("outcomes.work:move_reading_mark", "before", 1),
    ("outcomes.work:move_reading_mark", "after", 1),
]
KIN = ("sister", "brother", "aunt", "daughter", "son", "cousin", "mother", "father", "uncle", "niece")
NAMES = ("Priya", "Tom", "Inés", "Luca", "Hanna", "Omer", "Bea", "Jonas", "Rui", "Maud")
PLACES = ("Leeds", "Porto", "Ghent", "Turku", "Lyon", "Bergen", "Graz", "Cork", "Vigo", "Ulm")
FOODS = ("peanuts", "shrimp", "gluten", "kiwis", "celery", "sesame", "mustard", "lupins", "walnuts", "squid")


@pytest.fixture(scope="module")
def process(services: None) -> Iterator[ReadingProcess]:
    with ReadingProcess() as process:
        yield process


@pytest.fixture
def ann(services: None) -> EndUser:
    return EndUserFactory.create(organization=OrganizationFactory.create(slug="acme"), external_id="ann")


@pytest.fixture
def ben(ann: EndUser) -> EndUser:
    return EndUserFactory.create(organization=ann.organization, external_id="ben")


def write_messages(number: int) -> list[str]:
    """Some that state something, of which none replaces another, and some that do not."""
    tens, ones = divmod(number, 10)
    one, other = KIN[ones], NAMES[(ones + 3 * tens) % 10]
    said = f"My {one} {other} lives in {PLACES[ones]}." if tens else f"I'm allergic to {FOODS[ones]}."
    return [said, "thanks!" if ones % 5 else f"How far is {PLACES[ones]}?"]


def say(user: EndUser, number: int) -> None:
    now = timezone.now()
    for message in write_messages(number):
        memory.store_exchange(user, NewExchange(f"t-{number // 5}", message, "Noted."), now=now)


def read_all(user: EndUser) -> None:
    """As a worker that nobody kills, when every pause is over."""
    while profiling.profile_due_exchanges(user, now=timezone.now() + timedelta(hours=1)):
        pass


def count_learned(user: EndUser) -> Counter[Any]:
    """What is known of a person, in words that are the same for another who said the same."""
    with user_scope(user):
        facts = Fact.objects.for_user(user).values_list("statement", "relation", "object", "state", "evidence_count")
        bank = MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK)
        return Counter([*facts, *bank.values_list("text", "status", "mentions")])


def check_origins(user: EndUser) -> None:
    """Nothing is known without the exchange and the memory it comes from, and nothing twice from one exchange."""
    with user_scope(user):
        exchanges = {row.pk: row for row in Exchange.objects.filter(user=user)}
        memories = set(MemoryItem.objects.for_user(user).values_list("pk", flat=True))
        assert all(row.profiled_at and row.memory_id in memories for row in exchanges.values())
        evidence = list(FactEvidence.objects.filter(user=user, kind=EvidenceKind.EXCHANGE))
        assert {(one.ref_id, one.memory_id) for one in evidence} <= {(k, row.memory_id) for k, row in exchanges.items()}
        assert max(Counter((one.fact_id, one.ref_id) for one in evidence).values()) == 1
        assert {one.fact_id for one in evidence} == set(Fact.objects.for_user(user).values_list("pk", flat=True))
        bank = list(MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK))
        assert all(item.parents and set(item.parents) <= memories for item in bank)
        published = Fact.objects.for_user(user).filter(bank_item_id__isnull=False)
        assert {item.pk for item in bank} == set(published.values_list("bank_item_id", flat=True))


def test_killed_anywhere_it_loses_and_doubles_nothing(ann: EndUser, ben: EndUser, process: ReadingProcess) -> None:
    """Ann's worker is killed again and again while she goes on talking; Ben says the same, and his is not."""
    for number, death in enumerate(DEATHS):
        say(ann, number)
        say(ben, number)
        assert process.die_at(ann.pk, *death) == -9, death
    read_all(ann)
    read_all(ben)
    check_origins(ann)
    check_origins(ben)
    learned = count_learned(ann)
    assert learned == count_learned(ben)
    assert len(learned) >= len(DEATHS), "there was something to lose"
