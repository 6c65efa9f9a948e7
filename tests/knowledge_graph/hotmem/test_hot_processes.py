"""Two processes on one conversation, of which one is killed in the middle of turns: nothing lost, doubled or stale."""

import pytest
from django.utils import timezone

from knowledge_graph.hotmem.turn import NewHotTurn, run_hot_turn
from knowledge_graph.models import HotThread, HotTurn
from memory.access.scope import user_scope
from memory.models import Fact
from memory.models.facts import FactState
from tests.at_once import run_at_once
from tests.factories import EndUserFactory, OrganizationFactory
from tests.knowledge_graph.hotmem.interrupted_turns import HotProcess

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("services")]

KILLED = -9
PLACES = ("Leeds", "Porto", "Ghent", "Turku", "Lyon", "Bergen")
NAMES = ("Priya", "Tom", "Luca", "Hanna", "Omer", "Bea", "Jonas", "Rui", "Maud", "Piet", "Ulla", "Vera")
DEATHS = [
    ["knowledge_graph.hotmem.learning:record_fact", "after", 1],
    ["knowledge_graph.hotmem.threads:save_thread", "before", 2],
    ["knowledge_graph.hotmem.turn:keep_turn", "after", 2],
]


def test_two_processes_lose_double_and_keep_nothing_stale() -> None:
    user = EndUserFactory.create(organization=OrganizationFactory.create(slug="acme"), external_id="ann")

    def take_here(*texts: str, thread: str = "t") -> str:
        results = [run_hot_turn(user, NewHotTurn(thread, text), now=timezone.now(), actor="test") for text in texts]
        return " ".join(bullet.text for bullet in results[-1].bullets)

    with HotProcess() as other:
        said = [f"My friend {name} lives in {PLACES[at % 6]}." for at, name in enumerate(NAMES)]
        run_at_once(lambda: take_here(*said[0::2]), lambda: other.take_turns(user.pk, "t", said[1::2]))
        for at, death in enumerate(DEATHS):
            move = f"I live in {PLACES[at]}."
            assert other.take_turns(user.pk, "t", ["thanks, that helps", move], death) == KILLED
            # Whoever sent it got no answer, and sends it again to the process that is there.
            take_here(move)
            assert PLACES[at] in take_here("where do I live?", thread="u")
    with user_scope(user):
        active = Fact.objects.for_user(user).filter(state=FactState.ACTIVE)
        homes = active.filter(relation="lives_in")
        assert sorted(homes.exclude(subject_key="you").values_list("subject_key", "evidence_count")) == sorted(
            (name.casefold(), 1) for name in NAMES
        )
        assert list(homes.filter(subject_key="you").values_list("object_key", flat=True)) == [
            PLACES[len(DEATHS) - 1].casefold()
        ]
        thread = HotThread.objects.get(user=user, thread_id="t")
        numbers = HotTurn.objects.filter(user=user, thread_id="t").order_by("number").values_list("number", flat=True)
        assert list(numbers) == list(range(1, thread.turn + 1))
