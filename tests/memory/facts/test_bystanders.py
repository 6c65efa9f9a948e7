"""What ends for one ends nothing of what stands beside it: another fact of its sentence, or somebody who is named."""

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from memory.models.facts import FactState
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def list_states(user: EndUser, clock: Clock, *messages: str) -> dict[tuple[str, str], str]:
    """The states of all facts, by relation and object, after some turns of one thread, three days apart."""
    for message in messages:
        memory.store_exchange(user, NewExchange("t", message, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=3)
    with user_scope(user):
        told = Fact.objects.for_user(user).filter(polarity=True)
        return {(fact.relation, fact.object): fact.state for fact in told}


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("i'm allergic to mussels", "my allergist retired, new one is dr osei", ("allergic_to", "mussels")),
        ("soy diabética tipo 1", "mi diabetóloga se jubiló", ("has_condition", "diabética")),
        ("My husband Greg is a plumber", "Greg left work early, we saw the fireworks", ("husband", "greg")),
        ("Ma femme Inès est pharmacienne", "Inès a quitté la pharmacie à 19h", ("wife", "inès")),
        ("My daughter Hania is 5", "Hania left the gate open", ("daughter", "hania")),
        ("My son Jude is 3", "we left Jude at nursery", ("son", "jude")),
        ("I live in Galway with my son Cian", "Cian moved out", ("lives_in", "galway")),
        (
            "Lavoro per la Elettrotec da 9 anni, il capo è Bonetti",
            "Bonetti è andato in pensione, al posto suo c'è la Ferrero",
            ("works_at", "elettrotec"),
        ),
        ("I take ramipril, atorvastatin and aspirin", "stopped the aspirin", ("takes", "ramipril")),
        ("I work at Nestle as a chemist.", "I want to run a marathon next spring.", ("works_at", "nestle")),
        ("My sister's birthday is in May", "my sister moved to Lyon", ("birthday", "may")),
        ("my doctor is Dr Shaw. I take naproxen", "Dr Shaw took me off the naproxen", ("doctor", "dr shaw")),
        ("I work at Tesco", "my brother no longer works at Tesco, he's at Aldi", ("works_at", "tesco")),
        ("Ich arbeite bei der Telekom", "meine Frau arbeitet nicht mehr bei der Telekom", ("works_at", "telekom")),
        ("I live in Durham", "my parents have moved out of Durham at last", ("lives_in", "durham")),
        ("my husband is Ed", "Ed put me off mushrooms for life", ("husband", "ed")),
        ("my boss is called Tanya", "Tanya took me off the late shift", ("boss", "tanya")),
        ("my rabbit Clover is allergic to hay", "Clover's off the meloxicam", ("allergic_to", "hay")),
        ("יש לי כלבה, לולה", "עברנו לזכרון יעקב לפני שבוע, לולה שמחה בגינה", ("has", "כלבה")),
    ],
)
def test_what_stands_beside_goes_on(
    user: EndUser, clock: Clock, before: str, after: str, kept: tuple[str, str]
) -> None:
    assert list_states(user, clock, before, after)[kept] == FactState.ACTIVE


@pytest.mark.parametrize(
    ("before", "after", "over"),
    [
        ("My husband Greg is a plumber", "Greg left me", ("husband", "greg")),
        ("Ma femme Inès est pharmacienne", "Inès m'a quitté", ("wife", "inès")),
        ("We have a cat called Schnitzel", "Schnitzel died in the night", ("cat", "schnitzel")),
        ("I drive a red Corsa", "the Corsa got scrapped", ("car", "red corsa")),
    ],
)
def test_what_is_named_has_ended(user: EndUser, clock: Clock, before: str, after: str, over: tuple[str, str]) -> None:
    assert list_states(user, clock, before, after)[over] == FactState.SUPERSEDED


def test_what_one_slot_tells_repeats_no_other_slot(user: EndUser, clock: Clock) -> None:
    states = list_states(user, clock, "My sister's birthday is in May", "my sister moved to Lyon")
    assert states[("lives_in", "lyon")] == FactState.ACTIVE


def test_whoever_is_left_is_no_place_of_work(user: EndUser, clock: Clock) -> None:
    list_states(user, clock, "mio fratello Mimmo ha lasciato la moglie e si è trasferito a Lecce")
    with user_scope(user):
        assert not Fact.objects.for_user(user).filter(relation="works_at").exists()


@pytest.mark.parametrize(
    ("before", "after", "states"),
    [
        (
            "I take ramipril, atorvastatin and aspirin",
            "stopped the aspirin",
            {"ramipril": FactState.ACTIVE, "atorvastatin": FactState.ACTIVE, "aspirin": FactState.SUPERSEDED},
        ),
        (
            "I take citalopram 20 and lansoprazole.",
            "they've swapped the citalopram for sertraline, fifty to start",
            {"citalopram": FactState.SUPERSEDED, "lansoprazole": FactState.ACTIVE, "sertraline": FactState.ACTIVE},
        ),
        (
            "Prendo ramipril 5 la mattina.",
            "il ramipril me l'hanno tolto, prendo losartan da 50",
            {"ramipril": FactState.SUPERSEDED, "losartan": FactState.ACTIVE},
        ),
        (
            "Ich nehme Ramipril und Metformin.",
            "mein Arzt hat das Ramipril abgesetzt",
            {"ramipril": FactState.SUPERSEDED, "metformin": FactState.ACTIVE},
        ),
    ],
)
def test_each_medicine_of_a_list_goes_its_own_way(
    user: EndUser, clock: Clock, before: str, after: str, states: dict[str, FactState]
) -> None:
    told = list_states(user, clock, before, after)
    assert {name: state for (relation, name), state in told.items() if relation == "takes"} == states


@pytest.mark.parametrize(
    ("message", "whose"),
    [
        ("el perro toma apoquel, media pastilla por día, y es alérgico al pollo", "perro"),
        ("il cane è allergico al pollo", "cane"),
    ],
)
def test_what_an_animal_is_allergic_to_is_its_own(user: EndUser, clock: Clock, message: str, whose: str) -> None:
    list_states(user, clock, message)
    with user_scope(user):
        assert Fact.objects.for_user(user).get(relation="allergic_to").subject_key == whose


def test_what_a_cat_drinks_is_no_medicine_of_the_persons(user: EndUser, clock: Clock) -> None:
    list_states(user, clock, "firulais, mi gato de 14, anda tomando muchísima agua")
    with user_scope(user):
        assert not Fact.objects.for_user(user).filter(relation="takes", subject_key="you").exists()


def test_a_sisters_wife_takes_no_place_of_ones_own(user: EndUser, clock: Clock) -> None:
    told = list_states(user, clock, "My wife is called Dana.", "My sister's wife is called Ruth.")
    assert told[("wife", "dana")] == FactState.ACTIVE


def test_a_sisters_medicine_ends_none_of_ones_own(user: EndUser, clock: Clock) -> None:
    told = list_states(user, clock, "I take sertraline 50", "my sister came off sertraline last week and feels awful")
    assert told[("takes", "sertraline")] == FactState.ACTIVE


def test_each_allergy_of_a_list_is_a_fact(user: EndUser, clock: Clock) -> None:
    told = list_states(user, clock, "I'm allergic to penicillin, nuts and bee stings", "the weather is awful")
    assert {name for relation, name in told if relation == "allergic_to"} == {"penicillin", "nuts", "bee stings"}
