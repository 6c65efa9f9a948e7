"""After an import the same holds as where the file comes from."""

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from memory.store.admission import NewMemory
from memory.store.listing import ItemFilter
from memory.tasks import complete_facts
from memory.tiers import Tier
from outcomes.exchanges.profiling import profile_due_exchanges
from outcomes.exchanges.storing import NewExchange
from outcomes.models import Exchange
from tests.memory.portability.test_portability import export, import_file


@pytest.mark.django_db
def test_an_import_holds_no_fact_that_the_person_does_not(user: EndUser, foreign_user: EndUser) -> None:
    memory, now = MemoryFacade("key:test"), timezone.now()
    said = ("Our car is a red Skoda.", "Our car is a blue Honda now.")
    for place, text in enumerate(said):
        memory.store_exchange(user, NewExchange(f"t{place}", text, "Fine."), now=now)
        profile_due_exchanges(user)
    # As a fact that was reworded left it: in the bank, read out of the exchange, and no fact stands in it any more.
    with user_scope(user):
        first = Exchange.objects.get(user=user, thread_id="t0")
    memory.store(
        user,
        NewMemory(
            "Our car is a red Skoda with a roof rack.",
            tier=Tier.MEMORY_BANK,
            tags=["identity"],
            source={"kind": "profile"},
            parents=[first.memory_id] if first.memory_id else [],
        ),
        now=now,
    )
    import_file(foreign_user, export(user))
    complete_facts(foreign_user.pk)
    assert list_active(foreign_user) == list_active(user)
    assert any("Honda" in statement for statement in list_active(user))


def list_active(user: EndUser) -> list[str]:
    with user_scope(user):
        return sorted(Fact.objects.for_user(user).active().values_list("statement", flat=True))


@pytest.mark.django_db
def test_a_wording_gives_way_to_the_one_that_says_more(user: EndUser) -> None:
    memory, now = MemoryFacade("key:test"), timezone.now()
    for place, text in enumerate(("Our car is a red Skoda.", "Our car is a red Skoda from 2014.")):
        memory.store_exchange(user, NewExchange(f"t{place}", text, "Fine."), now=now)
        profile_due_exchanges(user)
    bank = memory.list_items(user, ItemFilter(tier=Tier.MEMORY_BANK), limit=10)
    assert [item.text for item in bank] == ["Our car is a red Skoda from 2014."]
