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
        ("My boss is Clive", "Clive left early today", ("boss", "clive")),
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
        ("my new partner is Ali", "Ali's mum died", ("partner", "ali")),
        ("mi novio se llama Bruno", "se murió la madre de Bruno", ("boyfriend", "bruno")),
        ("il mio ragazzo si chiama Dario", "è morta la nonna di Dario", ("boyfriend", "dario")),
        ("I work at Lidl", "I should really quit my job at Lidl", ("works_at", "lidl")),
        ("ich arbeite bei Bosch", "ich sollte echt mal bei Bosch kündigen", ("works_at", "bosch")),
        ("my wife is Ana", "Ana and I split the bill", ("wife", "ana")),
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
        ("my girlfriend is Robin", "Robin and I broke up", ("girlfriend", "robin")),
        ("ma copine Jade mange pas de viande", "jade et moi c'est fini", ("girlfriend", "jade")),
        ("Meine Frau heißt Ana", "Ana und ich haben uns getrennt", ("wife", "ana")),
        ("mi novia se llama Lucía", "Lucía y yo lo hemos dejado", ("girlfriend", "lucía")),
        ("il mio ragazzo si chiama Dario", "io e Dario ci siamo lasciati", ("boyfriend", "dario")),
        ("I'm pregnant", "I had a miscarriage last week", ("has_condition", "pregnant")),
        ("j'suis enceinte", "en fait c'est une fausse couche", ("has_condition", "enceinte")),
        ("ich bin schwanger", "das Baby ist da, ein Mädchen!", ("has_condition", "schwanger")),
        ("We have a cat called Schnitzel", "Schnitzel died in the night", ("cat", "schnitzel")),
        ("I drive a red Corsa", "the Corsa got scrapped", ("car", "red corsa")),
    ],
)
def test_what_is_named_has_ended(user: EndUser, clock: Clock, before: str, after: str, over: tuple[str, str]) -> None:
    assert list_states(user, clock, before, after)[over] == FactState.SUPERSEDED


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("mein Bruder Jan und ich wohnen in Kiel", "Jan ist zu seiner Freundin nach Lübeck gezogen", "lives_in"),
        ("mi madre y yo trabajamos en Correos", "mi madre se jubila el viernes", "works_at"),
        ("ich und mein Mann arbeiten bei Bosch", "er hat gekündigt", "works_at"),
        ("me and my sister live in Hull", "she's moved to York, I stayed", "lives_in"),
        ("mon père et moi prenons de la metformine", "papa va bien, il ne prend plus de metformine", "takes"),
        ("אח שלי ואני גרים בחדרה", "אח שלי עבר לאילת, אני נשארתי", "lives_in"),
    ],
)
def test_what_ends_for_one_of_two_goes_on_for_the_person(
    user: EndUser, clock: Clock, before: str, after: str, kept: str
) -> None:
    list_states(user, clock, before, after)
    with user_scope(user):
        own = Fact.objects.for_user(user).filter(subject="you", relation=kept, polarity=True)
        assert [fact.state for fact in own] == [FactState.ACTIVE]


@pytest.mark.parametrize(
    ("before", "after", "over", "kept"),
    [
        ("I'm allergic to latex, pollen and nuts", "turns out I'm not allergic to nuts any more", "nuts", "latex"),
        ("ich bin allergisch gegen Birke und Erle", "gegen Birke bin ich nicht mehr allergisch", "birke", "erle"),
        ("soy alérgico al látex y a las nueces", "ya no soy alérgico a las nueces", "nueces", "látex"),
        ("je suis allergique aux noix et au latex", "je ne suis plus allergique au latex", "latex", "noix"),
        ("sono allergica a noci, lattice e polline", "non sono più allergica alle noci", "noci", "polline"),
        ("אני אלרגי לאגוזים, ללטקס ולחלב", "אני כבר לא אלרגי לאגוזים", "אגוזים", "חלב"),
        ("I take ramipril, atorvastatin and aspirin", "came off the aspirin", "aspirin", "atorvastatin"),
        ("prendo l'eutirox e la vitamina D", "ho smesso l'eutirox", "eutirox", "vitamina d"),
        ("tomo omeprazol por la mañana y enalapril", "el enalapril me lo quitaron", "enalapril", "omeprazol"),
        ("אני לוקח אומפרזול ואספירין", "הפסקתי את האספירין", "אספירין", "אומפרזול"),
    ],
)
def test_of_a_list_only_what_is_named_ends(
    user: EndUser, clock: Clock, before: str, after: str, over: str, kept: str
) -> None:
    states = {value: state for (_, value), state in list_states(user, clock, before, after).items()}
    assert (states[over], states[kept]) == (FactState.SUPERSEDED, FactState.ACTIVE)


@pytest.mark.parametrize(
    ("before", "between", "after"),
    [
        ("I take insulin, 14 units at night", "can you convert 3 cups to ml?", "no wait, 4"),
        ("nehme Insulin, 12 Einheiten abends", "rechne 5 Meilen in km um", "halt, 6"),
        ("I take metformin 500", "what's 20 plus 30?", "from today 850"),
        ("I'm allergic to nuts", "how many ml are 3 cups?", "no wait, 4"),
    ],
)
def test_a_number_of_another_matter_ends_no_limit(
    user: EndUser, clock: Clock, before: str, between: str, after: str
) -> None:
    states = list_states(user, clock, before, between, after)
    limits = [state for (relation, _), state in states.items() if relation in {"takes", "takes_dose", "allergic_to"}]
    assert limits
    assert set(limits) == {FactState.ACTIVE}


def test_a_dose_put_right_leaves_the_medicine(user: EndUser, clock: Clock) -> None:
    memory.store_exchange(user, NewExchange("t", "tomo enalapril 20", "Vale."), now=clock())
    profiling.profile_due_exchanges(user, now=clock())
    clock.advance(minutes=1)
    states = list_states(user, clock, "perdón, 10")
    assert (states[("takes", "enalapril")], states[("takes_dose", "10")]) == (FactState.ACTIVE, FactState.ACTIVE)
    assert states[("takes_dose", "20")] == FactState.RETRACTED


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


def test_a_pronoun_is_of_what_its_own_turn_names(user: EndUser, clock: Clock) -> None:
    list_states(user, clock, "Our car is in the garage till Tuesday, it's a red Fabia.")
    said = "I'm training for the Galway marathon, it's on the 11th of April"
    memory.store_exchange(user, NewExchange("other", said, "I see."), now=clock())
    profiling.profile_due_exchanges(user, now=clock())
    with user_scope(user):
        statements = Fact.objects.for_user(user).values_list("statement", flat=True)
        assert not any("garage" in one and "April" in one for one in statements)
