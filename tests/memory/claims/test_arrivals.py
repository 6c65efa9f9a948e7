"""A new place of work or a new home that is told without a verb, and what only sounds like one."""

import pytest

from memory.claims import read_claims


def list_keys(text: str, *previous: str) -> list[tuple[str, str, str]]:
    return [(one.subject, one.relation, one.object) for one in read_claims(text, previous)]


@pytest.mark.parametrize(
    ("told", "text", "name"),
    [
        ("ich bin bei Stihl in Waiblingen", "heute letzter Arbeitstag, ab Montag bei Trumpf", "trumpf"),
        ("ich bin bei Bosch", "heute letzter Arbeitstag gewesen, ab Montag bin ich bei Trumpf", "trumpf"),
        ("I work at Howden", "last day at work today, at Rowntree from Monday", "rowntree"),
        ("I work at Howden", "today was my last day, from Monday I'm with Rowntree", "rowntree"),
        ("trabajo en Ferrovial", "hoy último día, desde el lunes en Acciona", "acciona"),
        ("je bosse chez Renault", "dernier jour aujourd'hui, à partir de lundi chez Valeo", "valeo"),
        ("lavoro alla Fiat", "oggi ultimo giorno, da lunedì in Ferrari", "ferrari"),
        ("trabalho na Galp", "hoje último dia, a partir de segunda na Sonae", "sonae"),
        ("אני עובד באינטל", "היום יום אחרון, מיום ראשון באנבידיה", "אנבידיה"),
    ],
)
def test_a_last_day_and_the_next_place_are_a_new_work(told: str, text: str, name: str) -> None:
    claims = read_claims(text, [told])
    assert [(one.subject, one.relation, one.object, one.tense) for one in claims] == [("you", "works_at", name, "new")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ci hanno dato le chiavi! casa nuova a Prato, finalmente nostra", "prato"),
        ("got the keys! new house in Howden, finally ours", "howden"),
        ("¡ya tenemos las llaves! piso nuevo en Parla, por fin nuestro", "parla"),
        ("on a eu les clés ! maison neuve à Rezé, enfin à nous", "rezé"),
        ("Schlüssel bekommen! neues Haus in Hünfeld, endlich unser eigenes", "hünfeld"),
        ("קיבלנו מפתחות! דירה חדשה בנתניה, סוף סוף שלנו", "נתניה"),
    ],
)
def test_keys_and_a_new_home_are_where_the_person_lives(text: str, name: str) -> None:
    claims = read_claims(text)
    assert [(one.relation, one.object, one.tense) for one in claims] == [("lives_in", name, "new")]


@pytest.mark.parametrize(
    "text",
    [
        "last day of the holiday today, from Monday at Mum's",
        "letzter Urlaubstag heute, ab Montag bei Oma",
        "last day of the sale today, at Rowntree from Monday",
        "my sister got the keys! her new house in Howden",
        "got the keys to the rental car in Leeds",
        "got the keys! lost them again in Leeds",
        "meine Frau hat heute letzten Arbeitstag, ab Montag bei Siemens",
        "Tom hat heute letzten Arbeitstag, ab Montag bei Siemens",
    ],
)
def test_what_only_sounds_like_it_is_neither(text: str) -> None:
    assert not [key for key in list_keys(text) if key[1] in {"lives_in", "works_at"}]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("my wife is Hana and my ex-wife is Mona", "Mona remarried and moved to Cork"),
        ("my sister is Mona", "Mona graduated and moved to Cork"),
    ],
)
def test_a_verb_behind_a_joint_is_of_who_was_named(told: str, text: str) -> None:
    assert list_keys(text, told) == [("mona", "lives_in", "cork")]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ("meine Tochter heißt Lotte, sie ist 9", "nein, nicht Seite 9, Seite 12"),
        ("my daughter is Lotte, she's 9", "no, not page 9, page 12"),
        ("ma fille s'appelle Lotte, elle a 9 ans", "non, pas page 9, page 12"),
    ],
)
def test_the_number_of_a_page_is_no_age(told: str, text: str) -> None:
    assert not [key for key in list_keys(text, told) if key[0] == "lotte"]


def test_a_bare_number_still_puts_an_age_right() -> None:
    assert ("lotte", "age", "12") in list_keys("nein, nicht 9, 12", "meine Tochter heißt Lotte, sie ist 9")


@pytest.mark.parametrize(
    "text", ["clive retired", "Clive retired on friday", "Clive retired on friday, Shaz runs it now"]
)
def test_who_retires_is_no_event_and_no_boss(text: str) -> None:
    claims = read_claims(text, ["my boss is Clive"])
    assert not [one for one in claims if one.relation == "time" or (one.relation, one.object) == ("is", "clive")]
    assert [one for one in claims if one.relation == "boss" and (one.tense == "over" or one.object == "shaz")]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I used to live in Hull but I've been in York since 2019", "york"),
        ("Ich habe früher in Kiel gewohnt, bin aber seit 2019 in Bremen", "bremen"),
        ("J'habitais à Lyon avant mais je suis à Nantes depuis 2019", "nantes"),
        ("Estoy en Vigo desde 2019", "vigo"),
        ("Sono a Prato dal 2019", "prato"),
        ("Estou em Braga desde 2019", "braga"),
        ("אני בחיפה מאז 2019", "חיפה"),
        ("I've just moved back in with my parents in Dudley", "dudley"),
        ("Je suis retourné vivre chez mes parents à Dole", "dole"),
        ("He vuelto a vivir con mis padres en Vigo", "vigo"),
        ("Sono tornato a vivere dai miei a Prato", "prato"),
        ("Voltei a morar com os meus pais em Braga", "braga"),
    ],
)
def test_where_somebody_is_for_years_or_has_gone_back_to_live_is_home(text: str, name: str) -> None:
    assert ("you", "lives_in", name) in list_keys(text)


@pytest.mark.parametrize(
    "text",
    [
        "The office has been in York since 2019",
        "Tom has been in York since 2019",
        "I've been in debt since 2019",
        "I've been in Leeds since Monday",
        "Ich bin seit 2019 in Rente",
    ],
)
def test_what_lasts_for_years_is_no_home(text: str) -> None:
    assert not {relation for _, relation, _ in list_keys(text)} & {"lives_in"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("bin zuhause ausgezogen und wohn jetzt in ner wg in der ktv mit ole und marie", ("ole", "marie")),
        ("wir wohnen zu dritt in einer wg mit ole und marie", ("ole", "marie")),
        ("I share a flat with Tom and Priya", ("tom", "priya")),
        ("J'habite en coloc avec Léa et Tom", ("léa", "tom")),
        ("Comparto piso con Ana y Luis", ("ana", "luis")),
        ("Condivido l'appartamento con Sara e Luca", ("sara", "luca")),
        ("Divido apartamento com a Rita e o Pedro", ("rita", "pedro")),
        ("אני גרה בדירת שותפים עם דנה ונועה", ("דנה", "נועה")),
    ],
)
def test_who_shares_a_home_is_named(text: str, names: tuple[str, ...]) -> None:
    assert [key for key in list_keys(text) if key[1] == "roommate"] == [("you", "roommate", one) for one in names]


@pytest.mark.parametrize(
    "text", ["My brother lives in a flatshare with Tom", "Ich suche eine WG mit Balkon und Garten"]
)
def test_a_shared_home_of_others_or_without_names_tells_of_nobody(text: str) -> None:
    assert "roommate" not in {relation for _, relation, _ in list_keys(text)}
