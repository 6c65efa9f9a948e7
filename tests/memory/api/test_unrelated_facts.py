"""What is told of one matter casts no doubt on what is known of another, nor is it told beside it."""

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.memory.api.fact_calls import list_bank, list_held, tell

pytestmark = pytest.mark.usefixtures("services")


@pytest.mark.parametrize(
    ("turns", "question"),
    [
        (("Mi cumpleaños es el 14 de marzo", "peso 82 kilos y mido 1,78"), "¿Cuándo es mi cumpleaños?"),
        (("Ich wohne in einer WG in Graz mit Lisa und Max", "hab jetzt ein macbook air"), "Wo wohne ich?"),
        (
            ("Duz mich bitte und schreib nicht so lange Texte", "Unsere Katze Mimi frisst seit gestern nichts mehr."),
            "Was weißt du von unserer Katze?",
        ),
        (("Trabalho no Itaú como gerente", "Não como mais carne vermelha"), "Onde eu trabalho?"),
        (("I'm a retired teacher", "I've bought an iPad"), "What do I do for a living?"),
        (("Prendi Coumadin", "Porto gli occhiali"), "Che farmaci prendo?"),
        (("tengo un podenco, Canelo, tiene 4 años", "He cambiado de móvil, ahora tengo un Xiaomi 14"), "¿Y Canelo?"),
    ],
)
def test_another_matter_casts_no_doubt(
    api: ApiClient, user: EndUser, clock: Clock, turns: tuple[str, str], question: str
) -> None:
    tell(api, user, clock, turns[:1])
    before = list_held(api)
    tell(api, user, clock, turns[1:])
    assert set(before) <= set(list_held(api))
    assert api.get("facts/reviews").json()["items"] == []
    assert not any("(" in text for text in list_bank(user))
    assert "perhaps until" not in api.post("context", {"query": question, "thread_id": "asked"}).json()["injection"]


def test_a_remark_that_names_no_matter_still_takes_a_place(api: ApiClient, user: EndUser, clock: Clock) -> None:
    tell(api, user, clock, ("Choir is on Tuesdays at seven.", "half past eight now"), thread="choir")
    assert any("half past eight" in text.casefold() and "Choir" in text for text in list_bank(user))


def test_a_pronoun_stands_for_no_thing(api: ApiClient, user: EndUser, clock: Clock) -> None:
    tell(api, user, clock, ("got a new phone, iphone 15.",))
    phone = list_held(api)
    tell(api, user, clock, ("I've been seeing someone new, her name is Priya",))
    assert set(phone) <= set(list_held(api))
    assert not any("phone" in text and "Priya" in text for text in list_bank(user))


@pytest.mark.parametrize(
    "turns",
    [
        ("ci siamo trasferiti a Milano", "ho venduto la Panda, tanto a Milano giro in bici"),
        ("vivo en Madrid", "he vendido el Corsa porque en Madrid no lo uso"),
        ("moro no Rio", "vendi o carro, aqui no Rio ando de metrô"),
    ],
)
def test_a_car_that_is_sold_ends_no_home(api: ApiClient, user: EndUser, clock: Clock, turns: tuple[str, str]) -> None:
    tell(api, user, clock, turns)
    assert list_held(api, "lives_in")


def test_a_home_that_is_sold_ends(api: ApiClient, user: EndUser, clock: Clock) -> None:
    tell(api, user, clock, ("I live in Leeds", "I sold the house in Leeds"))
    assert not list_held(api, "lives_in")


@pytest.mark.parametrize(
    ("told", "parted"),
    [
        (("יש לי אח, עומר", "לעומר יש אסטמה", "עומר התחיל לעבוד באינטל"), "עומר התגרש"),
        (("meu irmão Caio é casado com a Júlia", "o Caio comprou um Gol"), "o Caio se separou da Júlia"),
        (("la mia ragazza si chiama Chiara", "Chiara è vegana"), "Io e Chiara ci siamo lasciati"),
        (("mi hermano Luis tiene asma",), "Luis se ha divorciado"),
    ],
)
def test_a_divorce_ends_the_marriage_alone(
    api: ApiClient, user: EndUser, clock: Clock, told: tuple[str, ...], parted: str
) -> None:
    tell(api, user, clock, told)
    before = set(list_held(api))
    tell(api, user, clock, (parted,))
    ended = {relation for _, relation, _ in before - set(list_held(api))}
    assert ended <= {"married_to", "girlfriend"}
