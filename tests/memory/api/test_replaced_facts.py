"""What takes the place of what is known though it is read into another slot or told without its old value."""

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.memory.api.fact_calls import list_bank, list_held, listed, state, tell

pytestmark = pytest.mark.usefixtures("services")


@pytest.mark.parametrize(
    ("told", "since"),
    [
        ("my daughter Mia is 9", "Mia turned 10 yesterday"),
        ("meine Tochter Mia ist 9", "Mia ist gestern 10 geworden"),
        ("ma fille Mia a 9 ans", "Mia a eu 10 ans hier"),
        ("mi hija Mia tiene 9 años", "Mia ha cumplido 10 años"),
    ],
)
def test_one_is_as_old_as_was_said_last(api: ApiClient, user: EndUser, clock: Clock, told: str, since: str) -> None:
    tell(api, user, clock, (told, since))
    assert list_held(api, "age") == [("mia", "age", "10")]
    assert list_held(api, "daughter")


@pytest.mark.parametrize(
    ("told", "since"),
    [
        ("my phone is a Samsung S21", "got a new phone, iphone 15."),
        ("mein Handy ist ein Samsung S21", "hab ein neues Handy, ein iPhone 15"),
        ("mi móvil es un Samsung S21", "tengo móvil nuevo, un iPhone 15"),
    ],
)
def test_a_new_phone_takes_the_place_of_the_old_one(
    api: ApiClient, user: EndUser, clock: Clock, told: str, since: str
) -> None:
    tell(api, user, clock, (told, since))
    assert not list_held(api, "phone")
    assert [text.casefold().rstrip(".") for text in list_bank(user)] == [since.casefold().rstrip(".")]


@pytest.mark.parametrize(
    ("told", "since"),
    [
        (
            "tengo cita con el dentista el 3 de junio a las 17:30",
            "me han cambiado la cita del dentista al 10 de junio",
        ),
        (
            "ho appuntamento dal dentista il 3 giugno alle 17:30",
            "mi hanno spostato l'appuntamento dal dentista al 10 giugno",
        ),
        ("tenho consulta no dentista dia 3 de junho", "mudaram a consulta do dentista para 10 de junho"),
        ("j'ai rendez-vous chez le dentiste le 3 juin", "mon rendez-vous chez le dentiste est décalé au 10 juin"),
        ("I have a dentist appointment on June 3", "they moved my dentist appointment to June 10"),
    ],
)
def test_an_appointment_that_is_moved_is_told_once(
    api: ApiClient, user: EndUser, clock: Clock, told: str, since: str
) -> None:
    tell(api, user, clock, (told, since))
    assert [text.casefold().rstrip(".") for text in list_bank(user)] == [since.casefold()]
    assert api.get("facts/reviews").json()["items"] == []


def test_an_appointment_that_is_moved_leaves_another(api: ApiClient, user: EndUser, clock: Clock) -> None:
    told = ("tengo cita con el oculista el 5 de junio", "me han cambiado la cita del dentista al 10 de junio")
    tell(api, user, clock, told)
    assert any("oculista" in text for text in list_bank(user))


@pytest.mark.parametrize(
    ("told", "since"),
    [
        ("meine Freundin heißt Sophie", "Sophie hat Schluss gemacht"),
        ("mi marido se llama Javier", "mi marido Javier y yo nos hemos separado"),
        ("la mia ragazza si chiama Chiara", "Chiara mi ha lasciato"),
    ],
)
def test_who_has_parted_is_a_couple_no_longer(
    api: ApiClient, user: EndUser, clock: Clock, told: str, since: str
) -> None:
    tell(api, user, clock, (told, since))
    assert list_held(api) == []


def test_with_the_employer_the_boss_ends(api: ApiClient, user: EndUser, clock: Clock) -> None:
    tell(api, user, clock, ("I work at Jellyfish, my boss is Jenny", "I got made redundant today"))
    assert not list_held(api, "boss")
    tell(api, user, clock, ("Got a job at Monzo!", "my boss is Raj", "I work at Starling now, my boss is Ada"))
    assert list_held(api, "boss", "works_at") == [("you", "boss", "ada"), ("you", "works_at", "starling")]


def test_forgetting_brings_back_what_was_replaced(api: ApiClient, user: EndUser, clock: Clock) -> None:
    leeds = state(api, "I live in Leeds.")["fact"]
    clock.advance(days=1)
    york = state(api, "I live in York now.")["fact"]
    assert api.get(f"facts/{leeds['id']}").json()["state"] == "superseded"
    assert api.delete(f"facts/{york['id']}").status_code == 204
    assert listed(api) == ["I live in Leeds."]
    assert list_bank(user) == ["I live in Leeds."]


def test_forgetting_what_has_ended_brings_nothing_back(api: ApiClient, user: EndUser, clock: Clock) -> None:
    told = []
    for statement in ("I live in Hull.", "I live in Leeds now.", "I live in York now."):
        told.append(state(api, statement)["fact"])
        clock.advance(days=1)
    assert api.delete(f"facts/{told[1]['id']}").status_code == 204
    assert listed(api) == ["I live in York now."]
