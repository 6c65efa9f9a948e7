"""What a later turn ends of what was told before, and what it leaves as it was, in every language."""

import pytest

from memory.access.scope import user_scope
from memory.claims.reader import read_claims
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")

pytestmark = pytest.mark.django_db


def tell(user: EndUser, clock: Clock, *turns: str) -> None:
    """Each turn days after the one before, in a conversation of its own."""
    for number, turn in enumerate(turns):
        clock.advance(days=3)
        memory.store_exchange(user, NewExchange(f"thread-{number}", turn, "I see."), now=clock())
        profiling.profile_due_exchanges(user, now=clock())


def list_held(user: EndUser, relation: str) -> list[str]:
    with user_scope(user):
        held = Fact.objects.for_user(user).active().filter(relation=relation, polarity=True)
        return sorted(held.values_list("object_key", flat=True))


@pytest.mark.parametrize(
    ("told", "later", "name"),
    [
        ("Mein Mann heißt Jürgen.", "Jürgen ist seit November in Rente.", "jurgen"),
        ("Mein Mann heißt Jürgen.", "Jürgen hat gekündigt.", "jurgen"),
        ("My husband is called Thierry.", "Thierry has been retired since November.", "thierry"),
        ("My husband Thierry works at Airbus.", "Thierry was laid off.", "thierry"),
        ("Mon mari s'appelle Thierry.", "Thierry est à la retraite depuis novembre.", "thierry"),
        ("Mi marido se llama Paco.", "Paco se ha jubilado en noviembre.", "paco"),
        ("Mio marito si chiama Aldo.", "Aldo è in pensione da novembre.", "aldo"),
        ("Meu marido se chama Caio.", "O Caio se aposentou em novembro.", "caio"),
        ("לבעלי קוראים אבי", "אבי יצא לפנסיה בנובמבר", "אבי"),
    ],
)
def test_who_retires_is_married_as_before(user: EndUser, clock: Clock, told: str, later: str, name: str) -> None:
    tell(user, clock, told, later)
    assert list_held(user, "husband") == [name]


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("My boss is Clive.", "Clive retired on Friday."),
        ("Mein Chef heißt Herr Wolff.", "Der Wolff ist in Rente gegangen."),
    ],
)
def test_a_boss_who_retires_is_one_no_more(user: EndUser, clock: Clock, told: str, later: str) -> None:
    tell(user, clock, told, later)
    assert list_held(user, "boss") == []


@pytest.mark.parametrize(
    ("told", "later", "relation"),
    [
        ("My phone is a pixel 6", "dropped the pixel down the toilet so ive got an iphone 13 now", "phone"),
        ("J'ai un iPhone 12", "Mon iPhone est mort, je suis passé sur un Pixel", "has"),
        ("Ich habe ein iPhone 12.", "das iPhone ist hin, hab mir n Pixel gebraucht geholt", "has"),
        ("יש לי אייפון 12", "גנבו לי את האייפון", "has"),
        ("Mi moto es una italika ft150", "me robaron la italika afuera del oxxo", "motorbike"),
        ("My bike is a Canyon", "someone nicked my bike outside work", "bike"),
        ("ich studiere Jura", "Das Jurastudium habe ich geschmissen.", "studies"),
        ("J'étudie le droit", "j'ai laissé tomber le droit", "studies"),
        ("Studio legge", "ho mollato legge", "studies"),
        ("Jogo futebol society toda quinta", "o futebol acabou pra mim, o ortopedista proibiu", "plays"),
        ("Lucas joue de la trompette", "Lucas a lâché la trompette, il fait de la batterie maintenant", "plays"),
        ("I have a dog called Nacho", "Nacho ran away in the summer and never came back", "dog"),
        ("J'ai un chien, Nacho", "Nacho s'est enfui cet été et n'est jamais revenu", "dog"),
        ("Ho il gatto Pepe che ha 14 anni", "Pepe se n'è andato ieri notte", "cat"),
    ],
)
def test_what_broke_was_given_up_or_never_came_back_is_over(
    user: EndUser, clock: Clock, told: str, later: str, relation: str
) -> None:
    tell(user, clock, told)
    assert len(list_held(user, relation)) == 1
    tell(user, clock, later)
    held = list_held(user, relation)
    # The phone that takes its place is had as well.
    assert [one for one in held if one in told.casefold()] == []


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("I play chess", "I haven't given up chess"),
        ("I play chess", "my brother gave up chess"),
        ("Toco la guitarra", "dejé las llaves junto a la guitarra"),
        ("I play for Arsenal", "Arsenal lost again"),
        ("I have an iPhone 12", "My sister's iPhone got stolen"),
        ("Ich spiele Cello", "Ich hab Zucker aufgegeben, aber das Cello bleibt"),
    ],
)
def test_what_is_not_over_or_somebody_elses_goes_on(told: str, later: str) -> None:
    ended = {(one.subject, one.relation) for one in read_claims(later, (told,)) if one.tense == "over"}
    known = {(one.subject, one.relation) for one in read_claims(told)}
    assert ended.isdisjoint(known)


@pytest.mark.parametrize(
    ("told", "later", "relation", "held"),
    [
        ("Ich arbeite bei Aldi.", "Mir wurde bei Aldi gekündigt.", "works_at", []),
        ("I live in Leeds with my parents.", "I've moved out of my parents' place, finally", "lives_in", []),
        (
            "wohn noch bei meinen eltern in warnemünde",
            "bin zuhause ausgezogen und wohn jetzt in ner wg in der ktv",
            "lives_in",
            [],
        ),
        (
            "Wir wohnen in einem Reihenhaus in Baunatal.",
            "Wir sind am Wochenende aus Baunatal nach Kassel in eine Wohnung gezogen",
            "lives_in",
            ["kassel"],
        ),
        ("My boss is Karen.", "My boss Karen left, Mohammed is in charge now.", "boss", ["mohammed"]),
        (
            "Meine Chefin heißt Karen.",
            "Meine Chefin Karen ist weg, jetzt leitet Mohammed das Team.",
            "boss",
            ["mohammed"],
        ),
        (
            "Ma cheffe s'appelle Karen.",
            "Ma cheffe Karen est partie, c'est Mohammed qui dirige maintenant.",
            "boss",
            ["mohammed"],
        ),
        ("meine freundin lea arbeitet bei rewe", "lea hat schluss gemacht", "girlfriend", []),
        ("mi novia karla es de puebla", "corte con karla ayer wey", "girlfriend", []),
        ("Mein Verlobter Ben ist Arzt.", "Ben und ich haben die Verlobung gelöst", "fiance", []),
        ("Mon fiancé s'appelle Ben.", "Ben et moi, on a rompu les fiançailles", "fiance", []),
        ("My fiancé is Ben.", "Ben and I called off the engagement", "fiance", []),
        ("My phone is a Pixel 6.", "I've got an iPhone 13 now.", "phone", []),
        ("I smoke a pack a day", "I quit smoking two weeks ago", "smokes", []),
        ("I'm vegetarian.", "I eat fish now.", "diet", []),
        ("Ich bin Vegetarierin.", "Ich esse jetzt Fisch.", "diet", []),
        ("Sono vegetariana.", "Adesso mangio il pesce.", "diet", []),
        ("Soy vegetariana.", "Ahora como pescado.", "diet", []),
        ("I'm vegetarian.", "I eat tofu now.", "diet", ["vegetarian"]),
        (
            "Am 28. Oktober um 9 Uhr habe ich einen Termin beim Zahnarzt Dr. Wolff",
            "Der Zahnarzttermin ist auf den 12. November verschoben worden",
            "time",
            ["12 november"],
        ),
        (
            "tengo cita con el oculista el 15 de octubre",
            "lo del oculista lo pasan al 29 de octubre",
            "time",
            ["29 de octubre"],
        ),
        ("יש לי תור לרופאת העור ב-20 באוקטובר", "התור לרופאת העור נדחה ל-3 בנובמבר", "time", ["3 בנובמבר"]),
    ],
)
def test_what_takes_the_place_of_what_was_told_holds_alone(
    user: EndUser, clock: Clock, told: str, later: str, relation: str, held: list[str]
) -> None:
    tell(user, clock, told, later)
    assert list_held(user, relation) == held


def test_a_thing_that_stands_as_it_was_said_ends_by_its_name(user: EndUser, clock: Clock) -> None:
    tell(user, clock, "Hab ein samsung galaxy a52", "das samsung ist hin, hab mir n iphone 12 gebraucht geholt")
    with user_scope(user):
        held = Fact.objects.for_user(user).active().filter(polarity=True).values_list("statement", flat=True)
        assert not any("a52" in statement for statement in held)


def test_who_is_spoken_of_beside_their_work_has_not_left() -> None:
    for told in ("My boss Karen left me a note.", "My boss Karen left the office at five."):
        assert [one.object for one in read_claims(told) if one.relation == "boss"] == ["karen"]


def test_where_somebody_is_no_more_they_do_not_work() -> None:
    told = read_claims("Da dicembre non sono più al Maggiore, ho vinto il concorso al Rizzoli")
    assert {(one.object, one.polarity) for one in told if one.relation == "works_at"} == {
        ("maggiore", False),
        ("rizzoli", True),
    }
