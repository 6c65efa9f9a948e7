"""Who is a couple, told of both at once."""

import pytest

from memory.claims.reader import read_claims

TOGETHER = [
    ("ok it's official, Sam and I are a couple.", "dating", "sam"),
    ("Sam and I are together.", "dating", "sam"),
    ("Sam and I got married in June.", "married_to", "sam"),
    ("Lena and I got engaged!", "fiance", "lena"),
    ("Sam und ich sind jetzt ein Paar.", "dating", "sam"),
    ("Sam et moi on est ensemble depuis mars.", "dating", "sam"),
    ("Sam y yo estamos juntos.", "dating", "sam"),
    ("Io e Sam stiamo insieme.", "dating", "sam"),
    ("O Rui e eu estamos juntos agora.", "dating", "rui"),
    ("דנה ואני ביחד.", "dating", "דנה"),
]
OTHERWISE = [
    "Sam and I are together on this project.",
    "My brother and I are together.",
    "My boss and I are seeing each other on Monday.",
    "Are Sam and I a couple?",
    "Do you think Sam and I are together?",
]


@pytest.mark.parametrize(("said", "relation", "name"), TOGETHER)
def test_a_couple_is_told_by_both(said: str, relation: str, name: str) -> None:
    [claim] = read_claims(said)
    assert (claim.subject, claim.relation, claim.object, claim.polarity) == ("you", relation, name, True)


@pytest.mark.parametrize("said", OTHERWISE)
def test_who_is_otherwise_together_is_no_couple(said: str) -> None:
    assert not [one for one in read_claims(said) if one.relation in {"dating", "married_to", "fiance"}]


def test_who_parts_is_none_any_longer() -> None:
    [claim] = read_claims("Jade and I split up")
    assert (claim.relation, claim.object, claim.polarity, claim.tense) == ("dating", "jade", False, "over")


def test_what_is_official_is_nobodys_name() -> None:
    assert not [one for one in read_claims("ok it's official, I moved to Leeds") if one.relation == "name"]


@pytest.mark.parametrize(
    ("said", "employer"),
    [
        ("I'm starting at Bosch as an engineer in May.", "bosch"),
        ("I start on Monday at Bosch.", "bosch"),
        ("Empiezo el lunes en Renfe como maquinista.", "renfe"),
        ("Lunedì comincio da Ferrari come meccanico.", "ferrari"),
        ("je commence lundi chez Thales comme ingénieur.", "thales"),
        ("Começo segunda na Galp como engenheira.", "galp"),
    ],
)
def test_who_begins_somewhere_works_there(said: str, employer: str) -> None:
    told = [(one.subject, one.object) for one in read_claims(said) if one.relation == "works_at"]
    assert told == [("you", employer)]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Sophie hat Schluss gemacht", "sophie"),
        ("Max hat mit mir Schluss gemacht", "max"),
        ("Jade dumped me", "jade"),
        ("Lucía me ha dejado", "lucía"),
        ("Marie m'a quitté", "marie"),
        ("Chiara mi ha lasciato", "chiara"),
        ("o Pedro terminou comigo", "pedro"),
        ("נועה נפרדה ממני", "נועה"),
        ("mi marido Javier y yo nos hemos separado", "javier"),
    ],
)
def test_a_couple_that_has_parted_is_told_by_one(said: str, name: str) -> None:
    [claim] = read_claims(said)
    assert (claim.subject, claim.object, claim.polarity, claim.tense) == ("you", name, False, "over")


@pytest.mark.parametrize(
    "said", ["Max left me a message", "Lucía me ha dejado un mensaje", "mum dumped me at the gate"]
)
def test_whoever_leaves_something_parts_from_nobody(said: str) -> None:
    assert not [claim for claim in read_claims(said) if claim.tense == "over"]


def test_whoever_divorces_is_married_no_longer() -> None:
    [claim] = read_claims("Ana and Rui got divorced")
    assert (claim.subject, claim.relation, claim.object, claim.polarity) == ("ana", "married_to", "rui", False)
