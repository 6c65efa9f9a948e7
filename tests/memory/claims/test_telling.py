"""How likely a turn tells something of the person: what no phrase knows is kept, and a task is no life."""

import numpy as np
import pytest

from memory.claims import read_claims
from memory.claims.judgement.telling import load_weights, rate_telling
from memory.claims.reader import read_turn
from memory.facts.profile.rules import find_facts_by_rules
from memory.models import EndUser
from outcomes.exchanges import profiling
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.training.claims.data import read_labelled, read_training_turns
from tests.training.claims.train import build_matrix, rate

pytestmark = pytest.mark.usefixtures("services")


def test_the_stored_weights_are_of_the_turns_and_words_of_today() -> None:
    passages = [next(read_labelled(turn)) for turn in read_training_turns()[::9]]
    rates = rate(load_weights(), build_matrix(one.passage for one in passages))
    labels = np.array([one.tells for one in passages])
    assert ((rates >= 0.5) == labels).mean() >= 0.92


@pytest.mark.parametrize(
    "text",
    [
        "night porter at a hotel in Whitby, so I sleep till noon",
        "nachts Portier im Hotel, deshalb schlaf ich bis mittags",
        "portera de noche en un hotel, duermo hasta las doce",
        "portier de nuit dans un hôtel, je dors jusqu'à midi",
        "portiere di notte in un albergo, dormo fino a mezzogiorno",
        "porteiro de noite num hotel, durmo até ao meio-dia",
        "אני פועל לילה בנמל, ישן עד הצהריים",
    ],
)
def test_a_life_in_words_that_no_phrase_knows_is_claimed(text: str) -> None:
    assert any(claim.subject == "you" for claim in read_claims(text))


@pytest.mark.parametrize(
    "text",
    [
        "the man on the bench feeds eleven pigeons every morning",
        "der Mann auf der Bank füttert elf Tauben",
        "estoy buscando otro verbo para este párrafo",
        "je cherche un titre pour mon exposé",
        "mi serve un titolo per la presentazione",
        "preciso de uma legenda para a foto",
        "אני מחפש כותרת למצגת",
    ],
)
def test_tasks_and_strangers_teach_nothing(text: str) -> None:
    assert read_claims(text) == []


@pytest.mark.parametrize(
    ("text", "told", "asked"),
    [
        ("answering from the attic room in Falmouth, where can I buy a ladder", "Falmouth", "ladder"),
        ("ich wohne mit drei Hunden in Passau, hast du Ideen für den Regen?", "Passau", "Regen"),
        ("soy enfermera en Cuenca y trabajo de noche, ¿me escribes un menú?", "Cuenca", "menú"),
        ("on habite une péniche à Sète avec trois chats, tu peux me faire une liste ?", "Sète", "liste"),
        ("abbiamo due figli e viviamo a Lecce, mi scrivi una filastrocca?", "Lecce", "filastrocca"),
        ("tenho dois gatos e moro sozinha em Itu, pode fazer uma lista?", "Itu", "lista"),
        ("אנחנו גרים בנהריה עם שני ילדים, תכתוב לי שיר?", "נהריה", "שיר"),
    ],
)
def test_what_is_told_beside_a_request_is_claimed_without_it(text: str, told: str, asked: str) -> None:
    statements = [claim.statement for claim in read_claims(text)]
    assert any(told in one for one in statements)
    assert not any(asked in one for one in statements)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("it's Philippa who signs the forms now, she took over in May", "Philippa"),
        ("die Praxis macht jetzt Frau Dr. Odenwald, sie kennt unsere Kinder seit Jahren", "Odenwald"),
        ("la que nos lleva ahora es Rosalía, ella nos conoce desde hace años", "Rosalía"),
    ],
)
def test_the_value_in_the_clause_beside_a_claim_is_told_too(text: str, value: str) -> None:
    assert any(value in claim.statement for claim in read_claims(text))


@pytest.mark.parametrize(
    "text",
    [
        "Jetzt fahr ich einen Subaru, den alten Audi hab ich verkauft.",
        "switched my account over to Halden Bank in June",
    ],
)
def test_a_plain_statement_is_kept_in_its_own_words(text: str) -> None:
    [fact, *_] = find_facts_by_rules(text)
    assert fact.statement.split(":")[0] not in {"Der Nutzer wünscht", "The user wants"}
    assert fact.statement.casefold().rstrip(".") in text.casefold()


@pytest.mark.parametrize(
    "text",
    [
        "la vecina del 4º se separa, él se queda el perro y ella el coche, menudo culebrón en la escalera",
        "the neighbour downstairs is splitting up, he keeps the dog and she keeps the boat",
    ],
)
def test_what_goes_on_about_strangers_is_not_the_persons(text: str) -> None:
    assert find_facts_by_rules(text) == []


def test_a_sentence_whose_middle_was_quoted_is_no_statement() -> None:
    assert read_claims('eleven across, "went off with the spoon", five letters') == []


def test_a_sentence_is_rated_between_nothing_and_certainty() -> None:
    [telling] = read_turn("We keep two goats behind the house.").list_passages()
    [task] = read_turn("Make the second paragraph shorter.").list_passages()
    assert 0 <= rate_telling(task) < 0.4 < 0.8 < rate_telling(telling) <= 1


def learn_from(api: ApiClient, user: EndUser, clock: Clock, text: str) -> list[str]:
    stored = api.post("threads/t-1/exchanges", {"user_message": text, "assistant_message": "Noted."}).json()
    profiling.profile_due_exchanges(user, now=clock.advance(minutes=1))
    return [one["text"] for one in api.get(f"exchanges/{stored['exchange_id']}").json()["learned"]]


def test_what_is_told_in_passing_is_learned_through_the_api(api: ApiClient, user: EndUser, clock: Clock) -> None:
    [learned] = learn_from(api, user, clock, "tugboat skipper in Ostend, home every other week")
    assert "Tugboat" in learned


def test_what_strangers_do_is_not_learned_through_the_api(api: ApiClient, user: EndUser, clock: Clock) -> None:
    assert learn_from(api, user, clock, "the goalkeeper in that film keeps bees, which film is it") == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tuck this away somewhere: the ladder is behind the shed", "ladder"),
        ("merk das: der Gärtner kommt montags", "Gärtner"),
        ("mételo en algún sitio: la llave azul es del trastero", "trastero"),
        ("range ça quelque part : le code du portail finit par 7", "portail"),
        ("ficcatelo in testa: il cancello si chiude alle nove", "cancello"),
        ("guarda isto: a escada está na arrecadação", "escada"),
        ("שמור את זה: הסולם מאחורי המחסן", "הסולם"),
    ],
)
def test_whatever_verb_of_putting_away_asks_to_remember(text: str, told: str) -> None:
    assert any(claim.is_request and told in claim.statement for claim in read_claims(text))


@pytest.mark.parametrize(
    "text",
    [
        "Put it in the future tense: I live by the canal and I keep ducks.",
        "Setz das in den Konjunktiv: Ich wohne am Kanal und halte Enten.",
        "Hazlo más breve: vivo junto al canal y tengo patos.",
        "Mets au futur : j'habite près du canal et j'ai des canards.",
        "Rendilo più breve: abito sul canale e ho tre anatre.",
        "Passa para o futuro: moro junto ao canal e tenho patos.",
        "You be the judge, I'm the thief. I live in Ghent and I have nine cats.",
        "tu fais la juge, moi le voleur. J'habite à Gand et j'ai neuf chats.",
        "אתה השופט ואני הגנב. אני גר בגנט ויש לי תשעה חתולים",
    ],
)
def test_an_exercise_or_a_part_is_nobodys_life(text: str) -> None:
    assert read_claims(text) == []


def test_a_label_before_a_colon_introduces_the_persons_own_words() -> None:
    assert any("goats" in claim.statement for claim in read_claims("Our pets: three goats and a pony."))


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("tengo cuarenta y ocho años", "48"),
        ("j'ai cinquante-trois ans", "53"),
        ("ho trentacinque anni", "35"),
        ("I'm sixty two and I paint boats", "62"),
    ],
)
def test_an_age_in_several_number_words_is_told_in_digits(text: str, age: str) -> None:
    assert ("age", age) in [(claim.relation, claim.object) for claim in read_claims(text)]


def test_several_names_are_told_one_by_one() -> None:
    claims = read_claims("Unsere Katzen heißen Flocke und Pinsel.")
    assert {"flocke", "pinsel"} <= {claim.object for claim in claims}
