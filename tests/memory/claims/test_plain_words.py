"""Statements in the plainest words: what is denied, how one lives, contractions without their apostrophe."""

import pytest

from memory.claims.reader import read_claims

Told = tuple[str, str, str, bool]


def read_told(text: str) -> set[Told]:
    return {(one.subject, one.relation, one.object, one.polarity) for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("i dont live in leeds", ("you", "lives_in", "leeds", False)),
        ("we dont have kids", ("you", "has", "kids", False)),
        ("my sister doesnt eat pork", ("sister", "diet", "pork", False)),
        ("im not vegan", ("you", "diet", "vegan", False)),
        ("i cant eat nuts", ("you", "diet", "nuts", False)),
        ("jhabite à Lyon", ("you", "lives_in", "lyon", True)),
    ],
)
def test_a_contraction_without_its_apostrophe_is_one(text: str, told: Told) -> None:
    assert told in read_told(text)


def test_the_statement_is_told_with_the_apostrophe() -> None:
    assert [one.statement for one in read_claims("i dont live in leeds")] == ["I don't live in leeds."]


@pytest.mark.parametrize("text", ["im Garten steht ein Baum", "le film dont je parle", "my id is 4422"])
def test_the_same_letters_are_another_word_elsewhere(text: str) -> None:
    assert not [one for one in read_claims(text) if "'" in one.statement]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Wir haben keinen Hund.", ("you", "has", "hund", False)),
        ("ich hab keine Allergien", ("you", "has", "allergien", False)),
        ("I have no siblings", ("you", "has", "siblings", False)),
        ("Nous n’avons pas de chien", ("you", "has", "chien", False)),
    ],
)
def test_what_a_denial_begins_is_not_had(text: str, told: Told) -> None:
    assert told in read_told(text)


@pytest.mark.parametrize(
    "text",
    [
        *("vivo sola", "vivo arriba del todo", "vivo lejos del centro", "ich wohne ganz oben", "moro sozinha"),
        *("j’habite tout en haut", "I live with Anna", "My gran lives with us."),
    ],
)
def test_how_and_with_whom_somebody_lives_is_no_home(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation in {"lives_in", "has_condition"}]


@pytest.mark.parametrize(
    ("text", "home"), [("vivo sola en Vigo", "vigo"), ("Ich wohne allein in Köln", "köln"), ("j’habite lyon", "lyon")]
)
def test_where_somebody_lives_is_read_beside_it(text: str, home: str) -> None:
    assert ("you", "lives_in", home, True) in read_told(text)


@pytest.mark.parametrize(
    "text", ["duermo como un tronco", "Mi hijo se pone como un globo.", "otra noche como un tronco"]
)
def test_a_simile_is_no_food(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation == "eats"]


@pytest.mark.parametrize("text", ["yo como carne", "sólo como verdura"])
def test_what_somebody_eats_is_food(text: str) -> None:
    assert [one for one in read_claims(text) if one.relation == "eats" and one.polarity]


def test_being_a_mother_is_no_trade() -> None:
    assert read_told("I'm the mother of twins.") == {("you", "is", "mother of twins", True)}
    assert ("you", "works_as", "sage-femme", True) in read_told("Je suis sage-femme à l'hôpital de la Conception.")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Don't forget I'm allergic to nuts.", ("you", "allergic_to", "nuts", True)),
        ("Don't forget I don't eat meat.", ("you", "eats", "meat", False)),
        ("No olvides que soy alérgica a las nueces.", ("you", "allergic_to", "nueces", True)),
        ("No te olvides de que vivo en Vigo.", ("you", "lives_in", "vigo", True)),
        ("Vergiss nicht, dass ich gegen Nüsse allergisch bin.", ("you", "allergic_to", "nüsse", True)),
        ("N'oublie pas que j'habite à Lyon", ("you", "lives_in", "lyon", True)),
        ("Non scordarti che abito a Bari.", ("you", "lives_in", "bari", True)),
        ("Não esquece que eu moro em Recife.", ("you", "lives_in", "recife", True)),
        ("אל תשכח שאני אלרגית לאגוזים", ("you", "allergic_to", "אגוזים", True)),
    ],
)
def test_not_to_forget_denies_nothing(text: str, told: Told) -> None:
    assert [one.is_request for one in read_claims(text)] == [True]
    assert read_told(text) == {told}


def test_a_request_tells_all_that_its_words_tell() -> None:
    told = read_claims("Remember that my wife is Anna and we live in York")
    assert {(one.relation, one.object) for one in told} == {("wife", "anna"), ("lives_in", "york")}
    assert {one.statement for one in told} == {"My wife is Anna and we live in York."}
